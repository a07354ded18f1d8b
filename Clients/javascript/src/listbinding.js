// A list in the document and its rows: each element keeps its row, wherever it moves.

import { guarded } from "./problems.js";
import { isArray } from "./values.js";

/**
 * `makeRow(place)` makes the row of an element: an element, or `{ element, update(place), end() }`.
 * Returns what ends it.
 */
export function bindList(document, parent, pointer, makeRow) {
    const list = new ListBinding(document, parent, pointer, makeRow);
    return () => list.end();
}

class ListBinding {
    #document;
    #parent;
    #place;
    #pointer;
    #makeRow;
    #rows = [];
    #ends;

    constructor(document, parent, pointer, makeRow) {
        this.#document = document;
        this.#parent = parent;
        this.#pointer = pointer;
        this.#makeRow = makeRow;
        this.#ends = [document.follow(() => this.#show())];
        this.#show();
    }

    end() {
        for (const end of this.#ends) end();
        for (const row of this.#rows) this.#remove(row);
        this.#rows = [];
    }

    #show() {
        if (this.#document.value === undefined) return;
        this.#place ??= typeof this.#pointer === "string"
            ? this.#document.at(this.#pointer) : this.#pointer;
        const value = this.#place.value;
        const count = isArray(value) ? value.length : 0;
        const known = new Map();
        for (const row of this.#rows) {
            const index = this.#indexOf(row);
            if (index >= 0 && index < count && !known.has(index)) known.set(index, row);
            else this.#remove(row);
        }
        const rows = Array.from(
            { length: count }, (_, index) => known.get(index) ?? guarded(() => this.#make(index)));
        // The row that the application could not make is tried again with the next change.
        this.#rows = rows.filter((row) => row !== undefined);
        arrange(this.#parent, this.#rows.map(({ element }) => element));
        for (const { update, place } of this.#rows) guarded(() => update?.(place));
    }

    /** Where a row's element is; -1 if it is not in this list any more. */
    #indexOf({ place }) {
        if (place.isGone || this.#place.isGone) return -1;
        const [steps, list] = [place.steps, this.#place.steps];
        const isHere = steps.length === list.length + 1
            && list.every((step, depth) => step === steps[depth]);
        return isHere ? steps[steps.length - 1] : -1;
    }

    #make(index) {
        const place = this.#document.at(`${this.#place.pointer}/${index}`);
        const made = this.#makeRow(place);
        return made.element ? { ...made, place } : { element: made, place };
    }

    #remove(row) {
        guarded(() => row.end?.());
        row.element.remove();
    }
}

/** Puts elements in order. The focused element does not move, since it would lose the focus. */
function arrange(parent, wanted) {
    const active = parent.ownerDocument?.activeElement;
    wanted.forEach((element, index) => {
        if (parent.children[index] === element) return;
        if (active && element.contains(active) && element.parentNode === parent) {
            while (parent.children[index] !== element) parent.append(parent.children[index]);
        } else parent.insertBefore(element, parent.children[index] ?? null);
    });
}
