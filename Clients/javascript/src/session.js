// One open document: the replica, what keeps it up to date, what sends, and what outlives the page.
// The parts know each other through this.

import { Availability } from "./availability.js";
import { Conflicts } from "./conflicts.js";
import { inverses } from "./edits.js";
import { Following } from "./following.js";
import { PendingUndo } from "./pending.js";
import { Places } from "./places.js";
import { Presence } from "./presence.js";
import { DocumentError, guarded } from "./problems.js";
import { readOperations } from "./reading.js";
import { Recoveries } from "./recoveries.js";
import { Replica } from "./replica.js";
import { requestFor } from "./requests.js";
import { Sender } from "./sender.js";
import { Steps } from "./steps.js";
import { viewOf } from "./views.js";
import { writeOperations } from "./writing.js";

/** Where the document of a name is. */
export const pathOf = (name) => `/v1/documents/${encodeURIComponent(name)}`;

export class Session {
    isClosed = false;
    /**
     * "loading", "live", "saving", "offline", "refused", "read-only", "missing", "deleted" or
     * "closed".
     */
    state = "loading";
    /** Why nothing can be read, as the daemon said it. */
    refusal = null;
    corrections = 0;
    /** The session that is shown: this one, or the one that what a page left is recovered for. */
    main = this;
    #listeners = new Set();
    #savers = [];
    #wasSaved = true;
    #told = "";
    /** The name under which the stream is followed. */
    #joined = null;

    /** `tell(type, detail)` dispatches an event of the document. */
    constructor(connection, name, options, tell) {
        Object.assign(this, { connection, name, options, tell });
        this.platform = connection.platform;
        this.id = options.resume?.session ?? connection.newSession();
        connection.outbox?.own(this.id);
        this.policy = options.conflict ?? "mine";
        this.replica = new Replica({ policy: this.policy, identity: options.identity });
        this.places = new Places();
        this.following = new Following(this, this.platform);
        this.sender = new Sender(this, this.platform);
        this.availability = new Availability(this, this.platform);
        this.recoveries = new Recoveries(this);
        this.conflicts = new Conflicts(this);
        this.presence = new Presence(this, (others) => tell("presence", { others }));
        this.steps = new Steps(this.platform, options.debounce);
    }

    get path() {
        return pathOf(this.name);
    }

    // MARK: Begin and end

    async begin() {
        const { resume } = this.options;
        const loaded = resume ? this.recoveries.resume(resume) : this.following.load();
        const known = this.connection.actorName().catch(() => {});
        const [{ reason }] = await Promise.allSettled([loaded, known]);
        if (reason && (resume || this.isClosed)) throw reason;
        if (this.isClosed) return;
        if (reason) this.missing(reason);
        this.#join();
        this.stateChanged();
        void this.sender.run();
        if (!resume) void this.recoveries.begin();
        if (reason) throw reason;
    }

    /** Another session of the same document. */
    sibling(options, tell) {
        const made = new Session(this.connection, this.name, { ...this.options, ...options }, tell);
        made.main = this;
        return made;
    }

    end() {
        this.presence.end();
        this.isClosed = true;
        for (const part of [this.sender, this.following, this.availability]) part.end();
        this.recoveries.end();
        for (const { reject } of this.replica.pending) {
            reject?.(new DocumentError({ code: "closed", detail: "The document was closed." }));
        }
        if (this.#joined !== null) this.connection.leave(this.#joined, this);
        void this.#release();
        this.stateChanged();
    }

    /** Another page with the document takes over the remaining edits. */
    async #release() {
        await this.connection.outbox?.release(this.id);
        this.connection.claim(this.name);
    }

    wake() {
        this.refusal = null;
        this.following.wake();
        this.sender.wake();
        this.recoveries.wake();
        this.presence.comeBack();
    }

    // MARK: Events of the connection

