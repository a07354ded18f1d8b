// People who edit: they type unique words, and search them at the end.

/** Words typed by a person, and what has become of them. */
export class Words {
    #all = new Map();
    #count = 0;

    /** A new word; `tab` is where it was typed. */
    next(person, place) {
        this.#count += 1;
        const word = `<${person}${this.#count}>`;
        this.#all.set(word, { person, place, fate: "typed" });
        return word;
    }

    note(word, fate) {
        const known = this.#all.get(word);
        if (known) known.fate = fate;
    }

    /** All words in a text. */
    static in(text) {
        return text.match(/<[a-z]+\d+>/g) ?? [];
    }

    *typed() {
        for (const [word, { fate, person, place }] of this.#all) {
            if (fate === "typed") yield { word, person, place };
        }
    }

    /** Words that must not be there. */
    get undone() {
        return [...this.#all].filter(([, { fate }]) => fate === "undone").map(([word]) => word);
    }
}

/** A text area without a page: what bindings use of one. */
export class TextArea extends EventTarget {
    value = "";
    selectionStart = 0;
    selectionEnd = 0;
    readOnly = false;
    disabled = false;
    ownerDocument = { activeElement: this, defaultView: null };

    setSelectionRange(start, end) {
        [this.selectionStart, this.selectionEnd] = [start, end];
    }

    /** Types at the caret, as a browser does it. */
    type(text) {
        if (this.readOnly || this.disabled) return false;
        this.#put(text);
        this.dispatchEvent(new Event("input"));
        return true;
    }

    erase(count) {
        if (this.readOnly) return;
        this.selectionStart = Math.max(0, this.selectionEnd - count);
        this.#put("");
        this.dispatchEvent(new Event("input"));
    }

    #put(text) {
        const { selectionStart: start, selectionEnd: end, value } = this;
        this.value = value.slice(0, start) + text + value.slice(end);
        this.setSelectionRange(start + text.length, start + text.length);
    }

    /**
     * An input method composes: letters are typed and replaced, and the page gets the result at the
     * end.
     */
    beginComposing(text) {
        if (this.readOnly) return false;
        this.dispatchEvent(new Event("compositionstart"));
        const start = this.selectionStart;
        this.#put(text);
        this.dispatchEvent(new Event("input"));
        this.composing = { start, length: text.length };
        return true;
    }

    endComposing(text) {
        const { start, length } = this.composing;
        this.composing = null;
        this.setSelectionRange(start, start + length);
        this.#put(text);
        this.dispatchEvent(new Event("input"));
        this.dispatchEvent(new Event("compositionend"));
    }

    press(key) {
        const event = new Event("keydown", { cancelable: true });
        Object.assign(event, { key, ctrlKey: true, metaKey: false, shiftKey: false, altKey: false });
        this.dispatchEvent(event);
    }
}
