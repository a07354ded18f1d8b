// The names of fields, elements and values. The rules are those of the daemon's room Sentences;
// Tests/SentencesTests/names.json tests both. Pure.

import { isContainer, isObject, isScalar } from "./json.js";

const wordMax = 24;
const textMax = 32;
const identityMax = 16;
const nameKeys = ["name", "title", "label", "subject", "heading", "caption", "text", "displayName",
    "display_name", "username", "email", "slug", "code"];

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const graphemes = (text) => [...segmenter.segment(text)].map(({ segment }) => segment);

const turning = /[\u202a-\u202e\u2066-\u2069]/g;

/** A name whose characters that turn the direction of others are seen, and turn nothing. */
export const visible = (name) => name.replace(turning,
    (one) => `‹U+${one.codePointAt(0).toString(16).toUpperCase()}›`);

/** "1 version", "3 versions". */
/** The prefix of the release of a draft, as "spring~/" of "spring~/menu"; or `null`. */
export const releaseOf = (name) => name.match(/^.*~\//s)?.[0] ?? null;

export const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** A text on one line, of at most `count` characters. */
export function cut(text, count) {
    const start = text.slice(0, 16 * count);
    const line = start.split(/\s+/u).filter(Boolean).join(" ");
    const letters = graphemes(line);
    if (letters.length <= count && start.length === text.length) return line;
    return `${letters.slice(0, count - 1).join("").trimEnd()}…`;
}

/** Whether a name reads as a word, not as an identifier. */
export function isWord(key) {
    if (graphemes(key).length > wordMax || !/^\p{L}[\p{L}\p{M}\p{N}_ -]*$/u.test(key)) return false;
    const isIdentifier = /\d{3}|^[\p{Lu}\p{Ll}]$|^.\d+$/u.test(key) || /^[a-f\d-]{8,}$/i.test(key);
    return !isIdentifier;
}

/** A name as words: `VATRate` is "VAT rate". A name that is not a word is in quotation marks. */
export function keyWords(key) {
    if (!isWord(key)) return `“${cut(key, wordMax)}”`;
    return key.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
        .split(/[_ -]+/).filter(Boolean)
        .map((word) => (/^\p{Lu}[\p{Lu}\p{N}]+$/u.test(word) ? word : word.toLowerCase())).join(
            " ");
}

/** The name of a member in a sentence: "the price", but “k49” alone, since it is not a word. */
export const withArticle = (words) => (words.startsWith("“") ? words : `the ${words}`);

export function singular(word) {
    if (/(ss|us|is)$/i.test(word)) return word;
    if (/ies$/i.test(word)) return `${word.slice(0, -3)}y`;
    if (/(ch|sh|x|ss|zz)es$/i.test(word)) return word.slice(0, -2);
    return /s$/i.test(word) ? word.slice(0, -1) : word;
}

export const titled = (words) => words.charAt(0).toUpperCase() + words.slice(1);

const isVisible = (value) => typeof value === "string" && value.trim() !== "";

export function identityOf(element, identity = ["id"]) {
    if (!isObject(element)) return undefined;
    const key = identity.find((name) => isScalar(element[name]) && element[name] !== null
        && typeof element[name] !== "boolean");
    return key === undefined ? undefined : String(element[key]);
}

/** The name of an element of an array; `array` is the array's own name. */
export function elementName(element, index, array, identity = ["id"]) {
    const kind = array === undefined ? "element" : singular(keyWords(array));
    if (isObject(element)) {
        const key = nameKeys.find((name) => isVisible(element[name]));
        if (key) return cut(element[key], textMax);
    } else if (isVisible(element)) {
        return `“${cut(element, wordMax)}”`;
    }
    const known = identityOf(element, identity);
    return `${kind} ${known === undefined ? index + 1 : cut(known, identityMax)}`;
}

/** A key next to its value: unchanged. In a sentence it becomes words. */
export const keyName = (key) => (key === "" ? "“”" : visible(cut(key, textMax)));

/** A name as a title. A key that is not a plain word stays as it is. */
export const asTitle = (name) => (/^\p{Ll}[\p{Ll} ]*$/u.test(name) ? titled(name) : name);

/** The name of a member: an element of a table, if its key is not a word. */
export function memberName(key, value) {
    if (isObject(value) && !isWord(key)) {
        const name = nameKeys.find((one) => isVisible(value[one]));
        if (name) return cut(value[name], textMax);
    }
    return keyName(key);
}

/** A value in few words. Numbers are as they were written. */
export function said(value) {
    if (value === undefined) return "nothing";
    if (value === null || value === "") return "empty";
    if (typeof value === "boolean") return value ? "on" : "off";
    if (typeof value === "string") return `“${cut(value, wordMax)}”`;
    if (!isContainer(value)) return String(value);
    const count = Object.keys(value).length;
    const noun = Array.isArray(value) ? "element" : "field";
    return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
