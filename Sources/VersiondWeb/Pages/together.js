// A text and a small list that several people edit at once, with own undo.

import { connect } from "/client.js";
import { caller, documentPath, get } from "./api.js";
import { $, button, make } from "./build.js";
import { caretIn, showCarets } from "./carets.js";
import { conflictWords, editWords } from "./conflict.js";
import { icon, mark } from "./icons.js";
import { Messages } from "./messages.js";
import { avatar, faces } from "./people.js";
import { told } from "./sentences.js";
import { tabStorage } from "./storage.js";
import { moment } from "./times.js";

for (const element of document.querySelectorAll("[data-icon]")) {
    element.prepend(icon(element.dataset.icon));
}
$("home").prepend(mark());

const names = ["ada", "bob", "cyd", "dan", "eve", "fay"];
const stored = (name, fallback) => tabStorage.getItem(`together-${name}`) ?? fallback;
const randomOf = (list) => list[Math.floor(Math.random() * list.length)];
const address = () => decodeURIComponent(location.hash.slice(1)) || "together";

$("actor").value = stored("actor", `${randomOf(names)}-${Math.floor(Math.random() * 100)}`);
$("document").value = address();
$("token").value = stored("token", "");

/** The name that the person chose; the name of a token takes precedence. */
let actor = $("actor").value;
let connection = null;
let shared = null;
let ends = [];

function open() {
    for (const end of ends) end();
    ends = [];
    once.clear();
    messages.clear();
    dropped = null;
    void connection?.close();
    const name = $("document").value.trim();
    tabStorage.setItem("together-actor", actor);
    tabStorage.setItem("together-token", $("token").value);
    connection = connect(location.origin, { actor, token: $("token").value || undefined });
    const options = { debounce: "2s", create: { text: "", items: [] } };
    try {
        shared = connection.document(name, options);
    } catch (error) {
        $("document").value = "together";
        shared = connection.document("together", options);
        say(error.message);
    }
    caller.token = $("token").value;
    showName();
    showActor();
    shared.onchange = () => {
        showState();
        showNowSoon();
        showOthers();
    };
    shared.onpresence = showOthers;
    shared.onstate = () => {
        showName();
        showActor();
        showState();
    };
    shared.onerror = ({ detail }) => say(detail.message);
    shared.onconflict = ({ detail }) => showConflict(detail);
    shared.ondropped = showDropped;
    ends = [
        shared.bindTextarea($("text"), "/text"),
        shared.bindList($("items"), "/items", makeRow),
        shared.bindKeys(document),
    ];
    showState();
    showMine();
}

// The states of the document.

const words = {
    loading: "connecting", live: "saved", saving: "saving …", offline: "offline",
    refused: "a token is needed", "read-only": "you may only read", deleted: "deleted",
    missing: "the document does not exist",
    closed: "closed",
};

/** The document may be renamed while it is open. */
function showName() {
    const address = `#${encodeURIComponent(shared.name)}`;
    if ($("history").hash === address) return;
    $("document").value = shared.name;
    history.replaceState(null, "", address);
    $("history").href = `/ui/${address}`;
}

/** Shows the name that the daemon knows: of a token for one person, the token's. */
function showActor() {
    const known = shared.actor ?? actor;
    Object.assign(caller, { actor: known, name: known });
    const field = $("actor");
    field.readOnly = known !== actor;
    field.title = field.readOnly ? "The token says who you are." : "";
    if (field.readOnly || document.activeElement !== field) field.value = known;
}

function showState() {
    const { state, problem, revision, canUndo, canRedo, obstacle, pending } = shared;
    $("undo").disabled = !canUndo;
    $("redo").disabled = !canRedo;
    $("token-label").hidden = state !== "refused" && $("token").value === "";
    const isUsable = obstacle === null && Array.isArray(shared.value?.items);
    for (const element of $("adding").elements) element.disabled = !isUsable;
    $("text").disabled = shared.value === undefined;
    const waiting = pending.length > 0 && state !== "saving" ? `, ${pending.length} waiting` : "";
    const number = state === "live" ? ` · revision ${revision}` : "";
    const why = problem && state !== "live" && problem.detail ? ` (${problem.detail})` : "";
    $("state").textContent = `${words[state]}${waiting}${number}${why}`;
    $("line").classList.toggle("off", !["live", "saving"].includes(state));
    const items = isUsable ? shared.value.items : [];
    const done = items.filter((item) => item?.done).length;
    $("done").textContent = items.length > 0 ? `${done} of ${items.length} done` : "";
    const isLacking = shared.value !== undefined && obstacle === null && !isUsable;
    if (isLacking && isNews("items")) say("This document has no list “items”.");
    for (const one of shared.waitingActors) if (one !== null) offerActor(one);
    showDropped();
}

/** The messages about this document that are shown once only. */
const once = new Set();

function isNews(word) {
    const isNew = !once.has(word);
    once.add(word);
    return isNew;
}

/** Another tab of this browser may have ended with edits of another name. */
function offerActor(other) {
    if (!isNews(`actor ${other}`)) return;
    say(`Edits of ${other} to this document wait in this browser.`, { stays: true },
        [`Continue as ${other}`, () => {
            actor = other;
            open();
        }]);
}

const messages = new Messages($("words"));
const say = (text, ...more) => messages.say(text, ...more);

