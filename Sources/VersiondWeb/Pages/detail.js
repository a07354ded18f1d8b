// One state: what it did, what changed, and the document then.

import * as actions from "./actions.js";
import { caller, documentPath, get, Latest } from "./api.js";
import { addressOf, versionOf } from "./address.js";
import { Blame } from "./blame.js";
import { $, button, make } from "./build.js";
import { changeCards, changedPlaces, countWords } from "./changes.js";
import { icon } from "./icons.js";
import { PageView } from "./pageview.js";
import { avatar, isMe, named } from "./people.js";
import { counted } from "./names.js";
import { headline, plain, told } from "./sentences.js";
import { skeleton, trouble } from "./states.js";
import { seconds, dayName } from "./times.js";
import { Tree } from "./tree.js";
import { State } from "./values.js";

const absences = ["unknown-version", "unknown-revision", "unknown-tag", "unknown-snapshot",
    "trimmed",
    "not-yet"];
const skeletonTime = 200;
const searchPause = 120;

export class Detail {
    #host;
    #reads = { state: new Latest(), blame: new Latest() };
    #tree = new Tree($("tree"));
    #page = new PageView($("page"), (path) => this.#openTree(path));
    #state = null;
    #sections = [];
    #version = null;
    #address = null;
    #shows = "page";
    #hasBlame = false;
    #searching = null;

