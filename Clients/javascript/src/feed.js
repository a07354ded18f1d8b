// One stream for all documents of all tabs. The tab that has the lock reads it, for the documents
// that any tab has open, and passes on what comes.

import { anyOf, rest } from "./signals.js";
import { heartbeat, readStream, silenceMax } from "./stream.js";
import { pause } from "./platform.js";
import { packed, unpacked } from "./views.js";

const firstPause = 250;
const longestPause = 15_000;
/** More documents than this are followed by several streams. */
const documentsMax = 100;
/** So are names that take more bytes in an address: it may have 8 KiB, and proxies add a prefix. */
const namesBytesMax = 7_000;
/** How long documents that are opened one after the other are gathered. */
const gathering = 20;
/** Statuses of a position that is unknown, of a lost history, or gone. */
const lost = [404, 409, 410];

/** A name in a list of names, which the query encodes as a whole. */
function listed(name) {
    return name.replace(/[%,]/g, encodeURIComponent);
}

/** The names that one stream follows, of each stream. */
function parts(names) {
    const parts = [];
    let room = 0;
    for (const name of names) {
        const size = encodeURIComponent(`${listed(name)},`).length;
        const last = parts.at(-1);
        if (last && last.length < documentsMax && size <= room) {
            last.push(name);
            room -= size;
        } else {
            parts.push([name]);
            room = namesBytesMax - size;
        }
    }
    return parts;
}

export class Feed {
    #transport;
    #platform;
    #keys;
    #name;
    #tab;
    /** The documents that this tab follows: names, and the receivers of changes. */
    #followers = new Map();
    /** The documents that other tabs follow, by tab. */
    #wanted = new Map();
    /** Whether this tab, or another one, wants to know who is there. */
    #wantsPresence = false;
    #others = new Set();
    #channel = null;
    #ending = new AbortController();
    #changed = new AbortController();
    #isLeading = false;
    /** The names of which this tab reads a stream that has begun. */
    #live = new Set();
    #wake = () => {};
    #heard = 0;
    #watch = null;

    /** `name` is the same for all tabs that may read the same; `keys` begins all their keys. */
    constructor(transport, platform, { name, keys, tab, isShared }) {
        this.#transport = transport;
        this.#platform = platform;
        this.#keys = keys;
        this.#name = `versiond ${name}`;
        this.#tab = tab;
        if (isShared) this.#channel = platform.channel(this.#name);
        if (this.#channel) this.#channel.onmessage = ({ data }) => this.#hear(data);
        if (this.#channel) this.#lead(false);
        else void this.#follow(this.#ending.signal);
    }

    /**
     * Follows a document. `receiver` has `receive(item)`, `live()`: all that comes from now on is
     * received, and `down(answer)`: nothing is, for now.
     */
    add(name, receiver) {
        this.#followers.set(name, receiver);
        if (this.#live.has(name)) receiver.live();
        this.#sayWants();
        this.#change();
    }

    /** From now on, the stream also reports which clients join and leave. */
    watchPresence() {
        if (this.#wantsPresence) return;
        this.#wantsPresence = true;
        this.#sayWants();
        this.#change();
    }

    #sayWants() {
        const names = [...this.#followers.keys()];
        this.#say({ type: "wants", names, presence: this.#wantsPresence });
    }

    remove(name) {
        this.#followers.delete(name);
        this.#sayWants();
        this.#change();
    }

    /** Tries at once, if it waits. */
    wake() {
        this.#wake();
    }

    close() {
        this.#say({ type: "wants", names: [] });
        this.#ending.abort();
        this.#changed.abort();
        this.#wake();
        this.#platform.clearTimeout(this.#watch);
        this.#channel?.close();
        this.#channel = null;
    }

    // MARK: Other tabs

    #say(message) {
        this.#channel?.postMessage({ ...message, tab: this.#tab });
    }

    #hear(message) {
        if (message.type === "wants") {
            this.#wanted.set(message.tab, message.names);
            if (message.presence) this.#others.add(message.tab);
            else this.#others.delete(message.tab);
            const live = message.names.filter((name) => this.#live.has(name));
            if (live.length > 0) this.#say({ type: "live", names: live });
            return this.#change();
        }
        if (message.type === "who") {
            return this.#sayWants();
        }
        this.#heard = this.#platform.now();
        switch (message.type) {
            case "item": return this.#pass(unpacked(message.item));
            case "live": return this.#tellLive(message.names);
            default: return this.#tellDown(message.status);
        }
    }

    /** Waits to be the one who reads; `isStealing` takes it from a tab that is stuck. */
    #lead(isStealing) {
        const options = isStealing ? { steal: true } : { signal: this.#ending.signal };
        this.#platform.locks.request(this.#name, options, async () => {
            this.#isLeading = true;
            this.#wanted.clear();
            this.#others.clear();
            this.#say({ type: "who" });
            await pause(gathering, this.#platform);
            await this.#follow(this.#ending.signal);
        }).catch(() => {
            const wasLeading = this.#isLeading;
            this.#isLeading = false;
            this.#changed.abort();
            if (this.#ending.signal.aborted) return;
            // The lock was taken away: another tab reads now, and this one listens.
            if (wasLeading) this.#lead(false);
            else this.#readAlone();
        });
        this.#heard = this.#platform.now();
        this.#watchLeader();
    }

    /**
     * Without locks, where a browser stores no data of the site, each tab reads a stream of its
     * own.
     */
    #readAlone() {
        this.#platform.clearTimeout(this.#watch);
        this.#channel?.close();
        this.#channel = null;
        void this.#follow(this.#ending.signal);
    }

    #watchLeader() {
        this.#platform.clearTimeout(this.#watch);
        this.#watch = this.#platform.setTimeout(() => {
            if (this.#ending.signal.aborted) return;
            const isStuck = !this.#isLeading && this.#followers.size > 0
                && this.#platform.now() - this.#heard > silenceMax;
            if (!isStuck) return this.#watchLeader();
            this.#tellDown(null);
            return this.#lead(true);
        }, silenceMax / 8);
    }

