// One document of a run: what its undo changes there, and what stays.

import { addressOf } from "./address.js";
import { button, chip, make, spoken } from "./build.js";
import { changeWords } from "./changes.js";
import { tokens } from "./json.js";
import { counted, keyName, said, visible } from "./names.js";
import { told } from "./sentences.js";
import { wordDifference } from "./worddiff.js";

const placesMax = 8;
/** Longer texts are shown by their different words. */
const textMax = 24;

/** Whether an undo of the run has an effect on the document. */
export const isUndoable = ({ absent, revisions, passed = [], places }) => !absent
    && (revisions.length > 0 || passed.length > 0
        || places.some(({ outcome }) => outcome === "reverts"));

/** `boxFor` makes the checkbox that keeps a place, or with "" the document; `null`: no choice. */
export function reviewOf(run, document, boxFor) {
    const { document: name, edits, undoneCount, summary, places, passed = [] } = document;
    const conflicts = places.filter(({ outcome }) => outcome !== "reverts").length;
    const undone = undoneCount > 0 && undoneCount < edits ? `, ${undoneCount} not in effect` : "";
    return make("li", { class: "card reviewed" },
        make("header", {},
            make("h3", { dir: "auto" }, make("a", { href: addressOf(name) }, visible(name))),
            make("span", { class: "quiet" }, counted(edits, "edit") + undone),
            conflicts > 0 && chip("warn", counted(conflicts, "conflict")),
            make("span", { class: "grow" }),
            boxFor && tick(boxFor(""), `Keep ${visible(name)}`)),
        summary && make("p", { class: "say" }, told({ actors: [run], summary })),
        listOf(name, places, boxFor),
        passed.length > 0 && make("p", { class: "quiet" }, passedWords(passed.length)),
        !isUndoable(document) && make("p", { class: "quiet" }, idleWords(document)));
}

const tick = (box, words) => make("label", { class: "tick" }, box,
    make("span", { "aria-hidden": "true" }, "Keep"), spoken(words));

const passedWords = (count) => (count === 1
    ? "1 edit is replaced by later edits: its undo changes no value."
    : `${count} edits are replaced by later edits: their undo changes no value.`);

function idleWords({ absent, places }) {
    if (absent) {
        const state = absent === "document-deleted" ? "deleted" : "erased";
        return `This document is ${state}. An undo leaves it as it is.`;
    }
    return places.length > 0 ? "An undo changes nothing here."
        : "No edit of the run is in effect here.";
}

// MARK: Places

function listOf(name, places, boxFor) {
    const list = make("ul", { class: "effects" });
    const show = (some) => list.append(...some.map((place) => line(name, place, boxFor)));
    show(places.slice(0, placesMax));
    const rest = places.slice(placesMax);
    if (rest.length === 0) return places.length > 0 && list;
    const more = button("small", () => {
        more.remove();
        show(rest);
    }, {}, `${rest.length} more`);
    return [list, more];
}

function line(name, place, boxFor) {
    const words = placeName(place.path);
    return make("li", {}, words && make("span", { class: "k", dir: "auto", title: place.path },
        words), make("span", { class: "what" }, effect(name, place)),
    boxFor && words && place.outcome === "reverts"
        && tick(boxFor(place.path), `Keep ${words} in ${visible(name)}`));
}

/** "dishes › 0 › price"; `null` for the whole document. */
export const placeName = (path) => (path === "" ? null : tokens(path).map(keyName).join(" › "));

function effect(name, place) {
    if (place.outcome === "kept") {
        return ["The run created this document, which stays: ", later(name, place)];
    }
    if (place.outcome === "conflict") return ["stays: ", later(name, place)];
    const [now, then] = [shown(place, "value"), shown(place, "reverted")];
    if (then === null && place.path === "") {
        return "The run created this document: an undo deletes it.";
    }
    if (now === null) return changeWords({ state: "add", value: then });
    if (then === null) return changeWords({ state: "remove", value: now });
    return changeWords({ state: "change", old: now, new: then, runs: runsOf(place) });
}

/** A value in few words, or its length; `null` if there is none. */
function shown(place, key) {
    const bytes = place[`${key}Bytes`];
    if (bytes !== undefined) return `${bytes.toLocaleString()} bytes`;
    return key in place ? said(place[key]) : null;
}

function runsOf({ value, reverted }) {
    const isLong = [value, reverted].every((text) => typeof text === "string")
        && Math.max(value.length, reverted.length) > textMax;
    return isLong ? wordDifference(value, reverted) : undefined;
}

/** A link to the first later edit, which gets the names of the actors when they are known. */
const later = (name, place) => make("a", { class: "later",
    href: addressOf(name, String(place.with[0])), "data-document": name,
    "data-with": place.with.join() }, "edited later");