    /** Follows the stream under the name of now. */
    #join() {
        const former = this.#joined;
        if (this.isClosed) return;
        this.#joined = this.name;
        this.connection.join(this.name, this);
        if (former !== null && former !== this.name) this.connection.leave(former, this);
    }

    receive(item) {
        // The name that the document had may be another document's.
        if (item.document !== this.name) return;
        if (item.event === "presence") this.presence.receive(item);
        else this.following.receive(item);
    }

    live() {
        this.following.live();
        void this.presence.refresh();
    }

    down(status) {
        this.following.down(status);
    }

    // MARK: The interface for the parts

    get actor() {
        return this.connection.actor;
    }

    get wantsStatus() {
        return this.options.status !== false && !this.isClosed;
    }

    actorName() {
        return this.connection.actorName();
    }

    get(rest) {
        const fields = { Accept: "application/json" };
        return this.connection.fetch("GET", this.path + rest, { fields });
    }

    changesSince(revision) {
        const query = new URLSearchParams({
            cursor: revision, patch: "stored",
            keyPrefix: this.options.resume?.keys ?? this.connection.keys,
        });
        return this.get(`/feed?${query}`);
    }

    initialValue() {
        const { create } = this.options;
        return typeof create === "function" ? create() : create;
    }

    async create(body) {
        if (this.connection.mustAskWho) await this.actorName().catch(() => {});
        const fields = { "Content-Type": "application/json", "If-None-Match": "*" };
        return this.connection.fetch("PUT", this.path,
            { body, fields: this.connection.acting(fields) });
    }

    async send({ method, rest, type, body, key }, isLast = false) {
        // A page that is closed cannot wait for that.
        if (!isLast && this.connection.mustAskWho) await this.actorName().catch(() => {});
        const fields = this.connection.acting({
            "Content-Type": type, "Idempotency-Key": key, Prefer: "text-operations, own-undo",
        });
        return this.connection.fetch(method, this.path + rest, { body, fields, isLast });
    }

    reach(revision) {
        return this.following.reach(revision);
    }

    catchUp() {
        return this.following.catchUp();
    }

    // MARK: Reports of the parts

    /** Something else is shown now. */
    show(shown, item = null) {
        if (shown.isCorrected) this.corrections += 1;
        this.places.follow(shown.edits);
        // A copy: a listener that is added meanwhile is about what is shown already.
        for (const listener of [...this.#listeners]) {
            if (this.#listeners.has(listener)) guarded(() => listener(shown));
        }
        if (item && !shown.confirmed) this.availability.received(item);
        this.keep();
        const change = item?.change ?? shown.change ?? null;
        const { edits } = shown;
        const before = viewOf(shown.before);
        this.tell("change", {
            isOwn: shown.isOwn, by: change?.actor ?? null, label: change?.label ?? null,
            before, get operations() { return viewOf(writeOperations(edits)); },
        });
        for (const conflict of this.conflicts.found(shown)) this.tell("conflict", conflict);
        this.stateChanged();
    }

    /** The document was read, for the first time or again. */
    loaded(revision) {
        this.availability.loaded(revision);
    }

    /** Edits what is shown, and sends that. */
    perform(edits, { label = null, group = null, isAlone = false } = {}) {
        const step = this.steps.next(group, this.id);
        const key = this.connection.newKey();
        this.show(this.replica.edit(edits, { step, label, isAlone, key }));
        void this.sender.run();
    }

    edit(operations) {
        this.perform(this.read(operations));
    }

    /** The edits of operations on the shown value; a DocumentError if they do not apply. */
    read(operations) {
        try {
            return readOperations(operations, this.replica.value).edits;
        } catch (error) {
            if (error instanceof TypeError) throw error;
            const problem = {
                code: "patch-does-not-apply", detail: error.message, ...error.problem,
            };
            throw new DocumentError(problem, { operations: viewOf(operations), cause: error });
        }
    }

    follow(listener) {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
    }

    /** The daemon has confirmed what was under way; without an answer, the stream said so. */
    done(sent, answer) {
        if (answer) this.availability.answered(answer);
        else this.availability.ask();
        // So it may be edited again.
        if (!this.connection.mayWrite(this.name)) this.connection.askAgain();
        sent.resolve?.(viewOf(answer));
        this.keep();
        this.stateChanged();
    }

    /** The edit under way cannot be applied. Nothing of it is lost: the application receives it. */
    dropped(sent, problem, edits) {
        this.keep();
        sent.reject?.(new DocumentError(problem));
        this.lost(edits, problem, sent.stored);
        this.stateChanged();
    }

    /** Undoes a part of an edit of which the rest was refused, also after the page has ended. */
    takeBack(revision) {
        const key = this.connection.newKey();
        const undo = new PendingUndo({ key, carried: [] });
        undo.body = { revision };
        undo.request = requestFor(undo, { policy: this.policy, actor: this.connection.actor });
        this.replica.waiting.push(undo);
    }

    /** Hands edits back to the application, after those of them that were stored. */
    lost(edits, problem, stored) {
        const parts = inverses(stored?.undoing ?? []);
        const operations = writeOperations([...parts, ...edits]);
        if (operations.length > 0) void this.recoveries.strand(operations, problem);
    }

    /** The document is not there any more: nor is what what waits was made on. */
    gone(problem) {
        this.refusal = problem;
        this.following.isDeleted = true;
        const { replica } = this;
        const edits = replica.pending.flatMap(({ carried }) => carried);
        for (const { reject } of replica.pending) reject?.(new DocumentError(problem));
        const stored = replica.pending[0]?.stored;
        this.show(replica.giveUp());
        this.lost(edits, problem, stored);
        this.tell("error", new DocumentError(problem));
    }

    /** The document has another name: this session and its waiting edits follow it. */
    renamed(name) {
        const former = this.name;
        this.name = name;
        void this.recoveries.renamed(pathOf(former), this.replica.revision);
        this.presence.renamed();
        this.availability.ask();
        this.stateChanged();
        // A stream with a name that may not be read is refused, for all documents.
        void this.following.catchUp().then(() => this.#join(), () => {});
    }

    /** The document does not exist, or cannot be read: it opens when it exists. */
    missing(error) {
        this.refusal = error.problem ?? { code: "unreadable", detail: error.message };
        this.following.isMissing = true;
        this.following.isDeleted = this.refusal.status === 410;
    }

    /** A document that could not be opened is there now. */
    appeared() {
        this.refusal = null;
        this.stateChanged();
        void this.sender.run();
    }

    /** It can be read. */
    readable() {
        if (this.refusal === null || this.following.isDeleted) return;
        this.refusal = null;
        this.stateChanged();
    }

    /** The daemon does not let this one read any more. */
    refused(problem) {
        this.refusal = problem;
        this.stateChanged();
    }

    /** The document could not be loaded yet. */
    unreachable(error) {
        this.refusal = error.problem ?? { code: "offline", detail: error.message };
        this.stateChanged();
    }

    /** Keeps what is pending, so that it outlives the page. */
    keep() {
        this.recoveries.keep();
    }

    /** When that is done. */
    kept() {
        return this.connection.outbox?.written(this.id);
    }

    // MARK: State

    get isSaved() {
        return this.replica.pending.length === 0 && this.recoveries.isSaved;
    }

    get canUndo() {
        if (this.sender.isStuck) return this.replica.takenBack.canUndo;
        return this.availability.hasUndo || this.replica.hasEdits;
    }

    get canRedo() {
        return this.replica.takenBack.canRedo
            || (!this.sender.isStuck && this.availability.hasRedo);
    }

    stateChanged() {
        this.state = this.#stateNow();
        const { stranded, actors } = this.recoveries;
        const { state, problem, canUndo, canRedo, name } = this;
        const parts = [state, problem?.code, canUndo, canRedo, stranded.length, actors, name];
        const now = parts.join(" ");
        const isNew = now !== this.#told;
        this.#told = now;
        const isSaved = this.isSaved;
        if (isSaved || this.isClosed) for (const resolve of this.#savers.splice(0)) resolve();
        const hasSaved = isSaved && !this.#wasSaved;
        this.#wasSaved = isSaved;
        if (isNew || hasSaved) this.tell("state", { state, problem });
        if (hasSaved) this.tell("saved", { revision: this.replica.revision });
    }

    get problem() {
        return this.sender.problem ?? this.refusal;
    }

    #stateNow() {
        if (this.isClosed) return "closed";
        if (this.following.isDeleted) return "deleted";
        const status = this.problem?.status;
        if (status === 401 || status === 403) return "refused";
        if (!this.replica.isLoaded && this.following.isMissing) return "missing";
        if (!this.replica.isLoaded) return this.refusal ? "offline" : "loading";
        if (!this.sender.isReachable) return "offline";
        if (!this.connection.mayWrite(this.name)) return "read-only";
        if (!this.isSaved) return "saving";
        if (this.following.isConnecting) return "loading";
        return this.following.isLive ? "live" : "offline";
    }

    /** Resolves when everything is saved, or the document is closed. */
    nextSave() {
        return new Promise((resolve) => this.#savers.push(resolve));
    }
}
