// A value as a tree that folds. Parts are made when they are opened, so that large ones are no burden.

import { LongNumber } from "./api.js";
import { chip, make, timeText } from "./build.js";

const childrenMax = 200;
const foundMax = 200;

const escaped = (token) => String(token).replaceAll("~", "~0").replaceAll("/", "~1");
const isContainer = (value) => value !== null && typeof value === "object" && !(value instanceof LongNumber);

export class Tree {
    #container;
    #value;
    #blame = null;
    #onRestore;
    #opened = new Set([""]);
    /** The place that is looked for: all that is before it is made, too. */
    #goal = null;

    /** `onRestore` is called with an address whose value is to be put back; none if there is nothing to. */
    constructor(container) {
        this.#container = container;
    }

    show(value, { blame = null, onRestore = null } = {}) {
        this.#value = value;
        this.#blame = blame && new Blame(blame);
        this.#onRestore = onRestore;
        const focused = this.#container.contains(document.activeElement) ? document.activeElement.closest("[data-path]") : null;
        this.#draw();
        // Whoever was somewhere in it stays there.
        if (focused) this.#focus(focused.dataset.path, { preventScroll: true });
    }

    #draw() {
        this.#container.replaceChildren(this.#node("", null, this.#value));
    }

    #focus(path, options) {
        const row = [...this.#container.querySelectorAll("[data-path]")].find((one) => one.dataset.path === path);
        (row?.querySelector("summary") ?? row)?.focus(options);
        return row;
    }

    /** Opens all that is above a place, and shows it. */
    reveal(path) {
        const tokens = path.split("/").slice(1);
        tokens.forEach((_, depth) => this.#opened.add(tokens.slice(0, depth).map((token) => `/${token}`).join("")));
        this.#goal = path;
        this.#draw();
        this.#goal = null;
        this.#focus(path)?.scrollIntoView({ block: "center" });
    }

    /** The places whose name or value has a text in it. */
    find(text) {
        const found = [];
        const wanted = text.toLowerCase();
        const look = (value, path, name) => {
            if (found.length >= foundMax) return;
            const words = isContainer(value) ? String(name) : `${name} ${value}`;
            if (path !== "" && words.toLowerCase().includes(wanted)) found.push(path);
            if (!isContainer(value)) return;
            for (const [key, one] of Object.entries(value)) look(one, `${path}/${escaped(key)}`, key);
        };
        look(this.#value, "", "");
        return found;
    }

    #node(path, name, value) {
        const label = [name !== null && make("span", { class: "key" }, `${name}: `)];
        const tail = [this.#author(path), this.#restoring(path)];
        if (!isContainer(value)) {
            const kind = value === null ? "null" : value instanceof LongNumber ? "number" : typeof value;
            const text = typeof value === "string" ? JSON.stringify(value) : String(value);
            return make("div", { class: "leaf", "data-path": path, tabindex: "-1" }, ...label, make("span", { class: kind }, text), ...tail);
        }
        const count = Object.keys(value).length;
        const size = Array.isArray(value) ? `[${count}]` : `{${count}}`;
        const details = make("details", { "data-path": path, open: this.#opened.has(path) },
            make("summary", {}, ...label, make("span", { class: "quiet" }, size), ...tail));
        const fill = () => {
            if (details.open) this.#opened.add(path);
            else this.#opened.delete(path);
            if (details.open && details.children.length === 1) this.#fill(details, path, Object.entries(value), 0);
        };
        details.addEventListener("toggle", fill);
        if (details.open) fill();
        return details;
    }

    #fill(details, path, entries, start) {
        const goal = entries.findIndex(([key]) => `${this.#goal ?? ""}/`.startsWith(`${path}/${escaped(key)}/`));
        const end = Math.min(entries.length, Math.max(start + childrenMax, goal + 1));
        for (const [key, value] of entries.slice(start, end)) details.append(this.#node(`${path}/${escaped(key)}`, key, value));
        if (end === entries.length) return;
        const more = make("button", { type: "button", onclick: () => {
            more.remove();
            this.#fill(details, path, entries, end);
        } }, `${entries.length - end} more`);
        details.append(more);
    }

    #author(path) {
        const change = this.#blame?.of(path);
        if (!change) return null;
        const element = chip(`${change.actor ?? "somebody"} ${timeText(change.time)}`, "author");
        element.title = [`revision ${change.revision}`, change.label, new Date(change.time).toLocaleString()].filter(Boolean).join(" · ");
        return element;
    }

    #restoring(path) {
        if (!this.#onRestore || path === "") return null;
        const button = make("button", { type: "button", class: "part", "aria-label": `Restore ${path}`, onclick: (event) => {
            event.preventDefault();
            this.#onRestore(path);
        } }, "restore");
        return button;
    }
}

/** Who made each place what it is: the nearest place above that is named says it. */
class Blame {
    #places;
    #changes;

    constructor({ places, changes }) {
        this.#places = new Map(places.map((place) => [place.path, place]));
        this.#changes = new Map(changes.map((change) => [change.revision, change]));
    }

    of(path) {
        for (let place = path; ; place = place.slice(0, place.lastIndexOf("/"))) {
            const found = this.#places.get(place);
            if (found) return this.#changes.get(this.#newest(found, place === path));
            if (place === "") return undefined;
        }
    }

    /** Of a text that several wrote, the last one. */
    #newest(place, isItself) {
        if (!place.text || !isItself) return place.revision;
        return Math.max(...place.text.map((run) => run.revision ?? -1));
    }
}

