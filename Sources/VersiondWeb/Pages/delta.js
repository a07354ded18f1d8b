// The differences between two values in the form that people expect: sections by place, elements by
// identity, texts by words. Each change has the operations that revert it. Pure.

import { isContainer, isEqual, isObject, joined } from "./json.js";
import {
    asTitle, counted, elementName, identityOf, keyName, memberName, said,
} from "./names.js";
import { wordDifference, kept } from "./worddiff.js";

/** Texts that are longer, or have several lines, are compared by words. */
const lineMax = 40;
const isLong = (value) => typeof value === "string"
    && (value.length > lineMax || value.includes("\n"));

/** Sections: { name, path, note, entries, changeCount }. */
const own = (value, key) => (Object.hasOwn(value, key) ? value[key] : undefined);

export function sections(before, after, identity = ["id"]) {
    const comparison = new Comparison(identity);
    if (isObject(before) && isObject(after)) return comparison.members(before, after);
    return comparison.section("The document", "", before, after);
}

class Comparison {
    constructor(identity) {
        this.identity = identity;
    }

    members(before, after) {
        const keys = [...Object.keys(after),
            ...Object.keys(before).filter((key) => !Object.hasOwn(after, key))];
        const all = keys.flatMap((key) =>
            this.section(asTitle(memberName(key, own(after, key) ?? own(before, key))),
            joined("", key), own(before, key), own(after, key), key));
        // Fields of the document are one section, behind what has parts.
        const fields = all.filter(({ isField }) => isField);
        const rest = all.filter(({ isField }) => !isField);
        if (fields.length < 2) return all;
        const entries = fields.flatMap((one) => one.entries);
        return [{ name: "Fields", path: "", note: "", entries, isField: true,
            changeCount: entries.length }, ...rest];
    }

    section(name, path, before, after, key) {
        if (isEqual(before, after)) return [];
        const isArray = Array.isArray(before) && Array.isArray(after);
        const entries = isArray ? this.elements(before, after, path, key)
            : isObject(before) && isObject(after)
                ? this.fields(before, after, path,
                    []).map((change) => ({ state: "change", ...change }))
                : [{ state: "change", ...this.change([keyName(key ?? "value")], path, before,
                    after) }];
        const isField = !isArray && !isContainer(before) && !isContainer(after) && !isLong(before)
            && !isLong(after);
        const note = isArray ? arrayNote(before, after, entries) : textNote(entries);
        return [{ name, path, note, entries, isField, isArray, changeCount: changeCount(entries) }];
    }

    /** The changes inside an object, as a flat list; `trail` are the names on the way. */
    fields(before, after, path, trail) {
        const keys = [...Object.keys(after),
            ...Object.keys(before).filter((key) => !Object.hasOwn(after, key))];
        return keys.flatMap((key) => {
            const [old, value] = [own(before, key), own(after, key)];
            if (isEqual(old, value)) return [];
            const [place, names] = [joined(path, key), [...trail, memberName(key, value ?? old)]];
            if (isObject(old) && isObject(value)) return this.fields(old, value, place, names);
            if (Array.isArray(old) && Array.isArray(value)) return this.inner(old, value, place,
                names, key);
            return [this.change(names, place, old, value)];
        });
    }

    /** The changes of an array inside something else: one line for each element. */
    inner(before, after, path, trail, key) {
        const entries = this.elements(before, after, path, key);
        return entries.filter(({ state }) => state !== "same").flatMap((entry) =>
            linesOf(entry).map((change) => this.innerLine(change, entry, trail)));
    }

    innerLine(change, entry, trail) {
        const name = change === entry ? entry.label : `${entry.label}, ${change.label}`;
        const label = [...trail, name].join(", ");
        return { ...change, state: change.state ?? entry.state, label };
    }

    change(names, path, old, value) {
        const label = names.join(", ");
        if (old === undefined) {
            return { state: "add", label, path, value: said(value),
                undo: text([{ op: "remove", path }]) };
        }
        if (value === undefined) {
            return { state: "remove", label, path, value: said(old),
                undo: text([{ op: "add", path, value: old }]) };
        }
        const undo = text([{ op: "replace", path, value: old }]);
        if (isLong(old) && typeof value === "string" || isLong(value) && typeof old === "string") {
            const runs = wordDifference(old, value);
            return { state: "change", label, path, runs, words: kept(runs), undo };
        }
        return { state: "change", label, path, old: said(old), new: said(value), undo };
    }

    /** The elements of an array, in the order of both: those that are alike are counted. */
    elements(before, after, path, key) {
        const pairs = paired(before, after, this.identity);
        const entries = [];
        const places = new Map(pairs.filter(({ from, to }) => from !== null && to !== null)
            .map(({ from, to }) => [from, to]));
        for (const { from, to, at, isMoved } of pairs) {
            const old = from === null ? undefined : before[from];
            const value = to === null ? undefined : after[to];
            const name = elementName(value ?? old, to ?? from, key, this.identity);
            const entry = { label: name, from, to, path: joined(path, to ?? from) };
            if (from === null) entries.push(this.added(entry, value));
            else if (to === null) entries.push(this.removed(entry, old, joined(path, at)));
            else entries.push(this.both(entry, old, value, isMoved, path, places));
        }
        return folded(entries);
    }

    added(entry, value) {
        return { ...entry, state: "add", value: said(value), cells: cells(value),
            undo: text([{ op: "remove", path: entry.path }]) };
    }

    removed(entry, old, place) {
        return { ...entry, state: "remove", value: said(old), cells: cells(old),
            undo: text([{ op: "add", path: place, value: old }]) };
    }

