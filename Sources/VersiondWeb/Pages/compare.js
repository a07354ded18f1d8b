// Two states side by side, or in one column: what differs, by place.

import * as actions from "./actions.js";
import { addressOf, versionOf } from "./address.js";
import { caller, documentPath, get, identityOf, Latest } from "./api.js";
import { $, button, make } from "./build.js";
import { changeWords, come, gone } from "./changes.js";
import { menu } from "./dialog.js";
import { icon } from "./icons.js";
import { keyName, visible } from "./names.js";
import { avatar, named } from "./people.js";
import { plain } from "./sentences.js";
import { empty, stranger } from "./states.js";
import { moment } from "./times.js";
import { State } from "./values.js";

const columnsMax = 3;
const narrow = 640;
const refreshPause = 150;

export class CompareView {
    #attempt;
    #act;
    #reads = new Latest();
    #place = null;
    #sections = [];
    #revision = null;
    #how = innerWidth < narrow ? "inline" : "side";
    #index = -1;
    #shownAddress = null;
    #due = null;

    constructor(attempt, act) {
        this.#attempt = attempt;
        this.#act = act;
        for (const one of $("how").children) one.onclick = () => this.#show(one.value);
        $("swap").onclick = () => this.swap();
        $("change-before").onclick = () => this.step(-1);
        $("change-next").onclick = () => this.step(1);
    }

    async open(name, at, from) {
        const signal = this.#reads.begin();
        const isOther = addressOf(name, at, from) !== this.#shownAddress;
        this.#place = { name, at, from };
        if (isOther) this.#clear();
        $("view-compare").dataset.state = "open";
        $("compare-name").textContent = visible(name);
        $("compare-name").href = addressOf(name);
        document.title = `Compare · ${visible(name)} · versiond`;
        const [before, after, ends, identity] = await Promise.all([
            State.load(name, from, versionOf(from) !== null),
                State.load(name, at, versionOf(at) !== null),
            Promise.all([this.#end(from, signal), this.#end(at, signal)]),
            identityOf(name, signal),
        ]);
        const sections = await after.differenceFrom(before, identity);
        if (signal.aborted) return;
        [this.#sections, this.#revision, this.#index] = [sections, after.revision, -1];
        this.#shownAddress = addressOf(name, at, from);
        this.#drawEnds(ends);
        await this.#drawSum(signal);
        this.#draw();
    }

    #clear() {
        this.#shownAddress = null;
        this.#sections = [];
        for (const id of ["end-from", "end-to", "sum", "places", "diff"]) $(id).replaceChildren();
    }

    /** Whether there is something to see. */
    get isShown() {
        return this.#shownAddress !== null;
    }

    /** An address that cannot be compared shows the reason. */
    showGone(error) {
        const { name } = this.#place;
        const history = ["Show the history", () => { location.hash = addressOf(name); }];
        const all = ["All documents", () => { location.hash = ""; }, ""];
        $("view-compare").dataset.state = "gone";
        const identify = () => $("who").dispatchEvent(new Event("identify"));
        $("diff").replaceChildren(error.status === 401 ? stranger(identify)
            : empty("This cannot be compared", error.problem?.detail ?? error.message, history,
                all));
    }

    /** The document has changed: the comparison has another second state. */
    changed() {
        this.#due ??= setTimeout(() => {
            this.#due = null;
            const { name, at, from } = this.#place ?? {};
            if (addressOf(name ?? "", at, from) !== location.hash) return;
            void this.#attempt(() => this.open(name, at, from));
        }, refreshPause);
    }

