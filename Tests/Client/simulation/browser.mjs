// A browser with tabs, as far as the client sees it: locks, channels, a database, connections.

/** Web Locks, of one origin. */
export class Locks {
    #held = new Map();
    #waiting = [];

    of(tab) {
        return {
            request: (name, options, work) => (typeof options === "function"
                ? this.#request(tab, name, {}, options) : this.#request(tab, name, options, work)),
        };
    }

    #request(tab, name, { ifAvailable = false, steal = false, mode = "exclusive", signal }, work) {
        return new Promise((resolve, reject) => {
            const request = { tab, name, work, resolve, reject, mode };
            if (steal) {
                this.#held.get(name)?.reject(new Error("stolen"));
                this.#held.delete(name);
                return this.#grant(request);
            }
            if (!this.#held.has(name)) return this.#grant(request);
            if (mode === "shared" && this.#held.get(name).mode === "shared") return this.#join(request);
            if (ifAvailable) return void Promise.resolve(work(null)).then(resolve, reject);
            this.#waiting.push(request);
            signal?.addEventListener("abort", () => {
                const index = this.#waiting.indexOf(request);
                if (index >= 0) this.#waiting.splice(index, 1);
                reject(new Error("aborted"));
            });
            return undefined;
        });
    }

    /** Shares what is held already. */
    #join(request) {
        Promise.resolve(request.work({ name: request.name })).then(request.resolve, request.reject);
    }

    #grant(request) {
        this.#held.set(request.name, request);
        Promise.resolve().then(() => request.work({ name: request.name }))
            .then(request.resolve, request.reject)
            .finally(() => this.#release(request));
    }

    #release(request) {
        if (this.#held.get(request.name) !== request) return;
        this.#held.delete(request.name);
        const index = this.#waiting.findIndex(({ name }) => name === request.name);
        if (index >= 0) this.#grant(this.#waiting.splice(index, 1)[0]);
    }

    /** A tab is gone. */
    end(tab) {
        this.#waiting = this.#waiting.filter((request) => request.tab !== tab);
        for (const request of [...this.#held.values()]) if (request.tab === tab) this.#release(request);
    }
}

/** The platform of a page; `isDead` tabs are inactive. */
export class Browser {
    locks = new Locks();
    records = new Map();
    storage = new Map();
    channels = [];
    /** As many requests at once as browsers make to one host. */
    free = 6;
    queue = [];

    constructor(time, random) {
        this.time = time;
        this.random = random;
    }

    name() {
        return Array.from({ length: 4 }, () => this.random.below(65_536).toString(16)).join("-");
    }
}

export class Tab {
    isDead = false;
    #wakers = new Set();
    #hiders = new Set();

    constructor(browser, network) {
        this.browser = browser;
        this.network = network;
    }

    /** The page ends: with a word to it, or without. */
    end({ isTold }) {
        if (isTold) for (const listener of this.#hiders) listener();
        this.isDead = true;
        this.network.end(this);
        this.browser.locks.end(this);
        this.browser.channels = this.browser.channels.filter(({ tab }) => tab !== this);
    }

    wake() {
        for (const listener of this.#wakers) listener();
    }

    get platform() {
        const { browser, network } = this;
        const { time } = browser;
        const alive = (call) => (...parts) => { if (!this.isDead) call(...parts); };
        const listening = (set) => (listener) => {
            set.add(listener);
            return () => set.delete(listener);
        };
        return {
            fetch: (url, options) => network.fetch(this, url, options),
            now: () => time.now,
            setTimeout: (call, milliseconds) => time.setTimeout(alive(call), milliseconds),
            clearTimeout: (timer) => time.clearTimeout(timer),
            random: () => browser.random.below(1_000) / 1_000,
            randomName: () => browser.name(),
            stored: (_, name, fresh) => {
                if (!browser.storage.has(name)) browser.storage.set(name, fresh());
                return browser.storage.get(name);
            },
            channel: (name) => this.#channel(name),
            locks: browser.locks.of(this),
            indexedDB: undefined,
            onWake: listening(this.#wakers),
            onHide: listening(this.#hiders),
        };
    }

    #channel(name) {
        const { browser } = this;
        const channel = {
            tab: this, name, onmessage: null,
            postMessage: (data) => {
                if (this.isDead) return;
                const copy = structuredClone(data);
                for (const other of browser.channels) {
                    if (other === channel || other.name !== name) continue;
                    browser.time.setTimeout(() => {
                        if (!other.tab.isDead) other.onmessage?.({ data: copy });
                    }, 1);
                }
            },
            close: () => { browser.channels = browser.channels.filter((one) => one !== channel); },
        };
        browser.channels.push(channel);
        return channel;
    }

    /** The browser's database. */
    get store() {
        const { records, time } = this.browser;
        const later = (work) => new Promise((resolve) => {
            time.setTimeout(() => resolve(this.isDead ? new Promise(() => {}) : work()), 2);
        });
        return {
            put: (record) => later(() => void records.set(record.id, structuredClone(record))),
            delete: (id) => later(() => void records.delete(id)),
            move: (id, record) => later(() => {
                const wasThere = records.delete(id);
                if (wasThere) records.set(record.id, structuredClone(record));
                return wasThere;
            }),
            list: (prefix) => later(() => [...records.values()].filter(({ id }) => id.startsWith(prefix))
                .map((record) => structuredClone(record))),
        };
    }
}
