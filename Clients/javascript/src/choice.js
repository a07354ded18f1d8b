// One of two values, which a person may choose as long as a page shows the conflict. What sets each
// of them follows all that is shown, as a pending edit does: so it reaches its own element, and
// brings that back if it has been removed since.

import { pass } from "./merging.js";
import { isAt, isElement, valueAt } from "./pointers.js";
import { placeGone } from "./problems.js";
import { shortened } from "./resting.js";
import { isSame } from "./values.js";
import { fits, writeOperations } from "./writing.js";

export class Choice {
    #session;
    #values;
    /** For each side, what sets its value on what is shown. */
    #edits = {};

    /** `there`: what stands at the place, `undefined` if it was removed; see `values`. */
    constructor(session, place, values, there) {
        this.#session = session;
        this.#values = values;
        this.#prepare(place, there);
    }

    #prepare(place, there) {
        for (const [side, value] of Object.entries(this.#values)) {
            this.#edits[side] = settingEdits(place, there, value);
        }
    }

    /** Goes on past edits. */
    follow(edits) {
        for (const side of Object.keys(this.#edits)) {
            for (const edit of edits) this.#edits[side] = after(this.#edits[side], edit);
        }
    }

    /** Has it one way or the other, as a new edit. */
    use(side) {
        const edits = this.#edits[side];
        const isChange = edits.some(({ old, value }) => value === undefined || !isSame(old, value));
        if (!isChange) return;
        if (!fits(edits, this.#session.replica.value)) {
            return void this.#session.recoveries.strand(writeOperations(edits), placeGone);
        }
        this.#session.perform(edits);
        const { place } = edits[edits.length - 1];
        this.#prepare(place, this.#values[side] === undefined
            ? undefined : valueAt(this.#session.replica.value, place));
    }
}

/** What sets a value at a place; an index is that of the element that is there, or of its gap. */
function settingEdits(place, there, value) {
    if (there === undefined && value === undefined) return [];
    if (!isElement(place) || (there !== undefined && value !== undefined)) {
        return [{ kind: "set", place, old: there, value }];
    }
    return there === undefined ? [{ kind: "insert", place, value }]
        : [{ kind: "delete", place, value: there }];
}

/** The same past another edit. What that has put back itself is not put back twice. */
function after(edits, other) {
    const [first, ...rest] = edits;
    const isBack = first?.kind === "insert" && other.kind === "insert"
        && isAt(first.place, other.place) && isSame(first.value, other.value);
    return isBack ? rest : shortened(pass(edits, [other], "mine")[0]);
}
