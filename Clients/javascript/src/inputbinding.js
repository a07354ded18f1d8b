// A value in the document and a control that shows it.

import { hasFocus, isChanged, isEarly } from "./early.js";
import { kindOf } from "./inputkinds.js";
import { listen } from "./listening.js";
import { isAt } from "./pointers.js";
import { typedEarly } from "./problems.js";
import { isSame } from "./values.js";

/**
 * `place` is a pointer or a Place; with a Place the control follows its element. Input is set at
 * once, and waits like all edits: a pause in typing ends a step of undo.
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
    /** The control's value when it was written or read last. */
    #shown = undefined;
    /** The document's value at that time. */
    #stored = undefined;
    #isComposing = false;
    /** Whether something was entered that no document has been asked about. */
    #isEarly;
    #ends = [];

    constructor(document, element, place, options) {
        this.#document = document;
        this.#element = element;
        this.#place = place;
        this.#options = options;
        this.#kind = kindOf(element);
        this.#isEarly = isEarly(element);
        this.#ends.push(document.follow((shown) => {
            this.#keepRefused(shown);
            this.#show();
        }));
        this.#listen(element, {
            input: () => this.#entered(),
            change: () => this.#commit(),
            blur: () => this.#left(),
            compositionstart: () => { this.#isComposing = true; },
            compositionend: () => this.#composed(),
        });
        this.#listen(document, { state: () => this.#show(), closing: () => this.#composed() });
        const page = element.ownerDocument?.defaultView;
        if (page) this.#listen(page, { pagehide: () => this.#composed() });
        // The form is reset after its event; the document is not.
        if (element.form) {
            this.#listen(element.form, { reset: () => setTimeout(() => this.#write()) });
        }
        if (!this.#isEarly) this.#write();
        this.#show();
    }

    #listen(target, listeners) {
        this.#ends.push(listen(target, listeners));
    }

    #entered() {
        this.#isEarly ||= !this.#hasPlace();
        this.#commit();
    }

    end() {
        this.#composed();
        for (const end of this.#ends.splice(0)) end();
    }

    #composed() {
        this.#isComposing = false;
        this.#commit();
        this.#show();
    }

    /** The person has left the control: it shows the document's value. */
    #left() {
        this.#composed();
        if (!this.#isInvalid) this.#write();
    }

    /**
     * Whether the text in the field is not a value of its type: it stays there, and is not stored.
     */
    get #isInvalid() {
        return this.#element.validity?.badInput === true;
    }

    /** Whether the document is loaded; from then on the place stays with its element. */
    #hasPlace() {
        if (this.#document.value === undefined) return false;
        if (typeof this.#place === "string") this.#place = this.#document.at(this.#place);
        return true;
    }

    /** A refused value stays in the control while the person is in it: it may be half typed. */
    #keepRefused({ isRefused, lost }) {
        const { steps, value } = typeof this.#place === "string" ? {} : this.#place;
        const isHere = isRefused && steps && lost.some(({ place }) => isAt(place, steps));
        if (isHere && hasFocus(this.#element)) this.#stored = value;
    }

    #show() {
        if (!this.#hasPlace()) return;
        this.#pointer = this.#place.pointer ?? this.#pointer;
        if (this.#isEarly) this.#takeEarly();
        const isUnusable = Boolean(this.#document.obstacle) || this.#place.isGone;
        if (isUnusable) {
            // The person may be in the middle of a word.
            this.#isComposing = false;
            this.#commit();
        }
        const isOther = !isSame(this.#place.value, this.#stored);
        if (isOther && !this.#isComposing && !this.#isInvalid) this.#write();
        this.#element.disabled = isUnusable;
    }

    /** Takes what was entered too early, if the page had the document's value. */
    #takeEarly() {
        this.#isEarly = false;
        if (this.#isInvalid) return;
        const [stored, former] = [this.#place.value, this.#element.cloneNode(true)];
        const value = this.#kind.read(this.#element, stored);
        this.#kind.write(former, stored);
        [this.#stored, this.#shown] = [stored, this.#kind.read(former, stored)];
        if (!isChanged(former)) return this.#commit();
        if (value !== undefined && !isSame(value, this.#shown)) {
            const op = stored === undefined ? "add" : "replace";
            const operations = [{ op, path: this.#pointer, value }];
            this.#document.handBack(this.#pointer, value, typedEarly, operations);
        }
        return this.#write();
    }

    #write() {
        if (!this.#hasPlace()) return;
        this.#stored = this.#place.value;
        this.#kind.write(this.#element, this.#stored);
        this.#shown = this.#kind.read(this.#element, this.#stored);
    }

    #commit() {
        if (this.#document.value === undefined || typeof this.#place === "string") return;
        if (this.#isComposing || this.#isInvalid) return;
        const value = this.#kind.read(this.#element, this.#place.value);
        if (value === undefined || isSame(value, this.#shown)) return;
        this.#shown = value;
        try {
            // So that the change that follows does not count as another actor's.
            this.#stored = value;
            this.#place.set(value, this.#options);
        } catch (error) {
            // It has no place any more: the application has it.
            this.#document.handBack(this.#pointer, value, error.problem);
            this.#write();
        }
    }
}
