// People: each has a hue, a letter, and a name; colour never says anything alone.

import { actingAs, caller } from "./api.js";
import { make } from "./build.js";
import { visible } from "./names.js";

const hueCount = 8;

/** The hue of a person: by the name alone, so that it is the same for all who look. */
export function hueOf(name) {
    let sum = 7;
    for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)) >>> 0;
    return sum % hueCount;
}

export const me = () => actingAs() || caller.name || "";
export const isMe = (name) => name !== "" && name === me();
/** The name of an actor at the beginning of a sentence. */
export const called = (name) => (name === "" ? "Someone" : isMe(name) ? "You" : visible(name));

const isBot = (name) => /(^|[-_/ ])(bot|agent|script|import|ci)($|[-_/ ])|bot$/i.test(name);

/** `kind`: small or big. */
export function avatar(name, kind = "") {
    if (!name) return make("span", { class: `av anon ${kind}`, "aria-hidden": "true" }, "?");
    const classes = `av ${kind} ${isBot(name) ? "bot" : ""}`;
    return make("span", { class: classes, "data-hue": hueOf(name), title: visible(name),
        "aria-hidden": "true" },
        [...name][0]);
}

/** The actor and the requester of a change. */
export const actorsOf = ({ actor = "", promptBy }) =>
    promptBy === undefined ? called(actor) : `${called(actor)}, asked by ${called(promptBy)}`;

export const who = (name, words = called(name)) =>
    make("span", { class: "who", "data-hue": name ? hueOf(name) : null, dir: "auto" }, words);

export function faces(names) {
    const rest = names.length - 3;
    return make("span", { class: "stack", role: "img", "aria-label": names.map(called).join(", ") },
        names.slice(0, 3).map((name) => avatar(name)),
        rest > 0 && make("span", { class: "av anon" }, `+${rest}`));
}

/** Names as a list: "Ada, Bob and 2 more". */
export function named(names, isInside = false) {
    const words = names.map((name, index) =>
        (isMe(name) && (isInside || index > 0) ? "you" : called(name)));
    if (words.length === 0) return "Someone";
    if (words.length <= 2) return words.join(" and ");
    if (words.length === 3) return `${words[0]}, ${words[1]} and ${words[2]}`;
    return `${words[0]}, ${words[1]} and ${words.length - 2} more`;
}
