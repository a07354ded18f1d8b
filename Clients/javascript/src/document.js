// A document of versiond that several people edit at once: what programs use. See client.d.ts.

import { copied } from "./copying.js";
import { difference } from "./difference.js";
import { bindInput } from "./inputbinding.js";
import { bindKeys } from "./keys.js";
import { bindList } from "./listbinding.js";
import { Place } from "./places.js";
import { deleted, DetailEvent, DocumentError, guarded, offline, placeGone } from "./problems.js";
import { checkOperations } from "./reading.js";
import { recorded } from "./recipe.js";
import { Session } from "./session.js";
import { bindText } from "./textarea.js";
import { originOf, viewOf } from "./views.js";
import { writeOperations } from "./writing.js";

export class SharedDocument extends EventTarget {
    onchange = null;
    onstate = null;
    onsaved = null;
    onconflict = null;
    ondropped = null;
    onerror = null;
    onpresence = null;
    #session;

    /** Made by `connect().document()`. */
    constructor(connection, name, options = {}) {
        super();
        this.#session = new Session(connection, name, options, (...event) => this.#tell(...event));
        this.ready = this.#begin();
        this.ready.catch(() => {});
    }

    #heard = new Set();

    addEventListener(type, ...more) {
        this.#heard.add(type);
        super.addEventListener(type, ...more);
    }

