// The web UI: documents, their histories, comparisons of states. The address has the page's state.

import * as actions from "./actions.js";
import { addressOf, readAddress } from "./address.js";
import { caller, learnCaller, Unreachable } from "./api.js";
import { $, button, fill, make } from "./build.js";
import { CompareView } from "./compare.js";
import { menu } from "./dialog.js";
import { DocumentsView } from "./documents.js";
import { Feed } from "./feed.js";
import { HistoryView } from "./history.js";
import { icon, mark } from "./icons.js";
import { visible } from "./names.js";
import { Palette } from "./palette.js";
import { avatar, isMe, me } from "./people.js";
import { trouble } from "./states.js";
import { areKeysOn, browserStorage } from "./storage.js";
import { clock } from "./times.js";

const announcePause = 5_000;

for (const element of document.querySelectorAll("[data-icon]")) element.prepend(
    icon(element.dataset.icon));
$("home").prepend(mark());

/** Does something, and shows what goes wrong. */
async function attempt(work) {
    try {
        const result = await work();
        if (shownProblem instanceof Unreachable) showProblem(null);
        return result;
    } catch (error) {
        if (error.name === "AbortError") return undefined;
        const isHistory = document.body.dataset.view === "history";
        if (document.body.dataset.view === "compare" && !compare.isShown) compare.showGone(error);
        else if (isHistory && (isAbsence(error) || !history.isShown)) history.showGone(error);
        else if (isShown("documents") && error.status === 401) documents.showStranger();
        else showProblem(error);
        return undefined;
    }
}

const gone = ["document-deleted", "unknown-document", "document-purged"];
const isAbsence = ({ problem, status }) =>
    status === 401 || gone.includes(problem?.code);

let shownProblem = null;

function showProblem(error) {
    shownProblem = error;
    const box = $("problem");
    box.hidden = error === null;
    if (error === null) return box.replaceChildren();
    const isStranger = error.status === 401 || (error.status === 403 && caller.rights.size === 0);
    return fill(box, icon("warn"),
        make("span", {}, isStranger ? "This daemon wants a token." : trouble(error)),
        make("span", { class: "grow" }), isStranger
            && button("small line", () => actions.identify(begin), {}, "Come in"),
        error.problem?.requestId && make("code", { class: "quiet" }, error.problem.requestId),
        button("small icon", () => showProblem(null), { "aria-label": "Close" }, icon("close")));
}

const history = new HistoryView(attempt);
const compare = new CompareView(attempt, (work) => history.act(work));
const documents = new DocumentsView(attempt);
/** The view of runs, after its first use. */
let runs = null;
let place = readAddress(location.hash);
let isKnown = false;

async function look() {
    showProblem(null);
    place = readAddress(location.hash);
    const { name, at, from } = place;
    const view = name === null ? (/^runs?\b/.test(at) ? "runs" : "documents")
        : from !== null ? "compare" : "history";
    document.body.dataset.view = view;
    document.body.dataset.pane = view === "history" && at !== null ? "detail" : "list";
    for (const id of ["documents", "runs", "history", "compare"]) {
        $(`view-${id}`).hidden = id !== view;
    }
    drawCrumbs();
    if (!isKnown) return;
    documents.close();
    if (view !== "runs") runs?.close();
    if (name === null) {
        history.close();
        await attempt(overview);
        return;
    }
    if (view === "compare") {
        if (history.name !== name) history.close();
        await attempt(() => compare.open(name, at, from));
        return;
    }
    await attempt(() => history.open(name, at));
    // On a phone, the version replaces the list: the focus moves to it, so that a screen reader
    // reads it.
    if (at !== null && !isWide() && location.hash === addressOf(name, at)) $("said").focus(
        { preventScroll: true });
}

const isShown = (view) => document.body.dataset.view === view;

async function overview() {
    if (isShown("documents")) return documents.open();
    const { RunsView } = await import("./runs.js");
    runs ??= new RunsView(attempt);
    return isShown("runs") && runs.open(place.at);
}

const isWide = () => matchMedia("(min-width: 56rem)").matches;

function drawCrumbs() {
    const { name, from } = place;
    if (name === null) return $("crumbs").replaceChildren();
    const cut = name.lastIndexOf("/", name.length - 2) + 1;
    const here = make("a", { class: "b small", href: addressOf(name), "aria-current": from === null
        ? "page" : null, dir: "auto" }, visible(name.slice(cut)));
    return $("crumbs").replaceChildren(...[
        cut > 0 && make("span", { class: "wide quiet", dir: "auto" }, visible(name.slice(0, cut))),
        here,
        from !== null && make("span", { "aria-hidden": "true" }, "/"), from !== null
            && make("span", { "aria-current": "page" }, "Compare"),
    ].filter(Boolean));
}

// Changes of other actors.

const heard = new Map();
let announcing = null;

/** For screen readers: every few seconds, and never the user's own changes. */
function announce({ document: name, actor, kind }) {
    if (name !== place.name || isMe(actor) || kind === "seal") return;
    heard.set(actor, (heard.get(actor) ?? 0) + 1);
    announcing ??= setTimeout(() => {
        announcing = null;
        $("heard").textContent = [...heard].map(([who, count]) =>
            `${who || "Someone"} made ${count === 1 ? "1 change" : `${count} changes`}`).join(
                ", ");
        heard.clear();
    }, announcePause);
}

