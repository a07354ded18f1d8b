// Edits that outlive the page: the next page sends those that were not confirmed when a page ended,
// and those that cannot be applied are stored until the application takes them.

import { inverses } from "./edits.js";
import { DocumentError } from "./problems.js";
import { readOperations } from "./reading.js";
import { rest } from "./signals.js";
import { packed, unpacked, viewOf } from "./views.js";
import { writeOperations } from "./writing.js";

/** The interval of signs of life of owners, where there are no locks. */
const signInterval = 5_000;
/** The interval of searches for edits of pages that ended unexpectedly. */
const claimInterval = 20_000;

/** Edits are kept, and what undoes one of them; other commands are not. */
const isKept = ({ isCommand, undone }) => !isCommand || undone !== undefined;

/** The stored parts of an edit: operations that undo them, and that make them again. */
const kept = ({ revisions, undoing }) => ({
    revisions, undoing: packed(writeOperations(undoing)),
    operations: packed(writeOperations(inverses(undoing))),
});

export class Recoveries {
    stranded = [];
    /** The other actors of whom edits wait here, in pages that are gone. */
    actors = [];
    #session;
    #sessions = new Set();
    /** Where the document was before it was renamed, each with its last revision there. */
    #former = [];
    #isKept = false;
    #timer = null;
    #wake = () => {};
    #isEnded = false;

    constructor(session) {
        this.#session = session;
    }

