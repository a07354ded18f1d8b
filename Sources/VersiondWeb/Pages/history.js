// The history of one document: its ribbon, its versions, and the state that is shown.

import * as actions from "./actions.js";
import { addressOf, versionOf } from "./address.js";
import { caller, documentPath, get, identityOf, Latest } from "./api.js";
import { $, button, make } from "./build.js";
import { Detail } from "./detail.js";
import { Drafting } from "./drafting.js";
import { rowsOf } from "./grouping.js";
import { HistoryCommands } from "./historycommands.js";
import { icon } from "./icons.js";
import { titled, visible } from "./names.js";
import { isMe, me, who } from "./people.js";
import { Ribbon } from "./ribbon.js";
import { plain } from "./sentences.js";
import { empty, note, skeleton, stranger } from "./states.js";
import { Timeline } from "./timeline.js";
import { moment } from "./times.js";
import { forget } from "./values.js";
import { query, Versions, wordsOf } from "./versions.js";

const refreshPause = 60;
const activityPause = 2_000;
const playPause = 700;
const plainKinds = ["append", "undo", "redo"];

export class HistoryView {
    name = null;
    status = null;
    scopes = [];
    identity = ["id"];
    versions = new Versions();
    #at = null;
    #reads = { history: new Latest(), list: new Latest(), activity: new Latest() };
    #opening = new AbortController();
    #opened = new Set();
    #only = "all";
    #timeline;
    #ribbon;
    #detail;
    #activityDue = null;
    #playing = null;
    #refreshed = Promise.resolve();
    #isDue = false;
    #isWholeDue = false;
    #seen = 0;
    #watch;

