// Undo and redo by keyboard, and by the browser's own menus.

import { listen } from "./listening.js";

/** "undo" or "redo", if a key means that. */
function commandOf(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing) return null;
    const key = letterOf(event);
    if (key === "z") return event.shiftKey ? "redo" : "undo";
    return key === "y" && !event.shiftKey && event.ctrlKey ? "redo" : null;
}

/**
 * The letter of a key: on a keyboard without Latin letters, the one at the same position elsewhere.
 */
function letterOf({ key, code }) {
    const isForeign = [...key].length === 1 && key > "\u007f";
    return (isForeign ? /^Key([A-Z])$/.exec(code)?.[1] ?? key : key).toLowerCase();
}

export const commandsOfInput = { historyUndo: "undo", historyRedo: "redo" };

/**
 * Lets keys in an element, or in a whole page, undo and redo in a document. A field in it with text
 * that the document has not taken keeps the browser's undo. `before` is called first. Returns what
 * ends that.
 */
export function bindKeys(document, target, before = () => {}) {
    const untaken = new UntakenText(document, target);
    const perform = (event, command) => {
        // Another one has done it: an editor in the page, say.
        if (event.defaultPrevented || untaken.isIn(fieldOf(event))) return;
        event.preventDefault();
        before();
        document[command]().catch((error) => document.report(error));
    };
    const onKey = (event) => {
        const command = commandOf(event);
        if (command) perform(event, command);
    };
    const onInput = (event) => {
        const command = commandsOfInput[event.inputType];
        if (command && isElsewhere(event)) event.preventDefault();
        else if (command) perform(event, command);
    };
    const end = listen(target, { keydown: onKey, beforeinput: onInput });
    return () => {
        end();
        untaken.end();
    };
}

const fieldOf = (event) => event.composedPath?.()[0] ?? event.target;

/**
 * Whether a person who undoes is in another field. Chromium has one history for a page: a key in a
 * field without one undoes in the field that was edited last.
 */
function isElsewhere(event) {
    const field = fieldOf(event);
    const { activeElement, body } = field.getRootNode?.() ?? {};
    return ![undefined, null, body, field].includes(activeElement);
}

/**
 * The fields of a page in which something was typed that the document has not taken. Whether a
 * field belongs to the document is seen, not asked: a framework's fields have no binding.
 */
class UntakenText {
    #target;
    #fields = new WeakSet();
    /** How often something was edited here. */
    #edits = 0;
    /** Compares after the last event, once all its handlers have run. */
    #settle = () => {};
    #ends;

    constructor(document, target) {
        this.#target = target;
        this.#ends = [
            document.follow(({ isOwn, confirmed }) => {
                if (isOwn && !confirmed) this.#edits += 1;
            }),
            // Before the handlers of the fields, which edit the document.
            listen(target, {
                input: (event) => event.inputType && this.#compare(event, true),
                change: (event) => this.#compare(event, false),
            }, true),
        ];
    }

    end() {
        for (const end of this.#ends.splice(0)) end();
    }

    isIn(field) {
        // A key may come before a timer.
        this.#settle();
        return this.#fields.has(field);
    }

    /** Looks, after all handlers of an event, whether one of them has edited the document. */
    #compare(event, isTyped) {
        const field = fieldOf(event);
        if (field === this.#target) return;
        this.#settle();
        const before = this.#edits;
        const settle = this.#settle = () => {
            this.#settle = () => {};
            if (this.#edits !== before) this.#fields.delete(field);
            else if (isTyped) this.#fields.add(field);
        };
        setTimeout(() => {
            if (this.#settle === settle) settle();
        });
    }
}
