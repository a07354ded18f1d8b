// Others' carets in a text area: a layer over it that has the same text, unseen, and marks in it.

import { make } from "./build.js";
import { hueOf } from "./people.js";

/** Shows others' carets in a layer over a text area. `others`: as `presence.others`. */
export function showCarets(area, layer, path, others) {
    const text = area.value;
    const carets = others
        .filter(({ state }) => state?.at?.path === path && state.at.head >= 0)
        .map(({ actor, state: { at } }) => ({ actor, at: Math.min(at.head, text.length) }))
        .sort((one, other) => one.at - other.at);
    let last = 0;
    const parts = carets.flatMap(({ actor, at }) => {
        const before = text.slice(last, at);
        last = at;
        return [before, make("i", { class: "caret", "data-hue": hueOf(actor) },
            make("span", { dir: "auto" }, actor || "someone"))];
    });
    layer.replaceChildren(...parts, text.slice(last));
    layer.scrollTop = area.scrollTop;
}

/** The place of the own caret, for other clients. */
export function caretIn(area, path) {
    const { selectionStart: start, selectionEnd: end, selectionDirection } = area;
    const isBackward = selectionDirection === "backward";
    const [anchor, head] = isBackward ? [end, start] : [start, end];
    return { at: { path, anchor, head } };
}
