// A text of a document in CodeMirror 6: own undo instead of CodeMirror's, and others' carets.

import {
    Annotation, ChangeSet, EditorState, Prec, StateEffect, StateField, Transaction,
} from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, WidgetType, keymap } from "@codemirror/view";
import { commandsOfInput } from "./src/keys.js";
import { listen } from "./src/listening.js";
import { TextBinding } from "./src/textbinding.js";

/** Changes that come from the document. */
const isFromDocument = Annotation.define();
const setReadOnly = StateEffect.define();
const setOthers = StateEffect.define();

/** How long after an input method has ended CodeMirror may still read what it wrote. */
const compositionRest = 60;

/** See codemirror.d.ts. */
export function versiondText(document, place = "/text", { carets = true, state = {} } = {}) {
    const link = ViewPlugin.define((view) => new Link(view, document, place, carets && state));
    return [
        link, readOnly, carets ? [caretsOfOthers, caretTheme] : [],
        EditorView.domEventHandlers({
            compositionstart: (_, view) => view.plugin(link)?.composes(),
            compositionend: (_, view) => view.plugin(link)?.composed(),
            blur: (_, view) => view.plugin(link)?.blurred(),
            beforeinput: ({ inputType }, view) =>
                view.plugin(link)?.command(commandsOfInput[inputType]),
        }),
        Prec.highest(keymap.of([
            { key: "Mod-z", run: (view) => view.plugin(link).command("undo") },
            { key: "Mod-y", run: (view) => view.plugin(link).command("redo") },
            { key: "Mod-Shift-z", run: (view) => view.plugin(link).command("redo") },
        ])),
    ];
}

/** Until the document is there, and where it cannot be edited. */
const readOnly = StateField.define({
    create: () => true,
    update: (value, { effects }) =>
        effects.reduce((last, effect) => (effect.is(setReadOnly) ? effect.value : last), value),
    provide: (field) => EditorState.readOnly.from(field),
});

/** A view, as an editor of a text. */
class Link {
    #view;
    #document;
    #binding;
    #shared;
    #isUpdating = false;
    #ends = [];

