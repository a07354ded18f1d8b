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
    const isFirst = isBeforeTheirs(mine, theirs);
    return [
        [{ ...mine, place: giving(taking(mine.place, theirs.place, "theirs"), theirs.to, "theirs"),
            to: givingTarget(one, other, "theirs", isFirst) }],
        [{ ...theirs, place: giving(taking(theirs.place, mine.place, "mine"), mine.to, "mine"),
            to: givingTarget(other, one, "mine", !isFirst) }],
    ];
}

/** Which comes first if both moves lead to one gap: as the gaps were when both values were there. */
function isBeforeTheirs(mine, theirs) {
    const array = above(mine.to);
    const places = [mine.place, mine.to, theirs.place, theirs.to];
    if (!places.every((place) => isElement(place) && isAt(above(place), array))) return true;
    const [from, to, theirFrom, theirTo] = places.map((place) => place.at(-1));
    return (to < from ? to : to + 1) <= (theirTo <= theirFrom ? theirTo : theirTo + 1);
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

// MARK: A document

/** Opens a document. See client.d.ts for the options. */
export function open(url, options = {}) {
    return new SharedDocument(url, options);
}

const firstPause = 250;
const longestPause = 15_000;
/** The stream says something every 15 seconds. */
const silenceMax = 45_000;
const answerMax = 30_000;
/** How long a confirmed change may take to come by the stream before it is asked for. */
const streamDelayMax = 1_000;

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The same for all tabs, so that they can share a stream. */
function browserName() {
    const fresh = randomName();
    try {
        const known = localStorage.getItem("versiond-browser");
        if (known) return known;
        localStorage.setItem("versiond-browser", fresh);
    } catch {
        // No storage here: each tab has a name of its own.
    }
    return fresh;
}

function randomName() {
    const bytes = new Uint8Array(12);
    if (globalThis.crypto) crypto.getRandomValues(bytes);
    else bytes.forEach((_, index) => { bytes[index] = Math.floor(Math.random() * 256); });
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class SharedDocument extends EventTarget {
    /** What is shown: confirmed, then sent, then waiting. `undefined` until it is ready. */
    value = undefined;
    canUndo = false;
    canRedo = false;
    /** Called after each change of `value`, with an event as `addEventListener` gets it. */
    onchange = null;
    onerror = null;

    #url;
    #fields;
    #options;
    #confirmed;
    #revision = -1;
    /** The edits of the request under way, on what is confirmed. */
    #sent = null;
    /** Edits that wait, on those. */
    #waiting = [];
    #isClosed = false;
    #isSending = false;
    #closing = new AbortController();
    #browser;
    #tab = randomName();
    #count = 0;
    #channel = null;
    #heard = [];
    #statusTimer = null;
    #corrections = 0;

    constructor(url, options) {
        super();
        this.#url = String(url).replace(/[/]$/, "");
        this.#options = { conflict: "mine", ...options };
        this.#browser = browserName();
        this.#fields = { ...options.headers };
        if (options.token) this.#fields.Authorization = `Bearer ${options.token}`;
        if (options.actor) this.#fields["Versiond-Actor"] = options.actor;
        this.ready = this.#begin();
        this.ready.catch(() => {});
    }

    get revision() {
        return this.#revision;
    }

    /** Whether there are edits that the daemon has not confirmed. */
    get isSaved() {
        return !this.#sent && this.#waiting.length === 0;
    }

    /** How often what the daemon made of an edit was not what was shown. */
    get corrections() {
        return this.#corrections;
    }

    /** Stops. Edits that wait are not sent any more. */
    close() {
        this.#isClosed = true;
        this.#closing.abort();
        this.#channel?.close();
        clearTimeout(this.#statusTimer);
    }

    // Editing

    /**
     * Edits the value: with operations of JSON Patch (and `str_ins`, `str_del`), or with a function
     * that makes a new value of the old one. It is shown at once, and sent as soon as may be.
     */
    edit(change) {
        if (this.value === undefined) throw new Error("the document is not ready");
        if (typeof change === "function") return this.#perform(difference(this.value, change(this.value)));
        return this.#perform(readOperations(change, this.value).edits);
    }

    /** Resolves when the daemon has confirmed every edit. */
    async saved() {
        while (!this.isSaved) {
            if (this.#isClosed) throw new Error("the document is closed");
            await this.#next();
        }
    }

    /** Takes back the last version of this actor, or of anybody if there is no actor. */
    undo() {
        return this.#move("undo");
    }

    redo() {
        return this.#move("redo");
    }

    #perform(edits) {
        if (edits.length === 0) return;
        const before = this.value;
        this.value = applyAll(before, edits);
        this.#waiting = joined(this.#waiting, edits);
        this.#tell({ isOwn: true, edits, before });
        this.#flush();
    }

    async #move(command) {
        await this.saved();
        const actor = this.#options.actor;
        const answer = await this.#request("POST", `/${command}`, actor ? { actor } : {}, this.#key());
        if (!answer.ok) throw new DocumentError(await problemOf(answer));
        const change = await answer.json();
        await this.#reach(change.revision);
        return change;
    }

    // Sending

    #key() {
        this.#count += 1;
        return `${this.#browser}.${this.#tab}.${this.#count}`;
    }

    async #flush() {
        if (this.#isSending || this.#confirmed === undefined) return;
        this.#isSending = true;
        try {
            while (this.#waiting.length > 0 && !this.#isClosed) await this.#send();
        } finally {
            this.#isSending = false;
            this.#wake();
        }
    }

    async #send() {
        // What is typed in the same moment goes along.
        await null;
        const operations = writeOperations(this.#waiting, this.#confirmed);
        // As the daemon reads them: a move that leads nowhere any more, for one, is none.
        const { edits } = readOperations(operations, this.#confirmed);
        const sent = { edits, key: this.#key(), base: this.#revision };
        this.#waiting = [];
        if (edits.length === 0) return;
        this.#sent = sent;
        const { conflict, debounce } = this.#options;
        const query = new URLSearchParams({ base: sent.base, conflict });
        if (debounce) query.set("debounce", debounce);
        let wait = firstPause;
        while (!this.#isClosed && this.#sent === sent) {
            try {
                const answer = await this.#request("PATCH", `?${query}`, operations, sent.key);
                if (answer.ok) return await this.#acknowledge(sent, await answer.json());
                if (answer.status < 500 && answer.status !== 429 && answer.status !== 408) {
                    return await this.#refused(sent, await problemOf(answer));
                }
            } catch (error) {
                if (this.#isClosed) return;
            }
            // Nobody knows whether it was done: the same request again, which is done once.
            await pause(wait * (0.5 + Math.random()));
            wait = Math.min(longestPause, wait * 2);
        }
    }

    #request(method, rest, body, key) {
        const fields = { ...this.#fields, Prefer: "text-operations", "Idempotency-Key": key };
        fields["Content-Type"] = method === "PATCH" ? "application/json-patch+json" : "application/json";
        return this.#fetch(method, rest, fields, JSON.stringify(body));
    }

    #fetch(method, rest, fields, body, signal = AbortSignal.timeout(answerMax)) {
        const fetch = this.#options.fetch ?? globalThis.fetch;
        const either = eitherSignal(signal, this.#closing.signal);
        return fetch(this.#url + rest, { method, headers: fields, body, signal: either, cache: "no-store" });
    }

    async #acknowledge(sent, answer) {
        if (answer.revision === this.#revision + 1 && answer.change && this.#sent === sent) {
            this.#advance(answer.revision, readOperations(answer.patch, this.#confirmed), true);
        }
        await this.#reach(answer.revision);
        if (this.#sent === sent) {
            // It changed nothing: others had done the same, or it gave way.
            this.#drop(sent);
            if (answer.conflicts) this.#fail({ code: "conflict", ...answer }, sent);
        }
    }

    async #refused(sent, problem) {
        if (this.#sent !== sent) return;
        const isLost = ["base-too-old", "trimmed", "earlier-life", "unknown-revision"].includes(problem.code);
        if (isLost) await this.#load();
        this.#drop(sent);
        this.#fail(problem, sent);
    }

    /** Takes edits out of what is shown that came to nothing. */
    #drop(sent) {
        if (this.#sent !== sent) return;
        const shown = applyAll(this.#confirmed, sent.edits);
        this.#sent = null;
        this.#correct(difference(shown, this.#confirmed));
    }

    // Receiving

    async #begin() {
        await this.#load();
        this.#share();
        this.#follow();
        this.#flush();
        return this;
    }

    async #load() {
        const answer = await this.#fetch("GET", "", { ...this.#fields, Accept: "application/json" });
        if (answer.status === 404 && this.#options.create !== undefined) {
            const fields = { ...this.#fields, "Content-Type": "application/json", "If-None-Match": "*" };
            const made = await this.#fetch("PUT", "", fields, JSON.stringify(this.#options.create));
            if (made.ok || made.status === 412) return this.#load();
        }
        if (!answer.ok) throw this.#fail(await problemOf(answer), null);
        const revision = Number(answer.headers.get("ETag").replaceAll('"', ""));
        const confirmed = await answer.json();
        if (this.#confirmed === undefined) {
            this.#confirmed = this.value = confirmed;
        } else {
            const edits = difference(this.#confirmed, confirmed);
            this.#carry({ edits, tree: confirmed });
        }
        this.#revision = revision;
        this.#askStatus();
        this.#tell({ isOwn: false, edits: [] });
    }

    /** One change of the feed. Returns whether it is known now. */
    #receive(item) {
        // A stream begins with where it is: so a tab hears what came while another one took over.
        if (item.event === "bookmark") return item.revision <= this.#revision;
        if (item.event !== "change" || item.revision <= this.#revision) return true;
        if (item.revision > this.#revision + 1) return false;
        // What is shown here has what was erased there.
        if (item.change.kind === "purge") return false;
        const isOwn = this.#sent !== null && item.key === this.#sent.key;
        this.#advance(item.revision, readOperations(item.patch, this.#confirmed), isOwn);
        if (item.change.kind === "delete") {
            this.#fail({ code: "document-deleted", status: 410, detail: "The document was deleted." }, null);
        }
        return true;
    }

    #advance(revision, change, isOwn) {
        this.#revision = revision;
        this.#askStatus();
        if (isOwn) {
            const shown = applyAll(this.#confirmed, this.#sent.edits);
            this.#confirmed = change.tree;
            this.#sent = null;
            const fix = difference(shown, change.tree);
            if (fix.length > 0) this.#corrections += 1;
            this.#correct(fix);
        } else {
            this.#carry(change);
        }
        this.#wake();
    }

    /** Others' edits past ours, and ours past theirs. */
    #carry({ edits, tree }) {
        const before = this.value;
        let others = edits;
        const policy = this.#options.conflict === "theirs" ? "theirs" : "mine";
        if (this.#sent) [this.#sent.edits, others] = pass(this.#sent.edits, others, policy);
        [this.#waiting, others] = pass(this.#waiting, others, policy);
        this.#confirmed = tree;
        this.value = applyAll(tree, [...(this.#sent?.edits ?? []), ...this.#waiting]);
        if (others.length > 0) this.#tell({ isOwn: false, edits: others, before });
    }

    /** What is shown was not what the daemon made of it. */
    #correct(edits) {
        const before = this.value;
        let others = edits;
        [this.#waiting, others] = pass(this.#waiting, others, "mine");
        this.value = applyAll(this.#confirmed, [...(this.#sent?.edits ?? []), ...this.#waiting]);
        if (others.length > 0) this.#tell({ isOwn: false, edits: others, before });
        this.#wake();
    }

    /** Waits until a revision is known: by the stream, or by asking. */
    async #reach(revision) {
        const end = Date.now() + streamDelayMax;
        while (this.#revision < revision && Date.now() < end && !this.#isClosed) {
            await Promise.race([this.#next(), pause(end - Date.now())]);
        }
        if (this.#revision < revision && !this.#isClosed) await this.#catchUp();
    }

    #feedQuery() {
        return new URLSearchParams({ since: this.#revision, patch: "stored", keys: this.#browser });
    }

    async #catchUp() {
        while (!this.#isClosed) {
            const answer = await this.#fetch("GET", `/feed?${this.#feedQuery()}`, { ...this.#fields });
            if (answer.status === 410 || answer.status === 404) return this.#load();
            if (!answer.ok) throw new DocumentError(await problemOf(answer));
            const { changes } = await answer.json();
            if (changes.length === 0) return;
            for (const item of changes) this.#receive(item);
        }
    }

    async #follow() {
        let wait = firstPause;
        while (!this.#isClosed) {
            try {
                await this.#asLeader(() => this.#stream(() => { wait = firstPause; }));
            } catch {
                // The daemon is away, or was silent for too long.
            }
            if (this.#isClosed) return;
            await pause(wait * (0.5 + Math.random()));
            wait = Math.min(longestPause, wait * 2);
            await this.#catchUp().catch(() => {});
        }
    }

    async #stream(onLine) {
        const silence = new AbortController();
        let timer = setTimeout(() => silence.abort(), silenceMax);
        const fields = { ...this.#fields, Accept: "application/x-ndjson" };
        try {
            const answer = await this.#fetch("GET", `/feed?${this.#feedQuery()}`, fields, undefined, silence.signal);
            if (!answer.ok) throw this.#fail(await problemOf(answer), null);
            for await (const line of linesOf(answer.body)) {
                clearTimeout(timer);
                timer = setTimeout(() => silence.abort(), silenceMax);
                onLine();
                this.#channel?.postMessage(line);
                await this.#take(JSON.parse(line));
            }
        } finally {
            clearTimeout(timer);
        }
    }

    async #take(item) {
        if (!this.#receive(item)) {
            await this.#catchUp();
            this.#receive(item);
        }
    }

    // One stream for all tabs: who holds the lock reads it and passes it on.

    #shareName() {
        return `versiond ${this.#url} ${this.#fields.Authorization ?? ""}`;
    }

    #share() {
        const mayShare = this.#options.share !== false && globalThis.navigator?.locks
            && typeof globalThis.BroadcastChannel === "function" && typeof globalThis.document === "object";
        if (!mayShare) return;
        this.#channel = new BroadcastChannel(this.#shareName());
        this.#channel.onmessage = async ({ data }) => {
            this.#heard.push(data);
            if (this.#heard.length > 1) return;
            while (this.#heard.length > 0) {
                await this.#take(JSON.parse(this.#heard[0])).catch(() => {});
                this.#heard.shift();
            }
        };
    }

    #asLeader(work) {
        if (!this.#channel) return work();
        return navigator.locks.request(this.#shareName(), { signal: this.#closing.signal }, async () => {
            // What came between the last leader and this one.
            await this.#catchUp();
            await work();
        });
    }

    // Telling

    #tell(detail) {
        const event = new DetailEvent("change", detail);
        this.onchange?.(event);
        this.dispatchEvent(event);
    }

    #fail(problem, sent) {
        const error = new DocumentError(problem, sent?.edits ?? []);
        const event = new DetailEvent("error", error);
        this.onerror?.(event);
        this.dispatchEvent(event);
        return error;
    }

    #wakes = [];

    #next() {
        return new Promise((resolve) => this.#wakes.push(resolve));
    }

    #wake() {
        for (const resolve of this.#wakes.splice(0)) resolve();
        if (this.#waiting.length > 0) this.#flush();
    }

    /** What can be undone, a moment after the last change. */
    #askStatus() {
        if (this.#options.status === false) return;
        clearTimeout(this.#statusTimer);
        this.#statusTimer = setTimeout(async () => {
            const { actor } = this.#options;
            const query = actor ? `?${new URLSearchParams({ actor })}` : "";
            try {
                const answer = await this.#fetch("GET", `/status${query}`, { ...this.#fields });
                if (!answer.ok) return;
                const status = await answer.json();
                const { hasUndo, hasRedo } = status.own ?? status;
                [this.canUndo, this.canRedo] = [hasUndo, hasRedo];
                this.#tell({ isOwn: false, edits: [] });
            } catch {
                // The next change asks again.
            }
        }, 100);
    }

    // Text areas

    /** Shows and edits the text at an address in a text area or input. Returns what ends that. */
    bindTextarea(element, pointer) {
        return bindText(this, element, pointer);
    }
}

class DetailEvent extends Event {
    constructor(type, detail) {
        super(type);
        this.detail = detail;
    }
}

/** Why the daemon did not do something; `problem` is what it said (RFC 9457). */
export class DocumentError extends Error {
    constructor(problem, edits = []) {
        super(problem.detail ?? problem.title ?? problem.code);
        this.problem = problem;
        this.edits = edits;
    }
}

function eitherSignal(one, other) {
    if (AbortSignal.any) return AbortSignal.any([one, other]);
    const either = new AbortController();
    for (const signal of [one, other]) {
        if (signal.aborted) either.abort();
        signal.addEventListener("abort", () => either.abort(), { signal: either.signal });
    }
    return either.signal;
}

async function problemOf(answer) {
    try {
        return await answer.json();
    } catch {
        return { status: answer.status, code: "unknown", detail: `HTTP ${answer.status}` };
    }
}

async function* linesOf(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        yield* lines.filter((line) => line !== "");
    }
}

/** Edits with more behind them: letters typed in a row are one edit. */
function joined(edits, more) {
    const result = edits.slice();
    for (const edit of more) {
        const last = result.at(-1);
        const isNext = last?.kind === "text" && edit.kind === "text" && last.removed === ""
            && edit.removed === "" && isAt(last.place, edit.place)
            && last.at + last.inserted.length === edit.at;
        if (isNext) result[result.length - 1] = { ...last, inserted: last.inserted + edit.inserted };
        else result.push(edit);
    }
    return result;
}

function bindText(shared, element, pointer) {
    const text = () => {
        const value = shared.value === undefined ? "" : valueAt(shared.value, placeOf(pointer, shared.value));
        return typeof value === "string" ? value : "";
    };
    // A text area shows each end of a line as one letter.
    const shown = () => text().replaceAll("\r\n", "\n");
    let isComposing = false;
    const show = (edits) => {
        if (isComposing || element.value === shown()) return;
        const place = shared.value === undefined ? [] : placeOf(pointer, shared.value);
        const caret = [element.selectionStart, element.selectionEnd].map((at) => moved(at, edits, place));
        element.value = shown();
        if (element.ownerDocument.activeElement === element) element.setSelectionRange(...caret);
    };
    const onInput = () => {
        if (isComposing || shared.value === undefined) return;
        const place = placeOf(pointer, shared.value);
        const [old, value] = [text(), element.value];
        const edits = textDifference(shown(), value, place)
            .map((edit) => ({ ...edit, at: edit.at + returnsBefore(old, edit.at) }));
        if (edits.length > 0) shared.edit(writeOperations(widened(edits, old), shared.value));
    };
    const onChange = ({ detail }) => show(detail.edits ?? []);
    const onStart = () => { isComposing = true; };
    const onEnd = () => {
        isComposing = false;
        onInput();
        show([]);
    };
    const onBefore = (event) => {
        const command = { historyUndo: "undo", historyRedo: "redo" }[event.inputType];
        if (!command) return;
        event.preventDefault();
        shared[command]().catch(() => {});
    };
    const listeners = { input: onInput, compositionstart: onStart, compositionend: onEnd, beforeinput: onBefore };
    for (const [name, listener] of Object.entries(listeners)) element.addEventListener(name, listener);
    shared.addEventListener("change", onChange);
    show([]);
    return () => {
        for (const [name, listener] of Object.entries(listeners)) element.removeEventListener(name, listener);
        shared.removeEventListener("change", onChange);
    };
}

/** How many returns, which a text area does not show, stand before a place in what it shows. */
function returnsBefore(text, at) {
    let [seen, returns] = [0, 0];
    for (let index = 0; index < text.length && seen < at; index += 1) {
        if (text[index] === "\r" && text[index + 1] === "\n") returns += 1;
        else seen += 1;
    }
    return returns;
}

/** Deletions with the returns that stand in them. */
function widened(edits, text) {
    return edits.map((edit) => {
        if (edit.removed === "") return edit;
        let [end, left] = [edit.at, edit.removed.length];
        while (left > 0) {
            if (!(text[end] === "\r" && text[end + 1] === "\n")) left -= 1;
            end += 1;
        }
        return { ...edit, removed: text.slice(edit.at, end) };
    });
}

/** Where a caret is after others' edits: behind what came before it, before what came at it. */
function moved(at, edits, place) {
    return edits.filter((edit) => edit.kind === "text" && isAt(edit.place, place)).reduce((caret, edit) => {
        if (edit.at >= caret) return caret;
        return Math.max(edit.at, caret - edit.removed.length) + edit.inserted.length;
    }, at);
}

export const internals = {
    applyAll, readOperations, writeOperations, difference, isSame,
};
