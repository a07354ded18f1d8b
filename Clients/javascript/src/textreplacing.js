// `str_replace`: puts another text in the place of one that occurs exactly once in a string.

import { commonPairs } from "./lcs.js";
import { textDifference } from "./textdifference.js";
import { isWellFormed } from "./values.js";

/** The limit on positions that are named. */
const positionsMax = 10;

/** The edits, one for each stretch of words that differ; an error with a problem otherwise. */
export function replacement(text, { path, find, str }, place) {
    const positions = positionsOf(find, text);
    if (positions.length === 0) {
        throw refusal("text-not-found", `the text to replace does not occur at ${path}`, { path });
    }
    const count = positions.length;
    if (count > 1) {
        throw refusal("text-not-unique", `the text to replace occurs ${count} times at ${path}`,
            { path, count, positions: positions.slice(0, positionsMax) });
    }
    const [at] = positions;
    const next = text.slice(0, at) + str + text.slice(at + find.length);
    const edits = textDifference(text, next, place);
    return edits.length === 2 ? byWords(edits[0].removed, edits[1].inserted, edits[0]) : edits;
}

/** Where a text occurs in another one, those that overlap included. */
function positionsOf(found, text) {
    const positions = [];
    if (!isWellFormed(found)) return positions;
    for (let at = text.indexOf(found); at >= 0; at = text.indexOf(found, at + 1)) {
        positions.push(at);
    }
    return positions;
}

function refusal(code, detail, members) {
    return Object.assign(new Error(detail), { problem: { code, detail, ...members } });
}

/** Words as the daemon compares them: runs of letters, runs of spaces, and single marks. */
const wordsOf = (text) => text.match(/[0-9A-Za-z\u0080-\uffff]+| +|[^]/g) ?? [];

function byWords(old, value, { place, at }) {
    const [before, after] = [wordsOf(old), wordsOf(value)];
    const edits = [];
    let [row, column, position] = [0, 0, at];
    const add = (change) => edits.push(
        { kind: "text", place, at: position, removed: "", inserted: "", ...change });
    const ends = [[before.length, after.length]];
    for (const [oldEnd, end] of commonPairs(before, after, Object.is).concat(ends)) {
        const removed = before.slice(row, oldEnd).join("");
        const inserted = after.slice(column, end).join("");
        if (removed !== "") add({ removed });
        if (inserted !== "") add({ inserted });
        position += inserted.length + (after[end]?.length ?? 0);
        [row, column] = [oldEnd + 1, end + 1];
    }
    return edits;
}
