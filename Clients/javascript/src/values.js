// JSON values as JavaScript has them. Values that are shown are frozen: an edit makes new ones, and
// shares what it leaves alone.

export const isArray = Array.isArray;

export function isObject(value) {
    return typeof value === "object" && value !== null && !isArray(value);
}

export const isContainer = (value) => typeof value === "object" && value !== null;

export function isSame(one, other) {
    if (one === other) return true;
    if (isArray(one)) {
        return isArray(other) && one.length === other.length
            && one.every((value, index) => isSame(value, other[index]));
    }
    if (!isObject(one) || !isObject(other)) return false;
    const names = Object.keys(one);
    return names.length === Object.keys(other).length
        && names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]));
}

/** Adds all of a list to another one, whatever its length: arguments of a call are limited. */
export function addAll(list, more) {
    for (const one of more) list.push(one);
}

/** Sets a member or an element; a member named `__proto__`, too. */
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

// MARK: What JSON can say

/** Deeper than any daemon takes, so that a cycle ends. */
const depthMax = 1_000;

/**
 * A frozen copy of what a program gave, so that it can go on using its own. What JSON cannot say is
 * a TypeError that names the place. `known`: a value whose parts need neither copy nor check.
 */
export function copied(value, place = "", known = undefined, depth = 0) {
    if (value === known && known !== undefined) return value;
    if (!isContainer(value)) return checkedScalar(value, place);
    if (depth > depthMax) {
        throw new TypeError(`${place.slice(0, 80)}… nests too deep, or is a cycle`);
    }
    const copy = isArray(value) ? [] : {};
    for (const name of namesOf(value, place)) {
        const inner = isContainer(known) && Object.hasOwn(known, name) ? known[name] : undefined;
        define(copy, name, copied(value[name], `${place}/${name}`, inner, depth + 1));
    }
    return Object.freeze(copy);
}

function checkedScalar(value, place) {
    switch (typeof value) {
        case "string":
            if (!isWellFormed(value)) throw cannotSay(place, "half of a surrogate pair");
            return value;
        case "number":
            if (!Number.isFinite(value)) throw cannotSay(place, String(value));
            return value;
        case "boolean": return value;
        default:
            if (value === null) return null;
            throw cannotSay(place, value === undefined
                ? "undefined: use delete, or leave it out" : `a ${typeof value}`);
    }
}

function namesOf(value, place) {
    if (isArray(value)) {
        for (let index = 0; index < value.length; index += 1) {
            if (!(index in value)) throw cannotSay(`${place}/${index}`, "a hole in an array");
        }
        return [...value.keys()];
    }
    const made = Object.getPrototypeOf(value);
    if (made !== null && made !== Object.prototype && Object.getPrototypeOf(made) !== null) {
        throw cannotSay(place, `a ${made.constructor?.name ?? "class"}`);
    }
    const names = Object.keys(value);
    const odd = names.find((name) => !isWellFormed(name));
    if (odd !== undefined) throw cannotSay(place, "a name with half of a surrogate pair");
    return names;
}

const cannotSay = (place, what) =>
    new TypeError(`${place === "" ? "The value" : place} is ${what}, which JSON cannot say`);

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
