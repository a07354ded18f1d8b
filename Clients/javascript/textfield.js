// A text area or an input of a component, and the text of a document that it shows.

import { TextArea } from "./src/textarea.js";

export class TextField {
    element = null;
    #document = null;
    #area = null;

    /** Where the text is that it shows; an element of a list may have moved. `null`: nowhere. */
    get pointer() {
        return this.#area?.pointer ?? null;
    }

    /** Shows the text at a pointer. If it does already, an input method continues to compose. */
    bind(document, pointer) {
        const isSame = this.#document === document && this.#area?.element === this.element;
        if (isSame && this.pointer === pointer) return;
        this.end();
        if (!this.element) return;
        this.#document = document;
        this.#area = new TextArea(document, this.element, pointer);
    }

    end() {
        this.#area?.end();
        this.#area = null;
    }
}
