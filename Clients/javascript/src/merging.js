// Edits past others' edits, pair by pair, as the daemon does it: so both come to one tree.

import { apply, inverse } from "./edits.js";
import { above, holds, isAround, isAt, isElement } from "./pointers.js";
import { isAtTarget, relation, removedPlace, targetsWithoutBoth } from "./relations.js";
import {
    giving, givingTarget, inserting, insertingTarget, isInHand, removing, taking, takingTarget,
} from "./shifting.js";
import { addAll } from "./values.js";

/**
 * Edits of mine past theirs, and theirs past mine: [mine, theirs]. `policy` says who wins in a
 * conflict, "mine" or "theirs"; the edit that gives way is undone. `onPair` hears of each pair that
 * meets: ("both" | "same" | "removed" | "conflict", mine, theirs).
 */
export function pass(mine, theirs, policy, onPair = () => {}) {
    const left = [...mine].reverse();
    const others = passFirst(left, theirs, policy, onPair);
    return [left.reverse(), others];
}

/**
 * Transforms my edits, the first of which is the last here, over theirs; returns theirs. Edits that
 * meet none of theirs any more are skipped: a place that the other side has changed often leaves
 * many edits of mine, of which only the first meets the next one.
 */
function passFirst(mine, theirs, policy, onPair) {
    const passed = [];
    let others = theirs;
    while (others.length > 0 && mine.length > 0) {
        const [one, rest] = passOver(mine.pop(), others, policy, onPair);
        addAll(passed, one);
        others = rest;
    }
    addAll(mine, passed.reverse());
    return others;
}

/** One edit of mine past theirs: [mine, theirs]. */
function passOver(mine, theirs, policy, onPair) {
    if (theirs.length === 1) return passOne(mine, theirs[0], policy, onPair);
    const [left, others] = [[mine], []];
    for (const other of theirs) addAll(others, passFirst(left, [other], policy, onPair));
    return [left.reverse(), others];
}

function passOne(mine, theirs, policy, onPair) {
    const found = relation(mine, theirs);
    onPair(found === "mine" || found === "theirs" ? "removed" : found, mine, theirs);
    if (found === "both") return passPair(mine, theirs);
    if (found === "same") return [[], []];
    if (found === "mine") return [removalAfter(mine, theirs), []];
    if (found === "theirs") return [[], removalAfter(theirs, mine)];
    const [undone, other] = [inverse(mine), inverse(theirs)];
    if (!undone || !other) return [[], [theirs]];
    if (policy === "mine") return [removingAfter(mine, theirs) ?? [other, mine], []];
    return [[], removingAfter(theirs, mine) ?? [undone, theirs]];
}

/** Each of two edits as it is after the other: [mine, theirs]. */
export function passPair(mine, theirs) {
    if (mine.kind === "text" && theirs.kind === "text" && isAt(mine.place, theirs.place)) {
        return [passText(mine, theirs, true), passText(theirs, mine, false)];
    }
    if (mine.kind === "move" && theirs.kind === "move") return passMoves(mine, theirs);
    if (mine.kind === "move") {
        const [move, edit] = passMove(mine, theirs, "mine");
        return [[move], [edit]];
    }
    if (theirs.kind === "move") {
        const [move, edit] = passMove(theirs, mine, "theirs");
        return [[edit], [move]];
    }
    return [[moved(mine, theirs, true)], [moved(theirs, mine, false)]];
}

/** An edit after another one; neither moves anything. */
function moved(edit, other, goesFirst) {
    const place = placeBeside(edit, other, goesFirst);
    return place === edit.place ? edit : { ...edit, place };
}

function placeBeside(edit, other, goesFirst) {
    if (other.kind === "insert") {
        return isAtTarget(edit) ? insertingTarget(edit.place, other.place, goesFirst)
            : inserting(edit.place, other.place);
    }
    return other.kind === "delete" ? removing(edit.place, other.place) : edit.place;
}

function passMove(move, edit, side) {
    const isMine = side === "mine";
    const held = (isAtTarget(edit) ? takingTarget : taking)(edit.place, move.place, side);
    const place = isAtTarget(edit)
        ? givingTarget(held, move.to, side, !isMine) : giving(held, move.to, side);
    let to = move.to;
    if (!isInHand(held, side)) {
        if (edit.kind === "insert") to = insertingTarget(to, held, isMine);
        if (edit.kind === "delete") to = removing(to, held);
    }
    return [{ ...move, place: placeBeside(move, edit, isMine), to }, { ...edit, place }];
}

