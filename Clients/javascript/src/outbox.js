// Edits that wait to be sent, in the browser's database, so that they outlive the page.
//
// A record is what one session, an open document, has pending. The session holds a lock as long as
// it lives: a record whose lock is free is left over, and another session of the document takes
// it.

import { pause } from "./platform.js";
import { rest } from "./signals.js";

const version = 1;

/** A store in IndexedDB. Fails in private windows of some browsers: then nothing is kept. */
export class IndexedStore {
    #opened = null;
    #factory;
    #name;

    constructor(factory, name = "versiond") {
        this.#factory = factory;
        this.#name = name;
    }

    #database() {
        this.#opened ??= new Promise((resolve, reject) => {
            const request = this.#factory.open(this.#name, version);
            request.onupgradeneeded = () =>
                request.result.createObjectStore("outbox", { keyPath: "id" });
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
        });
        return this.#opened;
    }

    async #perform(mode, work) {
        const database = await this.#database();
        return new Promise((resolve, reject) => {
            const transaction = database.transaction("outbox", mode, { durability: "relaxed" });
            const request = work(transaction.objectStore("outbox"));
            transaction.oncomplete = () => resolve(request.result);
            transaction.onabort = transaction.onerror = () => reject(transaction.error);
        });
    }

    put(record) {
        return this.#perform("readwrite", (store) => ended(store, store.put(record)));
    }

    delete(id) {
        return this.#perform("readwrite", (store) => ended(store, store.delete(id)));
    }

    /**
     * Puts a record in the place of another one, if that is there. Resolves with whether it was.
     */
    async move(id, record) {
        let wasThere = false;
        await this.#perform("readwrite", (store) => {
            const known = store.getKey(id);
            known.onsuccess = () => {
                if (known.result === undefined) return;
                wasThere = true;
                store.delete(id);
                store.put(record);
            };
            return known;
        });
        return wasThere;
    }

    /** All records whose ids begin so. */
    list(prefix) {
        const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
        return this.#perform("readonly", (store) => store.getAll(range));
    }
}

/** The one request of a transaction: it needs no more of the page, which may be about to end. */
function ended(store, request) {
    store.transaction.commit?.();
    return request;
}

/** A store that ends with the page: for tests, and where nothing may be kept. */
export class MemoryStore {
    records = new Map();

    async put(record) {
        this.records.set(record.id, structuredClone(record));
    }

    async delete(id) {
        this.records.delete(id);
    }

    async move(id, record) {
        const wasThere = this.records.delete(id);
        if (wasThere) await this.put(record);
        return wasThere;
    }

    async list(prefix) {
        return [...this.records.values()].filter(({ id }) => id.startsWith(prefix))
            .map((record) => structuredClone(record));
    }
}

/** How long a write may take at most. */
const writeMax = 1_000;
/** A record with more edits than this is long; how many of a long one are written at most. */
const longRecord = 100;
const editsPerMillisecond = 20;
/** Without locks, a record that no page has touched for this time has no owner. */
const ownerMax = 15_000;

export class Outbox {
    #store;
    #tab;
    #platform;
    #writes = new Map();
    /** The sessions here that live, with what ends each one's lock. */
    #owners = new Map();
    /** Whether the browser refuses locks, as where it keeps no data of the site. */
    #areLocksRefused = false;
    /** Whether what was given last is stored. */
    isKeeping = true;

    constructor(store, tab, platform) {
        this.#store = store;
        this.#tab = tab;
        this.#platform = platform;
    }

