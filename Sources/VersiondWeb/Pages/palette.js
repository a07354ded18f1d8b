// Find or do: one field for documents, versions, places and what can be done.

import { addressOf } from "./address.js";
import { caller, documentPath, get, Latest } from "./api.js";
import { $, make } from "./build.js";
import { icon } from "./icons.js";
import { visible } from "./names.js";
import { avatar } from "./people.js";
import { told } from "./sentences.js";
import { brief } from "./times.js";

const pause = 120;

export class Palette {
    #reads = new Latest();
    #rows = [];
    #index = 0;
    #wait = null;
    #context;
    #opener = null;

    /** `context` gives { name, commands, state }: what is open now. */
    constructor(context) {
        this.#context = context;
        $("palette-text").oninput = () => {
            clearTimeout(this.#wait);
            this.#wait = setTimeout(() => this.#look(), pause);
        };
        $("palette").onkeydown = (event) => this.#press(event);
        $("palette").onclose = () => this.#opener?.focus();
    }

    open() {
        this.#opener = document.activeElement;
        $("palette-text").value = "";
        $("palette").showModal();
        this.#look();
    }

    async #look() {
        const text = $("palette-text").value.trim();
        const signal = this.#reads.begin();
        const parts = await Promise.all([
            this.#documents(text, signal), this.#versions(text, signal), this.#places(text),
                this.#commands(text)]
            .map((part) => Promise.resolve(part).catch(() => [])));
        if (signal.aborted) return;
        this.#draw(["Documents", "Versions", "Places",
            "Do"].map((title, index) => ({ title, items: parts[index] })));
    }

    async #documents(text, signal) {
        const { documents } = await get(`/v1/documents?limit=6&prefix=${encodeURIComponent(text)}`,
            signal);
        return documents.map(({ document }) => ({ symbol: icon("doc"), words: [visible(document)],
            run: () => { location.hash = addressOf(document); } }));
    }

    async #versions(text, signal) {
        const { name } = this.#context();
        if (!name || !text) return [];
        const { versions } = await get(
            `${documentPath(name)}/versions?summary&limit=5&q=${encodeURIComponent(text)}`, signal);
        return versions.map((version) =>
            ({ symbol: avatar(version.actors?.[0] ?? "", "small"), words: told(version),
            more: version.ended && brief(version.ended),
                run: () => { location.hash = addressOf(name, `version:${version.version}`); } }));
    }

    async #places(text) {
        const { state, reveal } = this.#context();
        if (!state || !text) return [];
        const { found } = await state.search(text);
        return found.slice(0, 5).map(({ path, text: snippet }) =>
            ({ symbol: icon("search"), words: [path], more: snippet, run: () => reveal(path) }));
    }

    #commands(text) {
        const { commands } = this.#context();
        const wanted = text.toLowerCase();
        return commands.filter(({ words, right }) => words.toLowerCase().includes(wanted)
            && (!right || caller.rights.has(right)))
            .slice(0, text ? 6 : 8).map(({ words, key, run }) =>
                ({ symbol: icon("right"), words: [words], more: key?.toUpperCase(), run }));
    }

    #draw(groups) {
        this.#rows = [];
        const children = groups.filter(({ items }) => items.length > 0).flatMap(
            ({ title, items }) => [
            make("li", { class: "h", role: "presentation" }, title),
                ...items.map((item) => this.#row(item))]);
        $("palette-list").replaceChildren(...children.length > 0 ? children
            : [make("li", { class: "h" }, "Nothing fits.")]);
        this.#index = 0;
        this.#mark();
    }

    #row({ symbol, words, more, run }) {
        const index = this.#rows.length;
        const row = make("li", { role: "option", id: `option-${index}`, onclick: () => {
            $("palette").close();
            run();
        } }, symbol, make("span", { class: "grow", dir: "auto" }, words), more
            && make("span", { class: "quiet" }, more));
        this.#rows.push(row);
        return row;
    }

    #mark() {
        this.#rows.forEach((row, index) => row.setAttribute("aria-selected",
            String(index === this.#index)));
        const here = this.#rows[this.#index];
        here?.scrollIntoView({ block: "nearest" });
        if (here) $("palette-text").setAttribute("aria-activedescendant", here.id);
        else $("palette-text").removeAttribute("aria-activedescendant");
    }

    #press(event) {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step && this.#rows.length > 0) {
            event.preventDefault();
            this.#index = (this.#index + step + this.#rows.length) % this.#rows.length;
            this.#mark();
        }
        if (event.key === "Enter") {
            event.preventDefault();
            this.#rows[this.#index]?.click();
        }
    }
}
