// Transforms a place over another edit. A value has its place; a target is the place of a value to
// come: a free name, or the gap before an element.

import { above, holds } from "./pointers.js";

/** The place of a moved value between its removal and its insertion. */
const hands = { mine: Symbol("mine"), theirs: Symbol("theirs") };

export const isInHand = (place, side) => place[0] === hands[side];

/** The index in a place that is in the same array as the element at another place. */
function sibling(place, other) {
    const depth = other.length - 1;
    if (depth < 0 || depth >= place.length || typeof other[depth] !== "number"
        || typeof place[depth] !== "number") return null;
    for (let step = 0; step < depth; step += 1) if (place[step] !== other[step]) return null;
    return { depth, index: place[depth], other: other[depth] };
}

function shifted(place, found, by) {
    const copy = place.slice();
    copy[found.depth] += by;
    return copy;
}

/** The place of the same value or target when the value at `other` is gone. */
export function removing(place, other) {
    const found = sibling(place, other);
    return found && found.other < found.index ? shifted(place, found, -1) : place;
}

/** The place of the same value when something was inserted at `other`. */
export function inserting(place, other) {
    const found = sibling(place, other);
    return found && found.other <= found.index ? shifted(place, found, 1) : place;
}

/**
 * The same target when something was inserted at `other`: behind it, unless this one goes first.
 */
export function insertingTarget(place, other, goesFirst) {
    const found = sibling(place, other);
    if (!found) return place;
    const isGap = found.depth === place.length - 1;
    const moves = found.other < found.index
        || (found.other === found.index && !(isGap && goesFirst));
    return moves ? shifted(place, found, 1) : place;
}

/** The place of the same value after a side has removed the value at `other` to move it. */
export function taking(place, other, side) {
    return holds(other, place)
        ? [hands[side], ...place.slice(other.length)] : removing(place, other);
}

export function takingTarget(place, other, side) {
    return holds(other, above(place))
        ? [hands[side], ...place.slice(other.length)] : removing(place, other);
}

/** The place of the same value after the moved value was inserted at `target`. */
export const giving = (place, target, side) =>
    isInHand(place, side) ? [...target, ...place.slice(1)] : inserting(place, target);

export const givingTarget = (place, target, side, goesFirst) =>
    isInHand(place, side)
        ? [...target, ...place.slice(1)] : insertingTarget(place, target, goesFirst);

/** The place of a value after an edit; `null` if the value is gone. */
export function placeAfter(place, edit) {
    switch (edit.kind) {
        case "insert": return inserting(place, edit.place);
        case "delete": return holds(edit.place, place) ? null : removing(place, edit.place);
        case "move": return giving(taking(place, edit.place, "theirs"), edit.to, "theirs");
        default: return place;
    }
}

/** Where a caret is after an edit of its text: before what comes at it. */
export function caretAfter(at, edit) {
    if (edit.at >= at) return at;
    return Math.max(edit.at, at - edit.removed.length) + edit.inserted.length;
}