function showConflict(conflict) {
    if (!conflict.values) return;
    const { text, choice } = conflictWords(shared.value, conflict);
    say(text, { key: `conflict ${conflict.pointer}` }, [choice, () =>
        conflict.use(conflict.winner === "mine" ? "theirs" : "mine")]);
}

/** The edits in the message about edits that could not be stored. */
let dropped = null;

/** All that could not be stored is one message, until it is stored or forgotten. */
function showDropped() {
    const { stranded, value } = shared;
    if (stranded === dropped) return undefined;
    dropped = stranded;
    if (stranded.length === 0) return messages.drop("dropped");
    const operations = stranded.flatMap((one) => one.operations);
    const { problem } = stranded[stranded.length - 1];
    return say(`${editWords(value, operations)} could not be stored: `
        + `${problem.detail ?? problem.code} Nothing of it is lost.`,
    { key: "dropped", stays: true, close: null }, ["Try again", tryAgain],
    ["Copy", (line) => copy(line, textOf(operations))],
    ["Forget", () => { for (const one of [...stranded]) one.forget(); }]);
}

/** The newest first: each was made when those before it were gone. */
function tryAgain() {
    for (const one of [...shared.stranded].reverse()) {
        try {
            one.again();
        } catch {
            say("Its place no longer exists. You can copy the edit.");
        }
    }
    return true;
}

/** The words that were typed; of other edits, the operations. */
const textOf = (operations) => (operations.every(({ op }) => op === "str_ins")
    ? operations.map(({ str }) => str).join("") : JSON.stringify(operations));

/** Copies a text; where the browser has no clipboard for the page, shows it to be copied. */
function copy(line, text) {
    const offer = () => {
        if (line.querySelector("textarea")) return;
        const field = make("textarea", { rows: 3, readonly: true, class: "copied",
            "aria-label": "Edits that could not be stored, to be copied" });
        field.value = text;
        line.append(field);
        field.select();
    };
    const done = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    const pressed = [...line.querySelectorAll("button")].find((one) => one.textContent === "Copy");
    done.then(() => { if (pressed) pressed.textContent = "Copied"; }, offer);
    return true;
}

// The other clients.

/** After the text area shows what the document has now. */
function showOthers() {
    setTimeout(() => {
        const { others } = shared.presence;
        const actors = [...new Set(others.map(({ actor }) => actor))];
        $("others").replaceChildren(...actors.length > 0 ? [faces(actors)] : []);
        showCarets($("text"), $("carets"), "/text", others);
    });
}

const isInText = () => document.activeElement === $("text");
const showMine = () => shared.presence.set(isInText() ? caretIn($("text"), "/text") : {});

document.addEventListener("selectionchange", () => { if (isInText()) showMine(); });
$("text").addEventListener("blur", showMine);
$("text").addEventListener("scroll", () => { $("carets").scrollTop = $("text").scrollTop; });

// The latest events.

const nowPause = 1_000;
let nowDue = null;

function showNowSoon() {
    nowDue ??= setTimeout(() => {
        nowDue = null;
        void showNow();
    }, nowPause);
}

async function showNow() {
    const path = `${documentPath($("document").value.trim())}/versions?summary&limit=6`;
    const { versions } = await get(path).catch(() => ({ versions: [] }));
    $("now").replaceChildren(...versions.map((version) => make("li", {},
        avatar(version.actors?.[0] ?? ""),
        make("div", {}, ...told(version), version.ended
            && make("small", {}, moment(version.ended))))));
}

// The list.

function makeRow(place) {
    const done = make("input", { type: "checkbox" });
    const text = make("input", { type: "text" });
    const up = button("small icon", () => {
        if (place.index > 0) place.moveTo(`/items/${place.index - 1}`);
    }, {}, icon("up"));
    const remove = button("small icon", () => place.remove(), {}, icon("close"));
    const row = make("li", {}, done, text, up, remove);
    const bound = [
        shared.bindInput(done, place.at("done")), shared.bindTextarea(text, place.at("text")),
    ];
    const update = () => {
        const value = String(place.value?.text ?? "");
        done.setAttribute("aria-label", `done: ${value}`);
        text.setAttribute("aria-label", `item: ${value}`);
        up.setAttribute("aria-label", `move ${value} up`);
        up.disabled = place.index === 0;
        remove.setAttribute("aria-label", `remove ${value}`);
    };
    return { element: row, update, end: () => { for (const end of bound) end(); } };
}

$("adding").onsubmit = (event) => {
    event.preventDefault();
    const text = $("new").value.trim();
    if (text === "") return;
    const id = Math.random().toString(36).slice(2);
    shared.change(({ items }) => { items.push({ id, text, done: false }); });
    $("new").value = "";
    $("new").focus();
};

/** Undo or redo; where later work of others is in the way, it is asked what to do with that. */
function move(command, options) {
    shared[command](options).catch(({ code, message }) => {
        if (code !== "conflict") return say(message);
        const all = command === "undo" ? "Undo all" : "Redo all";
        return say(message, { stays: true },
            ["Keep their work", () => move(command, { conflict: "theirs" })],
            [all, () => move(command, { conflict: "mine" })]);
    });
}

for (const command of ["undo", "redo"]) $(command).onclick = () => move(command);
$("actor").onchange = () => {
    actor = $("actor").value.trim();
    open();
};
for (const id of ["document", "token"]) $(id).onchange = open;
window.addEventListener("hashchange", () => {
    if ($("document").value === address()) return;
    $("document").value = address();
    open();
});
open();
