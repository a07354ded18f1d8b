// Makes elements. Words are always text, never markup.

export const $ = (id) => document.getElementById(id);

/** An element with attributes and children; `null` and `false` are left out. */
export function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity)
        .filter((child) => child !== null && child !== false && child !== undefined));
    return element;
}

export function drawing(name, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value !== null && value !== undefined) element.setAttribute(key, value);
    }
    element.append(...children.flat().filter(Boolean));
    return element;
}

/** Puts other children in; `null` and `false` are left out. */
export function fill(element, ...children) {
    element.replaceChildren(...children.flat(Infinity)
        .filter((child) => child !== null && child !== false && child !== undefined));
}

export const chip = (kind, ...content) => make("span", { class: `chip ${kind}` }, ...content);

export const button = (kind, work, attributes, ...content) =>
    make("button", { type: "button", class: `b ${kind}`, onclick: work, ...attributes },
        ...content);

/** Words that only a screen reader says. */
export const spoken = (words) => make("span", { class: "vh" }, words);

/** Replaces children without touching those that stay, so that focus and scroll position stay. */
export function patchChildren(parent, wanted) {
    const kept = new Set(wanted);
    for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
    wanted.forEach((child, index) => {
        const there = parent.children[index];
        if (there !== child) parent.insertBefore(child, there ?? null);
    });
}

/** The rows of a list by their keys: a row is made again only if a part of it has changed. */
export class Rows {
    #rows = new Map();
    #parent;

    constructor(parent) {
        this.#parent = parent;
    }

    /** `items`: { key, state, make }, of which `state` says all that is shown. */
    show(items) {
        const rows = new Map();
        const focused = this.#parent.contains(document.activeElement)
            ? document.activeElement.closest("[data-key]")?.dataset.key : null;
        for (const item of items) {
            const state = JSON.stringify(item.state);
            const known = this.#rows.get(item.key);
            if (known?.state === state) {
                rows.set(item.key, known);
                continue;
            }
            const element = item.make();
            element.dataset.key = item.key;
            rows.set(item.key, { state, element });
        }
        this.#rows = rows;
        patchChildren(this.#parent, [...rows.values()].map(({ element }) => element));
        if (focused !== null && !this.#parent.contains(document.activeElement)) this.focus(focused);
    }

    focus(key, options) {
        const row = this.#rows.get(key)?.element;
        const target = row?.matches("a, button") ? row : row?.querySelector("a, button");
        target?.focus(options);
        return target ?? null;
    }

    element(key) {
        return this.#rows.get(key)?.element ?? null;
    }
}
