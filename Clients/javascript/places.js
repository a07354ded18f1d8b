// Values by their pointers, for components that show a part of a document.

import { childOf, placeOf, valueAt } from "./src/pointers.js";
import { isArray, isObject } from "./src/values.js";

/** The value at a pointer; `undefined` if there is none. */
export const valueIn = (value, pointer) => valueAt(value, placeOf(pointer, value));

/** The same value with another one at a pointer; what is on the way to it is made. */
export function replaced(value, pointer, other) {
    const put = (whole, place) => {
        if (place.length === 0) return other;
        const [step, ...rest] = place;
        if (isArray(whole)) {
            if (typeof step !== "number" || step > whole.length) {
                throw new TypeError(`${pointer}: the list has no element ${step}`);
            }
            const list = whole.slice();
            list[step] = put(whole[step], rest);
            return list;
        }
        if (whole !== undefined && !isObject(whole)) {
            throw new TypeError(`${pointer}: ${step} would stand in something that holds nothing`);
        }
        return { ...whole, [step]: put(childOf(whole, step), rest) };
    };
    return put(value, placeOf(pointer, value));
}
