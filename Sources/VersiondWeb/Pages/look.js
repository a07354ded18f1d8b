// The web UI: documents, their versions, a state with what changed in it, and what can be done with it.
// Where one looks stands in the address: #name, #name@version:7, #name@3..version:7.

import * as actions from "./actions.js";
import { ask, caller, documentPath, get, Latest, learnCaller, parse } from "./api.js";
import { $, make, patchChildren } from "./build.js";
import { patchList } from "./changes.js";
import { Feed } from "./feed.js";
import { Tree } from "./tree.js";
import { query, summary, Versions } from "./versions.js";

/** Values beyond this are shown without what stood before. */
const beforeBytesMax = 2 << 20;
const playPause = 700;
/** More documents are not listed at once: a prefix finds the others. */
const listedMax = 2000;

const place = { name: null, at: null, from: null };
const heads = new Map();
const versions = new Versions((at) => address(place.name, at), attempt);
const tree = new Tree($("value"));
let status = null;
let shown = { at: null, value: undefined };
let looking = new AbortController();
/** Until what was gone to last is shown. */
let looked = Promise.resolve();
const reads = { documents: new Latest(), history: new Latest(), older: new Latest(), state: new Latest(), blame: new Latest() };
let isListed = false;
let areMore = false;

const address = (name, at = null, from = null) =>
    `#${encodeURIComponent(name)}${at === null ? "" : `@${from === null ? "" : `${encodeURIComponent(from)}..`}${encodeURIComponent(at)}`}`;

/** Does something, and shows what goes wrong. */
async function attempt(work) {
    try {
        const result = await work();
        $("problem").textContent = "";
        return result;
    } catch (error) {
        if (error.name === "AbortError") return undefined;
        $("problem").textContent = error.message;
        if (error.status === 401) $("who").focus();
        if (error.problem?.code === "document-deleted") offerUndelete();
        return undefined;
    }
}

function offerUndelete() {
    const { name } = place;
    $("scopes").replaceChildren(make("button", { type: "button", disabled: !may("admin"), onclick: () => act(async () => {
        await actions.undelete(name);
        place.name = null;
        await look();
    }) }, "Bring it back"));
}

// Documents.

function showDocuments() {
    const prefix = $("prefix").value;
    const names = [...heads.keys()].filter((name) => name.startsWith(prefix)).sort();
    const known = new Map([...$("documents").children].map((row) => [row.dataset.name, row]));
    patchChildren($("documents"), names.map((name) => {
        const row = known.get(name) ?? make("li", { "data-name": name }, make("a", { href: address(name) }, make("span", {}, name), make("span", { class: "quiet" })));
        row.firstChild.lastChild.textContent = heads.get(name);
        if (name === place.name) row.firstChild.setAttribute("aria-current", "true");
        else row.firstChild.removeAttribute("aria-current");
        return row;
    }));
    $("more").hidden = !areMore;
    $("empty").hidden = !isListed || heads.size > 0 || place.name !== null;
}

async function listDocuments() {
    const signal = reads.documents.begin();
    const prefix = encodeURIComponent($("prefix").value);
    const listed = new Map();
    let cursor = "";
    while (cursor !== null && listed.size < listedMax) {
        const page = await get(`/v1/documents?limit=1000&prefix=${prefix}&cursor=${encodeURIComponent(cursor)}`, signal);
        for (const { document, revision } of page.documents) listed.set(document, revision);
        cursor = page.next;
    }
    areMore = cursor !== null;
    heads.clear();
    for (const [name, revision] of listed) heads.set(name, revision);
    isListed = true;
    showDocuments();
}

// One document.

function may(right) {
    return caller.rights.has(right);
}

function showStatus() {
    const words = status && [`revision ${status.revision}`, `version ${status.version}`, `${status.undoCount} to undo`, `${status.redoCount} to redo`,
        status.openGroup && "somebody is editing", status.lastError?.detail];
    $("state").textContent = words ? words.filter(Boolean).join(" · ") : "";
    const canWrite = may("write") && status !== null;
    $("undo").disabled = !canWrite || !status.hasUndo;
    $("redo").disabled = !canWrite || !status.hasRedo;
    $("mine").disabled = !canWrite || !(caller.actor || caller.name);
    for (const id of ["edit", "snapshot", "copy", "restore", "goto", "tag"]) $(id).disabled = !canWrite;
    for (const id of ["rename", "remove"]) $(id).disabled = !may("admin") || status === null;
    $("create").disabled = !may("write");
}

