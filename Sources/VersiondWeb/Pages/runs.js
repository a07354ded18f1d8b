// Runs: their list, and one run with the effect of its undo. A part of the web UI that is loaded on
// first use, with its styles.

import { $, fill, make } from "./build.js";
import { RunList } from "./runlist.js";
import { RunPage } from "./runpage.js";
import { empty, skeleton, stranger, trouble } from "./states.js";

const skeletonTime = 200;

const styles = make("link", { rel: "stylesheet", href: "/ui/runs.css" });
const styled = new Promise((resolve) => {
    styles.onload = resolve;
    styles.onerror = resolve;
});
document.head.append(styles);

export class RunsView {
    #attempt;
    #list;
    #page;
    #shown = null;
    #retrying = null;

    /** `attempt` does what is asked for, and shows what goes wrong. */
    constructor(attempt) {
        this.#attempt = attempt;
        const host = { attempt, read: () => this.#attempt(() => this.#read()) };
        this.#list = new RunList(host);
        this.#page = new RunPage(host);
    }

    /** `at`: `runs`, or `run:` and a name. */
    async open(at) {
        const run = at.startsWith("run:") ? at.slice(4) : null;
        const before = this.#shown;
        const view = run ? this.#page : this.#list;
        this.#shown = view;
        if (run) this.#page.choose(run);
        await styled;
        if (this.#shown !== view) return;
        $("view-runs").replaceChildren(view.element);
        document.title = `${view.title} · versiond`;
        await this.#read();
        if (before && before !== view && this.#shown === view) view.focus(this.#page.run);
    }

    close() {
        clearTimeout(this.#retrying);
        this.#shown = null;
    }

    /** A change of a document, from the feed. */
    changed(item) {
        this.#shown?.changed(item);
    }

    async #read() {
        clearTimeout(this.#retrying);
        const view = this.#shown;
        if (!view) return;
        const waiting = setTimeout(() => !view.isDrawn && fill(view.content, skeleton(6)),
            skeletonTime);
        try {
            await view.read();
        } catch (error) {
            const isLasting = view.isDrawn && ![401, 403].includes(error.status);
            if (isLasting || view !== this.#shown || error.name === "AbortError") throw error;
            this.#refuse(view, error);
        } finally {
            clearTimeout(waiting);
        }
    }

    /** Shows the reason for an empty page, and reads again if the daemon says when. */
    #refuse(view, error) {
        const again = () => this.#attempt(() => this.#read());
        if (error.wait > 0) this.#retrying = setTimeout(again, 1_000 * error.wait);
        view.isDrawn = false;
        fill(view.content, error.status === 401 ? stranger(identify)
            : empty(...refusal(error), ...ways(error, again)));
    }
}

const identify = () => $("who").dispatchEvent(new Event("identify"));

function ways({ status, problem }, again) {
    if (problem?.code === "unknown-run") {
        return [["All runs", () => { location.hash = "#@runs"; }]];
    }
    return [["Try again", again], ...status === 403 ? [["Use another token", identify]] : []];
}

function refusal(error) {
    if (error.status === 403) return ["No access to runs", "This token may not read these runs."];
    if (error.problem?.code === "unknown-run") return ["No such run", trouble(error)];
    if (error.problem?.code !== "indexing") return ["Runs cannot be shown", trouble(error)];
    const words = `${error.problem.detail} This page tries again in ${error.wait} seconds.`;
    return ["Runs are not ready yet", words];
}
