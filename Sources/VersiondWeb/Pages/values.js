// Asks the worker that has the values.

import { caller, documentPath, Refusal, Unreachable } from "./api.js";

const worker = new Worker("/ui/valuestore.js", { type: "module" });
const waiting = new Map();
let count = 0;

worker.onmessage = ({ data: { id, result, error } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(error));
};

function call(name, words) {
    count += 1;
    const id = count;
    worker.postMessage({ id, call: name, words });
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

/** Stored values may be out of date: the document was erased, or has a new life. */
export const forget = () => call("forget", {});

/** A state of a document, as the worker has it. */
export class State {
    constructor(key, { bytes, etag }) {
        this.key = key;
        this.bytes = bytes;
        this.revision = etag === null ? null : Number(etag.replaceAll('"', ""));
    }

    /** Reads the value at an address; `isSettled`: it never changes. */
    static async load(name, at, isSettled = false) {
        const query = at === null ? "" : `?at=${encodeURIComponent(at)}`;
        const headers = { Accept: "application/json" };
        if (caller.token) headers.Authorization = `Bearer ${caller.token}`;
        const key = `${name} ${at ?? "head"}`;
        const answer = await call("load",
            { key, path: documentPath(name) + query, headers, isSettled });
        if (answer.isAway) throw new Unreachable();
        if (answer.problem) throw new Refusal(answer.problem, answer.status);
        return new State(key, answer);
    }

    root() {
        return call("root", { key: this.key });
    }

    children(path, start, length) {
        return call("children", { key: this.key, path, start, count: length });
    }

    locate(path) {
        return call("locate", { key: this.key, path });
    }

    search(text) {
        return call("search", { key: this.key, text });
    }

    page() {
        return call("page", { key: this.key });
    }

    rows(path, columns, start) {
        return call("rows", { key: this.key, path, columns, start });
    }

    differenceFrom(other, identity) {
        return call("delta", { from: other.key, to: this.key, identity });
    }
}
