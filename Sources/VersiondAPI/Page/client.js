// A document of versiond that several people edit at once. One file, no dependency, no build step:
//
//     import { open } from "/client.js";
//     const note = open("/v1/documents/note", { actor: "ada" });
//     note.onchange = () => show(note.value);
//     note.edit([{ op: "str_ins", path: "/text", pos: 0, str: "Hello" }]);
//     note.bindTextarea(document.querySelector("textarea"), "/text");
//
// What is shown is what the daemon has confirmed, then the edits in the one request that is under
// way, then those that wait. Others' changes are carried past both (see `Merge`), as the daemon
// carries ours past theirs. Numbers are JavaScript's: what is not edited keeps its own.

// MARK: Values

function isObject(value) {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(one, other) {
    if (one === other) return true;
    if (Array.isArray(one)) {
        return Array.isArray(other) && one.length === other.length
            && one.every((value, index) => isSame(value, other[index]));
    }
    if (!isObject(one) || !isObject(other)) return false;
    const names = Object.keys(one);
    return names.length === Object.keys(other).length
        && names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]));
}

function parsePointer(text) {
    if (text === "") return [];
    if (!text.startsWith("/")) throw new Error(`${text} is no JSON Pointer`);
    return text.slice(1).split("/").map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function writePointer(place) {
    return place.map((step) => "/" + String(step).replaceAll("~", "~0").replaceAll("/", "~1")).join("");
}

const isIndex = (token) => /^(0|[1-9][0-9]{0,17})$/.test(token);

/** The steps of a pointer: numbers in arrays, texts in objects. `-` is the array's end. */
function placeOf(pointer, tree) {
    let container = tree;
    return parsePointer(pointer).map((token) => {
        let step = token;
        if (Array.isArray(container)) {
            if (token === "-") step = container.length;
            else if (isIndex(token)) step = Number(token);
        }
        container = childOf(container, step);
        return step;
    });
}

function childOf(container, step) {
    if (Array.isArray(container)) return typeof step === "number" ? container[step] : undefined;
    return isObject(container) && Object.hasOwn(container, step) ? container[step] : undefined;
}

function valueAt(tree, place) {
    return place.reduce((value, step) => (value === undefined ? undefined : childOf(value, step)), tree);
}

/** The tree with another value at a place; what did not change is shared. */
function changedAt(tree, place, change) {
    if (place.length === 0) return change(tree);
    const [step, ...rest] = place;
    if (!Array.isArray(tree) && !isObject(tree)) throw new Error("the path leads nowhere");
    if (Array.isArray(tree) && typeof step !== "number") throw new Error("no index");
    const child = childOf(tree, step);
    if (child === undefined) throw new Error("the path leads nowhere");
    const copy = Array.isArray(tree) ? tree.slice() : { ...tree };
    define(copy, step, changedAt(child, rest, change));
    return copy;
}

/** Does something to the container of a place. */
function inContainer(tree, place, change) {
    return changedAt(tree, place.slice(0, -1), (container) => {
        const copy = Array.isArray(container) ? container.slice() : { ...container };
        change(copy, place[place.length - 1]);
        return copy;
    });
}

// MARK: Edits
//
// insert {value} · delete {value} (elements) · set {old, value} (undefined: there is none)
// · move {to} (a place in the tree without the value) · text {at, removed, inserted} · read

function apply(tree, edit) {
    const { kind, place } = edit;
    switch (kind) {
        case "insert":
            return inContainer(tree, place, (list, index) => list.splice(index, 0, edit.value));
        case "delete": return inContainer(tree, place, (list, index) => list.splice(index, 1));
        case "set":
            if (place.length === 0) return edit.value;
            return inContainer(tree, place, (container, step) => {
                if (edit.value === undefined) delete container[step];
                else define(container, step, edit.value);
            });
        case "move": {
            const value = valueAt(tree, place);
            return put(take(tree, place), edit.to, value);
        }
        case "text": {
            const text = valueAt(tree, place);
            const { at, removed, inserted } = edit;
            if (typeof text !== "string" || text.slice(at, at + removed.length) !== removed) {
                throw new Error("the text is another");
            }
            const next = text.slice(0, at) + inserted + text.slice(at + removed.length);
            if (place.length === 0) return next;
            return inContainer(tree, place, (container, step) => define(container, step, next));
        }
        default: return tree;
    }
}

/** Sets a member, `__proto__` too. */
function define(container, step, value) {
    if (Array.isArray(container)) container[step] = value;
    else {
        Object.defineProperty(container, step,
            { value, enumerable: true, configurable: true, writable: true });
    }
}

function take(tree, place) {
    return inContainer(tree, place, (container, step) => {
        if (Array.isArray(container)) container.splice(step, 1);
        else delete container[step];
    });
}

function put(tree, place, value) {
    return inContainer(tree, place, (container, step) => {
        if (Array.isArray(container)) container.splice(step, 0, value);
        else define(container, step, value);
    });
}

const applyAll = (tree, edits) => edits.reduce(apply, tree);

function inverse(edit) {
    switch (edit.kind) {
        case "insert": return { ...edit, kind: "delete" };
        case "delete": return { ...edit, kind: "insert" };
        case "set": return { ...edit, old: edit.value, value: edit.old };
        case "move": return { ...edit, place: edit.to, to: edit.place };
        case "text": return { ...edit, removed: edit.inserted, inserted: edit.removed };
        default: return null;
    }
}

// MARK: JSON Patch

/** The edits that operations of RFC 6902, `str_ins` and `str_del` make in a tree. */
function readOperations(operations, tree) {
    const edits = [];
    const perform = (edit) => {
        tree = apply(tree, edit);
        edits.push(edit);
    };
    const existing = (pointer) => {
        const place = placeOf(pointer, tree);
        const value = valueAt(tree, place);
        if (value === undefined) throw new Error(`there is no ${pointer}`);
        return { place, value };
    };
    const set = (place, value) => {
        const old = valueAt(tree, place);
        if (!isSame(old, value)) perform({ kind: "set", place, old, value });
    };
    const remove = (place) => {
        const value = valueAt(tree, place);
        if (place.length === 0) throw new Error("the root cannot be removed");
        perform(typeof place.at(-1) === "number"
            ? { kind: "delete", place, value } : { kind: "set", place, old: value });
    };
    const add = (pointer, value) => {
        const place = placeOf(pointer, tree);
        if (place.length === 0) return set(place, value);
        const container = valueAt(tree, place.slice(0, -1));
        if (Array.isArray(container)) {
            const index = place.at(-1);
            if (typeof index !== "number" || index > container.length) {
                throw new Error(`there is no ${pointer}`);
            }
            return perform({ kind: "insert", place, value });
        }
        if (!isObject(container)) throw new Error(`there is no ${pointer}`);
        return set(place, value);
    };
    const move = (from, to) => {
        const { place, value } = existing(from);
        if (from === to) return;
        if (to.startsWith(from + "/")) throw new Error("a value cannot be moved into itself");
        if (from.startsWith(to + "/") || to === "") {
            remove(place);
            return add(to, value);
        }
        // What stands at the target goes first, unless that gives the target another address.
        const origin = from.slice(0, from.lastIndexOf("/"));
        const shifts = typeof place.at(-1) === "number" && to.startsWith(origin + "/");
        const target = placeOf(to, tree);
        if (!shifts && isObject(valueAt(tree, target.slice(0, -1)))) {
            const old = valueAt(tree, target);
            if (old !== undefined && !isSame(old, value)) remove(target);
        }
        const without = take(tree, placeOf(from, tree));
        const place2 = placeOf(from, tree);
        const end = placeOf(to, without);
        const container = valueAt(without, end.slice(0, -1));
        if (isObject(container) && valueAt(without, end) !== undefined) {
            remove(place2);
            return set(end, value);
        }
        if (!isObject(container)
            && !(Array.isArray(container) && end.at(-1) <= container.length)) {
            throw new Error(`there is no ${to}`);
        }
        return perform({ kind: "move", place: place2, to: end });
    };
    for (const { op, path, from, value, pos, str, len } of operations) {
        switch (op) {
            case "add": add(path, value); break;
            case "remove": remove(existing(path).place); break;
            case "replace": set(existing(path).place, value); break;
            case "move": move(from, path); break;
            case "copy": add(path, existing(from).value); break;
            case "test": {
                const found = existing(path);
                if (!isSame(found.value, value)) throw new Error(`${path} is another`);
                edits.push({ kind: "read", place: found.place, value });
                break;
            }
            case "str_ins": {
                const { place, value: text } = existing(path);
                if (typeof text !== "string" || pos > text.length) throw new Error("no such text");
                if (str !== "") perform({ kind: "text", place, at: pos, removed: "", inserted: str });
                break;
            }
            case "str_del": {
                const { place, value: text } = existing(path);
                const count = len ?? str.length;
                if (typeof text !== "string" || pos + count > text.length) {
                    throw new Error("no such text");
                }
                const removed = text.slice(pos, pos + count);
                if (count > 0) perform({ kind: "text", place, at: pos, removed, inserted: "" });
                break;
            }
            default: throw new Error(`there is no operation ${op}`);
        }
    }
    return { edits, tree };
}

/** Edits of a tree as operations that the daemon knows. */
function writeOperations(edits, tree) {
    const operations = [];
    for (const edit of edits) {
        const path = writePointer(edit.place);
        switch (edit.kind) {
            case "insert": operations.push({ op: "add", path, value: edit.value }); break;
            case "delete": operations.push({ op: "remove", path }); break;
            case "set":
                operations.push(edit.value === undefined ? { op: "remove", path }
                    : { op: edit.old === undefined ? "add" : "replace", path, value: edit.value });
                break;
            case "move": {
                const to = writePointer(edit.to);
                // RFC 6902 forbids what looks like an address inside the value itself.
                if (to.startsWith(path + "/") || path.startsWith(to + "/")) {
                    operations.push({ op: "remove", path });
                    operations.push({ op: "add", path: to, value: valueAt(tree, edit.place) });
                } else if (to !== path) operations.push({ op: "move", from: path, path: to });
                break;
            }
            case "text":
                if (edit.removed !== "") {
                    operations.push({ op: "str_del", path, pos: edit.at, len: edit.removed.length });
                }
                if (edit.inserted !== "") {
                    operations.push({ op: "str_ins", path, pos: edit.at, str: edit.inserted });
                }
                break;
            default: operations.push({ op: "test", path, value: edit.value });
        }
        tree = apply(tree, edit);
    }
    return operations;
}

/** Edits that make one value of another, with what did not change left alone. */
function difference(old, value, place = []) {
    if (isSame(old, value)) return [];
    if (typeof old === "string" && typeof value === "string") return textDifference(old, value, place);
    if (isObject(old) && isObject(value)) {
        const edits = [];
        for (const name of Object.keys(old)) {
            if (!Object.hasOwn(value, name)) edits.push({ kind: "set", place: [...place, name], old: old[name] });
        }
        for (const name of Object.keys(value)) {
            edits.push(...(Object.hasOwn(old, name) ? difference(old[name], value[name], [...place, name])
                : [{ kind: "set", place: [...place, name], old: undefined, value: value[name] }]));
        }
        return edits;
    }
    if (Array.isArray(old) && Array.isArray(value)) return listDifference(old, value, place);
    return [{ kind: "set", place, old, value }];
}

function commonEnds(old, value, isEqual) {
    let [start, end] = [0, 0];
    const shorter = Math.min(old.length, value.length);
    while (start < shorter && isEqual(old[start], value[start])) start += 1;
    while (end < shorter - start
        && isEqual(old[old.length - 1 - end], value[value.length - 1 - end])) end += 1;
    return { start, end };
}

function listDifference(old, value, place) {
    const { start, end } = commonEnds(old, value, isSame);
    const [gone, come] = [old.slice(start, old.length - end), value.slice(start, value.length - end)];
    if (gone.length === come.length) {
        return gone.flatMap((item, index) => difference(item, come[index], [...place, start + index]));
    }
    return [
        ...gone.map((item) => ({ kind: "delete", place: [...place, start], value: item })),
        ...come.map((item, index) => ({ kind: "insert", place: [...place, start + index], value: item })),
    ];
}

function textDifference(old, value, place) {
    let { start, end } = commonEnds(old, value, (one, other) => one === other);
    // Never between the halves of a surrogate pair.
    const isLow = (text, at) => text.charCodeAt(at) >= 0xdc00 && text.charCodeAt(at) <= 0xdfff;
    if (start > 0 && (isLow(old, start) || isLow(value, start))) start -= 1;
    if (end > 0 && isLow(old, old.length - end)) end -= 1;
    const removed = old.slice(start, old.length - end);
    const inserted = value.slice(start, value.length - end);
    return [
        { kind: "text", place, at: start, removed, inserted: "" },
        { kind: "text", place, at: start, removed: "", inserted },
    ].filter((edit) => edit.removed !== "" || edit.inserted !== "");
}

// MARK: Places past others' edits
//
// A value stands at its place; a target is a free name, or the gap before an element.

const hands = { mine: Symbol("mine"), theirs: Symbol("theirs") };

const holds = (place, other) =>
    place.length <= other.length && place.every((step, depth) => step === other[depth]);
const isAround = (place, other) => place.length < other.length && holds(place, other);
const above = (place) => place.slice(0, -1);
const isElement = (place) => typeof place.at(-1) === "number";
const isInHand = (place, side) => place[0] === hands[side];

/** The index in a place that the element at another place is beside. */
function sibling(place, other) {
    const depth = other.length - 1;
    if (depth < 0 || depth >= place.length || typeof other[depth] !== "number"
        || typeof place[depth] !== "number" || !holds(above(other), place)) return null;
    return { depth, index: place[depth], other: other[depth] };
}

function shifted(place, found, by) {
    const copy = place.slice();
    copy[found.depth] += by;
    return copy;
}

function removing(place, other) {
    const found = sibling(place, other);
    return found && found.other < found.index ? shifted(place, found, -1) : place;
}

function inserting(place, other) {
    const found = sibling(place, other);
    return found && found.other <= found.index ? shifted(place, found, 1) : place;
}

function insertingTarget(place, other, goesFirst) {
    const found = sibling(place, other);
    if (!found) return place;
    const isGap = found.depth === place.length - 1;
    const moves = found.other < found.index || (found.other === found.index && !(isGap && goesFirst));
    return moves ? shifted(place, found, 1) : place;
}

function taking(place, other, side) {
    return holds(other, place) ? [hands[side], ...place.slice(other.length)] : removing(place, other);
}

function takingTarget(place, other, side) {
    return holds(other, above(place))
        ? [hands[side], ...place.slice(other.length)] : removing(place, other);
}

const giving = (place, target, side) =>
    isInHand(place, side) ? [...target, ...place.slice(1)] : inserting(place, target);
const givingTarget = (place, target, side, goesFirst) =>
    isInHand(place, side) ? [...target, ...place.slice(1)] : insertingTarget(place, target, goesFirst);

// MARK: Two edits of one tree: mine, which arrives later, and theirs

const isRemoval = (edit) =>
    edit.kind === "delete" || (edit.kind === "set" && edit.old !== undefined && edit.value === undefined);
const isAtTarget = (edit) =>
    edit.kind === "insert" || (edit.kind === "set" && edit.old === undefined);
const removedPlace = (edit) =>
    edit.kind === "delete" || (edit.kind === "set" && edit.old !== undefined) ? edit.place : null;
const isAt = (place, other) => place.length === other.length && holds(place, other);

function isSameEdit(one, other) {
    if (one.kind !== other.kind || !isAt(one.place, other.place)) return false;
    switch (one.kind) {
        case "delete": return true;
        case "set": return isSame(one.value, other.value) && (one.old === undefined) === (other.old === undefined);
        case "move": return isAt(one.to, other.to);
        default: return false;
    }
}

function worksInside(edit, place) {
    if (edit.kind !== "move") {
        return isAtTarget(edit) ? holds(place, above(edit.place)) : isAround(place, edit.place);
    }
    return isAround(place, edit.place)
        || holds(taking(place, edit.place, "theirs"), above(edit.to));
}

function targetsWithoutBoth(mine, theirs) {
    return [
        takingTarget(mine.to, taking(theirs.place, mine.place, "mine"), "theirs"),
        takingTarget(theirs.to, taking(mine.place, theirs.place, "theirs"), "mine"),
    ];
}

function isReadTouched(read, edit) {
    const place = read.place;
    switch (edit.kind) {
        case "read": return false;
        case "move":
            return isAround(place, edit.place) || holds(taking(place, edit.place, "theirs"), above(edit.to));
        case "insert": return holds(place, above(edit.place));
        case "set": if (edit.old === undefined) return isAround(place, edit.place);
        // fallthrough
        default: return holds(place, edit.place) || holds(edit.place, place);
    }
}

/** "both" can be done, "same" is done once, "mine" or "theirs" removes, or there is a "conflict". */
function relation(mine, theirs) {
    if (isSameEdit(mine, theirs)) return "same";
    if (mine.kind === "read") return isReadTouched(mine, theirs) ? "conflict" : "both";
    if (theirs.kind === "read") return "both";
    if (mine.kind === "text" && theirs.kind === "text" && isAt(mine.place, theirs.place)) return "both";
    const [addsMine, addsTheirs] = [mine, theirs].map((edit) => edit.kind === "set" && edit.old === undefined);
    if (addsMine && addsTheirs && isAt(mine.place, theirs.place)) return "conflict";
    if (mine.kind === "move" && theirs.kind === "move") {
        if (isAt(mine.place, theirs.place)) return "conflict";
        const [one, other] = targetsWithoutBoth(mine, theirs);
        const isCycle = isInHand(one, "theirs") && isInHand(other, "mine");
        return isCycle || (!isElement(one) && isAt(one, other)) ? "conflict" : "both";
    }
    if (mine.kind === "move" && addsTheirs) {
        return isAt(takingTarget(theirs.place, mine.place, "mine"), mine.to) ? "conflict" : "both";
    }
    if (addsMine && theirs.kind === "move") {
        return isAt(takingTarget(mine.place, theirs.place, "theirs"), theirs.to) ? "conflict" : "both";
    }
    for (const [one, other, side] of [[mine, theirs, "mine"], [theirs, mine, "theirs"]]) {
        const place = removedPlace(one);
        if (!place) continue;
        if (other.kind === "move" && isAt(other.place, place)) return isRemoval(one) ? side : "both";
        if (isAt(place, other.place) && !isAtTarget(other)) return "conflict";
        if (worksInside(other, place)) return isRemoval(one) && isRemoval(other) ? side : "conflict";
    }
    return "both";
}

function placeAfter(edit, other, goesFirst) {
    if (other.kind === "insert") {
        return isAtTarget(edit) ? insertingTarget(edit.place, other.place, goesFirst)
            : inserting(edit.place, other.place);
    }
    return other.kind === "delete" ? removing(edit.place, other.place) : edit.place;
}

function passMove(move, edit, side) {
    const isMine = side === "mine";
    const held = (isAtTarget(edit) ? takingTarget : taking)(edit.place, move.place, side);
    const place = isAtTarget(edit) ? givingTarget(held, move.to, side, !isMine) : giving(held, move.to, side);
    let to = move.to;
    if (!isInHand(held, side)) {
        if (edit.kind === "insert") to = insertingTarget(to, held, isMine);
        if (edit.kind === "delete") to = removing(to, held);
    }
    return [{ ...move, place: placeAfter(move, edit, isMine), to }, { ...edit, place }];
}

function passMoves(mine, theirs) {
    const [one, other] = targetsWithoutBoth(mine, theirs);
    return [
        [{ ...mine, place: giving(taking(mine.place, theirs.place, "theirs"), theirs.to, "theirs"),
            to: givingTarget(one, other, "theirs", true) }],
        [{ ...theirs, place: giving(taking(theirs.place, mine.place, "mine"), mine.to, "mine"),
            to: givingTarget(other, one, "mine", false) }],
    ];
}

/** One deletion or insertion after another one: the four rules. */
function passText(edit, other, goesFirst) {
    const [size, length] = [other.removed.length, other.inserted.length];
    const end = edit.at + edit.removed.length;
    if (edit.removed === "") {
        if (size === 0) {
            const stays = edit.at < other.at || (edit.at === other.at && goesFirst);
            return [stays ? edit : { ...edit, at: edit.at + length }];
        }
        return [edit.at <= other.at ? edit : { ...edit, at: Math.max(other.at, edit.at - size) }];
    }
    if (size === 0) {
        if (end <= other.at) return [edit];
        if (edit.at >= other.at) return [{ ...edit, at: edit.at + length }];
        const head = other.at - edit.at;
        return [
            { ...edit, removed: edit.removed.slice(0, head) },
            { ...edit, at: edit.at + length, removed: edit.removed.slice(head) },
        ];
    }
    const head = Math.max(0, Math.min(edit.removed.length, other.at - edit.at));
    const tail = Math.max(0, Math.min(edit.removed.length, end - other.at - size));
    const at = Math.min(edit.at, Math.max(other.at, edit.at - size));
    if (head + tail >= edit.removed.length) return [{ ...edit, at }];
    const removed = edit.removed.slice(0, head) + edit.removed.slice(edit.removed.length - tail);
    return removed === "" ? [] : [{ ...edit, at, removed }];
}

function removalAfter(removal, other) {
    let { place, value, old } = removal;
    let rest = removal.kind === "delete" ? value : old;
    if (other.kind === "move") place = other.to;
    else rest = apply(rest, { ...other, place: other.place.slice(place.length) });
    return [isElement(place) ? { kind: "delete", place, value: rest } : { kind: "set", place, old: rest }];
}

/** Each of two edits as it is after the other: [mine, theirs]. */
function passPair(mine, theirs) {
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
    return [
        [{ ...mine, place: placeAfter(mine, theirs, true) }],
        [{ ...theirs, place: placeAfter(theirs, mine, false) }],
    ];
}

/**
 * Edits of mine past theirs, and theirs past mine: [mine, theirs]. `policy` says who gives way in a
 * conflict, "mine" or "theirs" winning; whoever gives way is taken back.
 */
export function pass(mine, theirs, policy, onConflict = () => {}) {
    const passed = [];
    let others = theirs;
    for (const edit of mine) {
        let left = [edit];
        const next = [];
        for (const other of others) {
            if (left.length === 0) {
                next.push(other);
                continue;
            }
            const [one, rest] = left.length === 1
                ? passOne(left[0], other, policy, onConflict) : pass(left, [other], policy, onConflict);
            left = one;
            next.push(...rest);
        }
        passed.push(...left);
        others = next;
    }
    return [passed, others];
}

function passOne(mine, theirs, policy, onConflict) {
    switch (relation(mine, theirs)) {
        case "both": return passPair(mine, theirs);
        case "same": return [[], []];
        case "mine": return [removalAfter(mine, theirs), []];
        case "theirs": return [[], removalAfter(theirs, mine)];
        default: {
            onConflict(mine, theirs);
            const [undone, other] = [inverse(mine), inverse(theirs)];
            if (!undone || !other) return [[], [theirs]];
            return policy === "mine" ? [[other, mine], []] : [[], [undone, theirs]];
        }
    }
}

export const internals = {
    apply, applyAll, readOperations, writeOperations, difference, isSame, inverse,
};
