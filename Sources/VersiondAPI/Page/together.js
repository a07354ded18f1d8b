// A text and a small list that several people edit at once, with undo of one's own.

import { open } from "/client.js";

const find = (id) => document.getElementById(id);
const names = ["ada", "bob", "cyd", "dan", "eve", "fay"];
const stored = (name, fallback) => sessionStorage.getItem(`together-${name}`) ?? fallback;
const address = new URL(location.href);
find("actor").value = stored("actor", `${names[Math.floor(Math.random() * names.length)]}-${Math.floor(Math.random() * 100)}`);
find("document").value = address.hash.slice(1) || "together";
find("token").value = stored("token", "");

let shared = null;
let unbind = () => {};

function connect() {
    shared?.close();
    unbind();
    const actor = find("actor").value.trim();
    const name = find("document").value.trim();
    const token = find("token").value;
    sessionStorage.setItem("together-actor", actor);
    sessionStorage.setItem("together-token", token);
    history.replaceState(null, "", `#${name}`);
    shared = open(`/v1/documents/${encodeURIComponent(name)}`, {
        actor, token: token || undefined, debounce: "2s", create: { text: "", items: [] },
    });
    shared.onchange = show;
    shared.onerror = ({ detail }) => fail(detail);
    shared.ready.then(begin, () => {});
}

function begin() {
    unbind = shared.bindTextarea(find("text"), "/text");
    for (const element of [find("text"), find("new"), find("adding").querySelector("button")]) {
        element.disabled = false;
    }
    show();
}

function fail({ problem, message }) {
    find("state").textContent = message;
    if (problem.status === 401 || problem.status === 403) find("token-label").hidden = false;
}

function show() {
    if (shared.value === undefined) return;
    find("undo").disabled = !shared.canUndo;
    find("redo").disabled = !shared.canRedo;
    find("state").textContent = shared.isSaved ? `saved · revision ${shared.revision}` : "saving …";
    showItems(Array.isArray(shared.value.items) ? shared.value.items : []);
}

/** Rows stay what they are, so that nobody loses the focus. */
function showItems(items) {
    const list = find("items");
    while (list.children.length > items.length) list.lastChild.remove();
    while (list.children.length < items.length) list.append(makeRow());
    items.forEach((item, index) => {
        const [done, text] = list.children[index].querySelectorAll("input");
        if (done.checked !== Boolean(item?.done)) done.checked = Boolean(item?.done);
        const value = String(item?.text ?? "");
        if (text.value !== value && document.activeElement !== text) text.value = value;
        done.setAttribute("aria-label", `done: ${value}`);
        text.setAttribute("aria-label", `item ${index + 1}`);
        list.children[index].querySelector("button").setAttribute("aria-label", `remove ${value}`);
    });
}

function makeRow() {
    const row = document.createElement("li");
    const [done, text, remove] = ["input", "input", "button"].map((name) => document.createElement(name));
    done.type = "checkbox";
    text.type = "text";
    remove.type = "button";
    remove.textContent = "✕";
    const place = () => `/items/${[...row.parentNode.children].indexOf(row)}`;
    done.onchange = () => shared.edit([{ op: "add", path: `${place()}/done`, value: done.checked }]);
    text.onchange = () => shared.edit([{ op: "add", path: `${place()}/text`, value: text.value }]);
    remove.onclick = () => shared.edit([{ op: "remove", path: place() }]);
    row.append(done, text, remove);
    return row;
}

find("adding").onsubmit = (event) => {
    event.preventDefault();
    const text = find("new").value.trim();
    if (text === "") return;
    shared.edit([{ op: "add", path: "/items/-", value: { text, done: false } }]);
    find("new").value = "";
    find("new").focus();
};
find("undo").onclick = () => shared.undo().catch(fail);
find("redo").onclick = () => shared.redo().catch(fail);
for (const id of ["actor", "document", "token"]) find(id).onchange = connect;
window.addEventListener("hashchange", () => {
    find("document").value = location.hash.slice(1) || "together";
    connect();
});
connect();