    // MARK: Reading

    /** The names that any tab follows. */
    #names() {
        const all = new Set(this.#followers.keys());
        for (const names of this.#wanted.values()) for (const name of names) all.add(name);
        return [...all].sort();
    }

    #change() {
        if (this.#wish() !== this.#following) this.#changed.abort();
        this.#wake();
    }

    /** All that is asked for, as a text. */
    #wish() {
        return [this.#isPresenceWanted, ...this.#names()].join("\n");
    }

    get #isPresenceWanted() {
        return this.#wantsPresence || this.#others.size > 0;
    }

    #following = "";

    async #follow(signal) {
        while (!signal.aborted && (this.#isLeading || !this.#channel)) {
            await pause(gathering, this.#platform);
            if (signal.aborted) return;
            this.#changed = new AbortController();
            const names = this.#names();
            this.#following = this.#wish();
            if (names.length === 0) await this.#rest(longestPause);
            else await this.#readAll(names, signal);
        }
    }

    /** Reads streams until the names change. */
    async #readAll(names, signal) {
        const either = anyOf(signal, this.#changed.signal);
        await Promise.all(parts(names).map((part) => this.#readAgain(part, either.signal)));
        either.forget();
    }

    async #readAgain(names, signal) {
        let wait = firstPause;
        const position = { cursor: null };
        while (!signal.aborted) {
            try {
                await this.#read(names, position, signal);
                wait = firstPause;
            } catch (error) {
                if (signal.aborted) return;
                const status = error.answer?.status ?? null;
                if (lost.includes(status)) position.cursor = null;
                this.#tellDown(status);
                this.#say({ type: "down", status });
                await this.#rest(wait * (0.5 + this.#platform.random()));
                wait = Math.min(longestPause, wait * 2);
            }
        }
    }

    async #read(names, position, signal) {
        const list = names.map(listed).join(",");
        const query = new URLSearchParams({
            documents: list, patch: "stored", keyPrefix: this.#keys, heartbeat: `${heartbeat}s`,
        });
        if (this.#isPresenceWanted) query.set("presence", "true");
        if (position.cursor !== null) query.set("cursor", position.cursor);
        let isLive = false;
        const reading = readStream(this.#transport, this.#platform, query, signal, (item) => {
            if (item.cursor !== undefined) position.cursor = item.cursor;
            if (!isLive) {
                isLive = true;
                for (const name of names) this.#live.add(name);
                this.#tellLive(names);
                this.#say({ type: "live", names });
            }
            if (item.event === "bookmark") return this.#say({ type: "live", names: [] });
            this.#pass(item);
            return this.#say({ type: "item", item: packed(item) });
        });
        await reading.finally(() => { for (const name of names) this.#live.delete(name); });
    }

    #rest(milliseconds) {
        const [over, wake] = rest(this.#platform, milliseconds);
        this.#wake = wake;
        return over;
    }

    // MARK: Followers

    #pass(item) {
        this.#followers.get(item.document)?.receive(item);
    }

    #tellLive(names) {
        for (const name of names) this.#followers.get(name)?.live();
    }

    #tellDown(status) {
        for (const follower of this.#followers.values()) follower.down(status);
    }
}
