// The versions that are listed: a window of a history that may be long, the newest first.

import { documentPath, get } from "./api.js";
import { versionOf } from "./address.js";

const pageSize = 100;
/** The limit on rows made at once during scrolling, so that it stays smooth. */
const scrolledSize = 50;
const refreshSize = 30;
/** More are not kept: who scrolls back reads them again. */
const keptMax = 300;

const parameter = /^(actor|path|label|kind|since|until):"?([^"]+)"?$/;

/** The words of a filter; a value with spaces is in quotation marks. */
export const wordsOf = (text) => text.match(/\w+:"[^"]*"|"[^"]*"|\S+/g) ?? [];

/** The text of the filter, as a query. */
export function query(text) {
    const words = new URLSearchParams();
    const rest = wordsOf(text).filter((word) => {
        const [, name, value] = word.match(parameter) ?? [];
        if (name) words.set(name, value);
        return !name && word;
    });
    if (rest.length > 0) words.set("q", rest.join(" ").replaceAll('"', ""));
    return words;
}

export class Versions {
    list = [];
    /** How many versions are newer than the first of the list. */
    newer = 0;
    #name = null;
    #filter = new URLSearchParams();
    #next = null;
    #hasNewer = false;
    #turn = Promise.resolve();

    /** One read after the other: each continues with the list that the last one left. */
    #inTurn(work) {
        const done = this.#turn.then(work);
        this.#turn = done.catch(() => {});
        return done;
    }

    get hasOlder() {
        return this.#next !== null;
    }

    get hasNewer() {
        return this.#hasNewer;
    }

    get isFiltered() {
        return this.#filter.size > 0;
    }

    find(version) {
        return this.list.find((one) => one.version === version);
    }

    /** Begins with the versions around the shown one, or with the newest. */
    begin(name, filter, at, signal) {
        return this.#inTurn(() => this.#begin(name, filter, at, signal));
    }

    async #begin(name, filter, at, signal) {
        this.#name = name;
        this.#filter = filter;
        this.list = [];
        const version = versionOf(at);
        if (version !== null && !this.isFiltered) return this.#around(version, signal);
        const page = await this.#read({}, signal);
        const hasNow = page.versions.some(({ standing }) => standing === "current");
        // Where undo has gone far back, all that is newer was undone.
        return hasNow || this.isFiltered ? this.#take(page) : this.#around(page.version, signal);
    }

    around(version, signal) {
        return this.#inTurn(() => this.#around(version, signal));
    }

    async #around(version, signal) {
        const page = await this.#read({ cursor: version + 1 }, signal, pageSize / 2);
        if (page.previous === null) return this.#take(await this.#read({}, signal));
        const above = await this.#read({ cursor: page.previous }, signal, pageSize / 2);
        const newer = above.versions.filter((one) => one.version > page.versions[0].version);
        return this.#take({ ...page, versions: [...newer, ...page.versions],
            newer: above.newer, previous: above.previous });
    }

    #take(page) {
        this.list = page.versions;
        this.#next = page.next;
        this.#hasNewer = page.previous !== null && !this.isFiltered;
        this.newer = page.newer;
    }

    /** Reads the versions again that may have changed: the newest, and all of them if `isWhole`. */
    refresh(signal, isWhole) {
        return this.#inTurn(() => this.#refresh(signal, isWhole));
    }

    async #refresh(signal, isWhole) {
        if (this.list.length === 0) return this.#take(await this.#read({}, signal));
        if (this.#hasNewer) {
            const page = await this.#read({ cursor: this.list[0].version + 1 }, signal,
                this.list.length);
            return this.#take(page);
        }
        const size = isWhole ? Math.max(pageSize, this.list.length) : refreshSize;
        const page = await this.#read({}, signal, Math.min(keptMax, size));
        const oldest = page.versions.at(-1);
        const known = oldest && this.find(oldest.version);
        const isJoined = known?.standing === oldest?.standing
            && known?.scopeLevel === oldest?.scopeLevel;
        if (page.next === null || isWhole) return this.#take(page);
        // Where nothing joins the two, there would be a hole between.
        if (!isJoined) return this.#refresh(signal, true);
        const kept = this.list.filter((one) => one.version < oldest.version);
        this.list = [...page.versions, ...kept];
        this.newer = 0;
        return undefined;
    }

    readOlder(signal) {
        return this.#inTurn(() => this.#readOlder(signal));
    }

    async #readOlder(signal) {
        if (this.#next === null) return;
        const page = await this.#read({ cursor: this.#next }, signal, scrolledSize);
        const all = [...this.list, ...page.versions];
        const dropped = Math.max(0, all.length - keptMax);
        this.list = all.slice(dropped);
        this.newer += dropped;
        this.#hasNewer ||= dropped > 0;
        this.#next = page.next;
    }

    readNewer(signal) {
        return this.#inTurn(() => this.#readNewer(signal));
    }

    async #readNewer(signal) {
        if (!this.#hasNewer) return;
        const here = await this.#read({ cursor: this.list[0].version + 1 }, signal, scrolledSize);
        const page = here.previous === null ? null
            : await this.#read({ cursor: here.previous }, signal, scrolledSize);
        const fresh = page?.versions.filter(({ version }) => version > this.list[0].version) ?? [];
        const all = [...fresh, ...this.list];
        if (all.length > keptMax) this.#next = all[keptMax - 1].version;
        this.list = all.slice(0, keptMax);
        this.#hasNewer = page !== null && page.previous !== null;
        this.newer = page?.newer ?? 0;
    }

    /** The version that a revision belongs to. */
    async holding(revision, signal) {
        const path = `${documentPath(this.#name)}/versions`;
        const page = await get(`${path}?summary&limit=1&cursor=${revision + 1}`, signal);
        return page.versions[0] ?? null;
    }

    #read({ cursor }, signal, limit = pageSize) {
        const words = new URLSearchParams(this.#filter);
        words.set("summary", "");
        words.set("limit", limit);
        if (cursor !== undefined) words.set("cursor", cursor);
        return get(`${documentPath(this.#name)}/versions?${words}`, signal);
    }
}
