// Places by their pointers, for what shows a part of a document.

import { isObject } from "./src/values.js";

const unescaped = (token) => token.replaceAll("~1", "/").replaceAll("~0", "~");

/** The names that lead to a place. */
function tokensOf(pointer) {
    if (pointer === "") return [];
    if (pointer[0] !== "/") throw new TypeError(`${pointer} is no JSON Pointer: it begins with /`);
    return pointer.slice(1).split("/").map(unescaped);
}

const isIndex = (token) => /^(0|[1-9]\d*)$/.test(token);

function member(value, token) {
    if (Array.isArray(value) && isIndex(token)) return value[Number(token)];
    return isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}

/** What stands at a pointer; `undefined` if nothing does. */
export function valueIn(value, pointer) {
    let found = value;
    for (const token of tokensOf(pointer)) found = member(found, token);
    return found;
}

/** The same value with another one at a pointer; what is on the way to it is made. */
export function replaced(value, pointer, other) {
    const put = (whole, tokens) => {
        if (tokens.length === 0) return other;
        const [token, ...rest] = tokens;
        if (Array.isArray(whole)) {
            const index = token === "-" ? whole.length : isIndex(token) ? Number(token) : -1;
            if (index < 0 || index > whole.length) {
                throw new TypeError(`${pointer}: the list has no element ${token}`);
            }
            const list = whole.slice();
            list[index] = put(whole[index], rest);
            return list;
        }
        if (whole !== undefined && !isObject(whole)) {
            throw new TypeError(`${pointer}: ${token} would stand in something that holds nothing`);
        }
        return { ...whole, [token]: put(member(whole, token), rest) };
    };
    return put(value, tokensOf(pointer));
}

