// The list of keys, with a switch for single letters. A part of the web UI that is loaded on first
// use.

import { make } from "./build.js";
import { tell } from "./dialog.js";
import { areKeysOn, browserStorage } from "./storage.js";

/** `commands` are those of the history. */
const groupsOf = (commands) => {
    const of = (names) => names.map((name) => commands[name]);
    return [
        { title: "Through time", keys: [{ key: "j", words: "older" }, { key: "k", words: "newer" },
            ...of(["play", "now", "filter"])] },
        { title: "Do", keys: of(["mine", "undo", "redo", "take", "goto", "compare", "tag", "edit",
            "blame"]) },
        { title: "Compare", keys: [{ key: "j k", words: "next change, the one before" },
            { key: "s", words: "swap" }, { key: "v", words: "side by side or inline" },
            { key: "z", words: "put back" }] },
        { title: "Everywhere", keys: [{ key: "Ctrl K", words: "find or do" },
            { key: "n", words: "new document, in the overview" },
            { key: "?", words: "these keys" }] },
    ];
};

export function showKeys(commands) {
    const isOn = make("input", { type: "checkbox",
        onchange: () => browserStorage.setItem("keys", isOn.checked ? "on" : "off") });
    isOn.checked = areKeysOn();
    tell("Keys", make("div", { class: "kb" }, ...groupsOf(commands).flatMap(({ title, keys }) => [
        make("h3", {}, title),
        ...keys.map(({ key, words }) => make("div", {}, words,
            make("kbd", {}, key.toUpperCase())))])),
    make("label", { class: "row" }, isOn, make("span", {}, "Single keys on")));
}
