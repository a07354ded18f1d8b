// A value in the document and an input that shows it: a checkbox, a number, a choice, a short text.

import { listen } from "./listening.js";

/** How an input of a type is read and written. */
const kinds = {
    checkbox: {
        read: (element) => element.checked,
        write: (element, value) => { element.checked = Boolean(value); },
    },
    number: {
        read: (element) => (element.value === "" ? null : element.valueAsNumber),
        write: (element, value) => {
            element.value = typeof value === "number" ? String(value) : "";
        },
    },
    text: {
        read: (element) => element.value,
        write: (element, value) => {
            element.value = value === undefined || value === null ? "" : String(value);
        },
    },
};

/**
 * `place` is a pointer or a Place; with a Place the input follows its element. What is entered is
 * set when the input says that it has changed, and when the page or the document is closed.
 */
export function bindInput(document, element, place, options = {}) {
    const binding = new InputBinding(document, element, place, options);
    return () => binding.end();
}

class InputBinding {
    #document;
    #element;
    #place;
    /** Where the value is, or was last. */
    #pointer = null;
    #options;
    #kind;
    /** What the element said when it was written last. */
    #shown = null;
    #ends = [];

    constructor(document, element, place, options) {
        this.#document = document;
        this.#element = element;
        this.#place = place;
        this.#options = options;
        this.#kind = kinds[element.type === "range" ? "number" : element.type] ?? kinds.text;
        this.#ends.push(document.follow(() => this.#show()));
        this.#listen(element, { change: () => this.#commit(), blur: () => this.#show() });
        this.#listen(document, { state: () => this.#show(), closing: () => this.#commit() });
        const page = element.ownerDocument?.defaultView;
        if (page) this.#listen(page, { pagehide: () => this.#commit() });
        this.#show();
    }

    #listen(target, listeners) {
        this.#ends.push(listen(target, listeners));
    }

    end() {
        this.#commit();
        for (const end of this.#ends.splice(0)) end();
    }

    /** Whether somebody enters something that is not set yet. */
    get #isEntering() {
        const isActive = this.#element.ownerDocument?.activeElement === this.#element;
        return isActive && this.#kind !== kinds.checkbox;
    }

    #show() {
        if (this.#document.value === undefined) return;
        if (typeof this.#place === "string") this.#place = this.#document.at(this.#place);
        if (!this.#isEntering) this.#write();
        this.#pointer = this.#place.pointer ?? this.#pointer;
        const isUnusable = Boolean(this.#document.obstacle) || this.#place.isGone;
        // Somebody may be in the middle of a word.
        if (isUnusable) this.#commit();
        this.#element.disabled = isUnusable;
    }

    #write() {
        this.#kind.write(this.#element, this.#place.value);
        this.#shown = this.#kind.read(this.#element);
    }

    #commit() {
        if (this.#document.value === undefined || typeof this.#place === "string") return;
        const value = this.#kind.read(this.#element);
        if (value === this.#shown) return;
        this.#shown = value;
        try {
            this.#place.set(value, this.#options);
        } catch (error) {
            // It has no place any more: the application has it.
            this.#document.handBack(this.#pointer, value, error.problem);
            this.#write();
        }
    }
}
