// The edits and commands that the daemon has not confirmed, in their order.

import { inverses, isNothing, join, whole } from "./edits.js";
import { isLong, pieces } from "./writing.js";

/** Edits that go to the daemon as one change. */
export class PendingEdit {
    isCommand = false;
    /** As they were made, on `base` with the pending edits before them. */
    edits;
    /** The same, on the newest state with those before them. */
    carried;
    /** The revision that they were made on. */
    base;
    /** The pending edits before them, if those were made on the same base; else `null`. */
    behind;
    /** Whether others' edits have come since they were made, so that nothing joins them. */
    isCarried = false;
    /** Whether others' edits and these could not all be done. */
    isMet = false;
    /** The revision that the daemon made of them. */
    revision = null;
    /** Whether the outbox has other requests for them: then it comes first, or they go twice. */
    isRearranged = false;
    /** How often it was refused and went again with what a person had made of it meanwhile. */
    tries = 0;
    /**
     * For an edit that is too long for one request, the stored parts. They are one version, and are
     * undone if the rest is refused. `undoing` reverts them on the newest confirmed state, so its
     * inverses are the operations to return.
     */
    stored = null;

    /**
     * `step`: what a person did in one go, one version. `isAlone`: a request of its own. `key`:
     * the idempotency key; edits that join get the same, so that a request that is known with
     * fewer edits is one that was done.
     */
    constructor(edits, base, behind, { step = null, label = null, isAlone = false, key } = {}) {
        this.key = key;
        this.edits = [];
        this.carried = [];
        this.base = base;
        this.behind = behind;
        this.step = step;
        this.label = label;
        this.isAlone = isAlone;
        this.add(edits);
    }

    /** Whether more edits may go along. */
    takes({ step = null, label = null, isAlone = false }) {
        return !this.isCarried && !this.isAlone && !isAlone
            && this.step === step && this.label === label;
    }

    add(edits) {
        join(this.edits, edits);
        // Both are one list while nothing was carried.
        if (this.carried !== this.edits) join(this.carried, edits);
    }

    /** Whether it can be sent as it was made: the daemon knows what it rests on. */
    get isSendableAsMade() {
        return this.isMet && this.behind !== null && this.behind.length < ownMax
            && this.behind.every(({ revision, base }) => revision !== null && base === this.base);
    }

    /** Whether it may be sent again with what rests on it, when it was refused. */
    get mayGoAgain() {
        return this.stored === null && this.tries < triesMax;
    }

    /** It was refused; now it is these edits, and nothing joins them. */
    goAgain(edits, revision) {
        this.tries += 1;
        this.request = undefined;
        this.isAlone = this.isRearranged = true;
        this.carried = edits;
        this.rebase(revision, null);
    }

    /** From now on it is made on a revision, and on what is pending before it. */
    rebase(revision, behind = []) {
        // An edit that is not sent must not take effect when other actors' edits arrive.
        this.edits = this.carried = whole(this.carried.filter((edit) => !isNothing(edit)));
        this.base = revision;
        this.behind = behind;
        this.isMet = false;
    }

    /** Whether another one, which waits behind it, may go along in its request. */
    mayTakeAlong(next) {
        return !next.isCommand && !next.request && !next.isMet && !this.isAlone && !next.isAlone
            && this.step === next.step && this.label === next.label;
    }

    takeAlong(next) {
        this.edits = this.carried = [...this.carried];
        join(this.carried, next.carried);
        this.isRearranged = true;
    }

    /** Whether it has a text that is too long for one request. */
    get isLong() {
        return this.edits.some(isLong);
    }

    /** Makes several edits of each that is too long. */
    divide() {
        this.edits = this.carried = this.edits.flatMap(pieces);
        this.stored ??= { revisions: [], undoing: [] };
    }

    /** A revision is what the daemon made of it, with these edits. */
    confirm(revision, edits) {
        this.revision = revision;
        if (this.stored === null) return;
        this.stored.revisions.push(revision);
        this.stored.undoing = [...inverses(edits), ...this.stored.undoing];
    }

    /** Takes the first edits out, as a pending edit of their own. Neither is what was recorded. */
    cut(count) {
        this.step ??= this.key;
        const key = `${this.key}a`;
        const first = new PendingEdit(
            this.edits.slice(0, count), this.base, this.behind, { ...this, key });
        first.stored = this.stored;
        first.tries = this.tries;
        this.key = `${this.key}b`;
        this.edits = this.edits.slice(count);
        this.carried = this.edits;
        this.behind = null;
        this.isRearranged = first.isRearranged = true;
        return first;
    }
}

/** So many own changes are named to the daemon at most. */
const ownMax = 90;

/** The number of responses after which a person who types without a pause gets a refusal. */
const triesMax = 5;

/** A call that works on the history: undo, redo. Its effect is known from the response. */
export class PendingCommand {
    isCommand = true;
    mayGoAgain = false;
    edits = [];
    carried = [];
    revision = null;

    constructor(name, body, key) {
        this.name = name;
        this.body = body;
        this.key = key;
    }

    confirm(revision) {
        this.revision = revision;
    }
}

/** The undo of an edit that is under way: shown at once, sent when the edit has a revision. */
export class PendingUndo extends PendingCommand {
    constructor(undone) {
        super("undo", null, `${undone.key}u`);
        this.undone = undone;
        this.edits = this.carried = inverses(undone.carried);
    }
}
