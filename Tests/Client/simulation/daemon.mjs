// A daemon as clients see it, small and in memory: documents with revisions, merging, own undo, keys,
// a feed. It takes the client's own transformation: that the real daemon's is the same is tested
// against the real one.

import { applyAll, inverses } from "../../../Clients/javascript/src/edits.js";
import { pass } from "../../../Clients/javascript/src/merging.js";
import { readOperations } from "../../../Clients/javascript/src/reading.js";
import { writeOperations } from "../../../Clients/javascript/src/writing.js";
import { isSame } from "../../../Clients/javascript/src/values.js";

const problem = (status, code, more = {}) => ({ status, body: { status, code, detail: code, ...more } });

export class Daemon {
    documents = new Map();
    cursor = 0;
    followers = new Set();
    /** More operations than this are too many, and values with this word are refused. */
    operationsMax = 40;
    poison = "poison";
    /** Whether a schema lets a document have a value. */
    isValid = () => true;
    /** The accepted tokens, with their names and rights. */
    tokens = null;
    isReadOnly = false;
    /** Requests that no client should send. */
    faults = [];

    make(name, value) {
        const document = { name, changes: [], tree: value, isDeleted: false };
        this.documents.set(name, document);
        this.#commit(document, [], value, { kind: "create" });
        return document;
    }

    caller(headers) {
        const token = headers.Authorization?.slice(7);
        if (this.tokens === null) {
            const actor = headers["Versiond-Actor"];
            return { name: actor ? decodeURIComponent(actor) : "", rights: ["read", "write", "admin"] };
        }
        const name = this.tokens.get(token);
        return name === undefined ? null : { name, rights: ["read", "write"] };
    }

    /** The response to a request. A stream is `{ status, stream: (send) => end }`. */
    handle(method, url, headers, body) {
        const { pathname, searchParams: query } = new URL(url);
        const caller = this.caller(headers);
        if (caller === null) return problem(401, "unauthorized");
        if (pathname === "/v1/whoami") {
            const { name, rights } = caller;
            return { status: 200, body: { name: this.tokens === null ? "" : name, rights, prefix: "" } };
        }
        if (pathname === "/v1/feed") return { status: 200, stream: (send) => this.#follow(query, send) };
        const [, , , name, call] = pathname.split("/").map(decodeURIComponent);
        const document = this.documents.get(name);
        if (method === "PUT" && !document) {
            this.make(name, JSON.parse(body));
            return { status: 201, body: { revision: 0 } };
        }
        if (!document) return problem(404, "unknown-document");
        if (call === "feed") return this.#page(document, query);
        if (call === "status") return this.#status(document, query.get("actor"));
        if (document.isDeleted) return problem(410, "document-deleted");
        if (method === "GET") return this.#read(document, query.get("at"));
        if (method === "PUT") return problem(412, "stale-revision");
        if (this.isReadOnly) return problem(403, "forbidden");
        return this.#change(document, method, call, query, headers, body, caller);
    }

    #read(document, at) {
        if (at === null) return { status: 200, body: document.tree, revision: document.changes.length - 1 };
        const change = document.changes[Number(at)];
        return change ? { status: 200, body: change.tree, revision: Number(at) }
            : problem(404, "unknown-revision");
    }

    #page(document, query) {
        const since = Number(query.get("cursor"));
        if (since >= document.changes.length) return problem(404, "unknown-revision");
        const events = document.changes.slice(since + 1)
            .map((one) => this.#item(one, query.get("keyPrefix")));
        return { status: 200, body: { events: structuredClone(events) } };
    }

