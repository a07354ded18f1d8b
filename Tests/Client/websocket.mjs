// A client's end of a WebSocket (RFC 6455), which node 20 does not have: as Firefox speaks it, in
// texts of one frame.

import { randomBytes } from "node:crypto";
import { request } from "node:http";

/** Connects, and calls `receive` with each text. Resolves with what sends one. */
export async function connectSocket(address, receive, ended) {
    const [socket, head] = await new Promise((resolve, reject) => {
        const headers = {
            Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": 13,
            "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
        };
        request(address.replace(/^ws:/, "http:"), { headers }).on("error", reject)
            .on("response", ({ statusCode }) => reject(new Error(`${address}: ${statusCode}`)))
            .on("upgrade", (_, upgraded, first) => resolve([upgraded, first])).end();
    });
    let bytes = head;
    const read = (data) => {
        bytes = Buffer.concat([bytes, data]);
        for (let frame = frameOf(bytes); frame; frame = frameOf(bytes)) {
            bytes = bytes.subarray(frame.end);
            if (frame.kind === 1) receive(frame.data.toString());
        }
    };
    socket.on("data", read).on("error", () => {}).on("close", ended);
    read(Buffer.alloc(0));
    return (text) => socket.write(framed(Buffer.from(text)));
}

/** The first frame of the received bytes, or `null` if it is not complete. */
function frameOf(bytes) {
    if (bytes.length < 2) return null;
    const short = bytes[1] & 127;
    const start = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (bytes.length < start) return null;
    const length = start === 2 ? short
        : start === 4 ? bytes.readUInt16BE(2) : bytes.readUIntBE(4, 6);
    const end = start + length;
    if (bytes.length < end) return null;
    return { kind: bytes[0] & 15, data: bytes.subarray(start, end), end };
}

/** A text in a frame, masked, as a client's has to be: Firefox refuses a mask of zeros. */
function framed(data) {
    const size = data.length < 126 ? 0 : data.length < 65_536 ? 2 : 8;
    const head = Buffer.alloc(2 + size + 4);
    head[0] = 0x81;
    head[1] = 0x80 | (size === 0 ? data.length : size === 2 ? 126 : 127);
    if (size > 0) head.writeUIntBE(data.length, size === 2 ? 2 : 4, size === 2 ? 2 : 6);
    return Buffer.concat([head.fill(1, 2 + size), data.map((byte) => byte ^ 1)]);
}
