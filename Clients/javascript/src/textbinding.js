// A text in the document and an editor that shows it: what is typed goes there letter by letter,
// and what others type comes here. Editors are a text area, and whatever else has what `Editor` in
// text.d.ts names.

import { listen } from "./listening.js";
import { pass } from "./merging.js";
import { Place } from "./places.js";
import { above, isAt, valueAt, writePointer } from "./pointers.js";
import {
    editsOfText, manyLines, oneLine, placeInShown, placeInText, shownText,
} from "./returns.js";
import { typedEarly } from "./problems.js";
import { caretAfter, placeAfter } from "./shifting.js";
import { textDifference } from "./textdifference.js";
import { addAll, isObject, wellFormed } from "./values.js";

export class TextBinding {
    #document;
    #editor;
    /** Which ends of lines it shows. */
    #lines;
    /** Where the text is, or was last. */
    #pointer;
    #steps = null;
    /** The text that the editor shows, as the document had it. */
    #text = "";
    /** The edits of the text since an input method began to compose. */
    #unseen = [];
    #isComposing = false;
    #ends = [];

    constructor(document, editor, place) {
        this.#document = document;
        this.#editor = editor;
        this.#lines = editor.isOneLine ? oneLine : manyLines;
        this.#pointer = typeof place === "string" ? place : place.pointer;
        const listeners = { state: () => this.#enable(), closing: () => this.composed() };
        this.#ends.push(listen(document, listeners));
        this.#ends.push(document.follow((shown) => this.#changed(shown)));
    }

    /** The editor is ready to be shown something. */
    begin() {
        if (this.#document.value !== undefined) this.#begin();
        this.#enable();
    }

    end() {
        this.composed();
        for (const end of this.#ends.splice(0)) end();
    }

    /** A JSON Pointer to the text. */
    get pointer() {
        return this.#steps === null ? this.#pointer : writePointer(this.#steps);
    }

    /** Whether what the text was in is gone. */
    get isGone() {
        return this.#steps === null && this.#document.value !== undefined;
    }

    /** Where a place in what the editor shows is in the text, and the other way round. */
    inText(at) {
        return placeInText(this.#text, at, this.#lines);
    }

    inShown(at) {
        return placeInShown(this.#text, Math.min(at, this.#text.length), this.#lines);
    }

    #begin() {
        this.#steps = new Place(this.#document, this.#pointer).steps;
        const { early = null } = this.#editor;
        if (early !== null) this.#takeEarly(early);
        this.#showText([]);
    }

    /** Takes what was typed before there was a document, if it was typed in its text. */
    #takeEarly({ from, text }) {
        const value = this.#value ?? "";
        const shown = typeof value === "string" ? shownText(value, this.#lines) : null;
        if (shown === text) return;
        if (shown !== null && shown !== from) return this.#handBackEarly(text, value);
        if (shown !== null) this.#text = value;
        this.read();
    }

    #handBackEarly(text, { length }) {
        const str = wellFormed(text);
        const operations = [{ op: "str_ins", path: this.#pointer, pos: length, str }];
        this.#document.handBack(this.#pointer, text, typedEarly, operations);
    }

    // MARK: State

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
        this.#editor.setReadOnly(!this.#isUsable);
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
        addAll(this.#unseen, mine);
        if (!this.#isComposing) this.#showText(this.#unseen);
        return undefined;
    }

    /** The effect of edits on this text. */
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
        const wanted = shownText(this.#text, this.#lines);
        this.#editor.show(wanted, {
            changes: () => this.#changesOfShown(old, wanted, edits),
            move: (start, end) => this.#movedSelection(old, start, end, edits),
        });
    }

    /** The effect of the text's edits on the shown text, one after the other. */
    #changesOfShown(old, wanted, edits) {
        const shown = shownText(old, this.#lines);
        const isSame = shown.length === old.length && wanted.length === this.#text.length;
        return isSame ? edits : textDifference(shown, wanted, []);
    }

    /** An insertion at the edge of a selection stays outside; at a caret it goes behind it. */
    #movedSelection(old, start, end, edits) {
        let [from, to] = [start, end].map((at) => placeInText(old, at, this.#lines));
        const isCaret = from === to;
        for (const edit of edits) {
            const isAtStart = edit.removed === "" && edit.at === from && !isCaret;
            from = isAtStart ? from + edit.inserted.length : caretAfter(from, edit);
            to = caretAfter(to, edit);
        }
        return [from, Math.max(from, to)].map((at) => this.inShown(at));
    }

    // MARK: From the editor

    #isReading = false;

    /**
     * An input method begins to compose: until it ends, the binding must not change the shown text.
     */
    composes() {
        this.#isComposing = true;
    }

    composed() {
        if (!this.#isComposing) return;
        this.#isComposing = false;
        this.read();
        this.#showText(this.#unseen);
    }

    get isComposing() {
        return this.#isComposing;
    }

    /** The text that the editor showed before the user typed. */
    get #shown() {
        return shownText(this.#text, this.#lines);
    }

    /** The typed edits, on the shown text: found by comparing. */
    read() {
        if (this.#isComposing) return;
        const typed = wellFormed(this.#editor.text);
        this.#take(textDifference(this.#shown, typed, this.#steps, this.#editor.caret));
    }

    /**
     * The same, if the editor knows the typed edits: parts of the text that it showed, one behind
     * the other, with their replacements.
     */
    typed(parts) {
        if (this.#isComposing) return;
        let moved = 0;
        const shown = this.#shown;
        // An edit is a deletion or an insertion: who merges knows these.
        const edits = parts.flatMap(({ from, to, insert }) => {
            const edit = { kind: "text", place: this.#steps, at: from + moved };
            const [removed, inserted] = [shown.slice(from, to), wellFormed(insert)];
            moved += inserted.length - removed.length;
            return [{ ...edit, removed, inserted: "" }, { ...edit, removed: "", inserted }];
        });
        this.#take(edits.filter(({ removed, inserted }) => removed !== inserted));
    }

    /** Carries what was typed past what has come since. */
    #take(found) {
        if (found.length === 0) return;
        if (!this.#isUsable) return this.#handBack(this.#document.obstacle);
        this.#isReading = true;
        try {
            this.#perform(editsOfText(found, this.#text, this.#lines));
        } catch (error) {
            this.#handBack(error.problem);
        } finally {
            this.#isReading = false;
        }
    }

    /** The text has no place any more: the application has it. */
    #handBack(problem) {
        const typed = wellFormed(this.#editor.text);
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