    /** A session begins, and owns its record. */
    own(session) {
        if (this.#owners.has(session)) return;
        const held = new Promise((resolve) => { this.#owners.set(session, resolve); });
        this.#platform.locks?.request(lockName(session), () => held)
            .catch(() => { this.#areLocksRefused = true; });
    }

    /** A session has ended: when its record is written, another one may take that. */
    async release(session) {
        await this.written(session);
        this.#owners.get(session)?.();
        this.#owners.delete(session);
    }

    /** Whether records without a sign of life lose their owner. */
    get needsSigns() {
        return !this.#platform.locks || this.#areLocksRefused;
    }

    #record(document, session, more) {
        return {
            ...more, id: `${document}\n${session}`, document, session, tab: this.#tab,
            time: this.#platform.now(),
        };
    }

    /**
     * Keeps what is pending in a document: `record()` is asked when it is written, and says `null`
     * if nothing is. Writes one after the other.
     */
    keep(document, session, record) {
        const writes = this.#writes.get(session);
        if (writes) {
            writes.record = record;
            return;
        }
        this.#writes.set(session, { document, record, wake: () => {} });
        void this.#write(document, session);
    }

    /** The page may end: what is to be written is written now, behind what is being written. */
    hurry() {
        for (const [session, { document, record }] of this.#writes) {
            void this.#put(document, session, record());
        }
    }

    async #write(document, session) {
        const writes = this.#writes.get(session);
        // Edits of the same moment are written once.
        await null;
        for (;;) {
            const { record } = writes;
            const pending = record();
            await this.#put(document, session, pending);
            if (writes.record === record) break;
            await this.#restAfter(pending, writes);
        }
        this.#writes.delete(session);
    }

    async #put(document, session, pending) {
        try {
            if (pending === null) await this.#store.delete(`${document}\n${session}`);
            else await this.#store.put(this.#record(document, session, pending));
            this.isKeeping = true;
        } catch {
            this.isKeeping = false;
        }
    }

    /** A long record is not written all the time. */
    async #restAfter(pending, writes) {
        const length = pending?.pending.length ?? 0;
        if (length < longRecord) return;
        const [over, wake] = rest(this.#platform, Math.min(writeMax, length / editsPerMillisecond));
        writes.wake = wake;
        await over;
    }

    /** Resolves when what was given last is stored; or after a while, if the database hangs. */
    async written(session) {
        const end = this.#platform.now() + writeMax;
        while (this.#writes.has(session) && this.#platform.now() < end) {
            this.#writes.get(session).wake();
            await pause(5, this.#platform);
        }
    }

    /** Stores edits that cannot be applied any more, until the application takes them. */
    async strand(document, session, entry) {
        const record = this.#record(
            document, `${session} stranded`, { ...entry, isStranded: true });
        await this.#store.put(record).catch(() => {});
        return record;
    }

    forget(id) {
        return this.#store.delete(id).catch(() => {});
    }

    /** Edits of a document that could be applied no more. */
    async stranded(document) {
        const records = await this.#store.list(`${document}\n`).catch(() => []);
        return records.filter(({ isStranded }) => isStranded);
    }

    /** Moves edits that could not be applied, up to a revision, to a document's new name. */
    async moveStranded(former, document, revision) {
        for (const record of await this.stranded(former)) {
            if (record.revision > revision) continue;
            const id = `${document}\n${record.session}`;
            await this.#store.move(record.id, { ...record, id, document }).catch(() => false);
        }
    }

    /**
     * Takes the records of a document that have no owner any more and are wanted, which is asked
     * of each: `session()` names each. `former`: where they are, if the document was renamed.
     */
    async claim(document, session, isWanted, former = document) {
        const records = await this.#store.list(`${former}\n`).catch(() => []);
        const claimed = [];
        for (const record of records.sort((one, other) => one.time - other.time)) {
            const isFree = !record.isStranded && await this.#isFree(record);
            if (!isFree || !isWanted(record)) continue;
            const name = session();
            const taken = { ...record, ...this.#record(document, name, {}) };
            this.own(name);
            // Another session may be as quick.
            if (await this.#store.move(record.id, taken).catch(() => false)) claimed.push(taken);
            else await this.release(name);
        }
        return claimed;
    }

    /** Whether the session that a record is of is gone. */
    async #isFree({ session, time }) {
        if (this.#owners.has(session)) return false;
        const { locks } = this.#platform;
        if (this.needsSigns) return this.#platform.now() - time > ownerMax;
        const options = { mode: "shared", ifAvailable: true };
        return locks.request(lockName(session), options, (lock) => lock !== null)
            .catch(() => false);
    }
}

const lockName = (session) => `versiond outbox ${session}`;
