// A value as a page that people read: fields, texts, and tables, with who wrote what.

import { button, make, spoken } from "./build.js";
import { icon } from "./icons.js";
import { asTitle } from "./names.js";
import { actorsOf, hueOf } from "./people.js";
import { moment } from "./times.js";

export class PageView {
    #container;
    #openTree;

    /** `openTree` shows a place as JSON, where it is too deep for a page. */
    constructor(container, openTree) {
        this.#container = container;
        this.#openTree = openTree;
    }

    /**
     * `changed` has the places that are marked, of a text with its runs of words; `blame` says who
     * wrote what, or is `null`.
     */
    async show(state, { changed = new Map(), blame = null } = {}) {
        const blocks = await state.page();
        const drawing = new Drawing(state, changed, blame, this.#openTree);
        this.#container.replaceChildren(...blocks.map((block) => drawing.block(block)));
    }
}

class Drawing {
    constructor(state, changed, blame, openTree) {
        Object.assign(this, { state, changed, blame, openTree });
    }

    block(block) {
        return this[block.type](block);
    }

    title({ path, text }) {
        return make("p", { class: "title" }, this.#mark(path, text));
    }

    text({ path, name, text }) {
        return make("div", {}, name && make("h4", { dir: "auto" }, asTitle(name)),
            make("p", { class: "prose" }, this.#written(path, text)));
    }

    fields({ fields, total, path }) {
        return make("dl", {}, ...fields.flatMap((field) => [
            make("dt", { dir: "auto" }, field.name),
            make("dd", { class: field.isNumber ? "num" : null },
                this.#mark(field.path, field.text)),
        ]), total > fields.length && this.more({ path, count: total - fields.length }));
    }

    group({ name, blocks }) {
        return make("section", { class: "group" }, make("h4", { dir: "auto" }, asTitle(name)),
            ...blocks.map((block) => this.block(block)));
    }

    more({ path, name, count }) {
        const words = name ? `${asTitle(name)}: ${count} fields` : `${count} more`;
        return button("small", () => this.openTree(path), {}, words, icon("right"));
    }

    table({ path, name, count, columns, rows }) {
        const body = make("tbody", {}, ...rows.map((row) => this.#row(row)));
        const table = make("table", {},
            make("thead", {}, make("tr", {}, ...columns.map((column) =>
                make("th", { class: column.isNumber ? "r" : null, scope: "col", dir: "auto" },
                    column.name)))), body);
        return make("div", { class: "part" }, heading(name, count),
            make("div", { class: "sideways" }, table),
            this.#further(path, columns, [rows.length, count],
                (more) => body.append(...more.map((row) => this.#row(row)))));
    }

    list({ path, name, count, items }) {
        const make_ = (item) => make("li", {}, this.#mark(item.path, item.text));
        const list = make("ul", { class: "items" }, ...items.map(make_));
        return make("div", { class: "part" }, heading(name, count), count === 0
            && make("p", { class: "quiet" }, "Nothing in it."), list,
            this.#further(path, null, [items.length, count],
                (more) => list.append(...more.map(make_))));
    }

    #row({ path, cells }) {
        const isNew = this.changed.has(path);
        return make("tr", { class: isNew ? "new" : null }, ...cells.map((cell) =>
            make("td", { class: cell.isNumber ? "r" : null }, this.#mark(cell.path, cell.text))));
    }

    #further(path, columns, [shown, count], append) {
        if (count <= shown) return null;
        let start = shown;
        const more = button("small", async () => {
            const rows = await this.state.rows(path, columns, start);
            append(rows);
            start += rows.length;
            more.firstChild.data = `${count - start} more`;
            if (start >= count) more.remove();
        }, {}, `${count - shown} more`);
        return more;
    }

    #mark(path, text) {
        const isHit = this.#isChanged(path);
        const change = this.blame?.of(path);
        return make("span", {
            class: `by ${isHit ? "hit" : ""}`, dir: "auto", title: change && byWords(change),
            tabindex: change ? "0" : null, "data-hue": change?.actor ? hueOf(change.actor) : null,
        }, text, isHit && spoken(" (changed)"));
    }

    /** A text with each part marked by its author. */
    #written(path, text) {
        const parts = this.blame?.runs(path, text);
        if (!parts && this.changed.get(path)) return this.#marked(path, text);
        if (!parts) return this.#mark(path, text);
        return parts.map((part) => make("span", {
            class: "by", dir: "auto", tabindex: "0", title: part.change && byWords(part.change),
            "data-hue": part.change?.actor ? hueOf(part.change.actor) : null,
        }, part.text));
    }

    /** A text of which only what came is marked. */
    #marked(path, text) {
        let rest = text.length;
        const runs = this.changed.get(path).filter(({ kind }) => kind !== "gone");
        return runs.flatMap(({ kind, text: words }) => {
            const shown = words.slice(0, rest);
            rest -= shown.length;
            if (shown === "" || kind === "same") return [shown];
            return [make("span", { class: "hit" }, shown, spoken(" (changed)"))];
        });
    }

    #isChanged(path) {
        for (let place = path; place !== ""; place = place.slice(0, place.lastIndexOf("/"))) {
            if (this.changed.has(place)) return true;
        }
        return false;
    }
}

const byWords = (change) => `${actorsOf(change)}, ${moment(change.time)}`;

const heading = (name, count) => make("h4", { dir: "auto" }, asTitle(name), " ",
    make("span", { class: "count" }, count));
