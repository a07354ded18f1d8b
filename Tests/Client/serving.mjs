// A page's own server, on a free port.

import { createServer } from "node:http";

/** `textOf(path)` is a page or a script, or `null` where there is none. */
export async function serve(textOf) {
    const server = createServer(({ url }, response) => {
        const text = textOf(new URL(url, "http://x").pathname);
        const type = text?.startsWith("<!doctype") ? "text/html" : "text/javascript";
        response.writeHead(text === null ? 404 : 200, { "Content-Type": `${type}; charset=utf-8` });
        response.end(text ?? "");
    });
    await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
    const stop = () => {
        server.closeAllConnections();
        server.close();
    };
    return { origin: `http://127.0.0.1:${server.address().port}`, stop };
}
