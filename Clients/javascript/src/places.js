// Places that follow their values: while elements come, go and move, the place stays the element's.

import { isElement, placeOf, valueAt, writePointer } from "./pointers.js";
import { placeAfter } from "./shifting.js";

export class Place {
    #document;
    #steps;

    /** See SharedDocument.at. */
    constructor(document, pointer) {
        this.#document = document;
        this.#steps = placeOf(pointer, document.value);
    }

    /** The steps to it now; `null` if the element that it was is gone. */
    get steps() {
        return this.#steps;
    }

    /** Its address now; `null` if it is gone. */
    get pointer() {
        return this.#steps && writePointer(this.#steps);
    }

    /** Its index, if it is an element of a list. */
    get index() {
        const last = this.#steps?.[this.#steps.length - 1];
        return typeof last === "number" ? last : null;
    }

    get isGone() {
        return this.#steps === null;
    }

    /** The value there; `undefined` if there is none. */
    get value() {
        return this.#steps === null ? undefined : valueAt(this.#document.value, this.#steps);
    }

    /** A place inside it: `item.at("text")`. */
    at(...names) {
        if (this.#steps === null) throw new TypeError("The place is gone.");
        return this.#document.at(`${this.pointer}${writePointer(names)}`);
    }

    set(value, options) {
        const path = this.#existing();
        const op = this.value === undefined || !isElement(this.#steps) ? "add" : "replace";
        this.#document.edit([{ op, path, value }], options);
    }

    remove(options) {
        this.#document.edit([{ op: "remove", path: this.#existing() }], options);
    }

    /** Moves it before the element at another place, or to a name that is free. */
    moveTo(target, options) {
        const path = typeof target === "string" ? target : target.pointer;
        this.#document.edit([{ op: "move", from: this.#existing(), path }], options);
    }

    insertText(position, text, options) {
        const path = this.#existing();
        this.#document.edit([{ op: "str_ins", path, pos: position, str: text }], options);
    }

    deleteText(position, length, options) {
        const path = this.#existing();
        this.#document.edit([{ op: "str_del", path, pos: position, len: length }], options);
    }

    #existing() {
        if (this.#steps === null) throw new TypeError("The place is gone.");
        return this.pointer;
    }

    /** Moves on past edits. */
    follow(edits) {
        for (const edit of edits) {
            if (this.#steps === null) return;
            this.#steps = placeAfter(this.#steps, edit);
        }
    }
}

/** The places that a program holds. */
export class Places {
    #all = new Set();

    add(place) {
        this.#all.add(new WeakRef(place));
        if (this.#all.size % 256 === 0) this.#sweep();
        return place;
    }

    #sweep() {
        for (const one of this.#all) if (!one.deref()) this.#all.delete(one);
    }

    follow(edits) {
        const staying = ["text", "set", "read"];
        const shifting = edits.filter(({ kind }) => !staying.includes(kind));
        if (shifting.length === 0) return;
        for (const one of this.#all) {
            const place = one.deref();
            if (place) place.follow(shifting);
            else this.#all.delete(one);
        }
    }
}

