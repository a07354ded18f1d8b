// The versions of a document: lines with lanes for forks, that unfold to edits.

import { documentPath, get } from "./api.js";
import { $, chip, drawing, make, patchChildren, timeText } from "./build.js";

const pageSize = 100;
const laneWidth = 12;
const lanesMax = 8;

const kinds = { create: "made", append: "edit", undo: "own undo", redo: "own redo", restore: "restored", "pop-scope": "scope closed", "discard-scope": "scope discarded" };
const standings = { redo: "ahead", aside: "left aside" };

/** What people type into the filter, as a query. */
export function query(text) {
    const words = new URLSearchParams();
    const rest = text.trim().split(/\s+/).filter((word) => {
        const [, name, value] = word.match(/^(actor|path|label|kind|since|until):(.+)$/) ?? [];
        if (name) words.set(name, value);
        return !name && word;
    });
    if (rest.length > 0) words.set("q", rest.join(" "));
    return words;
}

export class Versions {
    /** Newest first. */
    list = [];
    #name = null;
    #next = null;
    #filter = new URLSearchParams();
    #rows = new Map();
    #opened = new Set();
    #isSelected = () => false;
    #address;
    #attempt;

    /** `attempt` does what a click asks for, and shows what goes wrong. */
    constructor(address, attempt) {
        this.#address = address;
        this.#attempt = attempt;
    }

    get hasOlder() {
        return this.#next !== null;
    }

    begin(name, filter) {
        this.#name = name;
        this.#filter = filter;
        this.list = [];
        this.#next = null;
        this.#rows.clear();
        this.#opened.clear();
        $("versions").replaceChildren();
    }

