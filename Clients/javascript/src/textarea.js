// A text area, or a line of text, as an editor of a text in the document: the caret stays where it
// is.

import { isEarly } from "./early.js";
import { bindKeys } from "./keys.js";
import { listen } from "./listening.js";
import { TextBinding } from "./textbinding.js";

/** Shows and edits a text, letter by letter. Returns what ends that. */
export function bindText(document, element, place) {
    const area = new TextArea(document, element, place);
    return () => area.end();
}

export class TextArea {
    #element;
    #binding;
    #ends = [];
    /** Text typed before the script was loaded, and the text in which it was typed. */
    early = null;

    constructor(document, element, place) {
        this.#element = element;
        if (isEarly(element)) this.early = { from: element.defaultValue, text: element.value };
        this.#binding = new TextBinding(document, this, place);
        this.#listen(element, {
            input: () => this.#binding.read(),
            compositionstart: () => this.#binding.composes(),
            compositionend: () => this.#binding.composed(),
            blur: () => this.#binding.composed(),
        });
        const page = element.ownerDocument?.defaultView;
        if (page) this.#listen(page, { pagehide: () => this.#binding.composed() });
        this.#ends.push(bindKeys(document, element, () => this.#binding.read()));
        this.#binding.begin();
    }

    #listen(target, listeners) {
        this.#ends.push(listen(target, listeners));
    }

    end() {
        this.#binding.end();
        for (const end of this.#ends.splice(0)) end();
    }

    get element() {
        return this.#element;
    }

    /** Where the text is now; `null` if what it was in is gone. */
    get pointer() {
        return this.#binding.isGone ? null : this.#binding.pointer;
    }

    // MARK: The interface of an editor

    get text() {
        return this.#element.value;
    }

    get isOneLine() {
        return this.#element.localName === "input";
    }

    get caret() {
        return this.#element.selectionStart;
    }

    setReadOnly(isReadOnly) {
        if (this.#element.readOnly !== isReadOnly) this.#element.readOnly = isReadOnly;
    }

    show(text, { move }) {
        const element = this.#element;
        if (element.value === text) return;
        const { selectionStart, selectionEnd, scrollTop } = element;
        const selection = move(selectionStart, selectionEnd);
        element.value = text;
        if (element.ownerDocument?.activeElement !== element) return;
        // An input for a number or an address of mail has no selection that a script may set.
        if (selectionStart !== null) element.setSelectionRange(...selection);
        if (scrollTop !== undefined) element.scrollTop = scrollTop;
    }
}
