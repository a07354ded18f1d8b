// The edits that make one value of another. Strings are replaced; elements are known by their `id`,
// so that what was moved moves, and what was edited is edited where it is.

import { commonPairs } from "./lcs.js";
import { Numeral } from "./numeral.js";
import { OldOrder } from "./oldorder.js";
import { textDifference } from "./textdifference.js";
import { addAll, isArray, isContainer, isObject, isSame } from "./values.js";

/**
 * `identity`: the names of the members by which elements are known. `ofTexts` compares two strings;
 * without it the one is replaced by the other.
 */
export function difference(old, value, identity = ["id"], place = [], ofTexts = null) {
    if (isSame(old, value)) return [];
    if (ofTexts && typeof old === "string" && typeof value === "string") {
        return ofTexts(old, value, place);
    }
    if (isObject(old) && isObject(value)) return ofObjects(old, value, identity, place, ofTexts);
    if (isArray(old) && isArray(value)) return ofLists(old, value, identity, place, ofTexts);
    return [{ kind: "set", place, old, value }];
}

function ofObjects(old, value, identity, place, ofTexts) {
    const edits = [];
    for (const name of Object.keys(old)) {
        if (!Object.hasOwn(value, name)) {
            edits.push({ kind: "set", place: [...place, name], old: old[name] });
        }
    }
    for (const name of Object.keys(value)) {
        const inner = [...place, name];
        if (Object.hasOwn(old, name)) {
            addAll(edits, difference(old[name], value[name], identity, inner, ofTexts));
        } else edits.push({ kind: "set", place: inner, old: undefined, value: value[name] });
    }
    return edits;
}

/** The edits that lead from what is shown to what is right: letters stay where they are. */
export const correction = (old, value) => difference(old, value, [], [], textDifference);

/** The identity of an element; `undefined` if it has none. */
export function keyOf(element, identity = ["id"]) {
    if (!isObject(element)) return undefined;
    for (const name of identity) {
        const key = Object.hasOwn(element, name) ? element[name] : undefined;
        if (key instanceof Numeral) return `number ${name} ${key.key}`;
        const isKey = typeof key === "string" || typeof key === "number";
        if (isKey) return `${typeof key} ${name} ${key}`;
    }
    return undefined;
}

/** The keys of all elements, if each has one of its own. */
function keysOf(list, identity) {
    const keys = list.map((element) => keyOf(element, identity));
    return keys.includes(undefined) || new Set(keys).size < keys.length ? null : keys;
}

function ofLists(old, value, identity, place, ofTexts) {
    const [oldKeys, newKeys] = [keysOf(old, identity), keysOf(value, identity)];
    const pairs = oldKeys && newKeys
        ? pairsByKey(oldKeys, newKeys) : pairsByPosition(old, value, identity);
    return listEdits(old, value, pairs, { identity, ofTexts }, place);
}

/** Pairs [old index, new index] of elements that are the same, in the order of the new list. */
function pairsByKey(oldKeys, newKeys) {
    const indexes = new Map(oldKeys.map((key, index) => [key, index]));
    return newKeys.map((key, index) => [indexes.get(key), index])
        .filter(([one]) => one !== undefined);
}

/** Elements without keys: equal ones stay; a single one between is edited. */
function pairsByPosition(old, value, identity) {
    const same = commonPairs(old, value, isSame);
    const pairs = [];
    let [before, after] = [0, 0];
    for (const [one, other] of [...same, [old.length, value.length]]) {
        if (one - before === other - after) {
            for (let offset = 0; offset < one - before; offset += 1) {
                const [gone, come] = [old[before + offset], value[after + offset]];
                const isEdited = isObject(gone) && isObject(come) || isArray(gone) && isArray(come)
                    || !isContainer(gone) && !isContainer(come);
                const keys = [gone, come].map((element) => keyOf(element, identity));
                if (isEdited && keys[0] === keys[1]) pairs.push([before + offset, after + offset]);
            }
        }
        if (one < old.length) pairs.push([one, other]);
        [before, after] = [one + 1, other + 1];
    }
    return pairs;
}

/** Deletions from the end, then moves and insertions from the beginning, then edits inside. */
function listEdits(old, value, pairs, { identity, ofTexts }, place) {
    const edits = [];
    const kept = new Set(pairs.map(([one]) => one));
    for (let index = old.length - 1; index >= 0; index -= 1) {
        if (kept.has(index)) continue;
        edits.push({ kind: "delete", place: [...place, index], value: old[index] });
    }
    addAll(edits, arranged(value, pairs, place));
    for (const [one, other] of pairs) {
        addAll(edits, difference(old[one], value[other], identity, [...place, other], ofTexts));
    }
    return edits;
}

/**
 * Moves and insertions that bring the remaining elements into the order of the new list. As many as
 * possible rest; each of the others moves once, behind the one before it. O(n log n).
 */
export function arranged(value, pairs, place) {
    const edits = [];
    const order = new OldOrder(pairs);
    for (let index = 0; index < value.length; index += 1) {
        const taken = order.take(index);
        if (!taken) continue;
        const { from, to } = taken;
        const target = [...place, to];
        if (from < 0) edits.push({ kind: "insert", place: target, value: value[index] });
        else if (from !== to) edits.push({ kind: "move", place: [...place, from], to: target });
    }
    return edits;
}