    /**
     * `host`: { name, identity, status, versions, attempt, act, go } — what is around it.
     */
    constructor(host) {
        this.#host = host;
        $("blame").onclick = () => {
            this.#hasBlame = !this.#hasBlame;
            $("blame").setAttribute("aria-pressed", String(this.#hasBlame));
            if (this.#state) host.attempt(() => this.#drawDocument());
        };
        for (const one of $("as").children) one.onclick = () =>
            host.attempt(() => this.#showAs(one.value));
        $("search").oninput = () => {
            clearTimeout(this.#searching);
            this.#searching = setTimeout(() => host.attempt(() => this.#search()), searchPause);
        };
        $("search").onkeydown = (event) => {
            if (event.key === "Enter") $("found").querySelector("button")?.click();
        };
    }

    get version() {
        return this.#version;
    }

    get address() {
        return this.#address;
    }

    get state() {
        return this.#state;
    }

    /** Shows the state at an address; now, if it is `null`. */
    async show(address, signal) {
        const reading = this.#reads.state.begin(signal);
        const isOther = address !== this.#address;
        const waiting = setTimeout(() => isOther && $("changes").replaceChildren(skeleton(4)),
            skeletonTime);
        try {
            await this.#read(address, reading);
        } catch (error) {
            if (!absences.includes(error.problem?.code)) throw error;
            this.#showAbsent(address, error);
        } finally {
            clearTimeout(waiting);
        }
        if (isOther) $("detail").scrollTop = 0;
    }

    /** Nothing is at the address any more, or yet: what there is instead. */
    #showAbsent(address, error) {
        [this.#address, this.#version, this.#state, this.#sections] = [address, null, null, []];
        const words = address.replace(/^(version|tag|snapshot):/, "$1 ");
        $("said").replaceChildren(`There is no ${words}`);
        $("meta").replaceChildren(error.problem.detail);
        $("detail").dataset.state = "absent";
        for (const id of ["take", "restore", "tag"]) $(id).hidden = true;
        $("now").hidden = false;
    }

    async #read(address, reading) {
        const { name } = this.#host;
        const version = await this.#versionAt(address, reading);
        if (reading.aborted) return;
        const number = versionOf(address);
        const before = this.#before(address, version);
        const isSettled = number !== null && version?.standing !== "current";
        const [state, former] = await Promise.all([
            State.load(name, address, isSettled),
            before === null || before === undefined ? before
                : State.load(name, before, true).catch(() => undefined),
        ]);
        const sections = former ? await state.differenceFrom(former, this.#host.identity) : [];
        if (reading.aborted) return;
        [this.#address, this.#version, this.#state, this.#sections] = [address, version, state,
            sections];
        this.#drawHead();
        this.#drawChanges(former);
        await this.#drawDocument();
    }

    async #versionAt(address, signal) {
        const { versions, status, name } = this.#host;
        const number = address === null ? status?.version : versionOf(address);
        if (number !== null && number !== undefined) {
            return versions.find(number) ?? versions.holding(number, signal);
        }
        if (/^\d+$/.test(address)) return null;
        if (!address.startsWith("tag:")) return null;
        const tag = await get(`${documentPath(name)}/tags/${encodeURIComponent(address.slice(4))}`,
            signal);
        return versions.find(tag.version) ?? versions.holding(tag.version, signal);
    }

    /** The state before: of a version its parent, of a revision the one before it. */
    #before(address, version) {
        if (version) return version.parent === null ? null : `version:${version.parent}`;
        if (address === "0") return null;
        return /^[1-9]\d*$/.test(address ?? "") ? String(Number(address) - 1) : undefined;
    }

    get title() {
        return this.#version ? plain(this.#version) : `The document at ${this.#address}`;
    }

    /** Draws the version's facts again: its position may have changed. */
    redraw() {
        if (!this.#version || !this.#state) return;
        this.#version = this.#host.versions.find(this.#version.version) ?? this.#version;
        this.#drawHead();
    }

    // MARK: Head

    #drawHead() {
        const version = this.#version;
        $("detail").dataset.state = "open";
        $("said").replaceChildren(...version
            ? (version.label ? headline(version) : told(version))
                : [`The document at ${this.#address}`]);
        $("meta").replaceChildren(...this.#meta(version));
        const canWrite = caller.rights.has("write");
        const isNow = version?.standing === "current";
        const why = canWrite ? null : "You may only read.";
        const set = (id, isShown) => {
            $(id).hidden = !isShown;
            $(id).disabled = !canWrite;
            $(id).title = why ?? "";
        };
        const isTaken = version?.inEffect === false
            || ["redo", "aside"].includes(version?.standing);
        set("take", version !== null && version?.parent !== null && version?.kind !== undefined
            && !isTaken);
        set("restore", !isNow || this.#address !== null);
        set("tag", version !== null);
        $("now").hidden = this.#address === null;
    }

    #meta(version) {
        if (!version) return [];
        const { versions, status, scopes } = this.#host;
        const newer = versions.isFiltered ? -1
            : versions.list.indexOf(versions.find(version.version) ?? {});
        const later = newer < 0 ? 0 : versions.newer + newer;
        const scope = scopes.find(({ scopeLevel }) => scopeLevel === version.scopeLevel);
        const items = [
            version.label && make("span", {}, ...told(version)),
            version.ended && `${dayName(version.ended)[0]} ${seconds(version.ended)}`,
            `id ${version.version}`,
            version.standing === "current" && "now",
            version.standing === "aside" && "undone",
            version.standing === "redo" && "ahead: redo comes to it",
            version.inEffect === false && "not in effect",
            version.transaction?.count > 1
                && `together with ${counted(version.transaction.count - 1, "other document")}`,
            version.actors?.[0]?.includes("/") && make("a", { class: "b small line",
                href: addressOf("", `run:${version.actors[0]}`) }, "Run"),
            version.requesters && `asked by ${named(version.requesters, true)}`,
            version.scopeLevel > 0 && `in ${whoseScope(scope)} scope`,
            later > 0 && status && (later === 1 ? "1 later version" : `${later} later versions`),
            ...version.tags.map((tag) => make("span", { class: "chip flag" }, icon("flag"), tag)),
        ].filter(Boolean);
        return [avatar(version.actors?.[0] ?? "", "small"),
            ...items.flatMap((item, index) => [index > 0
                && make("span", { "aria-hidden": "true" }, "·"), make("span", {}, item)])]
            .filter(Boolean);
    }

    // MARK: Changes

    #drawChanges(former) {
        const isKnown = former !== undefined && former !== null;
        $("count").textContent = isKnown ? countWords(this.#sections) : "";
        if (!isKnown) {
            const isFirst = this.#version?.kind === "create" || this.#address === "0";
            const words = former === null
                ? isFirst ? "The document begins here." : "Earlier changes are forgotten."
                : "Compare it with another state to see what differs.";
            $("changes").replaceChildren(make("p", { class: "quiet" }, words));
            return;
        }
        const host = this.#host;
        const revision = this.#state.revision;
        const canPut = caller.rights.has("write") && revision !== null
            && this.#version?.standing !== "aside";
        $("changes").replaceChildren(...changeCards(this.#sections,
            canPut ? (change) => host.act(() => actions.putBack(host.name, change, revision))
                : null));
    }

    // MARK: The document

    async #drawDocument() {
        const blame = this.#hasBlame ? await this.#readBlame() : null;
        const isTree = this.#shows === "json";
        $("page").hidden = isTree;
        $("tree").hidden = !isTree;
        if (isTree) await this.#tree.show(this.#state, { blame, onRestore: this.#restorer() });
        else await this.#page.show(this.#state, { blame, changed: changedPlaces(this.#sections) });
    }

    #restorer() {
        const host = this.#host;
        if (this.#address === null || !caller.rights.has("write")) return null;
        const address = this.#address;
        return (path) => host.act(async () => (await import("./restoring.js"))
            .restorePlace(host.name, address, path));
    }

    async #readBlame() {
        if (this.#address?.startsWith("snapshot:")) return null;
        const query = this.#address === null ? "" : `?at=${encodeURIComponent(this.#address)}`;
        try {
            return new Blame(await get(`${documentPath(this.#host.name)}/blame${query}`,
                this.#reads.blame.begin()));
        } catch (error) {
            if (error.name === "AbortError") throw error;
            $("found").replaceChildren(make("p", { class: "quiet" }, trouble(error)));
            return null;
        }
    }

    async #showAs(kind) {
        this.#shows = kind;
        for (const one of $("as").children) one.setAttribute("aria-pressed",
            String(one.value === kind));
        if (this.#state) await this.#drawDocument();
    }


    /** Shows a place of the value. */
    reveal(path) {
        return this.#openTree(path);
    }

    async #openTree(path) {
        await this.#showAs("json");
        await this.#tree.reveal(path);
    }

    async #search() {
        const text = $("search").value;
        if (!text || !this.#state) return $("found").replaceChildren();
        const { found, isCut } = await this.#state.search(text);
        if ($("search").value !== text) return undefined;
        const count = isCut ? `The first ${found.length} places.` : found.length === 1 ? "1 place."
            : `${found.length} places.`;
        const words = found.length === 0 ? "Nothing in the document has it." : count;
        return $("found").replaceChildren(make("p", { class: "quiet", role: "status" }, words),
            ...found.slice(0, 40).map(({ path, text: snippet }) =>
                button("small line", () => this.#host.attempt(() => this.#openTree(path)), {},
                    make("code", {}, path), snippet && make("span", { class: "quiet" }, snippet))));
    }
}

function whoseScope(scope) {
    const owner = scope?.owner ?? "";
    if (owner === "") return "a";
    return isMe(owner) ? "your" : `${owner}’s`;
}
