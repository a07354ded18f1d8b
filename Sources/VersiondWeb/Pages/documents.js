// The overview: what changed lately, by whom; or all documents by name.

import * as actions from "./actions.js";
import { addressOf } from "./address.js";
import { caller, documentPath, get, Latest } from "./api.js";
import { $, button, chip, drawing, make, Rows } from "./build.js";
import { icon } from "./icons.js";
import { releaseOf, visible } from "./names.js";
import { avatar, faces, hueOf, me } from "./people.js";
import { told } from "./sentences.js";
import { empty, note, skeleton, stranger } from "./states.js";
import { brief, dayKey, dayName, moment } from "./times.js";

const pageSize = 100;
const recentPages = 5;
const recentSize = 200;
const liveTime = 2 * 60_000;
const day = 24 * 3_600_000;
const latelyMax = 8;
const findPause = 150;
const readAtOnce = 4;

const listPath = (prefix, cursor = "") => {
    const words = new URLSearchParams({ limit: pageSize, prefix, cursor });
    return `/v1/documents?${words}`;
};

export class DocumentsView {
    #attempt;
    #rows = new Rows($("documents"));
    #reads = new Latest();
    #kind = "recent";
    /** Of each document what is known: { name, time }. */
    #list = [];
    #next = null;
    #known = new Map();
    #queue = [];
    #reading = 0;
    #isOpen = false;
    #wait = null;
    #watch = new IntersectionObserver((entries) => {
        for (const { isIntersecting, target } of entries) if (isIntersecting) this.#want(
            target.dataset.name);
    }, { rootMargin: "200px" });

    constructor(attempt) {
        this.#attempt = attempt;
        for (const one of $("which").children) one.onclick = () => this.#show(one.value);
        $("find").oninput = () => {
            clearTimeout(this.#wait);
            this.#wait = setTimeout(() => this.#attempt(() => this.#read()), findPause);
        };
        $("create").onclick = () => this.create();
        $("more-documents").onclick = () => this.#attempt(() => this.#readMore());
        new IntersectionObserver(([{ isIntersecting }]) => isIntersecting
            && !$("more-documents").hidden && $("more-documents").click())
            .observe($("more-documents"));
    }

    create() {
        return this.#attempt(() => actions.create((made) => { location.hash = addressOf(made); }));
    }

    async open() {
        this.#isOpen = true;
        document.title = "Documents · versiond";
        $("create").disabled = !caller.rights.has("write");
        $("create").title = caller.rights.has("write") ? "" : "You may only read.";
        if (this.#list.length === 0) {
            const waiting = setTimeout(() =>
                $("documents").replaceChildren(make("li", {}, skeleton(6))), 200);
            try {
                await this.#read();
            } finally {
                clearTimeout(waiting);
            }
        } else await this.#read();
    }

    close() {
        this.#isOpen = false;
    }

    showStranger() {
        $("documents").replaceChildren();
        $("none").replaceChildren(stranger(() => $("who").dispatchEvent(new Event("identify"))));
    }

    #show(kind) {
        this.#kind = kind;
        for (const one of $("which").children) one.setAttribute("aria-pressed",
            String(one.value === kind));
        return this.#attempt(() => this.#read());
    }

    // MARK: Reading

    async #read() {
        const signal = this.#reads.begin();
        const text = $("find").value.trim();
        if (this.#kind === "name" || text) await this.#readByName(text, signal);
        else await this.#readRecent(signal);
        if (signal.aborted) return;
        this.#draw();
    }

    async #readByName(prefix, signal) {
        const page = await get(listPath(prefix), signal);
        const named = page.documents.map(({ document }) =>
            ({ name: document, time: this.#known.get(document)?.time ?? null }));
        const have = new Set(named.map(({ name }) => name));
        const lately = [...this.#known.entries()]
            .filter(([name, { time }]) => prefix && time && !have.has(name)
                && name.toLowerCase().includes(prefix.toLowerCase()))
            .map(([name, { time }]) => ({ name, time }));
        [this.#list, this.#next] = [[...named, ...lately], page.next];
    }

    async #readRecent(signal) {
        const seen = new Map();
        const gone = new Set();
        if (this.#kind === "mine" && !me()) {
            [this.#list, this.#next] = [[], null];
            return;
        }
        const whose = this.#kind === "mine" ? `&actor=${encodeURIComponent(me())}` : "";
        let cursor = "";
        for (let pages = 0; pages < recentPages && seen.size < pageSize; pages += 1) {
            const page = await get(`/v1/history?limit=${recentSize}${whose}${cursor}`, signal);
            for (const { document, time, kind } of page.changes) {
                if (kind === "delete" && !seen.has(document)) gone.add(document);
                if (!gone.has(document) && !seen.has(document)) seen.set(document,
                    { name: document, time });
            }
            if (page.next === null) break;
            cursor = `&cursor=${page.next}`;
        }
        for (const [name, { time }] of seen) this.#known.set(name,
            { ...this.#known.get(name), time });
        [this.#list, this.#next] = [[...seen.values()].slice(0, pageSize), null];
    }

    async #readMore() {
        if (this.#next === null) return;
        const page = await get(listPath($("find").value.trim(), this.#next));
        this.#list.push(...page.documents.map(({ document }) =>
            ({ name: document, time: this.#known.get(document)?.time ?? null })));
        this.#next = page.next;
        this.#draw();
    }

    /** Reads the visible documents: the last version and its time. */
    #want(name) {
        const known = this.#known.get(name);
        if (known?.isRead || this.#queue.includes(name)) return;
        this.#queue.push(name);
        this.#readNext();
    }

    #readNext() {
        while (this.#reading < readAtOnce && this.#queue.length > 0) {
            const name = this.#queue.shift();
            this.#reading += 1;
            this.#readOne(name).finally(() => {
                this.#reading -= 1;
                this.#readNext();
            });
        }
    }

    async #readOne(name) {
        const base = documentPath(name);
        try {
            const [{ versions }, activity] = await Promise.all([
                get(`${base}/versions?summary&limit=4`), get(`${base}/activity?spans=30`)]);
            const [version] = versions;
            this.#known.set(name, { time: version?.ended ?? activity.ended, isRead: true, version,
                versions, activity });
        } catch (error) {
            this.#known.set(name, { ...this.#known.get(name), isRead: true });
            const isGone = error.status === 404 || error.status === 410;
            if (isGone) this.#list = this.#list.filter((one) => one.name !== name);
        }
        if (this.#isOpen) this.#draw();
    }

    /** A document has changed; `delete` if it no longer exists: an erasure of a place keeps it. */
    changed(name, kind, time) {
        const isGone = kind === "delete";
        if (isGone) this.#known.delete(name);
        else this.#known.set(name, { ...this.#known.get(name), time, isRead: false });
        if (!this.#isOpen) {
            this.#list = this.#list.filter((one) => one.name !== name);
            return;
        }
        const isListed = this.#list.some((one) => one.name === name);
        if (isGone) this.#list = this.#list.filter((one) => one.name !== name);
        else if (this.#kind === "recent" && !$("find").value.trim()) {
            this.#list = [{ name, time }, ...this.#list.filter((one) => one.name !== name)];
        } else if (isListed) this.#list.find((one) => one.name === name).time = time;
        if (!isGone && (isListed || this.#list[0]?.name === name)) this.#want(name);
        this.#draw();
    }

    // MARK: Drawing

    #draw(now = new Date()) {
        const isFinding = $("find").value.trim() !== "";
        const isByName = this.#kind === "name" || isFinding;
        $("total").textContent = this.#next === null && isByName ? this.#list.length : "";
        const rows = [];
        let group = null;
        for (const one of this.#list) {
            const next = isByName ? null : groupOf(one.time, now);
            if (next !== null && next !== group) {
                rows.push({ key: `group ${next}`, state: [next],
                    make: () => make("li", { class: "group" }, make("h2", {}, next)) });
                group = next;
            }
            rows.push(this.#row(one, now));
        }
        this.#rows.show(rows);
        for (const row of $("documents").querySelectorAll(".d")) this.#watch.observe(row);
        $("more-documents").hidden = this.#next === null;
        $("none").replaceChildren(...this.#list.length === 0 ? [this.#none(isFinding)] : []);
        this.#drawRelease($("find").value.trim());
        this.#drawLately(now);
    }

    /** Over a list of all drafts of a release, the button to merge them. */
    #drawRelease(text) {
        const isOne = releaseOf(text) === text && this.#list.length > 0
            && caller.rights.has("write");
        const [box, prefix] = [$("release"), isOne ? text : ""];
        // The button keeps its focus while the list changes.
        if ((box.dataset.prefix ?? "") === prefix) return;
        box.dataset.prefix = prefix;
        const work = () => this.#attempt(async () =>
            (await import("./release.js")).mergeAll(prefix));
        box.replaceChildren(...isOne ? [note("", "draft", `Drafts of ${visible(prefix)}`,
            "They can be merged as one step, all or none.",
            button("small main", work, {}, "Merge all …"))] : []);
    }

    #none(isFinding) {
        if (isFinding) {
            return empty("No document fits", `No name begins with “${$("find").value.trim()}”.`,
                ["Show all", () => { $("find").value = ""; this.#show(this.#kind); }]);
        }
        if (this.#kind === "mine" && !me()) {
            return empty("Who are you?", "Say your name, or give a token, to see what you changed.",
                ["Say who you are", () => $("who").dispatchEvent(new Event("identify")), "main"]);
        }
        if (this.#kind === "mine") return empty("No recent changes by you",
            "Documents that you change are listed here.", ["Show all", () => this.#show("recent")]);
        const made = empty("No document yet",
            "Every change to a document is listed here and can be undone.",
            ...caller.rights.has("write") ? [["New document", () => this.create(), "main"]] : []);
        made.append(make("pre", {},
            `curl -X PUT ${location.origin}/v1/documents/menu \\\n`,
            `  -H 'Content-Type: application/json' -d '{"dish":"soup"}'`));
        return made;
    }

    #row({ name, time }, now) {
        const known = this.#known.get(name) ?? {};
        const when = known.version?.ended ?? time;
        const isLive = when !== null && when !== undefined && now - new Date(when) < liveTime;
        const [prefix, last] = split(name);
        const people = peopleOf(known.activity);
        return {
            key: name, state: [known.version, known.activity, when && brief(when, now), isLive],
            make: () => make("li", { class: "d", "data-name": name },
                make("a", { href: addressOf(name) },
                make("span", { class: `tile ${isLive ? "on" : ""}` }, icon("doc")),
                make("span", { class: "grow" },
                    make("span", { class: "docname", dir: "auto" }, make("i", {}, prefix), last,
                        ...(known.version?.tags ?? []).map((tag) => chip("flag", icon("flag"),
                            tag))),
                    make("span", { class: "say" }, known.version ? told(known.version) : " ")),
                known.activity ? bars(known.activity) : make("span", {}),
                people.length > 0 ? faces(people) : make("span", {}),
                when ? make("time", { datetime: when, title: moment(when, now) }, brief(when, now))
                    : make("span", {}))),
        };
    }

    #drawLately(now) {
        const all = [...this.#known.entries()].flatMap(([name, { versions }]) =>
            (versions ?? []).filter(({ ended }) => ended).map((version) => ({ name, version })));
        all.sort((one, other) => (one.version.ended < other.version.ended ? 1 : -1));
        $("lately").replaceChildren(...all.slice(0,
            latelyMax).map(({ name, version }) => make("li", {},
            avatar(version.actors?.[0] ?? ""), make("div", {}, make("p", {}, told(version)),
                make("small", {}, make("a", { href: addressOf(name, `version:${version.version}`) },
                    visible(name)), ` · ${moment(version.ended, now)}`)))));
        $("lately-title").hidden = all.length === 0;
    }
}

function groupOf(time, now) {
    const past = now - new Date(time);
    if (past < liveTime) return "Being edited now";
    const [title] = dayName(time, now);
    if (["Today", "Yesterday"].includes(title)) return title;
    if (dayKey(now) - dayKey(time) < 7 * day) return "This week";
    return "Before";
}

/** A name in two: what others have in common, and its own. */
function split(name) {
    const at = name.lastIndexOf("/", name.length - 2) + 1;
    return [visible(name.slice(0, at)), visible(name.slice(at))];
}

function peopleOf(activity) {
    const sums = new Map();
    for (const { shares } of activity?.spans ?? []) {
        for (const { actor, changeCount } of shares) sums.set(actor,
            (sums.get(actor) ?? 0) + changeCount);
    }
    return [...sums.entries()].sort(([, one], [, other]) => other - one).map(([actor]) => actor);
}

/** When something was done, in a strip. */
function bars({ spans, spanCount }) {
    const [width, height] = [136, 28];
    const most = Math.max(1, ...spans.map(({ changeCount }) => changeCount));
    const unit = width / spanCount;
    const rects = spans.flatMap(({ index, changeCount, shares }) => {
        const tall = Math.max(3, Math.sqrt(changeCount / most) * height);
        const all = shares.length > 0 ? shares : [{ actor: "", changeCount }];
        let y = height;
        return all.map((share) => {
            const part = tall * (share.changeCount / changeCount);
            y -= part;
            return drawing("rect", { class: "bar", x: (index * unit).toFixed(1), y: y.toFixed(1),
                width: (unit - 1).toFixed(1),
                height: part.toFixed(1), rx: 1, "data-hue": share.actor ? hueOf(share.actor)
                    : null });
        });
    });
    return drawing("svg", { class: "bars", viewBox: `0 0 ${width} ${height}`,
        "aria-hidden": "true" }, ...rects);
}

