// A conflict in words: the actor and change of the other side, and both values.

import { documentPath, get } from "./api.js";
import { button, make } from "./build.js";
import { valueAt } from "./json.js";
import { elementName, keyWords, said, withArticle } from "./names.js";
import { tokens } from "./json.js";
import { named } from "./people.js";
import { note } from "./states.js";

/** A place in words: "the price of Soup". `last`: its last value, if it has been removed. */
export function placeWords(value, path, last) {
    let [at, owner, field, array] = [value, null, null, undefined];
    const steps = tokens(path);
    for (const [depth, token] of steps.entries()) {
        const next = depth === steps.length - 1 ? last ?? at?.[token] : at?.[token];
        if (Array.isArray(at)) [owner, field] = [elementName(next, Number(token), array), null];
        else field = keyWords(token);
        [at, array] = [next, token];
    }
    if (field === null) return owner ?? "the whole document";
    return withArticle(owner === null ? field : `${field} of ${owner}`);
}

/** A conflict of two simultaneous edits in the form of the client library: { text, choice }. */
export function conflictWords(value, { winner, by, pointer, values: { mine, theirs } }) {
    const other = by ?? "Another person";
    const place = placeWords(value, pointer, mine ?? theirs);
    const isMine = winner === "mine";
    if (mine !== undefined && theirs !== undefined) {
        const [here, gone] = isMine ? [mine, theirs] : [theirs, mine];
        const text = `You and ${by ?? "another person"} both changed ${place}: `
            + `${said(here)} is there now, not ${said(gone)}.`;
        return { text, choice: `Set ${said(gone)}` };
    }
    const isThere = (isMine ? mine : theirs) !== undefined;
    const done = theirs === undefined ? `${other} removed ${place} while you changed it.`
        : `${other} changed ${place} while you removed it.`;
    return isThere ? { text: `${done} It is still there.`, choice: `Remove ${place}` }
        : { text: `${done} It is not there any more.`, choice: `Put ${place} back` };
}

/** Edits in the words of the person who made them. */
export function editWords(value, operations) {
    const words = operations.map(({ op, path, str, value: given }) => {
        if (op === "str_ins") return said(str);
        const place = placeWords(value, path.replace(/\/-$/, ""));
        if (op === "remove" || op === "str_del") return `removed: ${place}`;
        return op === "move" ? `moved: ${place}` : `${place}: ${said(given)}`;
    });
    const rest = words.length > 3 ? ` and ${words.length - 3} more` : "";
    return words.slice(0, 3).join(", ") + rest;
}

/** The actors of the changes that are in conflict. */
export async function makers(name, problem) {
    const revisions = [...new Set(problem.with ?? [])].slice(0, 5);
    const changes = await Promise.all(revisions.map((revision) =>
        get(`${documentPath(name)}/history/${revision}`).catch(() => null)));
    return [...new Set(changes.map((change) => change?.actor ?? "").filter(Boolean))];
}

/**
 * The conflicts, with a choice for each place. `mine` is the value to be stored, and `theirs` the
 * current one. `choose` is called with "mine" or "theirs".
 */
export async function conflictNote(name, problem, { mine, theirs, choose }) {
    const people = await makers(name, problem);
    const places = [...new Set((problem.conflicts ?? []).map((one) => one.path ?? one))];
    const where = places.map((path) => placeWords(theirs, path));
    const rows = places.slice(0, 5).map((path) => make("p", {}, `${placeWords(theirs, path)}: `,
        make("b", {}, said(valueAt(theirs, path))), " is there now; yours is ",
            make("b", {}, said(valueAt(mine, path))), "."));
    const [there, own] = [said(valueAt(theirs, places[0] ?? "")),
        said(valueAt(mine, places[0] ?? ""))];
    const isOne = places.length === 1;
    const more = where.length > 2 ? " and more" : "";
    const words = `${where.slice(0, 2).join(" and ")}${more}`;
    return note("warn", "warn", `${named(people)} changed ${words} meanwhile.`,
        make("span", {}, "Your edit is kept here until you choose.", ...rows),
        make("div", { class: "acts" },
            button("line small", () => choose("theirs"), {}, isOne ? `Keep ${there}`
                : "Keep theirs there"),
            button("line small", () => choose("mine"), {}, isOne ? `Set ${own}` : "Set mine")));
}
