// Undo and redo by keyboard, and by the browser's own menus.

import { listen } from "./listening.js";

/** "undo" or "redo", if a key means that. */
function commandOf(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing) return null;
    const key = event.key.toLowerCase();
    if (key === "z") return event.shiftKey ? "redo" : "undo";
    return key === "y" && !event.shiftKey && event.ctrlKey ? "redo" : null;
}

export const commandsOfInput = { historyUndo: "undo", historyRedo: "redo" };

/**
 * Lets keys in an element, or in a whole page, undo and redo in a document. `before` is called
 * first. Returns what ends that.
 */
export function bindKeys(document, target, before = () => {}) {
    const perform = (event, command) => {
        // Another one has done it: an editor in the page, say.
        if (event.defaultPrevented) return;
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
        if (command) perform(event, command);
    };
    return listen(target, { keydown: onKey, beforeinput: onInput });
}
