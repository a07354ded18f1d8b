// The commands on a document and on its page, by name: for buttons, menus, keys and the palette.

import * as actions from "./actions.js";
import { addressOf } from "./address.js";
import { caller } from "./api.js";
import { $ } from "./build.js";
import { menu } from "./dialog.js";
import { plain } from "./sentences.js";
import { dayName } from "./times.js";

const buttons = ["mine", "redo", "edit", "take", "restore", "compare", "tag", "now", "play"];

const look = (name, at, from) => { location.hash = addressOf(name, at, from); };
const lookAt = (made) => look(made);
const filing = (name) => async (...words) => (await import("./filing.js"))[name](...words);

export class HistoryCommands {
    #view;
    /** Each: { words, key, right, run }. */
    all;

    constructor(view) {
        this.#view = view;
        const act = (work) => () => view.act(() => work(view.name));
        const write = { right: "write" };
        const admin = { right: "admin" };
        this.all = {
            mine: { words: "Undo mine", key: "m", ...write, run: act(actions.undoMine) },
            undo: { words: "Undo the last", key: "u", ...write, run: act(() => this.#undo()) },
            redo: { words: "Redo", key: "r", ...write, run: () => this.#redo() },
            take: { words: "Undo this version", key: "x", ...write, run: () => this.#take() },
            restore: { words: "Restore from this", ...write,
                run: act(async (name) => (await import("./restoring.js"))
                    .restore(name, this.#here, this.#words, lookAt)) },
            goto: { words: "Go back to this", key: "g", ...write,
                run: act(async (name) => (await import("./restoring.js"))
                    .goTo(name, this.#here, this.#words)) },
            compare: { words: "Compare", key: "c", run: () => this.#compare() },
            tag: { words: "Tag", key: "t", ...write, run: () => this.#tag() },
            edit: { words: "Edit", key: "e", ...write,
                run: act(async (name) => (await import("./edit.js")).edit(name)) },
            now: { words: "Now", key: "n", run: () => look(view.name) },
            play: { words: "Play", key: "p", run: () => view.play() },
            blame: { words: "Authors", key: "b", run: () => $("blame").click() },
            filter: { words: "Filter: words, actor:bob, path:/price", key: "/",
                run: () => $("filter").focus() },
            snapshot: { words: "Take a snapshot", ...write, run: act(filing("snapshot")) },
            copy: { words: "Copy with its history", ...write,
                run: act((name) => filing("copy")(name, view.at, lookAt)) },
            drafts: { words: "Drafts", key: "d",
                run: act(async (name) => (await import("./drafts.js")).drafts(name)) },
            together: { words: "Edit together", run: () => this.#together() },
            rename: { words: "Rename", ...admin,
                run: act((name) => filing("rename")(name, lookAt)) },
            remove: { words: "Delete", ...admin, run: act(filing("remove")) },
        };
        for (const id of buttons) $(id).addEventListener("click", () => this.all[id].run());
        $("undo-menu").onclick = () => menu($("undo-menu"), this.#undoItems());
        $("more").onclick = () => menu($("more"), this.#moreItems());
    }

    // MARK: Targets

    get #newest() {
        return this.#view.versions.list.find(({ standing }) => standing === "current");
    }

    get #here() {
        const { at, version, status } = this.#view;
        return at ?? `version:${version?.version ?? status.version}`;
    }

    get #words() {
        const { at, version } = this.#view;
        if (!version) return at ?? "now";
        if (version.tags[0]) return `“${version.tags[0]}”`;
        const day = version.ended ? `, ${dayName(version.ended)[0].toLowerCase()}` : "";
        return `version ${version.version}${day}`;
    }

    // MARK: Effects

    async #undo() {
        const { name, status, versions } = this.#view;
        if (!status.hasUndo) return;
        await actions.undo(name, this.#newest ?? await versions.holding(status.version));
    }

    /**
     * The page's state may be older than the daemon's: the daemon reports if there is nothing to
     * redo.
     */
    #redo() {
        const { name } = this.#view;
        this.#view.act(() => actions.redo(name));
    }

    #take() {
        const { name, version } = this.#view;
        if (!version || version.parent === null) return;
        this.#view.act(() => actions.takeBack(name, version));
    }

    #tag() {
        const { name, version } = this.#view;
        if (version) this.#view.act(() => filing("tag")(name, version.version, version.tags));
    }

    #compare() {
        const { name, at, version, status } = this.#view;
        const parent = version?.parent ?? null;
        const from = parent === null ? String(status.oldestRevision) : `version:${parent}`;
        look(name, at ?? "head", from);
    }

    #together() {
        location.href = `/ui/together#${encodeURIComponent(this.#view.name)}`;
    }

    // MARK: Menus

    #item(name, symbol, more = {}) {
        const { words, key, right, run } = this.all[name];
        const isOff = right !== undefined && !caller.rights.has(right);
        const why = "Your token has no right for it.";
        return { icon: symbol, words, key: key?.toUpperCase(), run, isOff, why, ...more };
    }

    #undoItems() {
        const { hasUndo, hasRedo } = this.#view.status;
        const what = this.#newest ? `: ${plain(this.#newest)}` : "";
        return [
            this.#item("mine", "mine"),
            this.#item("undo", "undo", hasUndo ? { words: `Undo the last${what}` }
                : { isOff: true, why: "There is nothing to undo.", words: "Nothing to undo" }),
            this.#item("redo", "redo", hasRedo ? {}
                : { isOff: true, why: "There is nothing to redo.", words: "Nothing to redo" }),
        ];
    }

    #moreItems() {
        return [this.#item("edit", "edit"), this.#item("snapshot", "pin"),
            this.#item("copy", "copy"), this.#item("drafts", "draft"),
            this.#item("together", "together"), "line",
            this.#item("rename", "rename"), this.#item("remove", "trash", { kind: "danger" })];
    }
}
