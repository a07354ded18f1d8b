// Checked copies of values from programs: a value outside JSON is an error that names the place.

import { areNumerals, keyOfNumber } from "./numeral.js";
import { define, isArray, isContainer, isSame, isWellFormed } from "./values.js";
import { originOf, viewOf } from "./views.js";

/** Deeper than any daemon takes, so that a cycle ends. */
const depthMax = 1_000;

/**
 * A frozen copy of a program's value, so that the program can continue to use its own. A value
 * outside JSON throws a TypeError that names the place. `known`: the current value, whose parts
 * need neither copy nor check. `tree`: all that the program has seen. `sourceOf`: the source of a
 * container that the program received. Numbers that only moved keep their digits in these.
 */
export function copied(value, { known, tree = known, sourceOf = originOf } = {}) {
    return new Copier(tree, sourceOf).copy(value, "", known, 0);
}

class Copier {
    #tree;
    #sourceOf;
    #found = null;

    constructor(tree, sourceOf) {
        this.#tree = tree;
        this.#sourceOf = sourceOf;
    }

    copy(value, place, known, depth) {
        if (known !== undefined && value === viewOf(known)) return known;
        if (!isContainer(value)) return this.#taken(value, known) ?? checkedScalar(value, place);
        const source = this.#sourceOf(value);
        if (source !== undefined) return source;
        if (depth > depthMax) {
            throw new TypeError(`${place.slice(0, 80)}… nests too deep, or is a cycle`);
        }
        const copy = isArray(value) ? [] : {};
        for (const name of namesOf(value, place)) {
            const [given, path] = [value[name], `${place}/${name}`];
            const there = isContainer(known) && Object.hasOwn(known, name)
                ? known[name] : undefined;
            const taken = this.#taken(given, there, value, name);
            define(copy, name, taken ?? this.copy(given, path, there, depth + 1));
        }
        return Object.freeze(copy);
    }

    /**
     * The document's number that a program means by a number that JavaScript cannot distinguish
     * from others; `undefined` if JavaScript can. Of several, it is the one in the container most
     * similar to the given one, then the current one.
     */
    #taken(number, there, container, name) {
        if (typeof number !== "number" || isSafe(number) || !areNumerals()) return undefined;
        this.#found ??= unsafeIn(this.#tree);
        const found = this.#found.get(number) ?? [];
        const isOne = (list) => new Set(list.map(({ value }) => keyOfNumber(value))).size === 1;
        if (isOne(found)) return found[0].value;
        const likeness = found.map((one) =>
            (one.name === name || isArray(container) ? likenessOf(one.container, container) : -1));
        const most = Math.max(...likeness);
        const best = found.filter((_, index) => likeness[index] === most);
        if (isOne(best)) return best[0].value;
        return best.find(({ value }) => value === there)?.value;
    }
}

/** Whether a number is what it says: JavaScript writes all its digits. */
const isSafe = (number) => Number.isFinite(number)
    && Math.abs(number) <= Number.MAX_SAFE_INTEGER && String(number).length < 16;

/** The other numbers in a value, by the form that an application sees. */
function unsafeIn(tree) {
    const found = new Map();
    const visit = (container) => {
        for (const name of Object.keys(container)) {
            const value = container[name];
            const number = viewOf(value);
            if (isContainer(value)) visit(value);
            if (typeof number !== "number" || isSafe(number)) continue;
            const same = found.get(number) ?? [];
            same.push({ value, container, name });
            found.set(number, same);
        }
    };
    visit([tree]);
    return found;
}

/** How many members two containers have in common. */
function likenessOf(one, other) {
    if (!isContainer(other) || isArray(one) !== isArray(other)) return -1;
    return Object.keys(one).filter((name) => isSame(viewOf(one[name]), other[name])).length;
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
