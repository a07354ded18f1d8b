// JSON values as JavaScript has them. Values that are shown are frozen: an edit makes new ones, and
// shares what it leaves alone.

import { isEqualNumber, Numeral } from "./numeral.js";

export const isArray = Array.isArray;

export function isObject(value) {
    return isContainer(value) && !isArray(value);
}

export function isContainer(value) {
    return typeof value === "object" && value !== null && !(value instanceof Numeral);
}

export function isSame(one, other) {
    if (one === other) return true;
    if (isArray(one)) {
        return isArray(other) && one.length === other.length
            && one.every((value, index) => isSame(value, other[index]));
    }
    if (!isObject(one) || !isObject(other)) return isEqualNumber(one, other);
    const names = Object.keys(one);
    return names.length === Object.keys(other).length
        && names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]));
}

/** Adds all of a list to another one, whatever its length: arguments of a call are limited. */
export function addAll(list, more) {
    for (const one of more) list.push(one);
}

/** Sets a member or an element, including a member named `__proto__`. */
export function define(container, step, value) {
    if (isArray(container) || step !== "__proto__") container[step] = value;
    else {
        Object.defineProperty(container, step,
            { value, enumerable: true, configurable: true, writable: true });
    }
}

/** Freezes a value with all in it; what is frozen already is left alone. */
export function freeze(value) {
    if (!isContainer(value) || Object.isFrozen(value)) return value;
    Object.freeze(value);
    for (const name in value) freeze(value[name]);
    return value;
}

// MARK: Texts

const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Whether a text has no half of a surrogate pair, which UTF-8 does not have. */
export function isWellFormed(text) {
    return text.isWellFormed ? text.isWellFormed() : !lone.test(text);
}

/** The text with a mark in the place of each half of a surrogate pair. */
export function wellFormed(text) {
    if (isWellFormed(text)) return text;
    return text.toWellFormed ? text.toWellFormed() : text.replace(new RegExp(lone, "g"), "\ufffd");
}
