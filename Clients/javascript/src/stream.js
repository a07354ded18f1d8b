// One stream of changes, as lines: of chosen documents, from a position on.

import { readJSON } from "./numeral.js";
import { anyOf } from "./signals.js";

/** How often the daemon says something, in seconds. */
export const heartbeat = 8;
/** A line that says nothing for so long is dead. */
export const silenceMax = 20_000;

/**
 * Reads a stream until it ends. `onLine` gets each item. Rejects when the daemon is silent for too
 * long, or with the response if it is not a stream: `{ answer }`.
 */
export async function readStream(transport, platform, query, signal, onLine) {
    const { signal: ended, abort, forget } = anyOf(signal);
    let timer = platform.setTimeout(abort, silenceMax);
    try {
        const fields = { Accept: "application/x-ndjson" };
        const path = `/v1/feed?${query}`;
        const answer = await transport.fetch("GET", path, { fields, signal: ended });
        if (!answer.ok) throw Object.assign(new Error(`HTTP ${answer.status}`), { answer });
        for await (const line of linesOf(answer.body)) {
            platform.clearTimeout(timer);
            timer = platform.setTimeout(abort, silenceMax);
            onLine(readJSON(line));
        }
    } finally {
        platform.clearTimeout(timer);
        forget();
        abort();
    }
}

async function* linesOf(body) {
    const decoder = new TextDecoder();
    const reader = body.getReader();
    let rest = "";
    for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
        rest = lines.pop();
        yield* lines.filter((line) => line !== "");
    }
}
