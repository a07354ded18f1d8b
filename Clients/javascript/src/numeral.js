// Numbers as they were written: 1e400, an id of 64 bits, 1.50. JavaScript's numbers do not keep
// their digits, so inside the library these are Numerals. An application sees numbers: views.js.

/** A number that JavaScript would write with other digits. */
export class Numeral {
    constructor(digits) {
        this.digits = digits;
        this.number = Number(digits);
        Object.freeze(this);
    }

    /** Whether a number of JavaScript is as large, though it has other digits. */
    get isExact() {
        return Number.isFinite(this.number)
            && normal(this.digits) === normal(String(this.number));
    }

    /** The same text for all that are as large. */
    get key() {
        return this.isExact ? String(this.number) : normal(this.digits);
    }

    toJSON() {
        return mark + this.digits;
    }
}

/** The digits of a number without zeros at both ends, and their power of ten. */
function normal(text) {
    const [, sign, whole, part = "", power = "0"] =
        /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text);
    const digits = (whole + part).replace(/^0+/, "");
    const significant = digits.replace(/0+$/, "");
    if (significant === "") return "0";
    const shift = digits.length - significant.length - part.length;
    return `${sign}${significant}e${BigInt(power) + BigInt(shift)}`;
}

/** The same text for numbers that are equal. */
export const keyOfNumber = (value) => (value instanceof Numeral ? value.key : String(value));
const isNumber = (value) => typeof value === "number" || value instanceof Numeral;

/** Whether two values are numbers, and equal. */
export const isEqualNumber = (one, other) =>
    isNumber(one) && isNumber(other) && keyOfNumber(one) === keyOfNumber(other);

// MARK: JSON

/** In texts that are parsed and written, Numerals are strings that begin so, and no others do. */
const mark = `numeral${String(Math.random()).slice(2)}:`;
const marked = new RegExp(`"${mark}([^"]*)"`, "g");

/** Matches each text with a Numeral, and some without. */
const unusual = /\d(?:\.?\d){15}|\d[eE]|\.\d*0(?!\d)|0\.0{6}|-0(?![.\d])/;
/** Escapes, quotes and numbers; a whole string as one token may be too long. */
const token = /\\.|"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

let isAny = false;

/** Whether there is any Numeral in this program. */
export const areNumerals = () => isAny;

export function readJSON(text) {
    if (!unusual.test(text)) return JSON.parse(text);
    let isInString = false;
    const prepared = text.replace(token, (found) => {
        if (found === '"') isInString = !isInString;
        const isPlain = isInString || found === '"' || String(Number(found)) === found;
        return isPlain ? found : `"${mark}${found}"`;
    });
    if (prepared === text) return JSON.parse(text);
    isAny = true;
    return JSON.parse(prepared, (_, value) => (typeof value === "string" && value.startsWith(mark)
        ? new Numeral(value.slice(mark.length)) : value));
}

/** The body of an answer. */
export const bodyOf = async (answer) => readJSON(await answer.text());

export function writeJSON(value) {
    const text = JSON.stringify(value);
    return isAny ? text.replace(marked, "$1") : text;
}
