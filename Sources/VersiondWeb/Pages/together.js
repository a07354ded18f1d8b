// A text and a small list that several people edit at once, with undo of one's own.

import { connect } from "/client.js";

const find = (id) => document.getElementById(id);
const names = ["ada", "bob", "cyd", "dan", "eve", "fay"];
const stored = (name, fallback) => sessionStorage.getItem(`together-${name}`) ?? fallback;
const randomOf = (list) => list[Math.floor(Math.random() * list.length)];
const address = () => decodeURIComponent(location.hash.slice(1)) || "together";

find("actor").value = stored("actor", `${randomOf(names)}-${Math.floor(Math.random() * 100)}`);
find("document").value = address();
find("token").value = stored("token", "");

let connection = null;
let shared = null;
let ends = [];

function open() {
    for (const end of ends) end();
    ends = [];
    void connection?.close();
    const [actor, name] = [find("actor").value.trim(), find("document").value.trim()];
    sessionStorage.setItem("together-actor", actor);
    sessionStorage.setItem("together-token", find("token").value);
    history.replaceState(null, "", `#${encodeURIComponent(name)}`);
    connection = connect(location.origin, { actor, token: find("token").value || undefined });
    shared = connection.document(name, { debounce: "2s", create: { text: "", items: [] } });
    shared.onchange = shared.onstate = showState;
    shared.onerror = ({ detail }) => say(detail.message);
    shared.onconflict = ({ detail }) => showConflict(detail);
    shared.ondropped = ({ detail }) => showDropped(detail);
    ends = [
        shared.bindTextarea(find("text"), "/text"),
        shared.bindList(find("items"), "/items", makeRow),
        shared.bindKeys(document),
    ];
    showState();
}

// What is going on.

const words = {
    loading: "connecting", live: "saved", saving: "saving …", offline: "offline",
    refused: "a token is needed", "read-only": "you may only read", deleted: "deleted",
    closed: "closed",
};

function showState() {
    const { state, problem, revision, canUndo, canRedo, obstacle, pending } = shared;
    find("undo").disabled = !canUndo;
    find("redo").disabled = !canRedo;
    find("token-label").hidden = state !== "refused" && find("token").value === "";
    const isUsable = obstacle === null && Array.isArray(shared.value?.items);
    for (const element of find("adding").elements) element.disabled = !isUsable;
    find("text").disabled = shared.value === undefined;
    const waiting = pending.length > 0 && state !== "saving" ? `, ${pending.length} waiting` : "";
    const number = state === "live" ? ` · revision ${revision}` : "";
    const why = problem && state !== "live" && problem.detail ? ` (${problem.detail})` : "";
    find("state").textContent = `${words[state]}${waiting}${number}${why}`;
    const isLacking = shared.value !== undefined && obstacle === null && !isUsable;
    if (isLacking) say("This document has no list “items”.");
}

function say(text, ...buttons) {
    const line = document.createElement("p");
    line.append(text, " ");
    for (const [label, work] of [...buttons, ["OK", () => {}]]) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = label;
        button.onclick = () => {
            line.remove();
            work();
        };
        line.append(button);
    }
    const known = [...find("words").children].find(({ firstChild }) => firstChild.data === text);
    known?.remove();
    find("words").append(line);
}

const short = (value) => (value === undefined ? "nothing" : JSON.stringify(value).slice(0, 80));

function showConflict({ winner, by, pointer, values, use }) {
    if (!values) return;
    const [here, other] = winner === "mine" ? ["mine", "theirs"] : ["theirs", "mine"];
    say(`You and ${by ?? "somebody"} both changed ${pointer}: ${short(values[here])} is there now, `
        + `not ${short(values[other])}.`, ["The other one", () => use(other)]);
}

function showDropped({ operations, problem, forget }) {
    say(`${operations.length} edits could not be applied: ${problem.detail ?? problem.code}`,
        ["Copy them", () => navigator.clipboard?.writeText(JSON.stringify(operations))],
        ["Forget them", forget]);
}

// The list.

function makeRow(place) {
    const row = document.createElement("li");
    const [done, text, up, remove] = ["input", "input", "button", "button"]
        .map((name) => document.createElement(name));
    [done.type, text.type, up.type, remove.type] = ["checkbox", "text", "button", "button"];
    [up.textContent, remove.textContent] = ["↑", "✕"];
    up.onclick = () => {
        if (place.index > 0) place.moveTo(`/items/${place.index - 1}`);
    };
    remove.onclick = () => place.remove();
    row.append(done, text, up, remove);
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

find("adding").onsubmit = (event) => {
    event.preventDefault();
    const text = find("new").value.trim();
    if (text === "") return;
    const id = Math.random().toString(36).slice(2);
    shared.change(({ items }) => { items.push({ id, text, done: false }); });
    find("new").value = "";
    find("new").focus();
};
find("undo").onclick = () => shared.undo().catch(({ message }) => say(message));
find("redo").onclick = () => shared.redo().catch(({ message }) => say(message));
for (const id of ["actor", "document", "token"]) find(id).onchange = open;
window.addEventListener("hashchange", () => {
    if (find("document").value === address()) return;
    find("document").value = address();
    open();
});
open();
