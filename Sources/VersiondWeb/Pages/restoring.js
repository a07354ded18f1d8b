// Going back to a state, and restoring all or a part of it. A preview shows the changes first. A
// part of the web UI that is loaded on first use.

import { resolve, unlessTaken } from "./actions.js";
import { documentPath, get, identityOf, send } from "./api.js";
import { make } from "./build.js";
import { changeCards, linesOf } from "./changes.js";
import { question, toast } from "./dialog.js";
import { State } from "./values.js";

/** So many single places are offered at most. */
const placesMax = 20;

/** The changes from the newest state to another one, as cards. */
async function preview(name, address) {
    const [head, target] = await Promise.all([State.load(name, null), State.load(name, address)]);
    return target.differenceFrom(head, await identityOf(name));
}

export async function goTo(name, address, words) {
    const sections = await preview(name, address);
    return question(`Go back to ${words}?`, {
        text: make("div", {}, make("p", {}, "This changes the document for everyone. ",
            "Later versions are undone and stay in the history:"), ...changeCards(sections, null)),
        verb: "Go there", cancel: "Stay here",
        act: (_, problem) => leaveFor(name, address, words, problem),
    });
}

/** Goes to a version, with the way back to the one that was there. */
async function leaveFor(name, address, words, problem) {
    const path = `${documentPath(name)}/goto`;
    const { version } = await get(`${documentPath(name)}/status`);
    const work = async (how) => {
        const { revision } = await send("POST", path + how, { to: address });
        toast(`It is as it was at ${words}.`, "Go back to where it was",
            () => send("POST", path + how, { to: `version:${version}` }, { revision }));
    };
    return work("").catch((error) => resolve(error, problem, work, { isMove: true }));
}

function partsWords(count) {
    if (count === 0) return "nothing is different";
    return count === 1 ? "1 part changes" : `${count} parts change, as one version`;
}

/** The current elements that the restored state lacks: "; removes Tea and 3 more". */
function removedWords(sections) {
    const names = sections.flatMap(({ entries }) => entries.flatMap(linesOf))
        .filter(({ state }) => state === "remove").map(({ label }) => label);
    if (names.length === 0) return "";
    const rest = names.length > 3 ? ` and ${names.length - 3} more` : "";
    return `; removes ${names.slice(0, 3).join(", ")}${rest}`;
}

/** The effect of restoring one part. */
function partWords({ path, note, entries }) {
    const [{ state, path: place }] = entries;
    const isRemoved = state === "remove" && place === path;
    if (isRemoved) return "removed: it did not exist then; the rest stays";
    return `${note ? `${note}; ` : ""}the rest stays${removedWords([{ entries }])}`;
}

/**
 * Single places that can be put back: their addresses are those in the state that is restored, so
 * what came into an array since has none.
 */
function placesIn(sections, parts) {
    const known = new Set(["", ...parts.map(({ path }) => path)]);
    const isThere = ({ state, from }) => ["change", "add"].includes(state)
        || (state === "remove" && from === undefined);
    return sections.flatMap(({ entries }) => entries.flatMap(linesOf))
        .filter((line) => !known.has(line.path) && isThere(line)).slice(0, placesMax);
}

/** The effect of restoring a single place. */
function placeWords({ state, runs, old, new: then }) {
    if (state === "remove") return "removed: it did not exist then";
    if (state === "add") return "comes back";
    return runs ? "its text as it was then" : `${old} → ${then}`;
}

/** Asks what is to be put back: a part, the whole, or all of it into a new document. */
export async function restore(name, address, words, made) {
    const sections = await preview(name, address);
    const mayGo = !address.startsWith("snapshot:");
    const parts = sections.filter(({ path }) => path !== "").slice(0, 6);
    const option = (value, title, more, isChosen) => make("label", { class: "option" },
        make("input", { type: "radio", name: "what", value, checked: isChosen }),
        make("span", {}, title, make("small", {}, more)));
    const places = placesIn(sections, parts);
    const text = make("div", { class: "options" },
        option("", "The whole document", partsWords(sections.length) + removedWords(sections),
            true),
        ...parts.map((part) => option(part.path, `Only ${part.name}`, partWords(part))),
        places.length > 0 && make("details", {}, make("summary", {}, "Single places"),
            ...places.map((one) => option(one.path, `Only ${one.label}`, placeWords(one)))),
        mayGo && option("goto", "Go back to it",
            "later versions are undone and stay in the history"),
        option("new", "Into a new document", `${name} stays as it is`),
        make("label", { class: "asked" }, make("span", {}, "Name of the new document"),
            make("input", { name: "name", autocomplete: "off" })));
    return question(`Restore from ${words}`, { text, verb: "Restore",
        isReady: ({ what, name: other }) => what !== "new" || Boolean(other),
        act: async ({ what, name: other }, problem) => {
            if (what === "goto") return leaveFor(name, address, words, problem);
            if (what === "new") {
                const origin = encodeURIComponent(`${name}@${address}`);
                await send("PUT", `${documentPath(other)}?copyOf=${origin}`, undefined,
                    { isNew: true }).catch(unlessTaken);
                made(other);
                return;
            }
            await restoreFrom(name, what ? { from: address, paths: [what] } : { from: address });
        } });
}

/** Restores, and says so with the way back. */
async function restoreFrom(name, body) {
    const path = documentPath(name);
    const { change } = await send("POST", `${path}/restore`, body);
    if (!change) toast("Nothing was different.");
    else toast("It is restored.", "Undo",
        () => send("POST", `${path}/undo`, { revision: change.revision }));
}

/** Restores the value that one place had at an address. */
export const restorePlace = (name, address, path) => question(`Restore ${path}?`, {
    text: make("p", {}, `This restores its value at ${address}. Everything else stays.`),
        verb: "Restore it",
    act: () => restoreFrom(name, { from: address, paths: [path] }),
});
