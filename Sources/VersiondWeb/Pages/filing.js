// Tags and snapshots of a document, and copying, renaming and deleting it. A part of the web UI
// that is loaded when it is needed.

import { undelete } from "./actions.js";
import { documentPath, get, segment, send } from "./api.js";
import { make } from "./build.js";
import { question, toast } from "./dialog.js";

const alsoTagged = (tags) =>
    (tags.length > 0 ? ` It has ${tags.map((one) => `“${one}”`).join(", ")}.` : "");

export const tag = (name, version, tags = []) => question("Tag this version", {
    text: make("p", {}, `A name for version ${version}.${alsoTagged(tags)}`,
        " A name that another version has moves here."),
    fields: [{ name: "tag", label: "Name" }], verb: "Tag it",
    act: async (given) => {
        const place = `${documentPath(name)}/tags/${segment(given.tag)}`;
        const before = await get(place).catch(() => null);
        await send("PUT", place, { at: `version:${version}` });
        const back = () => (before === null ? send("DELETE", place)
            : send("PUT", place, { at: `version:${before.version}` }));
        toast(`Tagged version ${version} “${given.tag}”.`, "Undo", back);
    },
});

export const snapshot = (name) => question("Take a snapshot", {
    text: make("p", {},
        "A named copy of the whole as it is now. It stays when older versions are forgotten."),
    fields: [{ name: "key", label: "Name" }], verb: "Take it",
    act: (given) => send("PUT", `${documentPath(name)}/snapshots/${segment(given.key)}`, {},
        { isNew: true }),
});

const newName = [{ name: "name", label: "New name" }];

/** A new document with the history up to a state; up to now, if `at` is null. */
export const copy = (name, at, made) => question("Copy with its history", {
    text: make("p", {}, `A new document with the history of ${name}`,
        at === null ? "." : ` up to ${at}.`),
    fields: newName, verb: "Copy",
    act: async (given) => {
        const origin = encodeURIComponent(`${name}@${at ?? "head"}`);
        await send("PUT", `${documentPath(given.name)}?withHistory&copyOf=${origin}`);
        made(given.name);
    },
});

export const rename = (name, made) => question("Rename", {
    text: make("p", {}, `${name} and its history have another name from then on.`), fields: newName,
        verb: "Rename",
    act: async (given) => {
        await send("POST", `${documentPath(name)}/rename`, { name: given.name });
        made(given.name);
    },
});

export const remove = (name) => question(`Delete ${name}?`, {
    text: make("p", {},
        "It is gone for readers then. Its versions, tags and snapshots are kept, and it can be ",
        "brought back."),
    verb: "Delete it", cancel: "Keep it", kind: "danger full",
    act: async () => {
        await send("DELETE", documentPath(name));
        toast(`${name} is deleted.`, "Bring it back", () => undelete(name));
    },
});