    /** Reads the newest page anew, and the older ones that were read, if something there may have changed. */
    async refresh(signal, isWhole) {
        const page = await this.#read({}, signal);
        const oldest = page.versions.at(-1);
        const kept = this.list.filter((one) => one.version < (oldest?.version ?? Infinity));
        // Where nothing joins the two, there would be a hole between.
        const isJoined = oldest && this.list.some((one) => one.version === oldest.version);
        if (kept.length === 0 || page.next === null || !isJoined) {
            [this.list, this.#next] = [page.versions, page.next];
            return;
        }
        // What is older stands where it stood, unless undo or redo went past it.
        const known = this.list.find((one) => one.version === oldest.version);
        const isPassed = known?.standing !== oldest.standing;
        this.list = [...page.versions, ...(isWhole || isPassed ? await this.#again(kept, signal) : kept)];
    }

    async #again(kept, signal) {
        const again = [];
        let before = kept[0].version + 1;
        while (again.length < kept.length && before !== null) {
            const page = await this.#read({ before }, signal, Math.min(1000, kept.length - again.length));
            again.push(...page.versions);
            before = page.next;
        }
        this.#next = before;
        return again;
    }

    async readOlder(signal) {
        if (this.#next === null) return;
        const page = await this.#read({ before: this.#next }, signal);
        this.list.push(...page.versions);
        this.#next = page.next;
    }

    #read({ before }, signal, limit = pageSize) {
        const words = new URLSearchParams(this.#filter);
        words.set("limit", limit);
        if (before !== undefined && before !== null) words.set("cursor", before);
        return get(`${documentPath(this.#name)}/versions?${words}`, signal);
    }

    show(isSelected) {
        this.#isSelected = isSelected;
        const lanes = this.#filter.size === 0 ? lay(this.list) : null;
        const shown = this.list.map((version, index) => this.#row(version, lanes?.[index]));
        patchChildren($("versions"), shown);
        $("older").hidden = !this.hasOlder;
    }

    /** The row of a version: made anew only if something of it has changed. */
    #row(version, lane) {
        const isSelected = this.#isSelected(version);
        const key = JSON.stringify([version, lane, isSelected]);
        const known = this.#rows.get(version.version);
        if (known?.key === key) return known.row;
        const row = known?.row ?? make("li", { "data-version": version.version });
        const hadFocus = row.contains(document.activeElement);
        const list = row.querySelector("ol");
        row.className = `${version.standing}${version.inEffect === false ? " off" : ""}`;
        row.replaceChildren(...[lane && drawLane(lane), this.#link(version, isSelected), this.#unfolding(version, row), list].filter(Boolean));
        if (hadFocus) row.querySelector("a").focus();
        this.#rows.set(version.version, { key, row });
        return row;
    }

    #link(version, isSelected) {
        const notes = [
            version.standing === "current" && chip("now", "now"),
            standings[version.standing] && chip(standings[version.standing], "aside"),
            version.inEffect === false && chip("taken back", "aside"),
            version.scopeLevel > 0 && chip(`scope ${version.scopeLevel}`, "scope"),
            ...version.tags.map((tag) => chip(tag, "tag")),
            ...version.snapshots.map((key) => chip(`snapshot ${key}`, "snapshot")),
        ];
        return make("a", { href: this.#address(`version:${version.version}`), "aria-current": isSelected && "true" },
            make("span", { class: "what" }, summary(version)), ...notes,
            make("span", { class: "who" }, version.actors?.join(", ") ?? ""),
            version.ended && make("time", { datetime: version.ended, title: new Date(version.ended).toLocaleString() }, timeText(version.ended)));
    }

    #unfolding(version, row) {
        if (version.edits < 2) return null;
        const isOpen = this.#opened.has(version.version);
        return make("button", { type: "button", class: "unfold", "aria-expanded": String(isOpen), onclick: () => this.#attempt(() => this.#unfold(version, row)) },
            `${version.edits} edits`);
    }

    async #unfold(version, row) {
        const expand = (isOpen) => row.querySelector(".unfold").setAttribute("aria-expanded", String(isOpen));
        if (this.#opened.delete(version.version)) {
            expand(false);
            row.querySelector("ol")?.remove();
            return;
        }
        const page = await get(`${documentPath(this.#name)}/history?branches=all&limit=1000&cursor=${version.last + 1}`);
        const edits = page.changes.filter((change) => change.revision >= version.first && change.version === version.version);
        this.#opened.add(version.version);
        expand(true);
        row.querySelector("ol")?.remove();
        row.append(make("ol", {}, ...edits.map((change) => make("li", {},
            make("a", { href: this.#address(change.revision) },
                make("span", { class: "what" }, change.label ?? change.patch.map((one) => one.path || "whole value").slice(0, 3).join(", ")),
                make("span", { class: "who" }, change.actor ?? ""),
                make("time", { datetime: change.time }, timeText(change.time)))))));
    }
}

/** What a version is about, in a few words. */
export function summary(version) {
    if (version.label) return version.label;
    const places = version.paths?.map((path) => path || "whole value") ?? [];
    const kind = kinds[version.kind] ?? version.kind ?? "forgotten";
    if (version.kind === "create") return "made";
    const some = places.slice(0, 3).join(", ") + (places.length > 3 ? ", …" : "");
    return version.kind === "append" && some ? some : [kind, some].filter(Boolean).join(" ");
}

/**
 * Gives each version a lane, and says which lanes pass it: as in the graph of a version control. The last lane
 * that is drawn stands for all beyond.
 */
function lay(list) {
    const waiting = [];
    return list.map((version) => {
        let lane = waiting.indexOf(version.version);
        if (lane < 0) lane = waiting.includes(null) ? waiting.indexOf(null) : waiting.length;
        const above = waiting.map((one, index) => (one === null ? -1 : index));
        const joining = waiting.map((one, index) => (one === version.version && index !== lane ? index : -1)).filter((index) => index >= 0);
        const hasAbove = waiting[lane] === version.version;
        for (const index of joining) waiting[index] = null;
        waiting[lane] = version.parent;
        while (waiting.length > 0 && waiting.at(-1) === null) waiting.pop();
        const passing = above.filter((index) => index >= 0 && index !== lane && !joining.includes(index));
        return { lane: drawn(lane), passing: folded(passing), joining: folded(joining), hasAbove, hasBelow: version.parent !== null };
    });
}

const drawn = (lane) => Math.min(lane, lanesMax);
const folded = (lanes) => [...new Set(lanes.map(drawn))];

function drawLane({ lane, passing, joining, hasAbove, hasBelow }) {
    const x = (index) => index * laneWidth + laneWidth / 2;
    const width = (Math.max(lane, ...passing, ...joining) + 1) * laneWidth;
    // Beyond the drawing, as far as the row is high: so lanes go through.
    const [top, bottom] = [-40, 64];
    const line = (x1, y1, x2, y2) => drawing("line", { x1, y1, x2, y2 });
    return drawing("svg", { viewBox: `0 0 ${width} 24`, width, height: 24, "aria-hidden": "true" },
        ...passing.map((index) => line(x(index), top, x(index), bottom)),
        ...joining.flatMap((index) => [line(x(index), top, x(index), 0), line(x(index), 0, x(lane), 12)]),
        ...(hasAbove ? [line(x(lane), top, x(lane), 12)] : []),
        ...(hasBelow ? [line(x(lane), 12, x(lane), bottom)] : []),
        drawing("circle", { cx: x(lane), cy: 12, r: 4 }));
}