async function showScopes(signal) {
    if (!status?.scopeLevel) return $("scopes").replaceChildren();
    const { scopes } = await get(`${documentPath(place.name)}/scopes`, signal);
    const inner = scopes.at(-1);
    const close = (how, word) => make("button", { type: "button", disabled: !may("write"), onclick: () => act(() => actions.closeScope(place.name, how)) }, word);
    return $("scopes").replaceChildren(
        ...scopes.map((scope) => make("span", { class: "chip scope" }, `scope ${scope.scopeLevel}${scope.owner ? ` of ${scope.owner}` : ""}, from version ${scope.version}`)),
        inner && close("pop", "Keep it"), inner && close("discard", "Discard it"));
}

const isShown = (version) => place.from === null && (place.at === null ? version.standing === "current" : place.at === `version:${version.version}`);

async function refreshHistory(isWhole = true) {
    const signal = reads.history.begin(looking.signal);
    // Shown at once, so that the buttons are about the versions that one sees.
    [status] = await Promise.all([get(`${documentPath(place.name)}/status`, signal), versions.refresh(signal, isWhole)]);
    showStatus();
    versions.show(isShown);
    await showScopes(signal);
    showTime();
}

/** What stands at an address, as text, with its revision. */
async function stateText(at, signal) {
    const response = await ask(`${documentPath(place.name)}${at === null ? "" : `?at=${encodeURIComponent(at)}`}`, { signal });
    return response.text();
}

/** The state before: of a version its parent, of a revision the one before it; `undefined` if that is not known here. */
function former(at) {
    if (place.from !== null) return place.from;
    const version = at === null
        ? versions.list.find((one) => one.version === status?.version)
        : versions.list.find((one) => at === `version:${one.version}` || one.tags?.some((tag) => at === `tag:${tag}`));
    if (version) return version.parent === null ? null : `version:${version.parent}`;
    if (at === "0") return null;
    return /^[1-9]\d*$/.test(at) ? String(Number(at) - 1) : undefined;
}

async function showState() {
    const signal = reads.state.begin(looking.signal);
    const { at } = place;
    const text = await stateText(at, signal);
    const value = parse(text);
    shown = { at, value };
    const before = former(at);
    await Promise.all([showChanges(before, at, text.length, signal), showBlame()]);
    showTitle();
}

function showTitle() {
    const version = versions.list.find((one) => place.at === `version:${one.version}`);
    const name = place.at === null ? "Now" : version ? `Version ${version.version}: ${summary(version)}` : `At ${place.at}`;
    $("title").textContent = place.from === null ? name : `From ${place.from} to ${place.at}`;
    $("now").hidden = place.at === null;
    for (const id of ["goto", "restore"]) $(id).hidden = place.at === null || place.from !== null;
    $("tag").hidden = place.from !== null;
    document.title = `${place.name} · versiond`;
}

async function showChanges(before, at, bytes, signal) {
    if (before === null || before === undefined) {
        const words = before === null ? "It begins here." : "Compare it with another state to see what differs.";
        return $("changes").replaceChildren(make("p", { class: "quiet" }, words));
    }
    const { patch } = await actions.compared(place.name, before, at ?? "head", signal);
    const value = bytes > beforeBytesMax ? undefined : parse(await stateText(before, signal));
    return $("changes").replaceChildren(patchList(value, patch));
}

async function showBlame() {
    const signal = reads.blame.begin(looking.signal);
    const isAsked = $("blame").checked && !place.at?.startsWith("snapshot:");
    const blame = isAsked ? await get(`${documentPath(place.name)}/blame${place.at === null ? "" : `?at=${encodeURIComponent(place.at)}`}`, signal) : null;
    const restores = place.at !== null && may("write");
    tree.show(shown.value, { blame, onRestore: restores ? (path) => act(() => actions.restore(place.name, place.at, [path])) : null });
    showFound();
}

