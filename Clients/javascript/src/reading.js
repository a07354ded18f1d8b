// From operations to edits: JSON Patch (RFC 6902) with str_ins, str_del and str_replace.

import { Draft, isNothing, joinedMove } from "./edits.js";
import { above, isElement, parsePointer, placeOf, valueAt } from "./pointers.js";
import { replacement } from "./textreplacing.js";
import { freeze, isArray, isObject, isSame } from "./values.js";

/** The edits that operations make in a tree, and the tree after them. */
export function readOperations(operations, tree) {
    const reader = new OperationReader(tree);
    for (const operation of operations) reader.read(operation);
    return { edits: reader.edits, tree: reader.finish() };
}

const missing = (pointer) => new Error(`there is no ${pointer}`);

class OperationReader {
    edits = [];
    #draft;

    constructor(tree) {
        this.#draft = new Draft(tree);
    }

    get #tree() {
        return this.#draft.tree;
    }

    finish() {
        return this.#draft.finish();
    }

    read(operation) {
        const { op, path, from, value, pos, str, len } = operation;
        switch (op) {
            case "add": return this.#add(path, value);
            case "remove": return this.#remove(this.#existing(path).place);
            case "replace": return this.#set(this.#existing(path).place, value);
            case "move": return this.#move(from, path);
            case "copy": return this.#add(path, this.#existing(from).value);
            case "test": return this.#test(path, value);
            case "str_ins": return this.#insertText(path, pos, str);
            case "str_del": return this.#deleteText(path, pos, len ?? str.length);
            case "str_replace": return this.#replaceText(operation);
            default: throw new TypeError(`there is no operation ${op}`);
        }
    }

    #perform(edit) {
        this.#draft.apply(edit);
        this.edits.push(edit);
    }

    #existing(pointer) {
        const place = placeOf(pointer, this.#tree);
        const value = valueAt(this.#tree, place);
        if (value === undefined) throw missing(pointer);
        return { place, value: freeze(value) };
    }

    #set(place, value) {
        const old = freeze(valueAt(this.#tree, place));
        if (!isSame(old, value)) this.#perform({ kind: "set", place, old, value });
    }

    #remove(place) {
        if (place.length === 0) throw new Error("the root cannot be removed");
        const value = freeze(valueAt(this.#tree, place));
        this.#perform(isElement(place)
            ? { kind: "delete", place, value } : { kind: "set", place, old: value });
    }

    #add(pointer, value) {
        const place = placeOf(pointer, this.#tree);
        if (place.length === 0) return this.#set(place, value);
        const container = valueAt(this.#tree, above(place));
        if (!isArray(container)) {
            if (!isObject(container)) throw missing(pointer);
            return this.#set(place, value);
        }
        if (!isGap(place, container)) throw missing(pointer);
        return this.#perform({ kind: "insert", place, value });
    }

    #test(pointer, value) {
        const found = this.#existing(pointer);
        if (!isSame(found.value, value)) throw new Error(`${pointer} is another`);
        this.edits.push({ kind: "read", place: found.place, value });
    }

    #move(from, to) {
        const { place, value } = this.#existing(from);
        if (from === to) return undefined;
        if (to.startsWith(`${from}/`)) throw new Error("a value cannot be moved into itself");
        const goesUp = from.startsWith(`${to}/`) || to === "";
        const around = above(placeOf(to, this.#tree));
        if (goesUp && (to === "" || !isArray(valueAt(this.#tree, around)))) {
            // It replaces what it was in.
            this.#remove(place);
            return this.#add(to, value);
        }
        this.#clear(from, to, place, value);
        return this.#carry(from, to, value);
    }

    /** The value at the target is removed first, unless that gives the target another address. */
    #clear(from, to, place, value) {
        const origin = from.slice(0, from.lastIndexOf("/"));
        if (isElement(place) && to.startsWith(`${origin}/`)) return;
        const target = placeOf(to, this.#tree);
        if (!isObject(valueAt(this.#tree, above(target)))) return;
        const old = valueAt(this.#tree, target);
        if (old !== undefined && !isSame(old, value)) this.#remove(target);
    }

    #carry(from, to, value) {
        const place = placeOf(from, this.#tree);
        const without = new Draft(this.#tree);
        without.apply({ kind: isElement(place) ? "delete" : "set", place });
        const end = placeOf(to, without.tree);
        const container = valueAt(without.tree, above(end));
        if (isObject(container) && valueAt(without.tree, end) !== undefined) {
            this.#remove(place);
            return this.#set(end, value);
        }
        if (!isObject(container) && !isGap(end, container)) throw missing(to);
        const move = { kind: "move", place, to: end };
        if (isNothing(move)) return undefined;
        const both = joinedMove(this.edits[this.edits.length - 1], move);
        if (both === null) return this.#perform(move);
        this.#draft.apply(move);
        this.edits[this.edits.length - 1] = both;
        return undefined;
    }

    #text(pointer, end) {
        const found = this.#existing(pointer);
        if (typeof found.value !== "string" || !(end <= found.value.length)) {
            throw new Error(`there is no such text at ${pointer}`);
        }
        return found;
    }

    #insertText(pointer, at, inserted) {
        const { place } = this.#text(pointer, at);
        if (inserted !== "") this.#perform({ kind: "text", place, at, removed: "", inserted });
    }

    #deleteText(pointer, at, count) {
        const { place, value } = this.#text(pointer, at + count);
        const removed = value.slice(at, at + count);
        if (count > 0) this.#perform({ kind: "text", place, at, removed, inserted: "" });
    }

    #replaceText(operation) {
        const { place, value } = this.#text(operation.path, 0);
        for (const edit of replacement(value, operation, place)) this.#perform(edit);
    }
}

/** Whether a place is between the elements of an array, or at its ends. */
function isGap(place, container) {
    return isArray(container) && isElement(place) && place[place.length - 1] <= container.length;
}

/** The members of an operation besides its path. */
const membersOf = {
    add: ["value"], replace: ["value"], test: ["value"], remove: [], move: ["from"], copy: ["from"],
    str_ins: ["pos", "str"], str_del: ["pos"], str_replace: ["find", "str"],
};

/**
 * Throws if operations are none: a name that is not known, a pointer that is none, a member that is
 * missing.
 */
export function checkOperations(operations) {
    if (!isArray(operations)) throw new TypeError("operations are a list");
    for (const operation of operations) {
        const { op, path, from, find } = operation;
        if (!Object.hasOwn(membersOf, op)) throw new TypeError(`there is no operation ${op}`);
        const absent = membersOf[op].find((name) => operation[name] === undefined);
        if (absent) throw new TypeError(`${op} has no ${absent}`);
        if (find === "" && op === "str_replace") throw new TypeError("find is empty");
        parsePointer(String(path));
        if (from !== undefined) parsePointer(String(from));
    }
}
