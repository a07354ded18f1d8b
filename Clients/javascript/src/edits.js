// Edits of a tree, each of which knows its inverse:
//
// insert {value} · delete {value} (elements) · set {old, value} (undefined: there is none)
// · move {to} (a place in the tree without the value) · text {at, removed, inserted} · read

import { above, childOf, isAround, isAt, isElement } from "./pointers.js";
import { define, freeze, isArray, isObject } from "./values.js";

/** The tree after edits. Untouched parts are shared, so the cost is that of the touched ones. */
export function applyAll(tree, edits) {
    if (edits.length === 0) return tree;
    const draft = new Draft(tree);
    for (const edit of edits) draft.apply(edit);
    return draft.finish();
}

export const apply = (tree, edit) => applyAll(tree, [edit]);

/** A tree that is being changed: each container on the way is copied once. */
export class Draft {
    #own = new Set();

    constructor(tree) {
        this.tree = tree;
    }

    finish() {
        for (const container of this.#own) Object.freeze(container);
        return this.tree;
    }

    apply(edit) {
        switch (edit.kind) {
            case "insert": return this.#put(edit.place, edit.value);
            case "delete": return void this.#take(edit.place);
            case "set":
                if (edit.place.length === 0) this.tree = edit.value;
                else if (edit.value === undefined) this.#take(edit.place);
                else this.#set(edit.place, edit.value);
                return undefined;
            case "move": return this.#put(edit.to, this.#take(edit.place));
            case "text": return this.#splice(edit);
            default: return undefined;
        }
    }

    /** A copy that only this draft has; what an edit refers to is frozen, and copied again. */
    #owned(container) {
        if (this.#own.has(container) && !Object.isFrozen(container)) return container;
        const copy = isArray(container) ? container.slice() : { ...container };
        this.#own.add(copy);
        return copy;
    }

    /** The container of a place, to be changed. */
    #container(place) {
        if (!isArray(this.tree) && !isObject(this.tree)) throw new Error("the path leads nowhere");
        let container = this.tree = this.#owned(this.tree);
        for (let depth = 0; depth < place.length - 1; depth += 1) {
            const child = childOf(container, place[depth]);
            if (!isArray(child) && !isObject(child)) throw new Error("the path leads nowhere");
            const copy = this.#owned(child);
            define(container, place[depth], copy);
            container = copy;
        }
        const isNumber = typeof place[place.length - 1] === "number";
        if (isArray(container) !== isNumber) throw new Error("the path leads nowhere");
        return container;
    }

    #set(place, value) {
        define(this.#container(place), place[place.length - 1], freeze(value));
    }

    #put(place, value) {
        const container = this.#container(place);
        const step = place[place.length - 1];
        freeze(value);
        if (isArray(container)) container.splice(step, 0, value);
        else define(container, step, value);
    }

    #take(place) {
        const container = this.#container(place);
        const step = place[place.length - 1];
        const value = container[step];
        if (isArray(container)) container.splice(step, 1);
        else delete container[step];
        return value;
    }

    #splice({ place, at, removed, inserted }) {
        const step = place[place.length - 1];
        const container = place.length === 0 ? null : this.#container(place);
        const text = container === null ? this.tree : childOf(container, step);
        if (typeof text !== "string" || !text.startsWith(removed, at)) {
            throw new Error("the text is another");
        }
        const next = text.slice(0, at) + inserted + text.slice(at + removed.length);
        if (container === null) this.tree = next;
        else define(container, step, next);
    }
}

export function inverse(edit) {
    switch (edit.kind) {
        case "insert": return { ...edit, kind: "delete" };
        case "delete": return { ...edit, kind: "insert" };
        case "set": return { ...edit, old: edit.value, value: edit.old };
        case "move": return { ...edit, place: edit.to, to: edit.place };
        case "text": return { ...edit, removed: edit.inserted, inserted: edit.removed };
        default: return null;
    }
}

/**
 * Whether an edit changes nothing, and is left out of operations: a move of a value to its own
 * place.
 */
export const isNothing = (edit) => edit.kind === "move" && isAt(edit.place, edit.to);

/** The edits that revert others, the last one first. */
export const inverses = (edits) =>
    edits.map(inverse).filter((edit) => edit !== null).reverse();

/** Adds edits to a list: letters typed or deleted in a row are one edit. */
export function join(edits, more) {
    for (const edit of more) {
        const last = edits[edits.length - 1];
        const isText = last?.kind === "text" && edit.kind === "text"
            && isAt(last.place, edit.place);
        const both = isText ? joinedText(last, edit) : joinedMove(last, edit);
        if (both === null) edits.push(edit);
        else if (both.removed === "" && both.inserted === "") edits.pop();
        else edits[edits.length - 1] = both;
    }
}

function joinedText(last, next) {
    const isTyping = last.removed === "" && next.removed === "";
    if (isTyping && last.at + last.inserted.length === next.at) {
        return { ...last, inserted: last.inserted + next.inserted };
    }
    const isErasing = last.inserted === "" && next.inserted === "";
    if (isErasing && next.at + next.removed.length === last.at) {
        return { ...next, removed: next.removed + last.removed };
    }
    if (isErasing && next.at === last.at) return { ...last, removed: last.removed + next.removed };
    // The deletion removes text that was just typed.
    const end = last.at + last.inserted.length;
    if (last.removed === "" && next.inserted === "" && next.at + next.removed.length === end
        && next.at >= last.at) {
        return { ...last, inserted: last.inserted.slice(0, next.at - last.at) };
    }
    return null;
}

/** Edits as the daemon reads them: what would be written as two halves of a move is one. */
export function whole(edits) {
    const result = [];
    for (const edit of edits) {
        const both = joinedMove(result[result.length - 1], edit);
        if (both === null) result.push(edit);
        else result[result.length - 1] = both;
    }
    return result;
}

/**
 * The one move that would be written as these two, see `moves` in writing.js, or whose inverse
 * would; `null` if they are two, or no moves.
 */
export function joinedMove(first, next) {
    if (first?.kind !== "move" || next.kind !== "move" || !isAt(first.to, next.place)) return null;
    const both = { ...first, to: next.to };
    const behind = placeBehind(both);
    return behind !== null && isAt(behind, next.place) ? both : null;
}

/** The two moves that are read as this one, past the place behind an element; else `null`. */
export function halves(edit) {
    const behind = edit.kind === "move" ? placeBehind(edit) : null;
    return behind && [{ ...edit, to: behind }, { ...edit, place: behind }];
}

/** The place behind the element that a move leads out of or into; `null` if it does neither. */
function placeBehind({ place, to }) {
    const isInto = isAround(place, to);
    if (!isInto && !isAround(to, place)) return null;
    const element = isInto ? place : to;
    return isElement(element) ? [...above(element), element[element.length - 1] + 1] : null;
}
