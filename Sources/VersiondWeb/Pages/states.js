// Placeholders: empty, loading, no access, gone.

import { button, make } from "./build.js";
import { icon } from "./icons.js";

/** A title, what that means, and what one can do: [words, work, kind] each. */
export function empty(title, text, ...actions) {
    return make("div", { class: "empty" }, make("h2", {}, title), make("p", {}, text),
        make("div", { class: "acts" }, ...actions.map(([words, work, kind = "line"]) =>
            button(kind, work, {}, words))));
}

/** The placeholder for a daemon that requires a token. */
export const stranger = (identify) => empty("Who are you?",
    "This daemon requires a token. It is stored in this tab only.", ["Sign in", identify, "main"]);

/** Bars in the place of rows; seen only if it takes a while. */
export function skeleton(count) {
    return make("div", { class: "skeleton", "aria-hidden": "true" },
        ...Array.from({ length: count }, (_, index) => make("div", { class: "skr" },
            make("span", { class: "sk dot" }),
                make("span", { class: `sk w${4 + (index * 3) % 4}` }),
            make("span", { class: "sk w1" }))));
}

export function note(kind, symbol, title, text, ...actions) {
    return make("div", { class: `note ${kind}` }, icon(symbol),
        make("div", {}, make("b", {}, title), text && make("p", {}, text)), ...actions);
}

/** An error in words: the event, the state of the data, the next step. */
export function trouble(error) {
    switch (error.problem?.code) {
    case "no-right":
    case "forbidden": return "You have read access only: this token lacks the right to do that.";
    case "nothing-to-undo": return "There is nothing to undo.";
    case "nothing-to-redo": return "There is nothing to redo.";
    case "snapshot-exists": return "A snapshot with this name already exists.";
    default:
    }
    if (error.problem?.code === "stale-revision") {
        return "The document has changed since. Nothing was done.";
    }
    if (error.status >= 500) {
        return `The daemon cannot do that now. Nothing was lost. ${error.problem?.detail ?? ""}`;
    }
    return error.problem?.detail ?? error.message;
}