function passMoves(mine, theirs) {
    const [one, other] = targetsWithoutBoth(mine, theirs);
    const isFirst = isBeforeTheirs(mine, theirs);
    return [
        [{
            ...mine, place: giving(taking(mine.place, theirs.place, "theirs"), theirs.to, "theirs"),
            to: givingTarget(one, other, "theirs", isFirst),
        }],
        [{
            ...theirs, place: giving(taking(theirs.place, mine.place, "mine"), mine.to, "mine"),
            to: givingTarget(other, one, "mine", !isFirst),
        }],
    ];
}

/**
 * Which comes first if both moves lead to one gap: as the gaps were when both values were there.
 */
function isBeforeTheirs(mine, theirs) {
    const array = above(mine.to);
    const places = [mine.place, mine.to, theirs.place, theirs.to];
    if (!places.every((place) => isElement(place) && isAt(above(place), array))) return true;
    const [from, to, theirFrom, theirTo] = places.map((place) => place[place.length - 1]);
    return (to < from ? to : to + 1) <= (theirTo <= theirFrom ? theirTo : theirTo + 1);
}

/** One deletion or insertion after another one: the four rules. */
function passText(edit, other, goesFirst) {
    if (edit.removed === "") return [insertionAfter(edit, other, goesFirst)];
    return other.removed === ""
        ? deletionAroundInsertion(edit, other) : deletionsAfter(edit, other);
}

function insertionAfter(edit, other, goesFirst) {
    if (other.removed === "") {
        const stays = edit.at < other.at || (edit.at === other.at && goesFirst);
        return stays ? edit : { ...edit, at: edit.at + other.inserted.length };
    }
    // Inside deleted text it survives at the edge.
    if (edit.at <= other.at) return edit;
    return { ...edit, at: Math.max(other.at, edit.at - other.removed.length) };
}

function deletionAroundInsertion(edit, other) {
    const length = other.inserted.length;
    if (edit.at + edit.removed.length <= other.at) return [edit];
    if (edit.at >= other.at) return [{ ...edit, at: edit.at + length }];
    const head = other.at - edit.at;
    return [
        { ...edit, removed: edit.removed.slice(0, head) },
        { ...edit, at: edit.at + length, removed: edit.removed.slice(head) },
    ];
}

/** The rest of a deletion after another one. */
function deletionsAfter(edit, other) {
    const [count, size] = [edit.removed.length, other.removed.length];
    const head = Math.max(0, Math.min(count, other.at - edit.at));
    const tail = Math.max(0, Math.min(count, edit.at + count - other.at - size));
    const at = Math.min(edit.at, Math.max(other.at, edit.at - size));
    if (head + tail >= count) return [{ ...edit, at }];
    const removed = edit.removed.slice(0, head) + edit.removed.slice(count - tail);
    return removed === "" ? [] : [{ ...edit, at, removed }];
}

/**
 * An edit that inserts a value in which the other side has changed something: it is another value
 * then, and no edit in it needs a revert before. `null` for all others.
 */
function removingAfter(edit, other) {
    const place = removedPlace(edit);
    if (place === null || !isInside(place, other)) return null;
    const inner = { ...other, place: other.place.slice(place.length) };
    // The target is seen without what moves, which is inside: so the value is where it was.
    if (other.kind === "move") inner.to = other.to.slice(place.length);
    const value = apply(edit.kind === "delete" ? edit.value : edit.old, inner);
    return [edit.kind === "delete" ? { ...edit, value } : { ...edit, old: value }];
}

/** Whether an edit changes the value at a place, and nothing else. */
function isInside(place, edit) {
    if (edit.kind === "text") return holds(place, edit.place);
    return isAround(place, edit.place) && (edit.kind !== "move" || holds(place, above(edit.to)));
}

/** A removal after the other side moved its value, or removed something of it. */
function removalAfter(removal, other) {
    let { place } = removal;
    let rest = removal.kind === "delete" ? removal.value : removal.old;
    if (other.kind === "move") place = other.to;
    else rest = apply(rest, { ...other, place: other.place.slice(place.length) });
    const gone = isElement(place)
        ? { kind: "delete", place, value: rest } : { kind: "set", place, old: rest };
    // Whose it is decides whether it may come back.
    return ["revision" in removal ? { ...gone, revision: removal.revision } : gone];
}
