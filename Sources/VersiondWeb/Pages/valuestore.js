// The shown values, outside the thread that draws: large ones are read, compared and searched
// without blocking the page. Responses are small.

import { sections } from "./delta.js";
import { escaped, isContainer, joined, LongNumber, parse, tokens, valueAt } from "./json.js";
import { moreRows, pageModel } from "./pagemodel.js";

/** The limit on children of one place in a response. */
const childrenMax = 500;
const foundMax = 200;
/** States that are kept: what is shown, what was before, and what one has just come from. */
const keptMax = 6;
/** The limit on lines of a section; the rest is counted. */
const entriesMax = 400;

const values = new Map();

function keep(key, value) {
    values.delete(key);
    values.set(key, value);
    while (values.size > keptMax) values.delete(values.keys().next().value);
}

async function load({ key, path, headers, isSettled }) {
    if (isSettled && values.has(key) && !values.get(key).isOld) {
        const kept = values.get(key);
        keep(key, kept);
        return kept.known;
    }
    // A cache would show what was erased: the state has the revision that it had.
    const response = await fetch(path, { headers, cache: "no-store" }).catch(() => null);
    if (response === null) return { isAway: true };
    if (!response.ok) {
        const problem = await response.json().catch(() => ({}));
        return { problem, status: response.status };
    }
    const text = await response.text();
    const known = { bytes: text.length, etag: response.headers.get("ETag") };
    keep(key, { value: parse(text), known });
    return known;
}

function at(key) {
    const kept = values.get(key);
    if (!kept) throw new Error("This state is not open any more. Open it again.");
    return kept.value;
}

function brief(name, value, path) {
    if (isContainer(value)) return { name, path, isArray: Array.isArray(value),
        count: Object.keys(value).length };
    const kind = value === null ? "null" : value instanceof LongNumber ? "number" : typeof value;
    return { name, path, kind, text: typeof value === "string" ? JSON.stringify(value)
        : String(value) };
}

function children({ key, path, start, count = childrenMax }) {
    const value = valueAt(at(key), path);
    if (!isContainer(value)) return { total: 0, list: [] };
    const names = Array.isArray(value) ? null : Object.keys(value);
    const total = names?.length ?? value.length;
    const list = [];
    for (let index = start; index < Math.min(total, start + count); index += 1) {
        const name = names ? names[index] : String(index);
        list.push(brief(name, value[name], joined(path, name)));
    }
    return { total, list };
}

/** The index of each part of a path among its neighbours. */
function locate({ key, path }) {
    let value = at(key);
    let place = "";
    return tokens(path).map((token) => {
        const index = Array.isArray(value) ? Number(token)
            : Object.keys(value ?? {}).indexOf(token);
        const parent = place;
        value = value?.[token];
        place = joined(place, token);
        return { parent, index, path: place };
    });
}

/** The places whose name or value has a text in it. */
function search({ key, text }) {
    const found = [];
    const wanted = text.toLowerCase();
    const look = (value, path, name) => {
        if (found.length >= foundMax) return;
        const words = isContainer(value) ? String(name) : `${name} ${value}`;
        if (path !== "" && words.toLowerCase().includes(wanted)) found.push({ path,
            ...snippet(value) });
        if (!isContainer(value)) return;
        for (const one of Object.keys(value)) look(value[one], `${path}/${escaped(one)}`, one);
    };
    look(at(key), "", "");
    return { found, isCut: found.length >= foundMax };
}

const snippet = (value) => (isContainer(value) ? {} : { text: String(value).slice(0, 60) });

function delta({ from, to, identity }) {
    const found = sections(at(from), at(to), identity);
    return found.map((section) => ({
        ...section, entries: section.entries.slice(0, entriesMax),
        more: Math.max(0, section.entries.length - entriesMax),
    }));
}

const calls = {
    // Reads in progress continue, but their values are not used as the current ones.
    forget: () => { for (const kept of values.values()) kept.isOld = true; },
    load, children, locate, search, delta,
    page: ({ key }) => pageModel(at(key)),
    rows: ({ key, path, columns, start }) => moreRows(valueAt(at(key), path), path, columns, start),
    root: ({ key }) => brief(null, at(key), ""),
};

onmessage = async ({ data: { id, call, words } }) => {
    try {
        postMessage({ id, result: await calls[call](words) });
    } catch (error) {
        postMessage({ id, error: error.message });
    }
};
