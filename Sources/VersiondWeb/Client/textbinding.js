// A text in the document and a text area that shows it: what is typed goes there letter by letter,
// what others type comes here, and the caret stays where it is.

import { bindKeys } from "./keys.js";
import { pass } from "./merging.js";
import { Place } from "./places.js";
import { above, isAt, valueAt, writePointer } from "./pointers.js";
import { editsOfText, placeInShown, placeInText, shownText } from "./returns.js";
import { caretAfter, placeAfter } from "./shifting.js";
import { textDifference } from "./textdifference.js";
import { isObject, wellFormed } from "./values.js";

export function bindText(document, element, place) {
    const binding = new TextBinding(document, element, place);
    return () => binding.end();
}

class TextBinding {
    #document;
    #element;
    /** Where the text is, or was last. */
    #pointer;
    #steps = null;
    /** The text that the element shows, as the document had it. */
    #text = "";
    /** What has happened to the text since, while an input method composes. */
    #unseen = [];
    #isComposing = false;
    #ends = [];

    constructor(document, element, place) {
        this.#document = document;
        this.#element = element;
        this.#pointer = typeof place === "string" ? place : place.pointer;
        this.#listen(element, {
            input: () => this.#read(),
            compositionstart: () => { this.#isComposing = true; },
            compositionend: () => this.#composed(),
            blur: () => this.#composed(),
        });
        const page = element.ownerDocument?.defaultView;
        if (page) this.#listen(page, { pagehide: () => this.#composed() });
        this.#ends.push(bindKeys(document, element, () => this.#read()));
        this.#ends.push(document.follow((shown) => this.#changed(shown)));
        this.#listen(document, { state: () => this.#enable(), closing: () => this.#composed() });
        if (document.value !== undefined) this.#begin();
        this.#enable();
    }

    #listen(target, listeners) {
        for (const [name, listener] of Object.entries(listeners)) {
            target.addEventListener(name, listener);
            this.#ends.push(() => target.removeEventListener(name, listener));
        }
    }

    end() {
        this.#composed();
        for (const end of this.#ends.splice(0)) end();
    }

    #begin() {
        this.#steps = new Place(this.#document, this.#pointer).steps;
        this.#showText([]);
    }

    // MARK: What is there

    get #value() {
        return this.#steps === null ? undefined : valueAt(this.#document.value, this.#steps);
    }

    /** Whether there is a text, or a place where one can be. */
    get #isUsable() {
        if (this.#document.obstacle || this.#steps === null) return false;
        const value = this.#value;
        if (value !== undefined) return typeof value === "string";
        return isObject(valueAt(this.#document.value, above(this.#steps)));
    }

    #enable() {
        const isReadOnly = !this.#isUsable;
        if (this.#element.readOnly !== isReadOnly) this.#element.readOnly = isReadOnly;
    }

    // MARK: From the document

    #changed({ edits, before }) {
        if (before === undefined || this.#steps === null) {
            const isLoaded = this.#document.value !== undefined && before === undefined;
            if (isLoaded && this.#steps === null) this.#begin();
            return this.#enable();
        }
        const mine = this.#editsOfThis(edits, before);
        this.#enable();
        if (this.#isReading) return undefined;
        this.#unseen.push(...mine);
        if (!this.#isComposing) this.#showText(this.#unseen);
        return undefined;
    }

    /** What edits do to this text. */
    #editsOfThis(edits, before) {
        if (this.#steps !== null) this.#pointer = writePointer(this.#steps);
        const found = [];
        let isOther = false;
        const old = this.#value ?? valueAt(before, this.#steps);
        const former = valueAt(before, this.#steps);
        for (const edit of edits) {
            if (this.#steps === null) break;
            if (edit.kind === "text" && isAt(edit.place, this.#steps)) found.push(edit);
            else if (edit.place.length <= this.#steps.length) isOther = true;
            this.#steps = placeAfter(this.#steps, edit);
        }
        if (!isOther || typeof old !== "string") return found;
        // It was replaced, or something that it is in was.
        const [one, other] = [former, this.#value].map((text) =>
            (typeof text === "string" ? text : ""));
        return one === other && found.length === 0 ? [] : textDifference(one, other, []);
    }

    /** Shows the text as it is now; the caret moves with the letters around it. */
    #showText(edits) {
        this.#unseen = [];
        const [old, value] = [this.#text, this.#value];
        this.#text = typeof value === "string" ? value : "";
        const wanted = shownText(this.#text);
        if (this.#element.value === wanted) return;
        const { selectionStart: start, selectionEnd: end } = this.#element;
        const caret = this.#movedSelection(old, start, end, edits);
        const { scrollTop } = this.#element;
        this.#element.value = wanted;
        if (this.#element.ownerDocument?.activeElement !== this.#element) return;
        this.#element.setSelectionRange(...caret);
        if (scrollTop !== undefined) this.#element.scrollTop = scrollTop;
    }

    /** What comes at the edge of a selection stays outside; at a caret it comes behind it. */
    #movedSelection(old, start, end, edits) {
        let [from, to] = [placeInText(old, start), placeInText(old, end)];
        const isCaret = from === to;
        for (const edit of edits) {
            const isAtStart = edit.removed === "" && edit.at === from && !isCaret;
            from = isAtStart ? from + edit.inserted.length : caretAfter(from, edit);
            to = caretAfter(to, edit);
        }
        return [from, Math.max(from, to)].map((at) => placeInShown(this.#text, at));
    }

    // MARK: From the element

    #isReading = false;

    #composed() {
        if (!this.#isComposing) return;
        this.#isComposing = false;
        this.#read();
        this.#showText(this.#unseen);
    }

    /** What was typed, on the text that was shown; then past what has come since. */
    #read() {
        if (this.#isComposing) return;
        const shown = shownText(this.#text);
        const typed = wellFormed(this.#element.value);
        const found = textDifference(shown, typed, this.#steps, this.#element.selectionStart);
        if (found.length === 0) return;
        if (!this.#isUsable) return this.#handBack(typed, this.#document.obstacle);
        this.#isReading = true;
        try {
            this.#perform(editsOfText(found, this.#text));
        } catch (error) {
            this.#handBack(typed, error.problem);
        } finally {
            this.#isReading = false;
        }
    }

    /** The text has no place any more: the application has it. */
    #handBack(typed, problem) {
        this.#document.handBack(this.#pointer, typed, problem);
        this.#text = typed;
        this.#showText([]);
    }

    #perform(edits) {
        if (this.#value === undefined) {
            // Two who begin a text at once both make it empty, and then each letter is kept.
            const place = this.#steps;
            const empty = { kind: "set", place, old: undefined, value: "" };
            this.#document.perform([empty], { isAlone: true });
        }
        const unseen = this.#unseen.map((edit) => ({ ...edit, place: this.#steps }));
        const [mine, others] = pass(edits, unseen, "mine");
        for (const edit of edits) {
            const head = this.#text.slice(0, edit.at);
            this.#text = head + edit.inserted + this.#text.slice(edit.at + edit.removed.length);
        }
        this.#unseen = others;
        this.#document.perform(mine);
    }
}