    both(entry, old, value, isMoved, path, places) {
        const state = isMoved ? "move" : isEqual(old, value) ? "same" : "change";
        const changes = isEqual(old, value) ? [] : this.inside(old, value, entry.path, entry.label);
        const back = { op: "move", from: entry.path, path: joined(path, behind(entry, places)) };
        return { ...entry, state, changes, cells: state === "same" ? null : cells(value),
            undo: isMoved ? text([back]) : undefined };
    }

    inside(old, value, path, label) {
        if (isObject(old) && isObject(value)) return this.fields(old, value, path, []);
        if (Array.isArray(old) && Array.isArray(value)) return this.inner(old, value, path, [],
            undefined);
        return [this.change([label], path, old, value)];
    }
}

/** The lines about an element: its move, and each change inside it. */
function linesOf(entry) {
    if (entry.state === "move") return [entry, ...entry.changes];
    return entry.changes ?? [entry];
}

/**
 * The position to which a moved element returns: after its former predecessor, where that is now.
 */
function behind({ from, to }, places) {
    for (let before = from - 1; before >= 0; before -= 1) {
        const place = places.get(before);
        if (place !== undefined) return place > to ? place : place + 1;
    }
    return 0;
}

const text = (operations) => JSON.stringify(operations);

/** The cells of an element's row: its short members. */
function cells(value) {
    if (!isObject(value)) return null;
    return Object.fromEntries(Object.entries(value).filter(([, one]) => !isContainer(one))
        .slice(0, 12).map(([key, one]) => [key, typeof one === "string" ? one.slice(0, 80)
            : said(one)]));
}

/** Neighbours that are alike become one entry that counts them. */
function folded(entries) {
    const result = [];
    for (const entry of entries) {
        const last = result.at(-1);
        if (entry.state !== "same") result.push(entry);
        else if (last?.state === "same") last.count += 1;
        else result.push({ state: "same", count: 1, path: entry.path, label: entry.label });
    }
    return result;
}

/** Elements of two arrays that are the same, in an order in which both can be read. */
export function paired(before, after, identity) {
    const [from, to] = [keyed(before, identity), keyed(after, identity)];
    const places = new Map(to.map((key, index) => [key, index]));
    const origins = new Map(from.map((key, index) => [key, index]));
    const partner = from.map((key) => places.get(key) ?? null);
    const stable = new Set(longestRising(partner));
    const isTaken = new Set(partner.filter((index) => index !== null));
    const pairs = [];
    let next = 0;
    const addUpTo = (end, removed) => {
        const added = [];
        for (; next < end; next += 1) {
            const origin = origins.get(to[next]);
            if (!isTaken.has(next)) added.push({ from: null, to: next });
            else if (!stable.has(origin)) added.push({ from: origin, to: next, isMoved: true });
        }
        pairs.push(...matched(removed, added, before, after));
    };
    let removed = [];
    partner.forEach((index, place) => {
        if (index === null) removed.push({ from: place, to: null, at: next });
        else if (stable.has(place)) {
            addUpTo(index, removed);
            removed = [];
            pairs.push({ from: place, to: index, isMoved: false });
            next = index + 1;
        }
    });
    addUpTo(after.length, removed);
    return pairs;
}

/** A removal and an addition at one place are a change, if both values are of one kind. */
function matched(removed, added, before, after) {
    const result = [];
    const rest = [...removed];
    for (const one of added) {
        const index = one.from === null ? rest.findIndex(({ from }) =>
            isAlike(before[from], after[one.to])) : -1;
        if (index < 0) {
            result.push(one);
            continue;
        }
        result.push(...rest.splice(0, index), { ...rest.shift(), to: one.to, isMoved: false });
    }
    return [...rest, ...result];
}

const isAlike = (one, other) => isContainer(one) && isContainer(other)
    && Array.isArray(one) === Array.isArray(other)
    && identityOf(one) === undefined && identityOf(other) === undefined;

/** Each element by its identity or content, with a number if others are alike. */
function keyed(list, identity) {
    const seen = new Map();
    return list.map((element) => {
        const known = identityOf(element, identity);
        const key = known === undefined ? `= ${JSON.stringify(element)}` : `# ${known}`;
        const count = seen.get(key) ?? 0;
        seen.set(key, count + 1);
        return count === 0 ? key : `${key} ${count}`;
    });
}

/** The indexes of a longest rising series; `null` is skipped. */
function longestRising(values) {
    const [tails, previous] = [[], []];
    values.forEach((value, place) => {
        if (value === null) return;
        let [low, high] = [0, tails.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (values[tails[middle]] < value) low = middle + 1;
            else high = middle;
        }
        previous[place] = low > 0 ? tails[low - 1] : -1;
        tails[low] = place;
    });
    const series = [];
    for (let place = tails.at(-1) ?? -1; place >= 0; place = previous[place]) series.push(place);
    return series.reverse();
}

function changeCount(entries) {
    return entries.reduce((sum, { state, changes }) => {
        if (state === "same") return sum;
        return sum + Math.max(1, (changes?.length ?? 0) + (state === "move" ? 1 : 0));
    }, 0);
}

function arrayNote(before, after, entries) {
    const alike = entries.reduce((sum, { state, count }) => sum + (state === "same" ? count : 0),
        0);
    const size = before.length === after.length ? counted(after.length, "element")
        : `${before.length} → ${counted(after.length, "element")}`;
    return alike > 0 ? `${size}, ${alike} unchanged` : size;
}

function textNote(entries) {
    const words = entries.length === 1 ? entries[0].words : undefined;
    return words ? `${words.kept} of ${words.of} words kept` : "";
}

