// Requests to the daemon, with the token that there is, and another one when it is over.

import { DocumentError } from "./problems.js";
import { anyOf } from "./signals.js";

/** How long an answer may take; a large request as long as a slow line needs. */
const answerMax = 30_000;
const bytesPerSecond = 4_000;
/** The limit on bytes of requests of a closing page (the Fetch standard: 64 KiB). */
const keepaliveMax = 48_000;

export class Transport {
    #options;
    #platform;
    #token = null;
    #kept = 0;
    /** Functions that end the requests under way. */
    #endings = new Set();
    #isClosed = false;

    constructor(base, options, platform) {
        this.base = base;
        this.#options = options;
        this.#platform = platform;
    }

    close() {
        this.#isClosed = true;
        for (const abort of this.#endings) abort();
    }

    /** Forgets the token, so that the next request asks for it. */
    renew(token) {
        if (token !== undefined) this.#options = { ...this.#options, token };
        this.#token = null;
    }

    /** Whether the next request may have another token: the application is asked for it. */
    get isAsking() {
        const { token, headers } = this.#options;
        return typeof token === "function" || typeof headers === "function";
    }

    /** Sends a request; again with another token if the daemon refuses this one. */
    async fetch(method, path, { body, fields = {}, signal, isLast = false } = {}) {
        const token = await this.#currentToken();
        const answer = await this.#send(method, path, token, { body, fields, signal, isLast });
        if (answer.status !== 401 || typeof this.#options.token !== "function") return answer;
        if (this.#token?.value === token) this.#token = null;
        const next = await this.#currentToken();
        if (next === token) return answer;
        return this.#send(method, path, next, { body, fields, signal, isLast });
    }

    /** One question for all requests that need it. */
    async #currentToken() {
        const { token } = this.#options;
        if (typeof token !== "function") return token;
        this.#token ??= { promise: Promise.resolve().then(token) };
        const asked = this.#token;
        try {
            asked.value = await asked.promise;
            return asked.value;
        } catch (cause) {
            if (this.#token === asked) this.#token = null;
            const detail = `No token: ${cause?.message ?? cause}`;
            throw new DocumentError({ code: "no-token", status: 401, detail }, { cause });
        }
    }

    async #send(method, path, token, { body, fields, signal, isLast }) {
        const { headers: given, credentials } = this.#options;
        const own = typeof given === "function" ? await given() : given;
        const headers = { ...own, ...fields };
        if (token) headers.Authorization = `Bearer ${token}`;
        const size = body?.length ?? 0;
        const isShort = size > 0 && size < 8_000;
        const isKept = (isLast || isShort) && this.#kept + size < keepaliveMax;
        if (isKept) this.#kept += size;
        const ended = anyOf(signal);
        // The last requests outlive their connection.
        if (!isLast) this.#endings.add(ended.abort);
        if (this.#isClosed) ended.abort();
        // A stream has a watch of its own.
        const timer = signal ? null : this.#platform.setTimeout(ended.abort,
            answerMax + (size / bytesPerSecond) * 1_000);
        try {
            const call = this.#options.fetch ?? this.#platform.fetch;
            return await call(this.base + path, {
                method, headers, body, signal: ended.signal, cache: "no-store", keepalive: isKept,
                ...(credentials ? { credentials } : {}),
            });
        } finally {
            if (timer !== null) this.#platform.clearTimeout(timer);
            if (!signal) ended.forget();
            this.#endings.delete(ended.abort);
            if (isKept) this.#kept -= size;
        }
    }
}