    #item(change, keys) {
        const { document, revision, patch, kind, base, actor, key, cursor, hasUndo, of } = change;
        const item = {
            event: "change", cursor, document: document.name, revision, patch,
            change: { revision, kind, actor, ...(base === undefined ? {} : { base }), ...(of ? { of } : {}) },
            hasUndo, hasRedo: false,
        };
        return keys && key?.startsWith(keys) ? { ...item, key } : item;
    }

    #follow(query, send) {
        const names = new Set(query.get("documents").split(",").map(decodeURIComponent));
        const keys = query.get("keyPrefix");
        const since = query.get("cursor");
        send({ event: "bookmark", cursor: since === null ? this.cursor : Number(since) });
        if (since !== null) {
            const missed = [...this.documents.values()].filter(({ name }) => names.has(name))
                .flatMap(({ changes }) => changes).filter(({ cursor }) => cursor > Number(since));
            for (const one of missed.sort((left, right) => left.cursor - right.cursor)) {
                send(this.#item(one, keys));
            }
        }
        const follower = (change) => {
            if (names.has(change.document.name)) send(this.#item(change, keys));
        };
        this.followers.add(follower);
        return () => this.followers.delete(follower);
    }

    #commit(document, edits, tree, more) {
        this.cursor += 1;
        const change = {
            document, revision: document.changes.length, edits, tree, cursor: this.cursor,
            patch: more.kind === "create" ? [{ op: "replace", path: "", value: tree }] : writeOperations(edits),
            hasUndo: true, isIn: true, ...more,
        };
        document.tree = tree;
        document.changes.push(change);
        for (const follower of this.followers) follower(change);
        return change;
    }

    delete(name) {
        const document = this.documents.get(name);
        this.#commit(document, [], document.tree, { kind: "delete" });
        document.isDeleted = true;
    }

    undelete(name) {
        const document = this.documents.get(name);
        document.isDeleted = false;
        this.#commit(document, [], document.tree, { kind: "undelete" });
    }

    #change(document, method, call, query, headers, body, { name: actor }) {
        const key = headers["Idempotency-Key"];
        const print = `${method} ${call} ${query} ${body}`;
        const known = document.changes.find((one) => one.key === key);
        if (known) {
            return known.print === print ? this.#answer(known)
                : problem(422, "other-request", { change: { revision: known.revision } });
        }
        const token = { key, print, actor };
        if (method === "POST") return this.#revert(document, call, JSON.parse(body), token);
        return this.#patch(document, query, JSON.parse(body), token);
    }

    #answer(change) {
        const item = this.#item(change);
        const own = this.#own(change.document, change.actor);
        return { status: 200, body: structuredClone({ ...item, own: { actor: change.actor, ...own } }) };
    }

    #patch(document, query, operations, token) {
        if (operations.length > this.operationsMax) return problem(413, "too-many-operations");
        if (JSON.stringify(operations).includes(this.poison)) return problem(422, "unprocessable");
        const base = Number(query.get("base"));
        if (!document.changes[base]) return problem(404, "unknown-revision");
        const own = (query.get("own") ?? "").split(",").filter((text) => text !== "");
        const merged = this.#merged(document, base, own, operations, query.get("conflict"));
        if (merged.status) return merged;
        if (!this.isValid(merged.tree)) return problem(422, "schema-violation");
        const isNothing = merged.edits.length === 0 || isSame(merged.tree, document.tree);
        if (isNothing) {
            return { status: 200, body: { revision: document.changes.length - 1, change: null, patch: [] } };
        }
        return this.#answer(this.#commit(document, merged.edits, merged.tree, {
            kind: "append", base, sent: merged.sent, group: query.get("group"), ...token,
        }));
    }

    #merged(document, base, own, operations, conflict) {
        const isWrong = document.changes.some((change) =>
            (own.includes(String(change.revision)) || own.includes(change.key)) && change.base !== base);
        if (isWrong) return problem(409, "wrong-own");
        let { tree } = document.changes[base];
        let missing = [];
        for (const change of document.changes.slice(base + 1)) {
            if (change.kind === "create") return problem(409, "earlier-life");
            const isOwn = own.includes(String(change.revision)) || own.includes(change.key);
            if (!isOwn) {
                missing.push(...change.edits);
                continue;
            }
            [, missing] = pass(change.sent, missing, "mine");
            tree = applyAll(tree, change.sent);
        }
        const wanted = own.filter((name) => !document.changes.slice(base + 1)
            .some((change) => String(change.revision) === name || change.key === name));
        if (wanted.length > 0) return problem(409, "wrong-own");
        let isMet = false;
        let sent;
        try {
            sent = readOperations(operations, tree).edits;
        } catch (error) {
            this.faults.push(`${document.name}: what was sent does not fit its base: ${error.message}`);
            return problem(409, "patch-does-not-apply");
        }
        const policy = conflict === "theirs" ? "theirs" : "mine";
        const [edits] = pass(sent, missing, policy, (found) => { isMet ||= found === "conflict"; });
        if (isMet && conflict === "reject") return problem(409, "conflict");
        return { sent, edits, tree: applyAll(document.tree, edits) };
    }

    /** The last own group that is in effect; or one change. */
    #unit(document, actor, revision) {
        const made = document.changes.filter((one) => one.kind === "append" && one.isIn);
        if (revision !== undefined) return made.filter((one) => one.revision === revision);
        const own = made.filter((one) => one.actor === actor);
        const last = own[own.length - 1];
        if (!last) return [];
        return last.group === null ? [last] : own.filter(({ group }) => group === last.group);
    }

    /** Own undo, by carrying inverses past what came later: good enough where people keep apart. */
    #revert(document, call, { actor, revision, count }, token) {
        const isShared = actor === undefined && revision === undefined;
        const unit = call !== "undo" ? [] : isShared
            ? document.changes.filter((one) => one.kind === "append" && one.isIn).slice(-(count ?? 1))
            : this.#unit(document, actor, revision);
        if (unit.length === 0) return problem(409, `nothing-to-${call}`);
        let edits = [];
        for (const change of [...unit].reverse()) {
            const later = document.changes.slice(change.revision + 1).flatMap((one) => one.edits);
            const [inverse] = pass(inverses(change.edits), [...later, ...edits], "theirs");
            edits = [...edits, ...inverse];
            change.isIn = false;
        }
        const tree = applyAll(document.tree, edits);
        return this.#answer(this.#commit(document, edits, tree, { kind: "undo", of: unit[0].actor, ...token }));
    }

    #own(document, actor) {
        return { hasUndo: this.#unit(document, actor).length > 0, hasRedo: false };
    }

    #status(document, actor) {
        const revision = document.changes.length - 1;
        const own = { actor, ...this.#own(document, actor) };
        return { status: 200, body: { revision, hasUndo: true, hasRedo: false, own } };
    }
}