function showFound() {
    const text = $("search").value;
    const found = text ? tree.find(text) : [];
    $("found").replaceChildren(...(text ? [make("p", { class: "quiet" }, found.length === 0 ? "Nothing found." : `${found.length} found`)] : []),
        ...found.map((path) => make("button", { type: "button", onclick: () => tree.reveal(path) }, path)));
}

// Time: the versions on the way from the first to the last that redo reaches.

function timeline() {
    return versions.list.filter((one) => one.standing !== "aside").sort((left, right) => left.version - right.version);
}

function showTime() {
    const line = timeline();
    const index = line.findIndex(isShown);
    $("time").max = Math.max(0, line.length - 1);
    if (document.activeElement !== $("time")) $("time").value = index < 0 ? line.length - 1 : index;
    $("time").setAttribute("aria-valuetext", line[$("time").value] ? summary(line[$("time").value]) : "");
}

function moveThroughTime(index) {
    const version = timeline()[index];
    if (version) location.replace(address(place.name, `version:${version.version}`));
}

let playing = null;

function play() {
    if (playing) {
        clearInterval(playing);
        playing = null;
    } else {
        let index = Number($("time").value) >= Number($("time").max) ? 0 : Number($("time").value);
        const step = () => {
            moveThroughTime(index);
            $("time").value = index;
            index += 1;
            if (index > Number($("time").max)) play();
        };
        playing = setInterval(step, playPause);
        step();
    }
    $("play").textContent = playing ? "Pause" : "Play";
}

// Where one looks.