    get #outbox() {
        return this.#session.connection.outbox;
    }

    end() {
        this.#isEnded = true;
        this.#wake();
        this.#session.platform.clearTimeout(this.#timer);
        for (const session of this.#sessions) session.end();
    }

    wake() {
        this.#wake();
        for (const session of this.#sessions) session.wake();
    }

    get isSaved() {
        return [...this.#sessions].every(({ isSaved }) => isSaved);
    }

    get pending() {
        return [...this.#sessions].flatMap(({ replica }) =>
            writeOperations(replica.pending.flatMap(({ carried }) => carried)));
    }

    // MARK: Keeping

    /** Keeps what is pending here; or nothing, if nothing is. */
    keep() {
        if (!this.#outbox) return;
        const { replica, path, id } = this.#session;
        const isEmpty = !replica.pending.some(isKept);
        if (isEmpty && !this.#isKept) return;
        this.#isKept = !isEmpty;
        this.#outbox.keep(path, id, () => this.#record());
        if (this.#outbox.needsSigns) this.#sign();
    }

    /** The pending edits in stored form; `null` if there are none. */
    #record() {
        const { replica, connection } = this.#session;
        const edits = replica.pending.filter(isKept);
        if (edits.length === 0) return null;
        return {
            revision: replica.revision, actor: connection.actor, keys: connection.keys,
            pending: edits.map((one) => ({
                operations: packed(writeOperations(one.carried)), step: one.step ?? null,
                label: one.label ?? null, isAlone: one.isAlone ?? false,
                key: one.key ?? null, request: one.request ?? null,
                stored: one.stored && kept(one.stored),
            })),
        };
    }

    #sign() {
        const { platform } = this.#session;
        platform.clearTimeout(this.#timer);
        if (this.#isKept && !this.#isEnded) {
            this.#timer = platform.setTimeout(() => this.keep(), signInterval);
        }
    }

    /** The document had another name up to a revision: what is kept moves to the new one. */
    async renamed(path, revision) {
        const { id, path: next } = this.#session;
        this.#former.push({ path, revision });
        if (!this.#outbox) return;
        await this.#outbox.written(id);
        this.keep();
        await this.#outbox.written(id);
        await this.#outbox.forget(`${path}\n${id}`);
        await this.#outbox.moveStranded(path, next, revision);
        await this.claim();
    }

    // MARK: Taking over

    /** Offers what could not be applied, and takes over what is left over, from now on. */
    async begin() {
        const { path, connection, platform } = this.#session;
        if (!this.#outbox) return;
        await connection.actorName().catch(() => {});
        for (const entry of await this.#outbox.stranded(path)) this.#offer(entry);
        while (!this.#isEnded) {
            await this.claim();
            await this.#rest(platform);
        }
    }

    #rest(platform) {
        const [over, wake] = rest(platform, claimInterval);
        this.#wake = wake;
        return over;
    }

    /** Takes over what pages that are gone have left of this document. */
    async claim() {
        const { path, options } = this.#session;
        if (!this.#outbox || this.#isEnded || options.resume) return;
        const actors = new Set();
        // A document that got a former name later is another one.
        for (const one of [{ path, revision: Infinity }, ...this.#former]) {
            await this.#claimFrom(one, actors);
        }
        if (JSON.stringify([...actors]) === JSON.stringify(this.actors)) return;
        this.actors = [...actors];
        this.#session.stateChanged();
    }

    async #claimFrom({ path: former, revision }, actors) {
        const { path, connection } = this.#session;
        const isMine = (record) => {
            if (record.revision > revision) return false;
            const actor = record.actor ?? null;
            const isOwn = actor === (connection.actor ?? null);
            if (!isOwn) actors.add(actor);
            return isOwn;
        };
        const newSession = () => connection.newSession();
        const claimed = await this.#outbox.claim(path, newSession, isMine, former);
        for (const record of claimed) {
            if (this.#isEnded) void this.#outbox.release(record.session);
            else void this.#recover(record);
        }
    }

    async #recover(record) {
        const { tell } = this.#session;
        const session = this.#session.sibling({ resume: record, status: false }, (type, detail) => {
            if (["dropped", "error", "conflict"].includes(type)) tell(type, detail);
            if (type === "state" || type === "saved") this.#session.stateChanged();
            if (type === "saved") this.#finish(session);
        });
        this.#sessions.add(session);
        this.#session.stateChanged();
        try {
            await session.begin();
            if (session.isSaved) this.#finish(session);
        } catch (error) {
            // A document that is closed meanwhile leaves the record to the next page.
            if (!this.#isEnded) await this.#giveUp(session, record, error);
        }
    }

    #finish(session) {
        this.#sessions.delete(session);
        session.keep();
        session.end();
        this.#session.stateChanged();
    }

    async #giveUp(session, record, error) {
        const [{ stored } = {}] = record.pending;
        const parts = stored ? [stored, ...record.pending] : record.pending;
        const operations = parts.flatMap((one) => unpacked(one.operations));
        const problem = error.problem ?? { code: "unknown", detail: error.message };
        await this.strand(operations, problem, record.revision);
        await this.#outbox.forget(record.id);
        this.#finish(session);
    }

    /** Begins with what another page has left: on the state that it was made on. */
    async resume(record) {
        const { replica, following } = this.#session;
        await following.load(record.revision);
        const edits = (operations) => readOperations(unpacked(operations), replica.tree).edits;
        const pending = record.pending.map(({ stored, ...one }) => ({
            ...one, edits: null, stored: stored && { ...stored, undoing: edits(stored.undoing) },
        }));
        let tree = replica.tree;
        for (const one of pending) {
            const read = readOperations(unpacked(one.operations), tree);
            [one.edits, tree] = [read.edits, read.tree];
        }
        replica.resume(pending);
        this.#isKept = true;
        await following.catchUp();
    }

    // MARK: Edits that cannot be applied

    /** Keeps edits that could not be applied, and offers them to the application. */
    async strand(operations, problem, revision = this.#session.replica.revision) {
        const { path, id, connection, platform } = this.#session;
        const { actor } = connection;
        const time = platform.now();
        const entry = { operations: packed(operations), problem, revision, actor, time };
        const kept = await this.#outbox?.strand(path, `${id}.${connection.newKey()}`, entry);
        this.#offer(kept ?? entry);
    }

    #offer(entry) {
        const { tell } = this.#session;
        if (this.stranded.some((one) => one.id !== undefined && one.id === entry.id)) return;
        const { problem, revision } = entry;
        const edits = unpacked(entry.operations);
        const operations = viewOf(edits);
        const offered = {
            operations, problem, revision, id: entry.id,
            error: new DocumentError(problem, { operations }),
            forget: () => {
                this.stranded = this.stranded.filter((one) => one !== offered);
                // The document may have been renamed since.
                const { path } = this.#session;
                if (entry.id) void this.#outbox.forget(`${path}\n${entry.session}`);
                this.#session.stateChanged();
            },
            again: () => {
                this.#session.edit(edits);
                offered.forget();
            },
        };
        this.stranded = [...this.stranded, offered];
        tell("dropped", offered);
        this.#session.stateChanged();
    }

    discard() {
        for (const session of this.#sessions) {
            session.show(session.replica.giveUp());
            this.#finish(session);
        }
    }
}
