// The sentence of a version from the daemon, with its actor.

import { make } from "./build.js";
import { isMe, named, who } from "./people.js";

const places = (version) => {
    const found = version.paths?.map((path) => path || "the whole document") ?? [];
    return found.slice(0, 3).join(", ") + (found.length > 3 ? " and more" : "");
};

/**
 * The pieces of a version's sentence; a version whose changes are forgotten gets a note instead.
 */
function parts(version) {
    if (version.summary) return version.summary.parts;
    if (version.kind === undefined) return [{ words: "did something that is forgotten" }];
    const object = places(version);
    return [{ words: "changed " }, { object: object || "something" }];
}

function piece(part) {
    const [[kind, text]] = Object.entries(part);
    switch (kind) {
    case "words": return text;
    case "object": return make("b", { dir: "auto" }, text);
    case "person": return who(text, isMe(text) ? "your" : text);
    default: return make("span", { class: kind, dir: "auto" }, text);
    }
}

/** "your’s change" is "your change". */
function pieces(version) {
    const all = parts(version);
    return all.map((part, index) => {
        const before = all[index - 1]?.person;
        const isOwn = before !== undefined && isMe(before) && part.words;
        return piece(isOwn ? { words: part.words.replace(/^’s/, "") } : part);
    });
}

function people(version) {
    const actors = version.actors ?? [];
    if (actors.length === 1) return [who(actors[0])];
    if (actors.length === 2) return [who(actors[0]), " and ",
        who(actors[1], isMe(actors[1]) ? "you" : actors[1])];
    return [who("", named(actors))];
}

/** The sentence with who did it, as elements. */
export const told = (version) => [...people(version), " ", ...pieces(version)];

/** The first text of a row: the label, if there is one, and otherwise the sentence. */
export const headline = (version) =>
    (version.label ? [make("b", { dir: "auto" }, version.label)] : told(version));

/** The same as text. */
export function plain(version) {
    const words = parts(version).map((part) => Object.values(part)[0]).join("");
    return `${named(version.actors ?? [])} ${words}`;
}

export const phrase = (version) => parts(version).map((part) => Object.values(part)[0]).join("");

/** The values of a row's second line: "4.50 → 5, 8 → 8.50 and 4 more". */
export function values(version) {
    const found = version.summary?.values ?? [];
    if (found.length < 2) return "";
    const rest = version.summary.count - found.length;
    return found.map((value) => `${value.old} → ${value.new}`).join(", ")
        + (rest > 0 ? ` and ${rest} more` : "");
}