    /** The version at one end, with its actor. */
    async #end(address, signal) {
        const { name } = this.#place;
        const base = documentPath(name);
        let revision = versionOf(address);
        if (address === "head") revision = (await get(`${base}/status`, signal)).version;
        if (/^\d+$/.test(address)) revision = Number(address);
        if (address.startsWith("tag:")) revision = (
            await get(`${base}/tags/${encodeURIComponent(address.slice(4))}`, signal)).version;
        if (revision === null) return { address, version: null };
        const page = await get(`${base}/versions?summary&limit=1&cursor=${revision + 1}`, signal);
        return { address, version: page.versions[0] ?? null };
    }

    #drawEnds([from, to]) {
        const draw = (id, word, { address, version }) => {
            const title = address === "head" ? "now" : address.startsWith("tag:") ? address.slice(4)
                : version ? `version ${version.version}` : address;
            $(id).replaceChildren(make("span", { class: "lab" }, word),
                avatar(version?.actors?.[0] ?? ""),
                make("span", { class: "grow" }, make("b", { dir: "auto" }, title), make("br"),
                    make("span", { class: "quiet" }, version
                        ? `${plain(version)}${version.ended ? ` · ${moment(version.ended)}` : ""}`
                        : "")),
                icon("down"));
            $(id).setAttribute("aria-label", `${word} ${title}. Choose another`);
            $(id).onclick = () => this.#attempt(() => this.#choose(id === "end-from", $(id)));
        };
        draw("end-from", "From", from);
        draw("end-to", "To", to);
    }

    async #choose(isFrom, opener) {
        const { name, at, from } = this.#place;
        const base = documentPath(name);
        const [{ tags }, { versions }] = await Promise.all([get(`${base}/tags`),
            get(`${base}/versions?summary&limit=12`)]);
        const go = (address) => () => {
            location.hash = isFrom ? addressOf(name, at, address) : addressOf(name, address, from);
        };
        menu(opener, [
            { icon: "arrow", words: "now", run: go("head") },
            ...tags.slice(0, 8).map(({ tag }) =>
                ({ icon: "flag", words: tag, run: go(`tag:${tag}`) })), "line",
            ...versions.map((version) => ({ icon: "restore",
                words: `${version.version}: ${plain(version)}`,
                run: go(`version:${version.version}`) })),
        ]);
    }

    async #drawSum(signal) {
        const count = this.#sections.reduce((sum, one) => sum + one.changeCount, 0);
        const { name, at, from } = this.#place;
        const people = await this.#people(name, from, at, signal);
        const kinds = this.#sections.map((one) => `${one.name.toLowerCase()} (${one.changeCount})`);
        $("sum").replaceChildren(make("b", {}, count === 1 ? "1 change" : `${count} changes`),
            people.length > 0 ? ` by ${named(people, true)}` : "", count > 0
                ? `: ${kinds.slice(0, 4).join(", ")}${kinds.length > 4 ? " and more" : ""}.`
                : ": both are alike.");
        $("places").replaceChildren(...this.#sections.map((one, index) => make("li", {},
            button("small", () => this.#jump(index), {}, make("span", { dir: "auto" }, one.name),
                make("span", { class: "count" }, one.changeCount)))));
    }

    /** The actors of the versions between the two. */
    async #people(name, from, at, signal) {
        const words = new URLSearchParams({ since: from, until: at, limit: 100 });
        if (from.startsWith("snapshot:") || at.startsWith("snapshot:")) return [];
        const { versions } = await get(`${documentPath(name)}/versions?${words}`,
            signal).catch(() => ({ versions: [] }));
        return [...new Set(versions.flatMap(({ actors }) => actors ?? []))];
    }

    // MARK: The difference

    #show(how) {
        this.#how = how;
        this.#draw();
    }

    #draw() {
        for (const one of $("how").children) one.setAttribute("aria-pressed",
            String(one.value === this.#how));
        $("diff").dataset.how = this.#how;
        $("diff").replaceChildren(...this.#sections.length === 0
            ? [make("p", { class: "quiet" }, "Both states are alike.")]
                : this.#sections.map((one) => this.#section(one)));
        this.#drawIndex();
    }

    #section(section) {
        const columns = section.isArray ? columnsOf(section.entries) : [];
        const rows = section.entries.flatMap((entry) => this.#entry(entry, section, columns));
        return make("section", { class: "card", "aria-label": section.name },
            make("header", {}, make("h2", { dir: "auto" }, section.name),
                make("span", { class: "count" }, section.note)),
            make("div", { class: "rows" }, ...rows),
            section.more > 0 && make("p", { class: "quiet pad" },
                `${section.more} more are not drawn.`));
    }

    #entry(entry, section, columns) {
        if (entry.state === "same") {
            const noun = entry.count === 1 ? "element" : "elements";
            return [make("div", { class: "same" }, `${entry.count} ${noun} unchanged`)];
        }
        const changes = entry.changes?.length > 0 ? entry.changes : [entry];
        const moved = entry.state === "move" && entry.changes?.length > 0
            ? [{ ...entry, changes: [] }] : [];
        return [...moved, ...changes].map((change) => this.#row(change, entry, columns, section));
    }

    #row(change, entry, columns, section) {
        const label = change === entry || change.label === entry.label || change.state === "move"
            ? entry.label : `${entry.label ?? ""}${entry.label ? ", " : ""}${change.label}`;
        const signs = { add: "+", remove: "−", move: "↕", change: "±" };
        const words = { add: "added", remove: "removed", move: "moved", change: "changed" };
        const { state } = change;
        const isWide = change.runs !== undefined;
        const side = (kind, content) => make("div",
            { class: `side ${kind} ${content === null ? "none" : ""}` }, content ?? "");
        const known = columns.filter((key) => entry.cells?.[key] !== undefined);
        const cells = known.map((key) => `${keyName(key)} ${entry.cells[key]}`).join(" · ")
            || change.value;
        const [old, value] = sides(change, cells);
        const isNamed = label.toLowerCase() !== section.name.toLowerCase();
        const classes = ["dr", state, isWide && "text", !isNamed && "unnamed"].filter(Boolean);
        return make("div", { class: classes.join(" "), tabindex: "-1", "data-path": change.path },
            make("span", { class: "sg", "aria-hidden": "true" }, signs[state]),
                make("span", { class: "vh" }, `${words[state]} `),
            make("div", { class: "k", dir: "auto" }, label),
            this.#how === "side" ? [side("left", old), side("right", value)]
                : side("line", changeWords(change)),
            this.#back(change));
    }

    #back(change) {
        if (change.undo === undefined || !caller.rights.has("write")
            || this.#revision === null) return null;
        const { name } = this.#place;
        const revision = this.#revision;
        return button("small icon back",
            () => this.#act(() => actions.putBack(name, change, revision)),
            { "aria-label": `Put back ${change.label}`, title: "Put back" }, icon("undo"));
    }

    #jump(index) {
        const card = $("diff").children[index];
        card?.scrollIntoView({ block: "start" });
        card?.querySelector(".dr")?.focus({ preventScroll: true });
    }

    #drawIndex() {
        const count = $("diff").querySelectorAll(".dr").length;
        $("change-index").textContent = this.#index < 0 ? `${count}`
            : `${this.#index + 1} of ${count}`;
    }

    step(change) {
        const rows = [...$("diff").querySelectorAll(".dr")];
        if (rows.length === 0) return;
        this.#index = Math.max(0, Math.min(rows.length - 1, this.#index + change));
        rows[this.#index].focus({ preventScroll: true });
        rows[this.#index].scrollIntoView({ block: "center" });
        this.#drawIndex();
    }

    swap() {
        const { name, at, from } = this.#place;
        location.hash = addressOf(name, from, at);
    }

    flip() {
        this.#show(this.#how === "side" ? "inline" : "side");
    }

    putBack() {
        document.activeElement.closest(".dr")?.querySelector(".back")?.click();
    }

    close() {
        location.hash = addressOf(this.#place.name, this.#place.at === "head" ? null
            : this.#place.at);
    }
}

/** The values on each side of a change. */
function sides(change, cells) {
    if (change.runs) {
        const only = (kinds) => make("span", { class: "runs", dir: "auto" },
            change.runs.filter(({ kind }) => kinds.includes(kind))
            .map(({ kind, text }) => (kind === "same" ? text : kind === "gone" ? gone(text)
                : come(text))));
        return [only(["same", "gone"]), only(["same", "come"])];
    }
    switch (change.state) {
    case "add": return [null, come(cells)];
    case "remove": return [gone(cells), null];
    case "move": return [`was ${change.from + 1}`, `is ${change.to + 1}`];
    default: return [gone(change.old), come(change.new)];
    }
}

/** The members that most changed elements have. */
function columnsOf(entries) {
    const counts = new Map();
    for (const { cells } of entries) for (const key of Object.keys(cells ?? {})) counts.set(key,
        (counts.get(key) ?? 0) + 1);
    return [...counts.keys()].filter((key) => !["id", "key", "name", "title", "label",
        "text"].includes(key))
        .sort((one, other) => counts.get(other) - counts.get(one)).slice(0, columnsMax);
}