    /** `attempt` does what is asked for, and shows what goes wrong. */
    constructor(attempt) {
        this.attempt = attempt;
        this.#timeline = new Timeline($("versions"), {
            address: ({ version }) => addressOf(this.name, `version:${version}`),
            unfold: (key) => {
                if (!this.#opened.delete(key)) this.#opened.add(key);
                this.#drawList();
            },
        });
        this.#ribbon = new Ribbon($("ribbon"), (where) => attempt(() => this.#walk(where)));
        this.#detail = new Detail(this);
        this.drafting = new Drafting($("drafting"), attempt);
        this.commands = new HistoryCommands(this).all;
        this.#wire();
    }

    /** Whether there is something to see of the document. */
    get isShown() {
        return $("doc").dataset.state === "open";
    }

    /** The shown state; `null` is the current one. */
    get at() {
        return this.#at;
    }

    /** The version that is shown, if it is one. */
    get version() {
        return this.#detail.version;
    }

    // MARK: Opening

    async open(name, at) {
        const isOther = name !== this.name || this.status === null;
        this.#at = at;
        if (isOther) {
            this.#opening.abort();
            this.#opening = new AbortController();
            Object.assign(this, { name, status: null, scopes: [] });
            this.#opened.clear();
            this.#stop();
            clearTimeout(this.#activityDue);
            this.#activityDue = null;
            this.#beginDrawing(name);
            this.drafting.open(name);
            await this.#readAll(true);
        } else {
            const version = this.versions.isFiltered ? null : versionOf(at);
            if (version !== null && !this.versions.find(version)) {
                await this.versions.around(version, this.#opening.signal);
            }
            this.#drawList();
        }
        await this.#detail.show(at, this.#opening.signal);
        this.#point();
        document.title = `${visible(name)} · versiond`;
    }

    close() {
        this.#stop();
        this.name = null;
        this.status = null;
        this.#opening.abort();
        this.drafting.close();
    }

    #beginDrawing(name) {
        $("name").textContent = visible(name);
        $("gone").replaceChildren();
        $("doc").dataset.state = "loading";
        for (const id of ["filter", "search"]) $(id).value = "";
        for (const id of ["lede", "notes", "found", "ribbon"]) $(id).replaceChildren();
        void forget();
        $("changes").replaceChildren();
        $("page").replaceChildren();
        $("said").replaceChildren();
        $("meta").replaceChildren();
        $("versions").replaceChildren(make("li", {}, skeleton(6)));
    }

    async #readAll(isFirst) {
        const signal = this.#reads.history.begin(this.#opening.signal);
        const { name } = this;
        const base = documentPath(name);
        const actor = me() ? `?actor=${encodeURIComponent(me())}` : "";
        const [status, identity] = await Promise.all([
            get(`${base}/status${actor}`, signal),
            isFirst ? identityOf(name, signal) : null,
            isFirst ? this.versions.begin(name, this.#filter(), this.#at, signal)
                : this.versions.refresh(signal, this.#isWhole),
        ]);
        if (identity) this.identity = identity;
        this.status = status;
        this.scopes = status.scopeLevel > 0 ? (await get(`${base}/scopes`, signal)).scopes : [];
        if (isFirst) this.#seen = status.revision;
        $("doc").dataset.state = "open";
        this.#drawHead();
        this.#drawList();
        // Not waited for: a later read of the activity ends this one, and must not end the opening.
        if (isFirst) void this.attempt(() => this.#readActivity());
        else this.#activitySoon();
    }

    /** A document that is gone, or not permitted, shows the reason in place of all else. */
    showGone(error) {
        $("doc").dataset.state = "gone";
        const name = visible(this.name ?? "");
        const all = ["All documents", () => { location.hash = ""; }, ""];
        const code = error.problem?.code;
        const detail = error.problem?.detail ?? "";
        if (error.status === 403) {
            const use = ["Use another token",
                () => $("who").dispatchEvent(new Event("identify")), "main"];
            $("gone").replaceChildren(empty(`You may not see ${name}`, detail, use, all));
        } else if (code === "document-purged") {
            $("gone").replaceChildren(empty(`${name} is erased`, detail, all));
        } else if (error.status === 401) {
            $("gone").replaceChildren(
                stranger(() => $("who").dispatchEvent(new Event("identify"))));
        } else if (code === "document-deleted") {
            const back = ["Bring it back", () => this.act(async () => {
                await actions.undelete(this.name);
                this.status = null;
                await this.open(this.name, this.#at);
            }), "main"];
            $("gone").replaceChildren(empty(`${name} is deleted`,
                `Its versions, tags and snapshots are kept. ${detail}`,
                ...caller.rights.has("admin") ? [back] : [], all));
        } else if (code === "unknown-document") {
            const make_ = ["Create it", () =>
                this.act(() => actions.create((made) =>
                { location.hash = addressOf(made); this.status = null; this.open(made, null); },
                this.name)), "main"];
            $("gone").replaceChildren(empty(`Document “${name}” does not exist`,
                "It was never created, or it was purged.",
                ...caller.rights.has("write") ? [make_] : [], all));
        } else {
            $("gone").replaceChildren(empty(`${name} cannot be shown`, error.message,
                ["Try again", () => this.attempt(() => this.open(this.name, this.#at))], all));
        }
        // The title of the page, as it is where there is more to see.
        $("gone").prepend(make("h1", { class: "vh" }, name));
    }

    /** The value that is shown, and a way to a place in it. */
    get state() {
        return this.#detail.state;
    }

    reveal(path) {
        return this.attempt(() => this.#detail.reveal(path));
    }

    // MARK: Head

    #drawHead() {
        const { status, versions } = this;
        const canWrite = caller.rights.has("write");
        const newest = versions.isFiltered ? null
            : versions.list.find(({ standing }) => standing === "current");
        const count = countOf(status.versionCount);
        $("lede").replaceChildren(...newest?.ended
            ? [who(newest.actors?.[0] ?? ""), make("span", { class: "wide" }, " changed it"),
                ` ${moment(newest.ended)}`,
                make("span", { class: "wide" },
                    `. ${count}${status.openGroup ? ", being edited" : ""}.`)]
            : [count]);
        const why = canWrite ? "" : "You may only read.";
        const set = (id, isOff, words = why) => {
            $(id).disabled = isOff;
            $(id).title = isOff ? words : "";
        };
        set("mine", !canWrite || (me() !== "" && !status.own?.hasUndo), canWrite
            ? "You have no changes to undo." : why);
        set("undo-menu", !canWrite);
        set("redo", !canWrite || !status.hasRedo, canWrite ? "There is nothing to redo." : why);
        set("edit", !canWrite);
        $("notes").replaceChildren(...this.#notes(canWrite));
    }

    #notes(canWrite) {
        const inner = this.scopes.at(-1);
        const whose = inner && (isMe(inner.owner ?? "") ? "your scope" : inner.owner
            ? `${inner.owner}’s scope` : "the scope");
        const isOthers = inner && !isMe(inner.owner ?? "") && inner.owner;
        const mayClose = canWrite && (!isOthers || caller.rights.has("undo-others"));
        const close = (how, words) => button("small line",
            () => this.act(() => actions.closeScope(this.name, how, whose, isOthers)),
            { disabled: !mayClose, title: mayClose ? null : "Another actor owns it." }, words);
        return [
            !canWrite && note("", "eye", "You have read access only.",
                rightsWords(),
                button("small line", () => $("who").click(), {}, "Use another")),
            inner && note("", "restore", `${titled(whose)} is open.`,
                "Its changes are kept or dropped together.", close("pop", "Keep it"),
                    close("discard", "Drop it")),
            this.status.lastError && note("warn", "warn", "The last change could not be stored.",
                this.status.lastError.detail),
        ].filter(Boolean);
    }

    // MARK: List

    #filter() {
        const words = query($("filter").value);
        if (this.#only === "mine") words.set("actor", me());
        return words;
    }

    #isShown = ({ version, standing }) => {
        if (this.#at === null) return standing === "current";
        return version === (versionOf(this.#at) ?? this.#detail.version?.version);
    };

    #drawList() {
        const { versions } = this;
        const list = this.#only === "named"
            ? versions.list.filter(({ tags, snapshots, label }) => tags.length
                + snapshots.length > 0 || label)
            : versions.list;
        this.#timeline.show(rowsOf(list,
            { opened: this.#opened, isShown: this.#isShown, scopes: this.scopes,
                hasOlder: versions.hasOlder, hasNewer: versions.hasNewer }), this.#isShown);
        $("older").hidden = !versions.hasOlder;
        $("newer").hidden = !versions.hasNewer;
        $("nothing").replaceChildren(...list.length === 0 && this.status ? [this.#nothing()] : []);
        this.#drawPill();
    }

    #nothing() {
        const text = $("filter").value.trim();
        const words = wordsOf(text);
        const wanted = words.map((word) => `“${word}”`).join(" and ")
            || { named: "names and labels", mine: "yours" }[this.#only];
        const drop = words.map((word) => [`Drop “${word}”`,
            () => this.#filterBy(words.filter((one) => one !== word).join(" "))]);
        const more = this.versions.hasOlder
            ? [["Look through older ones", () => this.attempt(() => this.#more("older"))]] : [];
        return empty("No version fits",
            `Looked for ${wanted} among ${countOf(this.status.versionCount)}.`,
            ...more, ...words.length > 1 ? drop : [],
                ["Show all", () => this.#showOnly("all", "")]);
    }

    #filterBy(text) {
        $("filter").value = text;
        return this.attempt(() => this.#refilter());
    }

    async #refilter() {
        await this.versions.begin(this.name, this.#filter(), null,
            this.#reads.list.begin(this.#opening.signal));
        $("timeline").scrollTop = 0;
        this.#drawList();
    }

    #showOnly(kind, text = $("filter").value) {
        this.#only = kind;
        for (const one of $("only").children) one.setAttribute("aria-pressed",
            String(one.value === kind));
        return this.#filterBy(text);
    }

    async #more(way) {
        const signal = this.#reads.list.begin(this.#opening.signal);
        const before = this.versions.list.length;
        if (way === "older") await this.versions.readOlder(signal);
        else await this.versions.readNewer(signal);
        this.#drawList();
        // If the new page is one row, the list's end is still visible, and more is needed.
        if (this.versions.list.length > before) this.#watchAgain($(way));
    }

    #drawPill() {
        const isAway = $("timeline").scrollTop > 200 || this.versions.hasNewer;
        const fresh = this.status ? this.status.revision - this.#seen : 0;
        $("pill").hidden = !isAway || fresh <= 0;
        $("pill").textContent = fresh === 1 ? "1 new change" : `${fresh} new changes`;
        if (!isAway && this.status) this.#seen = this.status.revision;
    }

    // MARK: Ribbon

    async #readActivity() {
        const base = documentPath(this.name);
        const signal = this.#reads.activity.begin(this.#opening.signal);
        const [activity, { tags }, { snapshots }] = await Promise.all([
            get(`${base}/activity?spans=200`, signal), get(`${base}/tags`, signal),
                get(`${base}/snapshots`, signal),
        ]);
        const marks = [...tags.map(({ tag, version }) =>
            ({ name: tag, kind: "tag", revision: version })),
            ...snapshots.map(({ snapshot, time }) => ({ name: snapshot, kind: "snapshot", time }))];
        this.#ribbon.show(activity, marks, [activity.spans[0]?.first ?? 0, activity.revision]);
        $("sampled").hidden = !activity.isSampled;
        this.#point();
    }

    #activitySoon() {
        if (this.#activityDue !== null) return;
        this.#activityDue = setTimeout(() => {
            this.#activityDue = null;
            if (this.name !== null) this.attempt(() => this.#readActivity());
        }, activityPause);
    }

    #point() {
        const { version } = this.#detail;
        const ended = version?.ended ?? this.status?.time;
        if (!ended) return;
        this.#ribbon.point({ time: ended, revision: version?.version ?? this.status.revision,
            words: version ? plain(version) : this.#detail.title });
        const { list, newer, isFiltered } = this.versions;
        const index = list.findIndex((one) => one.version === version?.version);
        $("position").textContent = index < 0 || isFiltered ? ""
            : `${newer + index + 1} of ${this.status.versionCount}`;
    }

    /** Goes to a revision, or a step. */
    async #walk(where) {
        if (where === "older" || where === "newer") return this.step(where === "older" ? 1 : -1);
        if (where === "last") return this.#replace(null);
        const revision = where === "first" ? this.status.oldestRevision : where;
        const found = await this.versions.holding(revision,
            this.#reads.list.begin(this.#opening.signal));
        return found && this.#replace(`version:${found.version}`);
    }

    #replace(at) {
        const hash = addressOf(this.name, at);
        if (hash !== location.hash) location.replace(hash);
    }

    /** One version further back, or on. */
    async step(change) {
        const { versions } = this;
        // The step skips undone versions, unless one is shown or the user has opened them.
        const isAside = this.#detail.version?.standing === "aside";
        const list = () => versions.list.filter((one) =>
            one.standing !== "aside" || isAside
                || $("versions").querySelector(`[data-version="${one.version}"]`));
        const here = () => list().findIndex(this.#isShown);
        if (change > 0 && here() >= list().length - 1) await this.#more("older");
        if (change < 0 && here() === 0 && versions.hasNewer) await this.#more("newer");
        const index = here() < 0 ? 0 : here() + change;
        const version = list()[Math.max(0, Math.min(list().length - 1, index))];
        if (!version) return;
        const hasFocus = $("versions").contains(document.activeElement);
        this.#at = `version:${version.version}`;
        this.#drawList();
        this.#timeline.reveal(version.version, hasFocus);
        this.#replace(this.#at);
    }

    play() {
        if (this.#playing) return this.#stop();
        const { stops } = this.#ribbon;
        if (stops.length === 0) return undefined;
        let index = 0;
        const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
        const shown = this.#detail.version?.last ?? Infinity;
        if (isStill) {
            const next = stops.find((stop) => stop > shown) ?? stops[0];
            return this.attempt(() => this.#walk(next));
        }
        const step = () => {
            $("playing").textContent = `${index + 1} of ${stops.length}`;
            this.attempt(() => this.#walk(stops[index]));
            index += 1;
            if (index >= stops.length) this.#stop();
        };
        this.#playing = setInterval(step, playPause);
        $("play").replaceChildren(icon("pause"));
        $("play").setAttribute("aria-label", "Pause");
        return step();
    }

    #stop() {
        clearInterval(this.#playing);
        this.#playing = null;
        $("play").replaceChildren(icon("play"));
        $("play").setAttribute("aria-label", "Play");
    }

    // MARK: Changes of other actors

    get #isWhole() {
        const isWhole = this.#isWholeDue;
        this.#isWholeDue = false;
        return isWhole;
    }

    /** Reads again soon, one read after the other. Many changes at once cause one update. */
    changed(kind) {
        if (this.name === null) return;
        if (!plainKinds.includes(kind)) this.#isWholeDue = true;
        if (this.#isDue) return;
        this.#isDue = true;
        this.#refreshed = this.#refreshed.then(() =>
            new Promise((resolve) => setTimeout(resolve, refreshPause)))
            .then(() => this.#refresh());
    }

    async #refresh() {
        this.#isDue = false;
        if (this.name === null || $("doc").dataset.state === "loading") return;
        if (!this.isShown) {
            // A missing or failed state may be available now.
            this.status = null;
            await this.attempt(() => this.open(this.name, this.#at));
            return;
        }
        const mayDiffer = this.#isWholeDue || this.#at === null || this.#at.startsWith("tag:");
        this.drafting.soon();
        if (this.#isWholeDue) await forget();
        await this.attempt(async () => {
            await this.#readAll(false);
            if (mayDiffer) await this.#detail.show(this.#at, this.#opening.signal);
            else this.#detail.redraw();
            this.#point();
        });
    }

    async act(work) {
        await this.attempt(work);
        this.changed("append");
    }

    #watchAgain(end) {
        this.#watch.unobserve(end);
        this.#watch.observe(end);
    }

    // MARK: By mouse

    #wire() {
        $("older").onclick = () => this.attempt(() => this.#more("older"));
        $("newer").onclick = () => this.attempt(() => this.#more("newer"));
        $("pill").onclick = () => {
            this.#seen = this.status.revision;
            $("timeline").scrollTop = 0;
            this.#filterBy($("filter").value);
        };
        $("back-newer").onclick = () => this.attempt(() => this.step(-1));
        $("back-older").onclick = () => this.attempt(() => this.step(1));
        $("filter").onchange = () => this.#filterBy($("filter").value);
        for (const one of $("only").children) one.onclick = () => this.#showOnly(one.value);
        $("timeline").onscroll = () => this.#drawPill();
        // Scrolling to an end loads more.
        this.#watch = new IntersectionObserver((entries) => {
            for (const { isIntersecting, target } of entries) {
                if (isIntersecting && !target.hidden) target.click();
            }
        }, { root: $("timeline") });
        this.#watch.observe($("older"));
        this.#watch.observe($("newer"));
    }
}

const countOf = (count) => (count === 1 ? "1 version" : `${count} versions`);

function rightsWords() {
    if (!caller.name) return "Undo, edit and tag need a token with the right to write.";
    const rights = [...caller.rights].join(", ") || "nothing";
    return `The token “${caller.name}” has the right to ${rights}.`;
}