    constructor(view, document, place, shared) {
        this.#view = view;
        this.#document = document;
        this.#shared = shared;
        this.#binding = new TextBinding(document, this, place);
        // Nothing may be dispatched while the view is made.
        queueMicrotask(() => this.#begin());
    }

    #begin() {
        if (this.#isOver) return;
        this.#binding.begin();
        if (!this.#shared) return;
        this.#ends.push(listen(this.#document, { presence: () => this.#showOthers() }));
        this.#showOthers();
    }

    #isOver = false;

    destroy() {
        this.#isOver = true;
        this.#binding.end();
        for (const end of this.#ends.splice(0)) end();
        if (this.#isThere) this.#document.presence.set(null);
    }

    /** `true` if it is done here. */
    command(name) {
        if (name === undefined) return false;
        this.#document[name]().catch((error) => this.#document.report(error));
        return true;
    }

    // MARK: From CodeMirror

    update(update) {
        const isTyped = update.docChanged
            && !update.transactions.some((one) => one.annotation(isFromDocument));
        this.#isUpdating = true;
        try {
            if (isTyped) this.#binding.typed(partsOf(update.changes));
        } finally {
            this.#isUpdating = false;
        }
        const isMoved = update.selectionSet || update.docChanged || update.focusChanged;
        if (isMoved && this.#shared && !this.#binding.isComposing) this.#showOwn();
    }

    composes() {
        this.#binding.composes();
    }

    composed() {
        setTimeout(() => { if (!this.#view.composing) this.#binding.composed(); }, compositionRest);
    }

    blurred() {
        if (this.#binding.isComposing) this.composed();
    }

    // MARK: The interface of an editor

    get text() {
        return this.#view.state.doc.toString();
    }

    get caret() {
        return this.#view.state.selection.main.head;
    }

    setReadOnly(isReadOnly) {
        this.#dispatch({ effects: setReadOnly.of(isReadOnly) });
    }

    show(text, { changes }) {
        this.#dispatch(() => this.#changed(text, changes()));
    }

    /** Finds it once it can be done. */
    #dispatch(what) {
        if (this.#isUpdating) return void queueMicrotask(() => this.#dispatch(what));
        if (this.#isOver) return undefined;
        const spec = typeof what === "function" ? what() : what;
        if (spec === null) return undefined;
        this.#view.dispatch({
            ...spec,
            annotations: [isFromDocument.of(true), Transaction.addToHistory.of(false)],
        });
        return undefined;
    }

    /** The transaction that shows a text; `null` if it is shown already. */
    #changed(text, edits) {
        const { doc } = this.#view.state;
        let changes = ChangeSet.empty(doc.length);
        // Without edits, the text is shown for the first time, or reset, whatever the editor shows.
        let isKnown = edits.length > 0 || doc.eq(this.#view.state.toText(text));
        for (const { at, removed, inserted: insert } of edits) {
            const to = at + removed.length;
            isKnown &&= to <= changes.newLength;
            if (!isKnown) break;
            const { newLength: length } = changes;
            changes = changes.compose(ChangeSet.of({ from: at, to, insert }, length));
        }
        // It shows something else than was known.
        if (!isKnown || changes.newLength !== text.length) {
            changes = ChangeSet.of({ from: 0, to: doc.length, insert: text }, doc.length);
        }
        return changes.empty ? null : { changes };
    }

    // MARK: Carets

    /** Whether this view is where one is: another one may have the focus. */
    #isThere = false;

    #showOwn() {
        const { hasFocus } = this.#view;
        if (!hasFocus && !this.#isThere) return;
        this.#isThere = hasFocus;
        const { anchor, head } = this.#view.state.selection.main;
        const at = hasFocus
            ? {
                path: this.#binding.pointer, anchor: this.#binding.inText(anchor),
                head: this.#binding.inText(head),
            } : null;
        this.#document.presence.set({ ...this.#shared, at });
    }

    #showOthers() {
        const path = this.#binding.pointer;
        const others = this.#document.presence.others
            .filter(({ state }) => state?.at?.path === path)
            .map(({ client, actor, state: { at, name, color } }) => ({
                client, name: String(name ?? actor ?? ""), color: colorOf(color, actor || client),
                anchor: this.#binding.inShown(at.anchor), head: this.#binding.inShown(at.head),
            }));
        this.#dispatch({ effects: setOthers.of(others) });
    }
}

/** The changes of an update, as parts of the text before it. */
function partsOf(changes) {
    const parts = [];
    changes.iterChanges((from, to, _from, _to, inserted) => {
        parts.push({ from, to, insert: inserted.sliceString(0, inserted.length, "\n") });
    });
    return parts;
}

// MARK: Others' carets

class Caret extends WidgetType {
    constructor(name, color) {
        super();
        Object.assign(this, { name, color });
    }

    eq(other) {
        return other.name === this.name && other.color === this.color;
    }

    toDOM(view) {
        const { ownerDocument } = view.dom;
        const [caret, label] = ["span", "span"].map((name) => ownerDocument.createElement(name));
        caret.className = "cm-versiond-caret";
        caret.style.setProperty("--versiond-color", this.color);
        label.textContent = this.name;
        caret.append(label);
        return caret;
    }

    ignoreEvent() {
        return true;
    }
}

/** One of 12 colours for each name; or the colour in a client's state, if it is valid. */
function colorOf(color, name) {
    if (typeof color === "string" && /^#[0-9a-f]{3,8}$/i.test(color)) return color;
    let sum = 0;
    for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)) % 12;
    return `hsl(${sum * 30} 70% 40%)`;
}

function marksOf(others, length) {
    const ranges = others.flatMap(({ name, color, anchor, head }) => {
        const [from, to] = [Math.min(anchor, head), Math.max(anchor, head)]
            .map((at) => Math.min(at, length));
        const style = `background: color-mix(in srgb, ${color} 25%, transparent)`;
        const caret = Decoration.widget({ widget: new Caret(name, color), side: 1 });
        const marked = from === to ? []
            : [Decoration.mark({ attributes: { style } }).range(from, to)];
        return [...marked, caret.range(Math.min(head, length))];
    });
    return Decoration.set(ranges, true);
}

const caretsOfOthers = StateField.define({
    create: () => Decoration.none,
    update: (marks, { effects, changes, newDoc }) => {
        const [told] = effects.filter((effect) => effect.is(setOthers)).slice(-1);
        return told ? marksOf(told.value, newDoc.length) : marks.map(changes);
    },
    provide: (field) => EditorView.decorations.from(field),
});

const caretTheme = EditorView.baseTheme({
    ".cm-versiond-caret": {
        position: "relative", borderLeft: "2px solid var(--versiond-color)", marginLeft: "-1px",
        marginRight: "-1px",
    },
    ".cm-versiond-caret > span": {
        position: "absolute", bottom: "100%", left: "-2px", padding: "0 4px", borderRadius: "3px",
        font: "11px/1.4 system-ui, sans-serif", color: "white", whiteSpace: "nowrap",
        background: "var(--versiond-color)", pointerEvents: "none",
    },
});
