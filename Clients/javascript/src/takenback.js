// Undo and redo of edits that the daemon does not have yet.

import { inverses } from "./edits.js";
import { pass } from "./merging.js";
import { PendingUndo } from "./pending.js";

/** Steps that were undone before the daemon had them. The last one is the newest. */
export class TakenBack {
    #replica;
    #all = [];

    constructor(replica) {
        this.#replica = replica;
    }

    /** Carries the edits that are kept past others' edits of the shown value, which lacks them. */
    follow(others, policy) {
        follow(this.#all, others, policy);
    }

    get canUndo() {
        const { pending } = this.#replica;
        const last = pending[pending.length - 1];
        return last !== undefined && !last.isCommand && !this.#isStoredInPart(last);
    }

    /** Whether an edit goes in parts of which the daemon may have some: it undoes all at once. */
    #isStoredInPart({ stored }) {
        if (stored === null) return false;
        const { sent, waiting } = this.#replica;
        const isBegun = sent?.stored === stored && waiting.some((one) => one.stored === stored);
        return isBegun || stored.revisions.length > 0;
    }

    get canRedo() {
        return this.#all.length > 0;
    }

    forget() {
        this.#all = [];
    }

    /** Undoes the last step that is not confirmed; `null` if there is none. */
    undo() {
        if (!this.canUndo) return null;
        const { waiting, sent } = this.#replica;
        if (waiting.length > 0) return this.#undoStep(waiting);
        const undo = new PendingUndo(sent);
        waiting.push(undo);
        this.#all.push({ undo });
        return this.#replica.show(undo.carried, { isOwn: true });
    }

    #undoStep(waiting) {
        const { step, label } = waiting[waiting.length - 1];
        const gone = [];
        do {
            gone.unshift(waiting.pop());
        } while (step !== null && waiting[waiting.length - 1]?.step === step);
        const carried = gone.flatMap((one) => one.carried);
        this.#all.push({ carried, step, label });
        return this.#replica.show(inverses(carried), { isOwn: true });
    }

    /** Redoes the last undone step; `null` if there is none. */
    redo(key) {
        const last = this.#all.pop();
        if (!last) return null;
        const { waiting } = this.#replica;
        if (last.carried) return this.#replica.add(last.carried, { ...last, key });
        if (waiting[waiting.length - 1] !== last.undo) return null;
        waiting.pop();
        return this.#replica.show(inverses(last.undo.carried), { isOwn: true });
    }

    /** Nothing was done of an edit that was undone: to redo it is to make it again. */
    putBack({ carried, step, label, ...sent }) {
        this.#all = this.#all.map((one) =>
            (one.undo?.undone.key === sent.key ? { carried, step, label } : one));
    }

    /** An edit is confirmed, or came to nothing: what was to undo it is a matter of the daemon. */
    confirmed(sent) {
        const index = this.#all.findIndex(({ undo }) => undo?.undone === sent);
        if (index >= 0) {
            const [{ undo }] = this.#all.splice(index, 1);
            // Steps that rested on it are carried past its undo, or are dropped.
            if (sent.revision === null) this.#all.splice(0, index);
            else follow(this.#all.slice(0, index), undo.carried, "theirs");
        }
        for (const one of this.#replica.waiting) {
            const { revision } = sent;
            if (one.undone === sent && revision !== null) one.body = { revision };
        }
    }
}

/** The newest step is the first to be redone, and the one before it rests on that. */
function follow(steps, others, policy) {
    for (const one of [...steps].reverse()) {
        if (one.carried) [one.carried, others] = pass(one.carried, others, policy);
        else [, others] = pass(inverses(one.undo.carried), others, policy);
    }
}