const feed = new Feed({
    receive: (item) => {
        if (item.event === "change") {
            const isGone = ["delete", "purge"].includes(item.kind) && !item.paths?.length;
            documents.changed(item.document, isGone ? "delete" : item.kind, item.time);
            runs?.changed(item);
            announce(item);
        }
        if (item.document === place.name && place.from !== null) compare.changed();
        history.drafting.heard(item.document);
        if (item.document === history.name) history.changed(item.event === "seal" ? "append"
            : item.kind);
    },
    refresh: () => {
        if (place.name === null) attempt(overview);
        if (place.from !== null) compare.changed();
        history.changed("settings");
    },
    say: (words) => {
        $("live").textContent = words;
        $("live").classList.toggle("off", words !== "live");
        const isAway = words === "not connected" || words.startsWith("waiting");
        $("away").hidden = !isAway;
        if (!isAway) return;
        const time = clock(new Date());
        $("away-words").textContent =
            `You see what was there at ${time}. Trying again every second.`;
    },
});

async function begin() {
    await attempt(learnCaller);
    isKnown = true;
    const name = me();
    $("who").replaceChildren(avatar(name));
    $("who").setAttribute("aria-label", name ? `You are ${name}. Access and keys`
        : "No name yet: access and keys");
    feed.begin();
    history.status = null;
    await look();
}

// By mouse and by keyboard.

const palette = new Palette(() => ({
    name: place.name, state: place.name !== null && place.from === null ? history.state : null,
        reveal: (path) => history.reveal(path),
    commands: [
        ...place.name !== null && place.from === null && history.isShown
            ? Object.values(history.commands) : [],
        { words: "All documents", run: () => { location.hash = ""; } },
        { words: "Runs", run: () => { location.hash = "#@runs"; } },
        { words: "New document", right: "write", run: () => documents.create() },
        { words: "Who are you?", run: () => actions.identify(begin) },
        { words: "Keys", key: "?", run: help },
    ],
}));

function help() {
    return attempt(async () => (await import("./keys.js")).showKeys(history.commands));
}

function onOverview(key) {
    const rows = [...document.querySelectorAll("main:not([hidden]) ol :is(.d > a, h3 > a)")];
    const index = rows.indexOf(document.activeElement);
    const step = { j: 1, k: -1 }[key];
    if (step) return () => rows[Math.max(0, Math.min(rows.length - 1, index + step))]?.focus();
    return { n: () => caller.rights.has("write") && documents.create(),
        "/": () => document.querySelector("main:not([hidden]) .tools input")?.focus() }[key];
}

function onCompare(key) {
    return { j: () => compare.step(1), k: () => compare.step(-1), s: () => compare.swap(),
        v: () => compare.flip(),
        z: () => compare.putBack(), Escape: () => compare.close() }[key];
}

function onHistory(key) {
    const steps = { j: 1, k: -1 };
    if (steps[key]) return () => attempt(() => history.step(steps[key]));
    if (key === "Escape") return () => place.at !== null && !isWide()
        && (location.hash = addressOf(place.name));
    const command = Object.values(history.commands).find((one) => one.key === key);
    if (!command || $("doc").dataset.state !== "open") return undefined;
    return () => (!command.right || caller.rights.has(command.right)) && command.run();
}

addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        return palette.open();
    }
    const isTyping = event.target.closest(
        "input:not([type=radio]):not([type=checkbox]), textarea, select");
    if (event.key === "Escape" && isTyping
        && !document.querySelector("dialog[open]")) return event.target.blur();
    if (isTyping || document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey
        || event.altKey) return undefined;
    if (event.key === "?") return help();
    if (event.key !== "Escape" && !areKeysOn()) return undefined;
    const run = { documents: onOverview, runs: onOverview, compare: onCompare,
        history: onHistory }[document.body.dataset.view](event.key);
    if (!run) return undefined;
    event.preventDefault();
    return run();
});

$("jump").onclick = () => palette.open();
$("skip").onclick = () => {
    const target = { history: $("said"), compare: $("sum") }[document.body.dataset.view];
    (target ?? document.querySelector("main:not([hidden]) ol a"))?.focus();
};
$("who").addEventListener("identify", ({ detail }) => attempt(async () => {
    if (await actions.identify(begin, detail?.why) && me()) await detail?.then();
}));
$("try").onclick = () => feed.begin();
$("back").onclick = (event) => {
    // Back goes where one came from: so the list keeps its place.
    if (globalThis.history.length > 1 && cameFromList) {
        event.preventDefault();
        globalThis.history.back();
    }
};
$("who").onclick = () => menu($("who"), [
    { icon: "key", words: me() ? `You are ${me()}` : "Say who you are",
        run: () => actions.identify(begin) },
    { icon: "keys", words: "Keys", key: "?", run: help },
    ...caller.documentation ? [{ icon: "doc", words: "Documentation",
        run: () => open(caller.documentation, "_blank", "noopener") }] : [],
    "line",
    ...["light", "dark", "as the system"].map((theme) =>
        ({ icon: "eye", words: `Colours: ${theme}`, run: () => setTheme(theme) })),
]);

function setTheme(theme) {
    browserStorage.setItem("theme", theme);
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
}

let cameFromList = false;
addEventListener("hashchange", ({ oldURL }) => {
    const before = readAddress(new URL(oldURL).hash);
    cameFromList = before.name !== null && before.at === null;
    $("back").href = place.name === null ? "#" : addressOf(readAddress(location.hash).name ?? "");
    look();
});
setTheme(browserStorage.getItem("theme") ?? "");
$("back").href = place.name === null ? "#" : addressOf(place.name);
look();
begin();
