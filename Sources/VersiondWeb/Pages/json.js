// JSON as the daemon writes it: numbers keep their digits, and places have pointers. Pure.

/** A number whose digits JavaScript cannot hold. */
export class LongNumber {
    constructor(text) {
        this.text = text;
    }

    toJSON() {
        return JSON.rawJSON ? JSON.rawJSON(this.text) : Number(this.text);
    }

    toString() {
        return this.text;
    }
}

/**
 * In larger texts, numbers are checked one by one only if some are too long: that takes as long as
 * all the rest.
 */
const largeBytes = 1 << 20;

/** A value as the daemon wrote it: numbers keep their digits, if the browser supports that. */
export function parse(text) {
    if (text.length > largeBytes && !/\d{16}|\d\.\d*0[,\]}\s]/.test(text)) return JSON.parse(text);
    return JSON.parse(text, (_, value, context) => {
        const isChanged = typeof value === "number" && context && String(value) !== context.source;
        return isChanged ? new LongNumber(context.source) : value;
    });
}

export const isContainer = (value) =>
    value !== null && typeof value === "object" && !(value instanceof LongNumber);
export const isObject = (value) => isContainer(value) && !Array.isArray(value);
export const isScalar = (value) => value !== undefined && !isContainer(value);
export const escaped = (token) => String(token).replaceAll("~", "~0").replaceAll("/", "~1");
export const joined = (path, key) => `${path}/${escaped(key)}`;
export const tokens = (path) =>
    path.split("/").slice(1).map((one) => one.replaceAll("~1", "/").replaceAll("~0", "~"));
export const above = (path) => path.slice(0, path.lastIndexOf("/"));

/** The value at a place; `undefined` if there is none. */
export function valueAt(value, path) {
    let at = value;
    for (const token of tokens(path)) {
        if (!isContainer(at) || !Object.hasOwn(at, token)) return undefined;
        at = at[token];
    }
    return at;
}

export function isEqual(one, other) {
    if (one === other) return true;
    if (!isContainer(one) || !isContainer(other)) {
        return isScalar(one) && isScalar(other) && typeof one !== "string"
            && typeof other !== "string"
            && one !== null && other !== null && String(one) === String(other)
            && typeof one !== "boolean" && typeof other !== "boolean";
    }
    if (Array.isArray(one) !== Array.isArray(other)) return false;
    const keys = Object.keys(one);
    return keys.length === Object.keys(other).length
        && keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key]));
}
