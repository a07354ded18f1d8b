// The typed edits, found by comparing two texts around the caret.

const isLow = (text, at) => text.charCodeAt(at) >= 0xdc00 && text.charCodeAt(at) <= 0xdfff;

/** How many letters both texts begin with, and end with behind that. */
function ends(old, value, startMax) {
    const shorter = Math.min(old.length, value.length);
    const start = commonLength(old, value, Math.min(startMax, shorter), false);
    const end = commonLength(old, value, shorter - start, true);
    return { start, end };
}

/** By halves, since comparing stretches is quick, and comparing letters is not. */
function commonLength(old, value, max, isAtEnd) {
    const part = (text, from, to) => (isAtEnd
        ? text.slice(text.length - to, text.length - from) : text.slice(from, to));
    const isSame = (from, to) => part(old, from, to) === part(value, from, to);
    if (isSame(0, max)) return max;
    let [low, high] = [0, max];
    while (high - low > 1) {
        const mid = (low + high) >> 1;
        if (isSame(low, mid)) low = mid;
        else high = mid;
    }
    return low;
}

/**
 * The edits between two texts: one deletion and one insertion at most.
 *
 * `caret` is the current position of the caret. Where letters repeat, it shows which of them are
 * new: in "aa" typed before "aa" they are the first ones.
 */
export function textDifference(old, value, place, caret = value.length) {
    if (old === value) return [];
    // The text after the caret is unchanged.
    const startMax = Math.max(0, caret - Math.max(0, value.length - old.length));
    let { start, end } = ends(old, value, startMax);
    if (start + end < Math.min(old.length, value.length) && startMax < value.length) {
        ({ start, end } = ends(old, value, value.length));
    }
    // Never between the halves of a surrogate pair.
    if (start > 0 && (isLow(old, start) || isLow(value, start))) start -= 1;
    if (end > 0 && (isLow(old, old.length - end) || isLow(value, value.length - end))) end -= 1;
    const removed = old.slice(start, old.length - end);
    const inserted = value.slice(start, value.length - end);
    return [
        { kind: "text", place, at: start, removed, inserted: "" },
        { kind: "text", place, at: start, removed: "", inserted },
    ].filter((edit) => edit.removed !== "" || edit.inserted !== "");
}
