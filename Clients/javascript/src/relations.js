// Two edits of one tree: mine, which arrives later, and theirs. The table of precedence is the
// daemon's (Documentation/Reference/HTTP.md).

import { above, holds, isAround, isAt, isElement } from "./pointers.js";
import { isInHand, taking, takingTarget } from "./shifting.js";
import { isSame } from "./values.js";

export const isRemoval = (edit) => edit.kind === "delete"
    || (edit.kind === "set" && edit.old !== undefined && edit.value === undefined);

export const isAtTarget = (edit) => edit.kind === "insert"
    || (edit.kind === "set" && edit.old === undefined);

const adds = (edit) => edit.kind === "set" && edit.old === undefined;

export const removedPlace = (edit) => edit.kind === "delete"
    || (edit.kind === "set" && edit.old !== undefined) ? edit.place : null;

/**
 * "both" can be done, "same" is done once, "mine" or "theirs" removes, or there is a "conflict".
 */
export function relation(mine, theirs) {
    if (isSameEdit(mine, theirs)) return "same";
    if (mine.kind === "read") return isReadTouched(mine, theirs) ? "conflict" : "both";
    if (theirs.kind === "read") return "both";
    if (mine.kind === "text" && theirs.kind === "text" && isAt(mine.place, theirs.place)) {
        return "both";
    }
    if (adds(mine) && adds(theirs) && isAt(mine.place, theirs.place)) return "conflict";
    if (mine.kind === "move" && theirs.kind === "move") return relationOfMoves(mine, theirs);
    if (mine.kind === "move" && adds(theirs)) {
        return isAt(takingTarget(theirs.place, mine.place, "mine"), mine.to) ? "conflict" : "both";
    }
    if (adds(mine) && theirs.kind === "move") {
        return isAt(takingTarget(mine.place, theirs.place, "theirs"), theirs.to)
            ? "conflict" : "both";
    }
    return relationOfRemovals(mine, theirs);
}

export function isSameEdit(one, other) {
    if (one.kind !== other.kind || !isAt(one.place, other.place)) return false;
    switch (one.kind) {
        case "delete": return true;
        case "set":
            return isSame(one.value, other.value)
                && (one.old === undefined) === (other.old === undefined);
        case "move": return isAt(one.to, other.to);
        default: return false;
    }
}

function relationOfMoves(mine, theirs) {
    if (isAt(mine.place, theirs.place)) return "conflict";
    const [one, other] = targetsWithoutBoth(mine, theirs);
    const isCycle = isInHand(one, "theirs") && isInHand(other, "mine");
    return isCycle || (!isElement(one) && isAt(one, other)) ? "conflict" : "both";
}

function relationOfRemovals(mine, theirs) {
    for (const [one, other, side] of [[mine, theirs, "mine"], [theirs, mine, "theirs"]]) {
        const place = removedPlace(one);
        if (!place) continue;
        const isMoved = other.kind === "move" && isAt(other.place, place);
        if (isMoved) return isRemoval(one) ? side : "both";
        if (isAt(place, other.place) && !isAtTarget(other)) return "conflict";
        if (worksInside(other, place)) {
            return isRemoval(one) && isRemoval(other) ? side : "conflict";
        }
    }
    return "both";
}

/** Whether an edit changes something inside the value at a place. */
function worksInside(edit, place) {
    if (edit.kind !== "move") {
        return isAtTarget(edit) ? holds(place, above(edit.place)) : isAround(place, edit.place);
    }
    return isAround(place, edit.place)
        || holds(taking(place, edit.place, "theirs"), above(edit.to));
}

/** The targets of two moves in the tree without both values. */
export function targetsWithoutBoth(mine, theirs) {
    return [
        takingTarget(mine.to, taking(theirs.place, mine.place, "mine"), "theirs"),
        takingTarget(theirs.to, taking(mine.place, theirs.place, "theirs"), "mine"),
    ];
}

function isReadTouched({ place }, edit) {
    switch (edit.kind) {
        case "read": return false;
        case "move":
            return isAround(place, edit.place)
                || holds(taking(place, edit.place, "theirs"), above(edit.to));
        case "insert": return holds(place, above(edit.place));
        case "set":
            if (edit.old === undefined) return isAround(place, edit.place);
            return holds(place, edit.place) || holds(edit.place, place);
        default: return holds(place, edit.place) || holds(edit.place, place);
    }
}
