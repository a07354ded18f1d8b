// The list of runs: the name, who asked for it, its extent, its effect and the last edit.

import { addressOf } from "./address.js";
import { get, Latest } from "./api.js";
import { button, chip, make, patchChildren, Rows, spoken } from "./build.js";
import { icon } from "./icons.js";
import { visible } from "./names.js";
import { avatar } from "./people.js";
import { effectChip, extent, filters } from "./runwords.js";
import { empty } from "./states.js";
import { brief, moment } from "./times.js";

const pageSize = 50;
const findPause = 150;
const refreshPause = 2_000;

export class RunList {
    title = "Runs";
    isDrawn = false;
    content = make("div");
    #host;
    #find = make("input", { type: "search", placeholder: "Find a run", autocomplete: "off",
        "aria-keyshortcuts": "/", oninput: () => this.#soon(findPause) });
    #filter = make("div", { class: "seg", role: "group", "aria-label": "Which runs" },
        Object.entries(filters).map(([value, words]) => make("button",
            { type: "button", value, "aria-pressed": String(value === ""),
                onclick: () => this.#choose(value) }, words)));
    #list = make("ol", { id: "runs", "aria-label": "Runs" });
    #none = make("div");
    #more = button("small line", () => this.#host.attempt(() => this.#readMore()), {}, "More runs");
    #rows = new Rows(this.#list);
    #reads = new Latest();
    #runs = [];
    #next = null;
    #isLong = false;
    #due = null;
    #effect = "";

    /** `host`: { attempt, read }, of which `read` reads what is shown. */
    constructor(host) {
        this.#host = host;
        this.element = make("section", {},
            make("header", { class: "hd" }, make("a", { class: "b", href: "#" }, "Documents"),
                make("h1", {}, "Runs"), make("span", { class: "grow" }),
                button("line", () => host.read(), { id: "reload" }, icon("restore"), "Reload")),
            make("div", { class: "tools" }, make("label", { class: "field grow" }, icon("search"),
                spoken("Find runs by name, label or requester"), this.#find), this.#filter),
            this.content);
    }

    focus(run) {
        if (run) this.#rows.focus(run);
    }

    /** An undo can change the effect of a run. A long list stays until it is reloaded. */
    changed({ kind, actor }) {
        const isRelated = actor.includes("/") || kind !== "append";
        if (isRelated && this.isDrawn && !this.#isLong) this.#due ??= this.#timer(refreshPause);
    }

    #soon(pause) {
        clearTimeout(this.#due);
        this.#due = this.#timer(pause);
    }

    #timer(pause) {
        return setTimeout(() => this.element.isConnected && this.#host.read(), pause);
    }

    #choose(effect) {
        this.#effect = effect;
        for (const one of this.#filter.children) one.setAttribute("aria-pressed",
            String(one.value === effect));
        return this.#host.read();
    }

    // MARK: Reading

    #path(cursor) {
        const q = this.#find.value.trim();
        const words = new URLSearchParams({ limit: pageSize, ...(q && { q }),
            ...(this.#effect && { effect: this.#effect }), ...(cursor && { cursor }) });
        return `/v1/runs?${words}`;
    }

    async read() {
        clearTimeout(this.#due);
        this.#due = null;
        const signal = this.#reads.begin();
        const { runs, next } = await get(this.#path(), signal);
        const isFirst = runs.length === 0 && !this.#isFiltered;
        const guide = isFirst ? await guideAddress(signal) : null;
        if (signal.aborted) return;
        [this.#runs, this.#next, this.#isLong] = [runs, next, false];
        this.#draw(guide);
    }

    async #readMore() {
        const { runs, next } = await get(this.#path(this.#next), this.#reads.begin());
        [this.#next, this.#isLong] = [next, true];
        this.#runs.push(...runs);
        this.#draw(null);
    }

    // MARK: Drawing

    get #isFiltered() {
        return this.#find.value.trim() !== "" || this.#effect !== "";
    }

    #draw(guide, now = new Date()) {
        this.isDrawn = true;
        patchChildren(this.content, [this.#list, this.#none, this.#more]);
        this.#rows.show(this.#runs.map((run) => row(run, now)));
        this.#more.hidden = this.#next === null;
        this.#none.replaceChildren(...this.#runs.length > 0 ? [] : [this.#nothing(guide)]);
    }

    #nothing(guide) {
        if (!this.#isFiltered) return noRuns(guide);
        return empty("No run fits", "No name, label or requester of a run fits this filter.",
            ["Show all", () => {
                this.#find.value = "";
                return this.#choose("");
            }]);
    }
}

/** The page about runs of the documentation site, if the daemon names one. */
async function guideAddress(signal) {
    const { links } = await get("/v1", signal);
    return links.documentation && `${links.documentation.replace(/\/$/, "")}/Guide/Runs.html`;
}

function noRuns(guide) {
    const box = empty("No runs yet", "A run is every edit of one actor whose name has a slash, as "
        + "agent/run-17: you can review it here, and undo it as a whole.");
    if (guide) box.append(make("a", { class: "b line", href: guide, target: "_blank",
        rel: "noopener" }, "Read about runs"));
    return box;
}

function row(run, now) {
    const { run: name, label, ended } = run;
    return { key: name, state: [run, brief(ended, now)], make: () => make("li", { class: "d run" },
        make("a", { href: addressOf("", `run:${name}`) }, avatar(name),
            make("span", { class: "grow" },
                make("span", { class: "docname", dir: "auto" }, visible(name),
                    label && chip("", visible(label))),
                make("span", { class: "say" }, extent(run))),
            effectChip(run),
            make("time", { datetime: ended, title: moment(ended, now) }, brief(ended, now)))) };
}
