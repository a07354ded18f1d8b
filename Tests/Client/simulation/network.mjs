// The line between browsers and the daemon: slow, and now and then cut.

export class Network {
    isDown = false;
    /** The percentages of requests lost on the way there, and on the way back. */
    losses = { there: 0, back: 0 };
    latencyMax = 40;
    /** How many milliseconds more the answer to a request takes. */
    detour = () => 0;
    offline = new Set();
    /** Tabs whose lines neither bring anything nor end. */
    frozen = new Set();
    requests = 0;
    #streams = new Set();

    constructor(time, random, daemon) {
        this.time = time;
        this.random = random;
        this.daemon = daemon;
    }

    get streams() {
        return this.#streams.size;
    }

    /** Cuts streams: those of a tab, or all. */
    cut(tab = null) {
        for (const stream of [...this.#streams]) if (tab === null || stream.tab === tab) stream.cut();
    }

    end(tab) {
        for (const stream of [...this.#streams]) if (stream.tab === tab) stream.leave();
        // Requests that outlive the page continue; all others end.
        tab.browser.queue = tab.browser.queue.filter((one) => one.tab !== tab);
        this.offline.delete(tab);
    }

    fetch(tab, url, { method, headers = {}, body, signal, keepalive = false }) {
        this.requests += 1;
        return new Promise((resolve, reject) => {
            const fail = (text) => reject(new TypeError(text));
            signal?.addEventListener("abort", () => fail("aborted"));
            if (signal?.aborted) return fail("aborted");
            const request = { tab, url, method, headers, body, signal, keepalive, resolve, fail };
            tab.browser.queue.push(request);
            this.#next(tab.browser);
            return undefined;
        });
    }

    /** A browser makes six requests at once; others wait. */
    #next(browser) {
        while (browser.free > 0 && browser.queue.length > 0) {
            const request = browser.queue.shift();
            if (request.signal?.aborted) continue;
            browser.free -= 1;
            this.#send(request);
        }
    }

    #release({ tab: { browser } }, wasHeld = true) {
        if (!wasHeld) return;
        browser.free += 1;
        this.#next(browser);
    }

    #delay() {
        return 1 + this.random.below(this.latencyMax);
    }

    #isLost(kind, { tab }) {
        return this.isDown || this.offline.has(tab) || this.random.below(100) < this.losses[kind];
    }

    #send(request) {
        if (this.frozen.has(request.tab)) return;
        let isOver = false;
        const over = (work) => {
            if (isOver) return;
            isOver = true;
            this.#release(request);
            work();
        };
        request.signal?.addEventListener("abort", () => over(() => {}));
        this.time.setTimeout(() => {
            const isGone = request.tab.isDead && !request.keepalive;
            if (isGone || isOver || this.#isLost("there", request)) {
                return over(() => request.fail("the request is lost"));
            }
            const answer = this.daemon.handle(request.method, request.url, request.headers, request.body);
            return this.time.setTimeout(() => {
                if (isOver) return undefined;
                if (this.#isLost("back", request)) return over(() => request.fail("the answer is lost"));
                if (answer.stream) {
                    isOver = true;
                    return this.#stream(request, answer);
                }
                return over(() => request.resolve(responseOf(answer)));
            }, this.#delay() + this.detour(request));
        }, this.#delay());
    }

    #stream(request, answer) {
        const parts = [];
        let waiting = null;
        const stream = { tab: request.tab };
        const push = (part) => {
            if (waiting === null) return void parts.push(part);
            const resolve = waiting;
            waiting = null;
            return resolve(part);
        };
        let isOpen = true;
        const close = (part) => {
            if (!isOpen) return;
            isOpen = false;
            unfollow();
            this.#streams.delete(stream);
            this.#release(request);
            push(part);
        };
        // In their order, however long each takes.
        let last = 0;
        const write = (item) => {
            const value = new TextEncoder().encode(`${JSON.stringify(item)}\n`);
            last = Math.max(last, this.time.now + this.#delay());
            this.time.setTimeout(() => { if (isOpen && !this.frozen.has(request.tab)) push({ value, done: false }); }, last - this.time.now);
        };
        const unfollow = answer.stream(write);
        const beat = () => this.time.setTimeout(() => {
            if (!isOpen) return;
            write({ event: "bookmark", cursor: this.daemon.cursor });
            beat();
        }, 1_000 * (Number(/heartbeat=(\d+)s/.exec(request.url)?.[1]) || 15));
        beat();
        stream.cut = () => close({ error: new TypeError("the stream is cut") });
        stream.leave = () => close({ done: true });
        request.signal?.addEventListener("abort", () => close({ error: new TypeError("aborted") }));
        this.#streams.add(stream);
        const read = async () => {
            const part = parts.shift() ?? await new Promise((resolve) => { waiting = resolve; });
            if (part.error) throw part.error;
            return part;
        };
        request.resolve({ ...responseOf({ status: 200 }), body: { getReader: () => ({ read }) } });
    }
}

function responseOf({ status, body, revision }) {
    return {
        status, ok: status >= 200 && status < 300,
        headers: {
            get: (name) => (name === "ETag" && revision !== undefined ? `"${revision}"` : null),
        },
        json: async () => structuredClone(body),
        text: async () => JSON.stringify(body) ?? "",
    };
}
