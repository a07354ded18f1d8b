// Addresses in a tree. A pointer is a text (RFC 6901); a place is a list of steps, which are
// numbers in arrays and texts in objects: only so can it follow its value when elements come and
// go.

import { isArray, isObject } from "./values.js";

export function parsePointer(text) {
    if (text === "") return [];
    if (!text.startsWith("/")) throw new TypeError(`${text} is no JSON Pointer: it begins with /`);
    return text.slice(1).split("/")
        .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function writePointer(place) {
    return place
        .map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

const isIndex = (token) => /^(0|[1-9][0-9]{0,17})$/.test(token);

/** The steps of a pointer. `-` is the array's end. */
export function placeOf(pointer, tree) {
    let container = tree;
    return parsePointer(pointer).map((token) => {
        let step = token;
        if (isArray(container)) {
            if (token === "-") step = container.length;
            else if (isIndex(token)) step = Number(token);
        }
        container = childOf(container, step);
        return step;
    });
}

export function childOf(container, step) {
    if (isArray(container)) return typeof step === "number" ? container[step] : undefined;
    return isObject(container) && Object.hasOwn(container, step) ? container[step] : undefined;
}

/** The value at a place; `undefined` if there is none. */
export function valueAt(tree, place) {
    let value = tree;
    for (const step of place) {
        if (value === undefined) return undefined;
        value = childOf(value, step);
    }
    return value;
}

export function holds(place, other) {
    if (place.length > other.length) return false;
    for (let depth = 0; depth < place.length; depth += 1) {
        if (place[depth] !== other[depth]) return false;
    }
    return true;
}

export const isAt = (place, other) => place.length === other.length && holds(place, other);
export const isAround = (place, other) => place.length < other.length && holds(place, other);
export const above = (place) => place.slice(0, -1);
export const isElement = (place) => typeof place[place.length - 1] === "number";
