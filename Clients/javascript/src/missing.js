// Other actors' edits since pending edits were made, one by one.
//
// A removed value that returned, by an undo or because another actor's edit inside it won, is the
// same value. So the two edits are taken out, and the edits between are rewritten as they would be
// without them: an edit inside the value then meets the value, and not a second one. The same holds
// for all other edits that were done and undone. The daemon does the same (Decision 14).

import { difference } from "./difference.js";
import { halves, inverse } from "./edits.js";
import { pass, passPair } from "./merging.js";
import { isAt } from "./pointers.js";
import { relation } from "./relations.js";
import { addAll, isArray, isContainer, isSame } from "./values.js";

/** Above this number of edits nothing is taken out: then what came back is there twice. */
const countMax = 1_000;
/** The limit on edits with the same values that are compared to find the reverted one. */
const candidatesMax = 8;

export class MissingEdits {
    /** The pending edits that others' edits came after, as they were before the first of those. */
    #made;
    /** Others' edits since, each with the `revision` that made it. */
    #edits = [];

    constructor(pending) {
        this.#made = new Map(pending.map((one) => [one, one.carried]));
    }

    /** Adds others' edits. Returns whether edits before them were taken out. */
    append(edits, { change = {}, revision, wonSince }) {
        let hasReturned = false;
        const returning = returningOf(change.kind, wonSince);
        for (const edit of edits) {
            if (this.#add({ ...edit, revision }, returning)) hasReturned = true;
        }
        return hasReturned;
    }

    /** Adds one of them. Returns whether edits before it were taken out. */
    #add(edit, returning) {
        let hasReturned = false;
        const left = [edit];
        while (left.length > 0) {
            const next = left.pop();
            // An undo is stored in its shortest form: the rest of it may undo more.
            const rest = returning && this.#edits.length <= countMax
                ? this.#takeBack(next, returning) : null;
            if (rest === null) this.#edits.push(next);
            else addAll(left, rest.reverse());
            hasReturned ||= rest !== null;
        }
        return hasReturned;
    }

    /** Whether an edit is merged with these. */
    has(pending) {
        return this.#made.has(pending);
    }

    /** Merges the pending edits again with the rest of the other side's. */
    merge(pending, policy) {
        let others = this.#edits;
        for (const one of pending) {
            if (!this.#made.has(one)) continue;
            [one.carried, others] = pass(this.#made.get(one), others, policy);
        }
    }

    /** Whether something is merged with these, and they are not too many. */
    get isNeeded() {
        return this.#made.size > 0 && this.#edits.length <= countMax;
    }

    /** One of the pending edits is confirmed, as it was expected. Returns what is needed still. */
    confirmed(sent, policy) {
        [, this.#edits] = pass(this.#made.get(sent) ?? [], this.#edits, policy);
        this.#made.delete(sent);
        return this.isNeeded ? this : null;
    }

    /**
     * Takes out the newest edit that an edit reverts, or reverts together with another edit;
     * returns the rest of it. `null` if there is none.
     */
    #takeBack(edit, returning) {
        const rest = this.#takeOut(edit, (earlier) => isTakenBack(earlier, edit, returning))
            ?? this.#takeOut(edit, (earlier) => mayComeBack(earlier, edit, returning));
        if (rest) return rest;
        // Two changes may have made the halves of one move in their undo.
        const [first, second] = halves(edit) ?? [];
        const left = first ? this.#takeBack(first, returning) : null;
        return left && [...left, second];
    }

    /**
     * Takes out the newest edit that the given edit can and does revert; returns the rest of the
     * given edit.
     */
    #takeOut(edit, isCandidate) {
        let count = 0;
        for (let index = this.#edits.length - 1; index >= 0; index -= 1) {
            if (!isCandidate(this.#edits[index])) continue;
            const carried = carry(this.#edits, index);
            const left = carried && restBefore(carried.inverse, edit);
            if (left) {
                this.#edits.splice(index, Infinity, ...carried.rest);
                return left;
            }
            count += 1;
            if (count === candidatesMax) break;
        }
        return null;
    }
}

/** The removed values that a change may restore: none, all, or those removed since a revision. */
function returningOf(kind, wonSince) {
    const isUndo = ["undo", "redo", "goto", "discard-scope", "restore", "update"].includes(kind);
    if (isUndo) return { isUndo };
    return wonSince === undefined ? null : { since: wonSince, isUndo };
}

/** The inverse of an edit after those behind it, and these without it; `null` if one needs it. */
function carry(edits, index) {
    let undone = inverse(edits[index]);
    if (!undone) return null;
    const rest = [];
    for (const other of edits.slice(index + 1)) {
        if (relation(undone, other) !== "both") return null;
        const [mine, theirs] = passPair(undone, other);
        if (mine.length !== 1) return null;
        [undone] = mine;
        rest.push(...theirs);
    }
    return { inverse: undone, rest };
}

/** Whether an edit has the values to take an earlier one back. Where, is another question. */
function isTakenBack(earlier, edit, { since, isUndo }) {
    const puts = edit.kind === "insert" || (edit.kind === "set" && edit.value !== undefined);
    // A value removed and added within one change stays as that change made it.
    const isOlder = since < earlier.revision && earlier.revision < edit.revision;
    if (!isUndo && (!puts || !isOlder)) return false;
    switch (`${earlier.kind} ${edit.kind}`) {
        case "insert delete":
        case "delete insert": return isSame(earlier.value, edit.value);
        case "set set":
            // An undo may put back what was there before several edits.
            return isSame(earlier.value, edit.old) && (isUndo || isSame(earlier.old, edit.value));
        case "text text":
            return earlier.removed === edit.inserted && earlier.inserted === edit.removed;
        case "move move": return true;
        default: return false;
    }
}

/** Whether an undo may put back what was removed, with something inside it changed. */
function mayComeBack(earlier, edit, { isUndo }) {
    return isUndo && earlier.kind === "delete" && edit.kind === "insert"
        && areAlike(earlier.value, edit.value);
}

/** Whether both are objects, or both arrays. */
const areAlike = (one, other) =>
    isContainer(one) && isContainer(other) && isArray(one) === isArray(other);

/** The rest of an edit after an inverse was carried to its place; `null` if it is another one. */
function restBefore(undone, edit) {
    const isHere = isAt(undone.place, edit.place);
    if (undone.kind === "insert" && edit.kind === "insert") {
        if (isHere) return inside(undone.value, edit);
        if (!isSame(undone.value, edit.value)) return null;
        return [{ kind: "move", place: undone.place, to: edit.place, revision: edit.revision }];
    }
    if (!isHere || undone.kind !== edit.kind) return null;
    switch (edit.kind) {
        case "delete": return isSame(undone.value, edit.value) ? [] : null;
        case "set":
            if (!isSame(undone.old, edit.old)) return null;
            if (isSame(undone.value, edit.value)) return [];
            return areAlike(undone.value, edit.value)
                ? inside(undone.value, edit) : [{ ...edit, old: undone.value }];
        case "move": return isAt(undone.to, edit.to) ? [] : null;
        case "text":
            return undone.at === edit.at && undone.removed === edit.removed
                && undone.inserted === edit.inserted ? [] : null;
        default: return null;
    }
}

/** The edits that make an edit's inserted value of the removed one. */
function inside(value, { value: other, place, revision }) {
    return difference(value, other, []).map((edit) => {
        const inner = { ...edit, place: [...place, ...edit.place], revision };
        return edit.to ? { ...inner, to: [...place, ...edit.to] } : inner;
    });
}
