// From edits to operations that the daemon knows.

import { Draft, isNothing } from "./edits.js";
import { above, isElement, holds, writePointer } from "./pointers.js";

/** Edits of a tree as operations. */
export function writeOperations(edits) {
    return edits.flatMap(operationsOf);
}

function operationsOf(edit) {
    const path = writePointer(edit.place);
    switch (edit.kind) {
        case "insert": return [{ op: "add", path, value: edit.value }];
        case "delete": return [{ op: "remove", path }];
        case "set":
            if (edit.value === undefined) return [{ op: "remove", path }];
            return [{ op: edit.old === undefined ? "add" : "replace", path, value: edit.value }];
        case "move": return isNothing(edit) ? [] : moves(edit.place, edit.to);
        case "text": return texts(path, edit);
        default: return [{ op: "test", path, value: edit.value }];
    }
}

/**
 * A move. An element may move into the one behind it, which has its index once it is gone; RFC 6902
 * forbids that address, so it changes places with the other one first.
 */
function moves(from, to) {
    const move = (one, other) =>
        ({ op: "move", from: writePointer(one), path: writePointer(other) });
    if (!isElement(from) || !holds(from, to)) return [move(from, to)];
    const behind = [...above(from), from[from.length - 1] + 1];
    return [move(from, behind), move(behind, to)];
}

function texts(path, { at, removed, inserted }) {
    const operations = [];
    if (removed !== "") operations.push({ op: "str_del", path, pos: at, len: removed.length });
    if (inserted !== "") operations.push({ op: "str_ins", path, pos: at, str: inserted });
    return operations;
}

/** About how long an edit is as JSON. */
export function weightOf(edit) {
    const value = edit.kind === "text" ? edit.inserted : edit.value;
    return 80 + edit.place.length * 8 + (value === undefined ? 0 : JSON.stringify(value).length);
}

/** The first edits of a list, up to a limit on their number and length. */
export function portion(edits, { countMax, bytesMax }) {
    let [count, bytes] = [0, 0];
    while (count < edits.length && count < countMax) {
        bytes += weightOf(edits[count]);
        if (bytes > bytesMax && count > 0) break;
        count += 1;
    }
    return count;
}

/** A text that is longer goes in pieces: one edit may not be larger than a request. */
const textMax = 1 << 21;

const textOf = ({ kind, value, inserted }) => (kind === "text" ? inserted : value);
const isWrittenText = (edit) => ["text", "set", "insert"].includes(edit.kind)
    && typeof textOf(edit) === "string";

/** Whether an edit has a text that is too long for one request. */
export const isLong = (edit) => isWrittenText(edit) && textOf(edit).length > textMax;

/** The same edit as several ones, of which each is short enough. */
export function pieces(edit) {
    if (!isLong(edit)) return [edit];
    const [text, isText] = [textOf(edit), edit.kind === "text"];
    const start = isText ? edit.at : 0;
    const result = [];
    for (let from = 0; from < text.length;) {
        const part = wholeCharacters(text, from);
        if (from > 0) {
            const at = start + from;
            result.push({ kind: "text", place: edit.place, at, removed: "", inserted: part });
        } else result.push({ ...edit, [isText ? "inserted" : "value"]: part });
        from += part.length;
    }
    return result;
}

/** The text from a place on, as much as a piece has: halves of a pair stay together. */
function wholeCharacters(text, from) {
    const part = text.slice(from, from + textMax);
    const last = part.charCodeAt(part.length - 1);
    const isHalf = last >= 0xd800 && last < 0xdc00 && from + textMax < text.length;
    return isHalf ? part.slice(0, -1) : part;
}

/** The tree after edits, checked: each fits where the one before it left. */
export function fits(edits, tree) {
    const draft = new Draft(tree);
    try {
        for (const edit of edits) draft.apply(edit);
        return true;
    } catch {
        return false;
    }
}
