// One of two values, which a person may choose as long as a page shows the conflict. The edits that
// set each of them are transformed over all that is shown, as a pending edit is: so the choice
// reaches its own element, and restores it if it has been removed since.

import { pass } from "./merging.js";
import { isAt, isElement, valueAt, writePointer } from "./pointers.js";
import { placeGone } from "./problems.js";
import { shortened } from "./resting.js";
import { isSame } from "./values.js";
import { fits } from "./writing.js";

export class Choice {
    #session;
    #values;
    /** For each side, what sets its value on what is shown. */
    #edits = {};

    #place;

    /**
     * `there`: the value at the place, `undefined` if it was removed; `values`: the value of either
     * side.
     */
    constructor(session, place, values, there) {
        this.#session = session;
        this.#values = values;
        this.#prepare(place, there);
    }

    #prepare(place, there) {
        this.#place = place;
        for (const [side, value] of Object.entries(this.#values)) {
            this.#edits[side] = settingEdits(place, there, value);
        }
    }

    /** Transforms the choice over edits. */
    follow(edits) {
        for (const side of Object.keys(this.#edits)) {
            try {
                for (const edit of edits) this.#edits[side] = after(this.#edits[side], edit);
            } catch {
                this.#edits[side] = null;
            }
        }
    }

    /** Has it one way or the other, as a new edit. */
    use(side) {
        const edits = this.#edits[side];
        if (!edits || !fits(edits, this.#session.replica.value)) return this.#handBack(side);
        const isChange = edits.some(({ old, value }) => value === undefined || !isSame(old, value));
        if (!isChange) return undefined;
        this.#session.perform(edits);
        const { place } = edits[edits.length - 1];
        this.#prepare(place, this.#values[side] === undefined
            ? undefined : valueAt(this.#session.replica.value, place));
        return undefined;
    }

    /** Where it was cannot be found any more. */
    #handBack(side) {
        const [path, value] = [writePointer(this.#place), this.#values[side]];
        if (value === undefined) return;
        void this.#session.recoveries.strand([{ op: "add", path, value }], placeGone);
    }
}

/** The edits that set a value at a place; an index is that of the element there, or of its gap. */
function settingEdits(place, there, value) {
    if (there === undefined && value === undefined) return [];
    if (!isElement(place) || (there !== undefined && value !== undefined)) {
        return [{ kind: "set", place, old: there, value }];
    }
    return there === undefined ? [{ kind: "insert", place, value }]
        : [{ kind: "delete", place, value: there }];
}

/** The same past another edit. An element that this edit has put back is not put back twice. */
function after(edits, other) {
    const [first, ...rest] = edits;
    const isBack = first?.kind === "insert" && other.kind === "insert"
        && isAt(first.place, other.place) && isSame(first.value, other.value);
    return isBack ? rest : shortened(pass(edits, [other], "mine")[0]);
}
