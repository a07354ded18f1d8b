// A daemon, and who talks to it: one stream for all documents, one token, one actor.

import { SharedDocument } from "./document.js";
import { Feed } from "./feed.js";
import { IndexedStore, Outbox } from "./outbox.js";
import { hereAndNow } from "./platform.js";
import { DocumentError, problemOf } from "./problems.js";
import { changeRun, move, transact } from "./transacting.js";
import { Transport } from "./transport.js";

/** How long what the daemon refuses waits, if nothing that is sent again is another. */
const refusedPause = 60_000;

export class Connection {
    #transport;
    #options;
    #feed = null;
    #sessions = new Map();
    #documents = new Set();
    #caller = null;
    #asking = null;
    #count = 0;
    #endings = [];

    /** See `connect` in client.d.ts. */
    constructor(url, options = {}) {
        this.url = String(url).replace(/[/]$/, "");
        this.#options = options;
        this.platform = options.platform ?? hereAndNow;
        this.#transport = new Transport(this.url, options, this.platform);
        const browser = options.isRemembered === false ? this.platform.randomName()
            : this.platform.stored("localStorage", "versiond-browser", this.platform.randomName);
        this.tab = this.platform.randomName(8);
        /** The prefix of all keys of this browser, which no other client has. */
        this.keys = `${browser}.`;
        this.outbox = this.#makeOutbox(options.store);
        this.#endings.push(this.platform.onWake(() => this.retry()));
        this.#endings.push(this.platform.onHide((event) => this.#flush(event)));
    }

