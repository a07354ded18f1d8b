// One run: its documents with the effect of an undo, and the choice of documents to keep.

import { addressOf } from "./address.js";
import { get, Latest, segment } from "./api.js";
import { button, chip, fill, make, patchChildren, Rows } from "./build.js";
import { makers } from "./conflict.js";
import { icon } from "./icons.js";
import { counted, visible } from "./names.js";
import { avatar, named } from "./people.js";
import { isUndoable, reviewOf } from "./runreview.js";
import { obstacle, redoRun, undoRun } from "./runundo.js";
import { effectChip, extent, openChip } from "./runwords.js";
import { note } from "./states.js";
import { moment } from "./times.js";

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
    #rest = make("section", { class: "rest" });
    #rows = new Rows(this.#list);
    #reads = new Latest();
    #found = null;
    #documents = [];
    #others = [];
    #next = null;
    /** The places that stay, by document; "" is the whole. `revision`: where they were chosen. */
    #kept = new Map();

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
        this.#kept.clear();
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
        [this.#found, this.#documents, this.#others] = [found, [], []];
        this.#add(found, signal);
    }

    async #readMore() {
        const signal = this.#reads.begin();
        this.#add(await get(this.#path(this.#next), signal), signal);
    }

    #add({ documents, other, next }, signal) {
        this.#others.push(...other);
        for (const one of documents) {
            this.#documents.push(one);
            // Places may have moved in a newer revision.
            const kept = this.#kept.get(one.document);
            if (kept && kept.revision !== one.revision && !kept.places.has("")) {
                this.#kept.delete(one.document);
            }
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
            openChip(this.#found), label && chip("", visible(label)));
        this.#news.replaceChildren();
        const mayUndo = obstacle(this.run) === null;
        this.#rows.show(this.#documents.map((one) => ({
            key: one.document, state: [this.run, one, mayUndo],
            make: () => reviewOf(this.run, one,
                mayUndo && isUndoable(one) && ((place) => this.#box(one, place))),
        })));
        this.#more.hidden = this.#next === null;
        fill(this.#rest, this.#others.length > 0 && [make("h2", {}, "Other changes"),
            make("p", { class: "quiet" }, "An undo of the run does not undo these."),
            make("ul", {}, this.#others.map(otherLine))]);
        this.#drawChoice();
        patchChildren(this.content, [this.#head, this.#acts, this.#news, this.#choice, this.#list,
            this.#more, this.#rest]);
    }

    #box({ document, revision }, place) {
        const box = make("input", { type: "checkbox", value: document, "data-place": place,
            onchange: () => this.#keep([{ document, revision }], place, box.checked) });
        this.#check(box);
        return box;
    }

    #check(box) {
        const { place } = box.dataset;
        const places = this.#kept.get(box.value)?.places ?? new Set();
        box.checked = places.has("") || places.has(place);
        box.disabled = place !== "" && places.has("");
    }

    #keep(documents, place, isKept) {
        for (const { document, revision } of documents) {
            const { places } = this.#kept.get(document) ?? { places: new Set() };
            if (isKept) places.add(place);
            else places.delete(place);
            if (places.size > 0) this.#kept.set(document, { revision, places });
            else this.#kept.delete(document);
        }
        for (const box of this.#list.querySelectorAll("[type=checkbox]")) this.#check(box);
        this.#drawChoice();
    }

    /** The member of the request that closes the run, if it is open. */
    get #closing() {
        return this.#found.open ? { close: true } : {};
    }

    get #asked() {
        return { ...this.#keeping, ...this.#closing };
    }

    get #undoWords() {
        const { open } = this.#found;
        if (this.#kept.size > 0) return open ? "Close, undo the rest …" : "Undo the rest …";
        return open ? "Close and undo …" : "Undo run …";
    }

    /** The members of the request about what stays. Places are those of a revision. */
    get #keeping() {
        const kept = [...this.#kept];
        const inPart = kept.filter(([, { places }]) => !places.has(""));
        return kept.length > 0 ? {
            keep: Object.fromEntries(kept.map(([name, { places }]) =>
                [name, places.has("") || [...places]])),
            match: Object.fromEntries(inPart.map(([name, { revision }]) => [name, revision])),
        } : {};
    }

    #drawChoice() {
        const all = this.#documents.filter(isUndoable);
        const left = all.filter(({ document }) => !this.#kept.get(document)?.places.has(""));
        const no = obstacle(this.run);
        const why = no ?? impediment(all.length, left.length + (this.#next ? 1 : 0));
        const again = () => this.element.isConnected && this.#host.read();
        const act = (work) => () => this.#host.attempt(work);
        fill(this.#acts, button("main",
            act(() => undoRun(this.run, this.#asked, again)), { id: "undo-run",
                disabled: why !== null, title: why, "aria-describedby": why && "why" },
            icon("undo"), this.#undoWords),
        no === null && this.#found.undoneCount > 0 && button("line",
            act(() => redoRun(this.run, this.#closing, again)),
            { id: "redo-run" }, icon("redo"), "Redo …"),
        why && make("p", { class: "quiet", id: "why" }, why));
        fill(this.#choice, make("h2", { id: "effect" }, "Effect of an undo"),
            no === null && this.#kept.size > 0 && make("span", { class: "quiet" },
                `Kept: ${keptWords([...this.#kept.values()])}`),
            no === null && this.#choiceButton(all));
    }

    #choiceButton(all) {
        if (this.#kept.size > 0) {
            return button("small line", () => this.#keepNothing(), {}, "Keep nothing");
        }
        // The undo would also take documents that are not shown.
        return all.length > 1 && this.#next === null && button("small line",
            () => this.#keep(all, "", true), {}, "Keep all");
    }

    #keepNothing() {
        this.#kept.clear();
        this.#keep([], "", false);
    }
}

const otherLine = ({ document, revision, kind }) => make("li", {},
    make("a", { href: addressOf(document), dir: "auto" }, visible(document)),
    ` · ${kind.replaceAll("-", " ")} · revision ${revision}`);

/** "1 document, 2 places" */
function keptWords(kept) {
    const whole = kept.filter(({ places }) => places.has("")).length;
    const places = kept.reduce((sum, { places: some }) => sum + (some.has("") ? 0 : some.size), 0);
    return [whole > 0 && counted(whole, "document"), places > 0 && counted(places, "place")]
        .filter(Boolean).join(", ");
}

function impediment(undoable, left) {
    if (undoable === 0) return "No edit of this run can be undone.";
    return left === 0 ? "All documents are kept." : null;
}
