// The relation of a document and its drafts, on its page: of a draft its origin, and of a document
// its open drafts. The part that draws it is loaded only if there is one.

import { documentPath, get, Latest } from "./api.js";
import { fill } from "./build.js";

const readPause = 400;
/** Drafts that are compared for the page; the dialog lists more. */
const comparedMax = 20;

export class Drafting {
    #box;
    #attempt;
    #name = null;
    #origin = null;
    #shown = "";
    #reads = new Latest();
    #due = null;

    /** `attempt` does what is asked for, and shows what goes wrong. */
    constructor(box, attempt) {
        this.#box = box;
        this.#attempt = attempt;
    }

    open(name) {
        this.close();
        this.#name = name;
        void this.#read();
    }

    close() {
        clearTimeout(this.#due);
        [this.#name, this.#origin, this.#shown, this.#due] = [null, null, "", null];
        this.#reads.begin();
        this.#box.replaceChildren();
    }

    /** A document was changed: this one, its origin or a draft of it is compared again. */
    heard(document) {
        const isRelated = [this.#name, this.#origin].includes(document)
            || document.startsWith(`${this.#name}~`);
        if (isRelated) this.soon();
    }

    /** Reads soon. Many changes at once are read at once. */
    soon() {
        if (this.#name === null) return;
        this.#due ??= setTimeout(() => {
            this.#due = null;
            void this.#read();
        }, readPause);
    }

    /** If the relation cannot be read, the document is shown without it. */
    async #read() {
        const name = this.#name;
        const base = documentPath(name);
        const signal = this.#reads.begin();
        const [found, page] = await Promise.all([
            // Only these names are drafts; of another document the daemon refuses to say.
            name.includes("~") ? get(`${base}/origin?brief`, signal).catch(orGone) : null,
            get(`${base}/drafts?limit=${comparedMax}`, signal).catch(() => null),
        ]);
        if (signal.aborted) return;
        const waiting = page?.drafts.filter(({ ahead }) => ahead.edits > 0) ?? [];
        this.#origin = found?.origin ?? null;
        const shown = JSON.stringify([found, waiting]);
        if (shown === this.#shown) return;
        this.#shown = shown;
        if (!found && waiting.length === 0) return fill(this.#box);
        await this.#attempt(() => this.#draw(found, waiting, page?.next !== null, signal));
    }

    async #draw(found, waiting, hasMore, signal) {
        const { draftNote, waitingNote } = await import("./drafts.js");
        if (signal.aborted) return;
        fill(this.#box, found && draftNote(this.#name, found, this.#attempt),
            waiting.length > 0 && waitingNote(this.#name, waiting, hasMore, this.#attempt));
    }
}

/** Of a draft whose origin is gone, that it is. */
const orGone = ({ problem }) => (problem?.code === "origin-gone"
    ? { origin: problem.origin, isGone: true } : null);