    #makeOutbox(store) {
        if (store === null || store === false) return null;
        const factory = this.platform.indexedDB;
        const chosen = store ?? (factory ? new IndexedStore(factory) : null);
        return chosen && new Outbox(chosen, this.tab, this.platform);
    }

    /** Opens a document. See `DocumentOptions` in client.d.ts. */
    document(name, options = {}) {
        // A browser takes such a path for that of a folder.
        if (name === "." || name === "..") {
            throw new TypeError(`A document cannot be called ${JSON.stringify(name)}.`);
        }
        const { conflict, debounce, identity, status, create } = this.#options;
        const document = new SharedDocument(this, name,
            { conflict, debounce, identity, status, create, ...options });
        this.#documents.add(document);
        return document;
    }

    /** A document was closed. */
    forget(document) {
        this.#documents.delete(document);
    }

    async close(options) {
        await Promise.all([...this.#documents].map((document) => document.close(options)));
        for (const end of this.#endings) end();
        this.#feed?.close();
        this.#transport.close();
    }

    /** Tries everything at once that waits; with another token, if one is given. */
    retry(token) {
        if (token !== undefined) this.#transport.renew(token);
        if (token !== undefined || !this.#caller) [this.#caller, this.#asking] = [null, null];
        else this.askAgain();
        this.#feed?.wake();
        for (const session of this.#allSessions()) session.wake();
    }

    *#allSessions() {
        for (const sessions of this.#sessions.values()) yield* sessions;
    }

    // MARK: The actor

    /** Whose own undo it is: the token's name, or who the application says. */
    get actor() {
        const given = this.#options.actor ?? null;
        if (!this.#caller) return given;
        return this.#mayActAs(given) ? given : this.#caller.name || null;
    }

    /** Whether the token permits the actor: any, or its own name and names below it. */
    #mayActAs(given) {
        if (given === null) return false;
        const { name, rights } = this.#caller;
        return rights.includes("admin") || given === name
            || (name !== "" && given.startsWith(`${name}/`));
    }

    /** Whether it has to be known who asks before an actor can be named. */
    get mustAskWho() {
        return !this.#caller && (this.#options.actor ?? null) !== null;
    }

    /** The value of Versiond-Actor, if permitted. */
    get actorField() {
        const given = this.#options.actor ?? null;
        return this.#caller && !this.#mayActAs(given) ? null : given;
    }

    /** The same, when the daemon has said who asks. */
    async actorName() {
        if (!this.#caller) await this.#ask();
        return this.actor;
    }

    /** Asks who asks, once at a time. */
    #ask() {
        this.#asking ??= this.#askCaller().finally(() => { this.#asking = null; });
        return this.#asking;
    }

    async #askCaller() {
        const answer = await this.fetch("GET", "/v1/whoami");
        if (!answer.ok) {
            throw new DocumentError({ status: answer.status, ...await problemOf(answer) });
        }
        this.#caller = await answer.json();
        for (const session of this.#allSessions()) session.stateChanged();
    }

    /**
     * Reads the caller's name and rights again: they may have changed. Until then, the former ones
     * apply.
     */
    askAgain() {
        if (this.#caller) this.#ask().catch(() => {});
    }

    /** Whether a document may be edited, as far as is known. */
    mayWrite(name) {
        if (!this.#caller) return true;
        const { rights, prefix, documents = [] } = this.#caller;
        const isBelow = prefix !== undefined && name.startsWith(prefix);
        return rights.includes("write") && (isBelow || documents.includes(name));
    }

    newSession() {
        this.#count += 1;
        return `${this.tab}.${this.#count}`;
    }

    newKey() {
        this.#count += 1;
        return `${this.keys}${this.tab}.${this.#count}`;
    }

    // MARK: Several documents

    /** Edits documents together, or none of them. See client.d.ts. */
    transact(edits, options) {
        return transact(this, edits, options);
    }

    undoAll(what) {
        return move(this, "undo", what);
    }

    redoAll(what) {
        return move(this, "redo", what);
    }

    restoreAll(what) {
        return move(this, "restore", what);
    }

    mergeDrafts(what) {
        return move(this, "merge", what);
    }

    openRun(run, options) {
        return changeRun(this, "PUT", run, "", options);
    }

    closeRun(run, options) {
        return changeRun(this, "POST", run, "/close", options);
    }

    /** Sends a command that is done once, however often it is sent. */
    async change(path, body, key, method = "POST") {
        if (this.mustAskWho) await this.actorName();
        return this.fetch(method, path, {
            body, fields: this.acting({
                "Content-Type": "application/json", "Idempotency-Key": key,
                Prefer: "text-operations",
            }),
        });
    }

    /** Fields, and with them who acts. */
    acting(fields) {
        const { actorField: actor } = this;
        const { promptBy = null } = this.#options;
        return {
            ...fields,
            ...actor === null ? {} : { "Versiond-Actor": encodeURIComponent(actor) },
            ...promptBy === null ? {} : { "Versiond-Prompt-By": encodeURIComponent(promptBy) },
        };
    }

    /** How long what the daemon refuses waits; `undefined`: no longer than what failed. */
    pauseAfter(status) {
        return status === 401 && this.#transport.isAsking ? undefined : refusedPause;
    }

    // MARK: The interface for documents

    fetch(method, path, options) {
        return this.#transport.fetch(method, path, options);
    }

    /** Follows a document. */
    join(name, session) {
        const sessions = this.#sessions.get(name) ?? new Set();
        sessions.add(session);
        this.#sessions.set(name, sessions);
        this.#feed ??= this.#makeFeed();
        if (this.#watchesPresence) this.#feed.watchPresence();
        this.#feed.add(name, {
            receive: (item) => { for (const one of [...sessions]) one.receive(item); },
            live: () => { for (const one of [...sessions]) one.live(); },
            down: (status) => { for (const one of [...sessions]) one.down(status); },
        });
    }

    #watchesPresence = false;

    /** From now on, the stream reports which clients join and leave a document. */
    watchPresence() {
        this.#watchesPresence = true;
        this.#feed?.watchPresence();
    }

    leave(name, session) {
        const sessions = this.#sessions.get(name);
        sessions?.delete(session);
        if (sessions?.size !== 0) return;
        this.#sessions.delete(name);
        this.#feed?.remove(name);
        // Nothing is under way where nothing is open: so a program may end.
        if (this.#sessions.size > 0) return;
        this.#feed?.close();
        this.#feed = null;
    }

    /** Something of a document was left over. */
    claim(name) {
        for (const session of this.#sessions.get(name) ?? []) void session.recoveries.claim();
    }

    /** All tabs that read with the same name share a stream. Nothing secret is in its name. */
    #makeFeed() {
        const { name, prefix, documents = [] } = this.#caller ?? {};
        const caller = this.#caller ? [name, prefix ?? "", ...documents].join(" ") : this.tab;
        return new Feed(this.#transport, this.platform, {
            name: `${this.url} ${caller}`, keys: this.keys, tab: this.tab,
            isShared: this.#options.share !== false && this.#options.isRemembered !== false
                && this.#caller !== null,
        });
    }

    /** The page may end: what waits is sent in a way that outlives it. */
    #flush(event) {
        const isLast = event?.type === "pagehide";
        for (const session of this.#allSessions()) {
            session.sender.flush();
            if (isLast) session.presence.leave();
        }
        this.outbox?.hurry();
    }
}

const connections = new Map();

/** A connection to a daemon, by the address of its root. */
export function connect(url = globalThis.location?.origin ?? "", options = {}) {
    return new Connection(url, options);
}

/**
 * Opens one document by its address: `/v1/documents/note`. Those with equal options share a stream.
 */
export function open(
    address,
    {
        token, actor, promptBy, headers, credentials, fetch, share, store, platform, ...options
    } = {},
) {
    const url = new URL(address, globalThis.location?.href);
    const found = /^(.*)\/v1\/documents\/([^/]+)\/?$/.exec(url.origin + url.pathname);
    if (!found) throw new TypeError(`${address} is no document: /v1/documents/NAME`);
    const isAsked = typeof headers === "function";
    const key = JSON.stringify([found[1], actor, promptBy, isAsked || headers, credentials, share]);
    const shared = [token, fetch, store, platform, isAsked && headers];
    let known = (connections.get(key) ?? [])
        .find((one) => one.shared.every((part, index) => part === shared[index]));
    if (!known) {
        const made = new Connection(
            found[1],
            { token, actor, promptBy, headers, credentials, fetch, share, store, platform });
        known = { shared, connection: made };
        connections.set(key, [...connections.get(key) ?? [], known]);
    }
    return known.connection.document(decodeURIComponent(found[2]), options);
}
