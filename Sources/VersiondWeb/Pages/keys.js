// Keys: single letters, which users of speech input can turn off.

import { make } from "./build.js";
import { tell } from "./dialog.js";
import { browserStorage } from "./storage.js";

export const areKeysOn = () => browserStorage.getItem("keys") !== "off";

/** `groups`: { title, keys: { key, words }[] }. */
export function showKeys(groups) {
    const isOn = make("input", { type: "checkbox",
        onchange: () => browserStorage.setItem("keys", isOn.checked ? "on" : "off") });
    isOn.checked = areKeysOn();
    tell("Keys", make("div", { class: "kb" }, ...groups.flatMap(({ title, keys }) => [
        make("h3", {}, title),
        ...keys.map(({ key, words }) => make("div", {}, words,
            make("kbd", {}, key.toUpperCase())))])),
    make("label", { class: "row" }, isOn, make("span", {}, "Single keys on")));
}
