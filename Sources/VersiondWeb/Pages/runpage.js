// One run: its documents with the effect of an undo, and the choice of those to undo.

import { get, Latest, segment } from "./api.js";
import { button, chip, fill, make, patchChildren, Rows } from "./build.js";
import { makers } from "./conflict.js";
import { icon } from "./icons.js";
import { counted, visible } from "./names.js";
import { avatar, named } from "./people.js";
import { isUndoable, reviewOf } from "./runreview.js";
import { obstacle, undoRun } from "./runundo.js";
import { effectChip, extent } from "./runwords.js";
import { note } from "./states.js";
import { moment } from "./times.js";

/** The daemon undoes at most this number of documents at once. */
const chosenMax = 100;
/** Conflicts whose actors are read for a page. */
const namedMax = 20;

export class RunPage {
    run = null;
    isDrawn = false;
    content = make("div");
    #host;
    #title = make("h1", { id: "run", tabindex: "-1", dir: "auto" });
    #head = make("div", { class: "run-head" });
    #news = make("div", { role: "status" });
    #acts = make("div", { class: "acts" });
    #choice = make("div", { class: "choice" });
    #list = make("ol", { id: "reviewed", "aria-labelledby": "effect" });
    #more = button("small line", () => this.#host.attempt(() => this.#readMore()), {},
        "More documents");
    #rows = new Rows(this.#list);
    #reads = new Latest();
    #found = null;
    #documents = [];
    #next = null;
    /** Documents that are not to be undone. */
    #left = new Set();

    /** `host`: { attempt, read }, of which `read` reads what is shown. */
    constructor(host) {
        this.#host = host;
        this.element = make("section", {},
            make("div", { class: "bar" },
                make("a", { class: "b", href: "#@runs" }, icon("back"), "Runs"),
                make("span", { class: "grow" }),
                button("line", () => host.read(), { id: "reload" }, icon("restore"), "Reload")),
            make("header", { class: "hd" }, this.#title), this.content);
    }

    get title() {
        return visible(this.run);
    }

    choose(run) {
        if (run === this.run) return;
        this.run = run;
        this.isDrawn = false;
        this.#left.clear();
        this.#title.textContent = visible(run);
        this.content.replaceChildren();
    }

    focus() {
        this.#title.focus({ preventScroll: true });
    }

    /** Each document of the page costs a tried undo: the user decides when to read again. */
    changed({ document, revision, actor }) {
        const known = this.#documents.find((one) => one.document === document);
        const isNew = known ? revision > known.revision : actor === this.run;
        if (!isNew || !this.isDrawn || this.#news.firstChild) return;
        fill(this.#news, note("", "restore", "The documents of this run have changed.", null,
            button("small line", () => this.#host.read(), {}, "Show the changes")));
    }

    // MARK: Reading

    #path(cursor) {
        const query = cursor ? `?${new URLSearchParams({ cursor })}` : "";
        return `/v1/runs/${segment(this.run)}${query}`;
    }

    async read() {
        const signal = this.#reads.begin();
        const found = await get(this.#path(), signal);
        if (signal.aborted) return;
        [this.#found, this.#documents] = [found, []];
        this.#add(found, signal);
    }

    async #readMore() {
        const signal = this.#reads.begin();
        this.#add(await get(this.#path(this.#next), signal), signal);
    }

    #add({ documents, next }, signal) {
        for (const one of documents) {
            this.#documents.push(one);
            if (this.#chosen.length > chosenMax) this.#left.add(one.document);
        }
        this.#next = next;
        this.#draw();
        void this.#nameActors(signal);
    }

    /** Names the actors of the later edits in conflicts, of the first ones. */
    async #nameActors(signal) {
        const links = [...this.#list.querySelectorAll("[data-with]")];
        const known = new Map();
        for (const link of links) {
            const { document, with: revisions } = link.dataset;
            const key = `${document} ${revisions}`;
            if (!known.has(key) && known.size === namedMax) return;
            if (!known.has(key)) known.set(key, await makers(document,
                { with: revisions.split(",") }));
            if (signal.aborted) return;
            link.textContent = `${named(known.get(key))} edited this later`;
            delete link.dataset.with;
        }
    }

    // MARK: Drawing

    #draw(now = new Date()) {
        this.isDrawn = true;
        const { label, began, ended } = this.#found;
        const times = [...new Set([began, ended].map((one) => moment(one, now)))].join(" to ");
        fill(this.#head, avatar(this.run), make("p", { class: "quiet" },
            `${extent(this.#found)} · ${times}`), effectChip(this.#found),
            label && chip("", visible(label)));
        this.#news.replaceChildren();
        const mayUndo = obstacle(this.run) === null;
        this.#rows.show(this.#documents.map((one) => ({
            key: one.document, state: [this.run, one, mayUndo],
            make: () => reviewOf(this.run, one, mayUndo && isUndoable(one) && this.#box(one)),
        })));
        this.#more.hidden = this.#next === null;
        this.#drawChoice();
        patchChildren(this.content, [this.#head, this.#acts, this.#news, this.#choice, this.#list,
            this.#more]);
    }

    #box({ document }) {
        const box = make("input", { type: "checkbox", value: document,
            onchange: () => this.#choose([document], box.checked) });
        box.checked = !this.#left.has(document);
        return box;
    }

    get #undoable() {
        return this.#documents.filter(isUndoable).map(({ document }) => document);
    }

    get #chosen() {
        return this.#undoable.filter((name) => !this.#left.has(name));
    }

    #choose(names, isChosen) {
        for (const name of names) {
            if (isChosen) this.#left.delete(name);
            else this.#left.add(name);
        }
        for (const box of this.#list.querySelectorAll("[type=checkbox]")) {
            box.checked = !this.#left.has(box.value);
        }
        this.#drawChoice();
    }

    #drawChoice() {
        const [all, chosen] = [this.#undoable, this.#chosen];
        const why = obstacle(this.run) ?? impediment(all.length, chosen.length);
        const undo = () => this.#host.attempt(() =>
            undoRun(this.run, this.#chosen, () => this.element.isConnected && this.#host.read()));
        fill(this.#acts, button("main", undo, { id: "undo-run", disabled: why !== null, title: why,
            "aria-describedby": why && "why" }, icon("undo"), chosen.length < all.length
            ? `Undo in ${counted(chosen.length, "document")} …` : "Undo run …"),
            why && make("p", { class: "quiet", id: "why" }, why));
        const isAll = chosen.length === all.length;
        fill(this.#choice, make("h2", { id: "effect" }, "Effect of an undo"),
            all.length > 1 && obstacle(this.run) === null && [
                make("span", { class: "quiet" },
                    `${chosen.length} of ${counted(all.length, "document")} chosen`),
                button("small line", () => this.#choose(isAll ? all : all.slice(0, chosenMax),
                    !isAll), {}, isAll ? "Choose none" : "Choose all")]);
    }
}

function impediment(undoable, chosen) {
    if (undoable === 0) {
        return "No edit of this run can be undone. To redo the run, undo its undo in the history "
            + "of a document.";
    }
    if (chosen === 0) return "No document is chosen.";
    return chosen > chosenMax ? `An undo changes at most ${chosenMax} documents.` : null;
}
