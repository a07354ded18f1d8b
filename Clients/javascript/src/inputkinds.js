// How controls are read and written: what a person sees in them is what the document has.

/** The value of an option or a radio, of the kind that is stored: 2 stays a number. */
function like(stored, text) {
    if (typeof stored !== "number" && typeof stored !== "boolean") return text;
    try {
        const value = JSON.parse(text);
        return ["number", "boolean"].includes(typeof value) ? value : text;
    } catch {
        return text;
    }
}

const textOf = (value) => (value === undefined || value === null ? "" : String(value));

/** Writes a text; the caret of a person who types in it stays where it was. */
function writeText(element, text) {
    const { selectionStart: caret } = element;
    element.value = text;
    const isActive = element.ownerDocument?.activeElement === element;
    if (isActive && typeof caret === "number") element.setSelectionRange(caret, caret);
}

/**
 * `read` gives what the control says where `stored` is what the document has; `undefined` if it
 * says nothing.
 */
const kinds = {
    checkbox: {
        read: (element) => element.checked,
        write: (element, value) => { element.checked = Boolean(value); },
    },
    /** One of several, bound to the same place. */
    radio: {
        read: (element, stored) => (element.checked ? like(stored, element.value) : undefined),
        write: (element, value) => { element.checked = textOf(value) === element.value; },
    },
    number: {
        read: (element) => (element.value === "" ? null : element.valueAsNumber),
        write: (element, value) => {
            element.value = typeof value === "number" ? String(value) : "";
        },
    },
    choice: {
        read: (element, stored) => like(stored, element.value),
        write: (element, value) => { element.value = textOf(value); },
    },
    choices: {
        read: ({ selectedOptions }, stored) => {
            const one = Array.isArray(stored) ? stored[0] : undefined;
            return [...selectedOptions].map(({ value }) => like(one, value));
        },
        write: (element, value) => {
            const chosen = new Set((Array.isArray(value) ? value : []).map(textOf));
            for (const option of element.options) option.selected = chosen.has(option.value);
        },
    },
    text: {
        read: (element) => element.value,
        write: (element, value) => writeText(element, textOf(value)),
    },
};

const kindsOfTypes = {
    "checkbox": kinds.checkbox, "radio": kinds.radio, "number": kinds.number, "range": kinds.number,
    "select-one": kinds.choice, "select-multiple": kinds.choices,
};

export function kindOf({ type }) {
    return Object.hasOwn(kindsOfTypes, type) ? kindsOfTypes[type] : kinds.text;
}