    #tell(type, detail) {
        // An edit is never dropped without a report.
        const isUnheard = type === "dropped" && !this.ondropped && !this.#heard.has(type);
        if (isUnheard) return this.#tell("error", detail.error);
        const event = new DetailEvent(type, detail);
        guarded(() => this[`on${type}`]?.(event));
        return this.dispatchEvent(event);
    }

    async #begin() {
        try {
            await this.#session.begin();
            return this;
        } catch (error) {
            if (!this.#session.isClosed) this.#session.tell("error", error);
            throw error;
        }
    }

    // MARK: State

    get name() {
        return this.#session.name;
    }

    get value() {
        return viewOf(this.#session.replica.value);
    }

    get revision() {
        return this.#session.replica.revision;
    }

    get state() {
        return this.#session.state;
    }

    get problem() {
        return this.#session.problem;
    }

    get actor() {
        return this.#session.actor;
    }

    get isSaved() {
        return this.#session.isSaved;
    }

    /** The edits that wait for confirmation, as operations on the confirmed value. */
    get pending() {
        const { replica, recoveries } = this.#session;
        const own = writeOperations(replica.pending.flatMap(({ carried }) => carried));
        return viewOf([...recoveries.pending, ...own]);
    }

    /** Edits that could not be applied, until the application forgets them. */
    get stranded() {
        return this.#session.recoveries.stranded;
    }

    /** The other actors of whom edits of this document wait in this browser. */
    get waitingActors() {
        return this.#session.recoveries.actors;
    }

    /** The other clients in the document. */
    get presence() {
        return this.#session.presence;
    }

    get canUndo() {
        return this.#session.canUndo;
    }

    get canRedo() {
        return this.#session.canRedo;
    }

    /** How often what the daemon made of an edit was not what was shown. */
    get corrections() {
        return this.#session.corrections;
    }

    // MARK: Editing

    edit(change, options) {
        this.#checkWritable();
        this.#perform(this.#meaning(change), options);
    }

    /** The edits of a change of the shown value, in the form of edits.js. */
    #meaning(change) {
        const known = this.#session.replica.value;
        if (typeof change === "function") {
            const next = change(this.value);
            if (next === undefined) {
                throw new TypeError("The function returns nothing: change() edits in place.");
            }
            const { identity } = this.#session.options;
            return difference(known, copied(next, { known }), identity);
        }
        checkOperations(change);
        const operations = change.map((one) =>
            (one.value === undefined ? one : { ...one, value: valueOf(one, known) }));
        return this.#session.read(operations);
    }

    /** A change of the shown value, as a member of a transaction. */
    member(change) {
        this.#checkWritable();
        return {
            document: this.name, patch: writeOperations(this.#meaning(change)),
            base: String(this.revision), conflict: this.#session.policy,
        };
    }

    /** Resolves when a revision is shown. */
    reach(revision) {
        return this.#session.reach(revision);
    }

    change(recipe, options) {
        this.#checkWritable();
        this.#perform(recorded(this.#session.replica.value, recipe), options);
    }

    at(pointer) {
        if (this.value === undefined) throw new TypeError("The document is not ready.");
        return this.#session.places.add(new Place(this, pointer));
    }

    /** Edits as bindings find them: in the form of edits.js. */
    perform(edits, options) {
        this.#checkWritable();
        this.#perform(edits, options);
    }

    /** Why nothing can be edited now; `null` if it can. */
    get obstacle() {
        const { isClosed, following, connection, name } = this.#session;
        if (isClosed) return { code: "closed", detail: "The document is closed." };
        if (this.value === undefined) {
            if (following.isMissing) return this.problem;
            return { code: "not-ready", detail: "The document is not loaded yet: await ready." };
        }
        if (following.isDeleted) return deleted;
        if (connection.mayWrite(name)) return null;
        return { code: "read-only", status: 403, detail: "You may only read this document." };
    }

    #checkWritable() {
        const { obstacle } = this;
        if (obstacle) throw new DocumentError(obstacle);
    }

    #perform(edits, { label = null, group = null, isAlone = false } = {}) {
        if (edits.length > 0) this.#session.perform(edits, { label, group, isAlone });
    }

    // MARK: Undo

    undo(options = {}) {
        return this.#move("undo", options);
    }

    redo(options = {}) {
        return this.#move("redo", options);
    }

    async #move(name, options) {
        const { steps, sender, replica } = this.#session;
        steps.end();
        const { obstacle } = this;
        if (obstacle) throw new DocumentError(obstacle);
        // A value that cannot be written must not block the edits after it.
        const isPlain = JSON.stringify(options) === "{}";
        const isLocal = sender.isStuck || (name === "redo" && replica.takenBack.canRedo);
        const key = this.#session.connection.newKey();
        const shown = isLocal && isPlain ? replica.takenBack[name](key) : null;
        if (shown) {
            this.#session.show(shown);
            void sender.run();
            return null;
        }
        if (sender.isStuck) throw this.problem ? new DocumentError(this.problem) : offline();
        const command = replica.command(name, options, key);
        return new Promise((resolve, reject) => {
            Object.assign(command, { resolve, reject });
            void sender.run();
        });
    }

    // MARK: Ending

    async saved() {
        while (!this.isSaved) {
            if (this.#session.isClosed) throw offline("The document was closed.");
            await this.#session.nextSave();
        }
    }

    async close({ timeout = 5_000 } = {}) {
        if (this.#session.isClosed) return [];
        // Bindings save the text that they hold.
        this.dispatchEvent(new Event("closing"));
        if (!this.isSaved && timeout > 0) {
            const { platform } = this.#session;
            let timer;
            const over = new Promise((resolve) => {
                timer = platform.setTimeout(resolve, timeout);
            });
            await Promise.race([this.saved().catch(() => {}), over]);
            platform.clearTimeout(timer);
        }
        this.dispatchEvent(new Event("closing"));
        const left = this.pending;
        this.#session.end();
        this.#session.connection.forget(this);
        return left;
    }

    [Symbol.asyncDispose ?? Symbol.for("asyncDispose")]() {
        return this.close();
    }

    /**
     * Gives up waiting edits: they are removed from the shown value, and returned as operations.
     */
    discard() {
        const left = this.pending;
        this.#session.show(this.#session.replica.giveUp());
        this.#session.recoveries.discard();
        return left;
    }

    retry() {
        this.#session.connection.askAgain();
        this.#session.wake();
    }

    // MARK: Bindings

    bindTextarea(element, place) {
        return bindText(this, element, place);
    }

    bindInput(element, place, options) {
        return bindInput(this, element, place, options);
    }

    bindList(parent, pointer, makeRow) {
        return bindList(this, parent, pointer, makeRow);
    }

    bindKeys(target) {
        return bindKeys(this, target);
    }

    /** Returns input whose place no longer exists. */
    handBack(path, value, problem, operations = [{ op: "add", path, value }]) {
        void this.#session.recoveries.strand(operations, problem ?? placeGone);
    }

    /**
     * Calls the listener with each change of the shown value, as edits. Returns a function that
     * ends that.
     */
    follow(listener) {
        return this.#session.follow(listener);
    }

    /** Makes an event of an error that no caller awaits. */
    report(error) {
        if (error?.code !== "nothing-to-undo" && error?.code !== "nothing-to-redo") {
            this.#session.tell("error", error);
        }
    }
}

/** The value of an operation that an application gave; it may be one that it got here. */
const valueOf = (operation, tree) =>
    copied(operation.value, { known: originOf(operation)?.value, tree });