function readAddress() {
    const [, name, rest] = location.hash.match(/^#([^@]*)(?:@(.*))?$/) ?? [];
    const decode = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
    const [one, other] = rest === undefined ? [] : rest.split("..");
    return { name: name ? decode(name) : null, at: one === undefined ? null : decode(other ?? one), from: other === undefined ? null : decode(one) };
}

async function look() {
    const { name, at, from } = readAddress();
    const isOther = name !== place.name || status === null;
    if (playing && name !== place.name) play();
    Object.assign(place, { name, at, from });
    looking.abort();
    looking = new AbortController();
    document.body.dataset.pane = name === null ? "documents" : at === null ? "history" : "state";
    $("main").hidden = name === null;
    showDocuments();
    if (name === null) return;
    if (isOther) {
        status = null;
        $("name").textContent = name;
        $("changes").replaceChildren();
        $("value").replaceChildren();
        versions.begin(name, query($("filter").value));
    }
    looked = attempt(async () => {
        if (isOther) await refreshHistory();
        else {
            versions.show(isShown);
            showTime();
        }
        await showState();
    });
    await looked;
}

/** Reads anew what is shown, one reading after the other. Many changes at once are shown at once. */
let refreshed = Promise.resolve();
let isDue = false;
let isWholeDue = false;
const plainKinds = ["append", "undo", "redo"];
const refreshPause = 60;

function refreshSoon(kind) {
    if (place.name === null) return;
    if (!plainKinds.includes(kind)) isWholeDue = true;
    if (isDue) return;
    isDue = true;
    refreshed = refreshed.then(() => new Promise((resolve) => setTimeout(resolve, refreshPause))).then(refresh);
}

async function refresh() {
    // Or this would end what is being read there.
    await looked;
    const isWhole = isWholeDue;
    isDue = isWholeDue = false;
    if (place.name === null) return;
    await attempt(async () => {
        await refreshHistory(isWhole);
        if (place.at === null || place.at.startsWith("tag:")) await showState();
    });
}

async function act(work) {
    await attempt(work);
    refreshSoon("append");
}

const feed = new Feed({
    receive: (item) => {
        if (item.event === "change") {
            const isGone = ["delete", "purge"].includes(item.kind) && !item.paths?.length;
            if (isGone) heads.delete(item.document);
            else if (item.document.startsWith($("prefix").value)) heads.set(item.document, item.revision);
            showDocuments();
        }
        if (item.document === place.name) refreshSoon(item.event === "seal" ? "append" : item.kind);
    },
    refresh: () => {
        attempt(listDocuments);
        refreshSoon();
    },
    say: (words) => { $("live").textContent = words; },
});

async function begin() {
    await attempt(learnCaller);
    $("who").textContent = caller.name || caller.actor || "Who am I";
    showStatus();
    feed.begin();
    place.name = null;
    await look();
    if (place.name === null && heads.size === 0) await attempt(listDocuments);
}

// By mouse and by keyboard.

const at = () => place.at ?? "head";
const goTo = (name) => { location.hash = address(name); };
const commands = {
    undo: () => act(() => actions.undo(place.name)),
    redo: () => act(() => actions.redo(place.name)),
    mine: () => act(() => actions.undoMine(place.name)),
    edit: () => act(() => actions.edit(place.name)),
    snapshot: () => act(() => actions.snapshot(place.name)),
    copy: () => act(() => actions.copy(place.name, place.at, goTo)),
    rename: () => act(() => actions.rename(place.name, goTo)),
    remove: () => act(() => actions.remove(place.name)),
    goto: () => act(() => actions.goTo(place.name, at())),
    restore: () => act(() => actions.restore(place.name, at())),
    tag: () => act(() => actions.tag(place.name, Number(at().match(/^version:(\d+)$/)?.[1] ?? status.version))),
    compare: () => { location.hash = place.from === null ? address(place.name, place.at ?? "head", former(place.at) ?? (place.at === null ? "0" : "head")) : address(place.name, place.at); },
    now: () => { location.hash = address(place.name); },
    create: () => act(() => actions.create(goTo)),
    who: () => actions.identify(begin),
    older: () => attempt(async () => {
        await versions.readOlder(reads.older.begin(looking.signal));
        versions.show(isShown);
        showTime();
    }),
    play,
    help: () => actions.showKeys(keys),
};

function step(change) {
    const index = versions.list.findIndex(isShown);
    const version = versions.list[Math.max(0, Math.min(versions.list.length - 1, index + change))];
    if (!version) return;
    location.replace(address(place.name, `version:${version.version}`));
    document.querySelector(`[data-version="${version.version}"]`)?.scrollIntoView({ block: "nearest" });
}

const keys = [
    { key: "u", words: "undo", run: () => $("undo").click() },
    { key: "r", words: "redo", run: () => $("redo").click() },
    { key: "m", words: "undo what I did last", run: () => $("mine").click() },
    { key: "j", words: "older version", run: () => step(1) },
    { key: "k", words: "newer version", run: () => step(-1) },
    { key: "g", words: "go to the version that is shown", run: () => $("goto").click() },
    { key: "c", words: "compare", run: () => $("compare").click() },
    { key: "e", words: "edit", run: () => $("edit").click() },
    { key: "/", words: "filter the versions", run: () => $("filter").focus() },
    { key: "?", words: "these keys", run: () => commands.help() },
];

for (const [id, run] of Object.entries(commands)) $(id).addEventListener("click", run);
$("prefix").addEventListener("input", () => attempt(listDocuments));
$("search").addEventListener("input", showFound);
$("blame").addEventListener("change", () => attempt(showBlame));
$("time").addEventListener("input", () => moveThroughTime(Number($("time").value)));
$("filter").addEventListener("change", () => attempt(async () => {
    versions.begin(place.name, query($("filter").value));
    await refreshHistory();
}));
// Who scrolls to the end wants more.
new IntersectionObserver(([button]) => button.isIntersecting && commands.older()).observe($("older"));
addEventListener("hashchange", look);
addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input:not([type=range]):not([type=checkbox]), textarea, select");
    if (event.key === "Escape" && isTyping) return event.target.blur();
    if (isTyping || $("dialog").open || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const found = keys.find(({ key }) => key === event.key);
    if (!found || (found.key !== "?" && (place.name === null || !actions.areKeysOn()))) return undefined;
    event.preventDefault();
    return found.run();
});

$("hello").textContent = `curl -X PUT ${location.origin}/v1/documents/menu \\\n  -H 'Content-Type: application/json' -d '{"dish":"soup"}'`;
begin();
