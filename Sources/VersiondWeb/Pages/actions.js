// What one can do with a document. What is large is asked about first, and shown as it would be.

import { ask, caller, documentPath, get, learnCaller, parse, remember, send } from "./api.js";
import { make } from "./build.js";
import { patchList } from "./changes.js";
import { question, tell } from "./dialog.js";

/** Larger values are not read to show what stood before. */
const beforeBytesMax = 2 << 20;

/** Shows what it would do to the value that there is, and does it if that is wanted. */
async function afterQuestion(title, name, action, body) {
    const path = `${documentPath(name)}/${action}`;
    const [{ patch }, text] = await Promise.all([send("POST", `${path}?dryRun`, body), ask(documentPath(name)).then((response) => response.text())]);
    const before = text.length > beforeBytesMax ? undefined : parse(text);
    return question(title, {
        text: make("div", {}, make("p", {}, patch.length === 1 ? "This is one edit:" : `These are ${patch.length} edits:`), patchList(before, patch)),
        verb: title,
        act: () => send("POST", path, body),
    });
}

export const undo = (name) => send("POST", `${documentPath(name)}/undo`, {});
export const redo = (name) => send("POST", `${documentPath(name)}/redo`, {});
export const undoMine = (name) => send("POST", `${documentPath(name)}/undo`, { actor: caller.actor || caller.name });

export const goTo = (name, address) => afterQuestion("Go to", name, "goto", { to: address });

export const restore = (name, address, paths) =>
    afterQuestion("Restore", name, "restore", paths ? { from: address, paths } : { from: address });

export const closeScope = (name, how) => afterQuestion(how === "pop" ? "Keep" : "Discard", name, `scopes/${how}`, {});

export const tag = (name, version) => question("Tag", {
    text: make("p", {}, `A name for version ${version}.`), fields: [{ name: "tag", label: "Name" }], verb: "Tag",
    act: (given) => send("PUT", `${documentPath(name)}/tags/${encodeURIComponent(given.tag)}`, { at: `version:${version}` }),
});

export const snapshot = (name) => question("Snapshot", {
    text: make("p", {}, "A named copy of the whole as it is now."), fields: [{ name: "key", label: "Name" }], verb: "Take",
    act: (given) => send("PUT", `${documentPath(name)}/snapshots/${encodeURIComponent(given.key)}`, {}),
});

export const create = (made) => question("New document", {
    fields: [{ name: "name", label: "Name" }, { name: "value", label: "Value (JSON)", value: "{}", rows: 8 }], verb: "Make",
    act: async ({ name, value }) => {
        await put(name, value, "");
        made(name);
    },
});

/** The text goes as it is: so no digit of a number is lost. */
const put = (name, text, query) => ask(`${documentPath(name)}${query}`, { method: "PUT", body: text });

/** Edits the whole as text, on the state that was shown: what others do meanwhile is merged. */
export async function edit(name) {
    const response = await ask(`${documentPath(name)}?pretty`);
    const base = response.headers.get("ETag").replaceAll('"', "");
    return question("Edit", {
        fields: [
            { name: "value", label: "Value (JSON)", value: await response.text(), rows: 20 },
            { name: "label", label: "What it is about", isOptional: true },
        ],
        verb: "Save",
        act: ({ value, label }) => put(name, value, `?base=${base}${label ? `&label=${encodeURIComponent(label)}` : ""}`),
    });
}

const newName = [{ name: "name", label: "New name" }];

/** A new document with the history up to a state; up to now, if `at` is null. */
export const copy = (name, at, made) => question("Copy", {
    text: make("p", {}, `A new document with the history of ${name}${at === null ? "" : ` up to ${at}`}.`), fields: newName, verb: "Copy",
    act: async (given) => {
        const origin = `${name}@${at ?? "head"}`;
        await send("PUT", `${documentPath(given.name)}?withHistory&copyOf=${encodeURIComponent(origin)}`);
        made(given.name);
    },
});

export const rename = (name, made) => question("Rename", {
    text: make("p", {}, `${name} and its history have another name from then on.`), fields: newName, verb: "Rename",
    act: async (given) => {
        await send("POST", `${documentPath(name)}/rename`, { name: given.name });
        made(given.name);
    },
});

export const remove = (name) => question("Delete", {
    text: make("p", {}, `${name} is then gone for readers. Its history stays, and undelete brings it back.`), verb: "Delete",
    act: () => send("DELETE", documentPath(name)),
});

export const undelete = (name) => send("POST", `${documentPath(name)}/undelete`);

export const identify = (known) => question("Who are you?", {
    text: make("p", {}, `You may: ${[...caller.rights].join(", ") || "nothing without a token"}.${caller.name ? ` This token is ${caller.name}'s.` : ""}`),
    fields: [
        { name: "token", label: "Token", type: "password", value: caller.token, isOptional: true },
        { name: "actor", label: "Your name, for the history", value: caller.actor, isOptional: true },
    ],
    verb: "Use",
    act: async ({ token, actor }) => {
        remember(token, actor);
        await learnCaller();
        known();
    },
});

/** Whether keys without Control or Alt do something: who speaks to the browser may not want that. */
export const areKeysOn = () => localStorage.getItem("keys") !== "off";

export function showKeys(keys) {
    const isOn = make("input", { type: "checkbox", onchange: () => localStorage.setItem("keys", isOn.checked ? "on" : "off") });
    isOn.checked = areKeysOn();
    tell("Keys", make("dl", {}, ...keys.flatMap(({ key, words }) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, words)])),
        make("label", {}, isOn, make("span", {}, "Use these keys")));
}

export const compared = (name, from, to, signal) =>
    get(`${documentPath(name)}/diff?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`, signal);
