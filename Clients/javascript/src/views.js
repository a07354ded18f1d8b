// An application's view of values: numbers in the place of the library's Numerals.

import { areNumerals, Numeral, readJSON, writeJSON } from "./numeral.js";
import { define, isArray } from "./values.js";

const views = new WeakMap();
const origins = new WeakMap();

/** The same value with numbers of JavaScript in it; most values are that themselves. */
export function viewOf(value) {
    if (!areNumerals() || typeof value !== "object" || value === null) return value;
    if (value instanceof Numeral) return value.number;
    let view = views.get(value);
    if (view !== undefined) return view;
    view = isArray(value) ? viewOfList(value) : viewOfObject(value);
    views.set(value, view);
    if (view === value) return view;
    origins.set(view, value);
    return Object.isFrozen(value) ? Object.freeze(view) : view;
}

function viewOfList(list) {
    const view = list.map(viewOf);
    return view.every((element, index) => element === list[index]) ? list : view;
}

function viewOfObject(object) {
    let view = object;
    for (const name of Object.keys(object)) {
        const inner = viewOf(object[name]);
        if (inner === object[name]) continue;
        if (view === object) view = { ...object };
        define(view, name, inner);
    }
    return view;
}

/** The container behind a view, mostly itself; `undefined` if it is not a view. */
export function originOf(view) {
    const isItself = views.get(view) === view && Object.isFrozen(view);
    return isItself ? view : origins.get(view);
}

/** A value as a browser's database and channels keep it, and the value again. */
export const packed = (value) => (viewOf(value) === value ? value : { json: writeJSON(value) });
export const unpacked = (value) =>
    (typeof value?.json === "string" ? readJSON(value.json) : value);
