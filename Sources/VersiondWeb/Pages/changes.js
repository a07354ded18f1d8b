// A change as people read it: what stood at each place, and what stands there now.

import { make } from "./build.js";
import { LongNumber } from "./api.js";

const tokens = (path) => path.split("/").slice(1).map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));

/** What stands at an address; undefined if nothing does. */
export function valueAt(value, path) {
    for (const token of tokens(path)) {
        if (value === null || typeof value !== "object" || value instanceof LongNumber) return undefined;
        if (!Object.hasOwn(value, token)) return undefined;
        value = value[token];
    }
    return value;
}

/** Applies one operation to a value that may be changed. Returns the value and what stood at the place. */
export function applied(value, operation) {
    const path = tokens(operation.path);
    const last = path.pop();
    const old = valueAt(value, operation.path);
    if (operation.op === "move") {
        const moved = valueAt(value, operation.from);
        value = applied(value, { op: "remove", path: operation.from }).value;
        return { value: applied(value, { op: "add", path: operation.path, value: moved }).value, old: moved };
    }
    if (last === undefined) return { value: operation.value, old };
    const parent = valueAt(value, operation.path.slice(0, operation.path.lastIndexOf("/")));
    if (parent === null || typeof parent !== "object") return { value, old };
    if (operation.op === "remove") Array.isArray(parent) ? parent.splice(last, 1) : delete parent[last];
    else if (operation.op === "add" && Array.isArray(parent)) parent.splice(last === "-" ? parent.length : last, 0, operation.value);
    else parent[last] = operation.value;
    return { value, old: operation.op === "add" && Array.isArray(parent) ? undefined : old };
}

const textMax = 400;

export function brief(value) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text.length > textMax ? `${text.slice(0, textMax)}…` : text;
}

/** Two texts with what differs between them marked. */
function textChange(old, text) {
    let start = 0;
    while (start < Math.min(old.length, text.length) && old[start] === text[start]) start += 1;
    let end = 0;
    const most = Math.min(old.length, text.length) - start;
    while (end < most && old.at(-1 - end) === text.at(-1 - end)) end += 1;
    const around = 40;
    const before = old.slice(Math.max(0, start - around), start);
    const after = old.slice(old.length - end, old.length - end + around);
    const [gone, come] = [old.slice(start, old.length - end), text.slice(start, text.length - end)];
    return make("span", { class: "text" }, start > around && "…", before,
        gone && make("del", {}, brief(gone)), come && make("ins", {}, brief(come)), after, end > around && "…");
}

function row(sign, words, path, ...content) {
    return make("li", { class: "change" }, make("span", { class: "sign", title: words }, sign),
        make("span", { class: "hidden" }, words), make("code", {}, path === "" ? "whole value" : path), ...content);
}

function describe(operation, old) {
    const { op, path, from, value } = operation;
    if (op === "move") return row("→", "moved", from, make("span", {}, " to "), make("code", {}, path));
    if (op === "remove") return row("−", "removed", path, make("del", {}, old === undefined ? "" : brief(old)));
    if (old === undefined) {
        const [sign, words] = op === "replace" ? ["±", "changed"] : ["+", "added"];
        return row(sign, words, path, make("ins", {}, brief(value)));
    }
    if (typeof old === "string" && typeof value === "string") return row("±", "changed", path, textChange(old, value));
    return row("±", "changed", path, make("del", {}, brief(old)), " → ", make("ins", {}, brief(value)));
}

const rowsMax = 200;

/** A patch, read with the value that it was made on; that is undefined if it is too large to have. */
export function patchList(before, patch) {
    if (patch.length === 0) return make("p", { class: "quiet" }, "Nothing.");
    let value = before === undefined ? undefined : structuredCloneValue(before);
    const rows = [];
    for (const operation of patch.slice(0, rowsMax)) {
        let old;
        if (value !== undefined) ({ value, old } = applied(value, operation));
        rows.push(describe(operation, old));
    }
    const rest = patch.length - rows.length;
    return make("ul", { class: "changes" }, ...rows, rest > 0 && make("li", { class: "quiet" }, `and ${rest} more`));
}

function structuredCloneValue(value) {
    if (Array.isArray(value)) return value.map(structuredCloneValue);
    if (value === null || typeof value !== "object" || value instanceof LongNumber) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, structuredCloneValue(one)]));
}
