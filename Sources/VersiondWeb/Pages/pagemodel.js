// A value as a page: a title, fields, texts, and arrays of alike objects as tables. Pure.

import { isContainer, isObject, isScalar, joined } from "./json.js";
import { elementName, keyName, memberName, said } from "./names.js";

/** Rows that are shown at once; more come when they are asked for. */
export const rowsMax = 100;
const columnsMax = 6;
const depthMax = 3;
const textMin = 60;
const textMax = 20_000;
const titleKeys = ["title", "name", "subject", "heading"];

/** Blocks: { type: "title" | "text" | "fields" | "table" | "list" | "group" | "more", … }. */
export function pageModel(value, path = "", depth = 0) {
    if (Array.isArray(value)) return [array(value, path, "", depth)];
    if (!isObject(value)) return [{ type: "text", path, name: "", text: shown(value) }];
    const keys = Object.keys(value);
    const title = depth === 0 && titleKeys.find((key) => typeof value[key] === "string"
        && value[key]);
    const blocks = title ? [{ type: "title", path: joined(path, title), text: value[title] }] : [];
    const fields = keys.filter((key) => key !== title && isShort(value[key]));
    if (fields.length > 0) {
        blocks.push({ type: "fields", path, total: fields.length,
            fields: fields.slice(0, rowsMax).map((key) => field(value[key], key, path)) });
    }
    const parts = keys.filter((key) => key !== title && !isShort(value[key]));
    for (const key of parts.slice(0, rowsMax)) blocks.push(part(value[key], key, joined(path, key),
        depth));
    if (parts.length > rowsMax) blocks.push({ type: "more", path, count: parts.length - rowsMax });
    return blocks;
}

const isShort = (value) => isScalar(value)
    && !(typeof value === "string" && (value.length >= textMin || value.includes("\n")))
    || (isContainer(value) && Object.keys(value).length === 0);

const shown = (value) => (typeof value === "string" ? value.slice(0, textMax) : said(value));

function field(value, key, path) {
    const isText = typeof value === "string" && value !== "";
    return { path: joined(path, key), name: keyName(key), text: isText ? value : said(value),
        isNumber: kindOf(value) === "number" };
}

const kindOf = (value) => (value !== null && typeof value === "object" && !isContainer(value)
    ? "number" : typeof value);

function part(value, key, path, depth) {
    const name = memberName(key, value);
    if (typeof value === "string") return { type: "text", path, name, text: shown(value) };
    if (Array.isArray(value)) return array(value, path, key, depth);
    if (depth >= depthMax) return { type: "more", path, name, count: Object.keys(value).length };
    return { type: "group", path, name, blocks: pageModel(value, path, depth + 1) };
}

function array(value, path, key, depth) {
    const name = key === "" ? "Elements" : keyName(key);
    const objects = value.filter(isObject).length;
    if (objects > 0 && objects >= value.length * 0.8 && depth < depthMax) {
        const columns = columnsOf(value);
        return { type: "table", path, name, count: value.length, columns,
            rows: rowsOf(value, path, columns, 0, rowsMax) };
    }
    return { type: "list", path, name, count: value.length,
        items: itemsOf(value, path, key, 0, rowsMax) };
}

/** The members that most elements have, in the order of the first of them. */
function columnsOf(value) {
    const counts = new Map();
    for (const element of value.slice(0, 500)) {
        if (!isObject(element)) continue;
        for (const key of Object.keys(element)) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const order = [...counts.keys()];
    // Members that identify an element only for programs follow those that people read.
    const weight = (key) => counts.get(key) - (["id", "key", "uuid"].includes(key) ? value.length
        : 0);
    const best = [...order].sort((one, other) => weight(other) - weight(one)).slice(0, columnsMax);
    return order.filter((key) => best.includes(key) && weight(key) > 0).map((key) => ({
        key, name: keyName(key),
        isNumber: value.slice(0, 50).every((element) => !isObject(element)
            || element[key] === undefined
            || kindOf(element[key]) === "number"),
    }));
}

function rowsOf(value, path, columns, start, count) {
    return value.slice(start, start + count).map((element, offset) => {
        const place = joined(path, start + offset);
        if (!isObject(element)) return { path: place,
            cells: [{ path: place, text: said(element) }] };
        return { path: place, cells: columns.map(({ key, isNumber }) => ({
            path: joined(place, key), isNumber,
            text: element[key] === undefined ? "" : cellText(element[key]),
        })) };
    });
}

const cellText = (value) => (typeof value === "string" ? value.slice(0, 300) : said(value));

function itemsOf(value, path, key, start, count) {
    return value.slice(start, start + count).map((element, offset) => ({
        path: joined(path, start + offset),
        text: typeof element === "string" ? element.slice(0, 300)
            : isContainer(element) ? elementName(element, start + offset, key || undefined)
                : said(element),
    }));
}

/** More rows of a table or a list. */
export function moreRows(value, path, columns, start) {
    return columns ? rowsOf(value, path, columns, start, rowsMax)
        : itemsOf(value, path, "", start, rowsMax);
}

