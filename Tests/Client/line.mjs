// A line between a browser and a server, which can be slow.

import { connect, createServer } from "node:net";
import { Transform } from "node:stream";
import { pause } from "./waiting.mjs";

export class Line {
    /** `delay`: milliseconds before data is forwarded; `rate`: bytes a second. */
    constructor(origin, { delay = 0, rate = Infinity } = {}) {
        Object.assign(this, { delay, rate });
        this.server = createServer((near) => {
            const far = connect(new URL(origin).port, "127.0.0.1");
            near.pipe(this.#slowed()).pipe(far).pipe(near);
            for (const [one, other] of [[near, far], [far, near]]) {
                one.on("error", () => {}).on("close", () => other.destroy());
            }
        });
    }

    async start() {
        await new Promise((resolve) => { this.server.listen(0, "127.0.0.1", resolve); });
        this.origin = `http://127.0.0.1:${this.server.address().port}`;
        return this;
    }

    #slowed() {
        return new Transform({
            transform: async (bytes, _, done) => {
                await pause(this.delay + (bytes.length / this.rate) * 1_000);
                done(null, bytes);
            },
        });
    }

    stop() {
        this.server.close();
    }
}
