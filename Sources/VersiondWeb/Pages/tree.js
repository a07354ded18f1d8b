// A value as a tree that folds. Parts are made when they are opened, and of many only those near
// the visible ones, so that large values stay fast.

import { button, make } from "./build.js";
import { actorsOf, hueOf } from "./people.js";
import { moment } from "./times.js";

const childrenShown = 200;
const aroundGoal = 50;

export class Tree {
    #container;
    #state = null;
    #blame = null;
    #onRestore = null;
    #opened = new Set([""]);
    /** Where the children of a place begin that are shown, if not at the first. */
    #starts = new Map();
    #drawing = 0;

    constructor(container) {
        this.#container = container;
    }

    /** `onRestore` is called with the place that is to be put back; `null` if it may not be. */
    async show(state, { blame = null, onRestore = null } = {}) {
        this.#state = state;
        this.#blame = blame;
        this.#onRestore = onRestore;
        const focused = this.#container.contains(document.activeElement)
            ? document.activeElement.closest("[data-path]")?.dataset.path : undefined;
        if (!await this.#draw()) return;
        // A focus inside it stays.
        if (focused !== undefined) this.#focus(focused, { preventScroll: true });
    }

    /** Draws again; false if another drawing has overtaken it. */
    async #draw() {
        this.#drawing += 1;
        const drawing = this.#drawing;
        const root = await this.#node(await this.#state.root());
        if (drawing !== this.#drawing) return false;
        this.#container.replaceChildren(root);
        return true;
    }

    #focus(path, options) {
        const rows = [...this.#container.querySelectorAll("[data-path]")];
        const row = rows.find((one) => one.dataset.path === path);
        (row?.querySelector("summary") ?? row)?.focus(options);
        return row;
    }

    /** Opens what is above a place, and shows it with what is near it. */
    async reveal(path) {
        for (const { parent, index } of await this.#state.locate(path)) {
            this.#opened.add(parent);
            const isNear = index < childrenShown;
            if (isNear) this.#starts.delete(parent);
            else this.#starts.set(parent, index - aroundGoal);
        }
        await this.#draw();
        this.#focus(path)?.scrollIntoView({ block: "center" });
    }

    async #node(value) {
        const { path, name } = value;
        const label = name !== null && make("span", { class: "key", dir: "auto" }, `${name}: `);
        const tail = [this.#author(path), this.#restoring(path)];
        if (value.kind) {
            return make("div", { class: "leaf", "data-path": path, tabindex: "-1" }, label,
                make("span", { class: value.kind, dir: "auto" }, value.text), tail);
        }
        const size = value.isArray ? `[${value.count}]` : `{${value.count}}`;
        const details = make("details", { "data-path": path, open: this.#opened.has(path) },
            make("summary", {}, label, make("span", { class: "quiet" }, size), tail));
        details.addEventListener("toggle", () => this.#toggled(details, path));
        if (details.open) await this.#fill(details, path);
        return details;
    }

    async #toggled(details, path) {
        if (details.open) this.#opened.add(path);
        else this.#opened.delete(path);
        if (details.open && details.children.length === 1) await this.#fill(details, path);
    }

    async #fill(details, path) {
        const start = this.#starts.get(path) ?? 0;
        const length = start > 0 ? 2 * aroundGoal : childrenShown;
        const { total, nodes } = await this.#nodes(path, start, length);
        if (details.children.length > 1) return;
        if (start > 0) details.append(this.#earlier(details, path, start));
        details.append(...nodes, this.#later(path, start + nodes.length, total) ?? "");
    }

    async #nodes(path, start, length) {
        const { total, list } = await this.#state.children(path, start, length);
        return { total, nodes: await Promise.all(list.map((one) => this.#node(one))) };
    }

    #earlier(details, path, end) {
        const more = button("small", async () => {
            const start = Math.max(0, end - childrenShown);
            const { nodes } = await this.#nodes(path, start, end - start);
            more.replaceWith(...start > 0 ? [this.#earlier(details, path, start)] : [], ...nodes);
        }, {}, `${end} before`);
        return more;
    }

    #later(path, start, total) {
        if (start >= total) return null;
        const more = button("small", async () => {
            const { nodes } = await this.#nodes(path, start, childrenShown);
            more.replaceWith(...nodes, this.#later(path, start + nodes.length, total) ?? "");
        }, {}, `${total - start} more`);
        return more;
    }

    #author(path) {
        const change = this.#blame?.of(path);
        if (!change) return null;
        return make("span", { class: "author who", "data-hue": change.actor ? hueOf(change.actor)
            : null,
            title: change.label ?? null }, `${actorsOf(change)}, ${moment(change.time)}`);
    }

    #restoring(path) {
        if (!this.#onRestore || path === "") return null;
        return button("small part", (event) => {
            event.preventDefault();
            this.#onRestore(path);
        }, { "aria-label": `Restore ${path}` }, "Restore");
    }
}

