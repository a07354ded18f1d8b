// Questions, menus and what is said for a while. A question says in place what the daemon refused.

import { $, button, fill, make } from "./build.js";
import { icon } from "./icons.js";
import { visible } from "./names.js";
import { trouble } from "./states.js";

const toastTime = 8_000;

/** Gives the focus back; of a field that is gone, the keys of the page would not be heard. */
function giveBack(opener) {
    if (opener && opener !== document.body) opener.focus?.();
    if ($("dialog").contains(document.activeElement)) document.activeElement.blur();
}

/**
 * Shows a dialog; `act` receives the fields when the user confirms, and the dialog shows its
 * errors. Resolves with the result of `act`, or `undefined` after a cancel. `mayLeave` is called
 * before Escape or Cancel closes the dialog. `verb` may be a function of the fields.
 */
export function question(title,
    { text = null, fields = [], verb = "OK", cancel = "Cancel", kind = "main", act,
    isReady = () => true, mayLeave = () => true }) {
    const dialog = $("dialog");
    const opener = document.activeElement;
    const problem = make("div", { role: "alert", class: "problem" });
    const go = make("button", { type: "submit", class: `b ${kind}` });
    const inputs = fields.map(input);
    const leave = () => mayLeave() && dialog.close();
    const form = make("form", { method: "dialog" },
        make("div", { class: "in" }, make("h2", { id: "question" }, visible(title)), text,
            ...inputs, problem),
        make("footer", {}, button("", leave, {}, cancel, make("kbd", {}, "Esc")), go));
    const given = () => Object.fromEntries([...new FormData(form)]);
    const check = () => {
        go.disabled = !isReady(given());
        go.textContent = typeof verb === "function" ? verb(given()) : verb;
    };
    dialog.replaceChildren(form);
    form.addEventListener("input", check);
    check();
    return new Promise((resolve) => {
        let result;
        form.addEventListener("submit", async (event) => {
            event.preventDefault();
            if (go.disabled) return;
            go.disabled = true;
            go.setAttribute("aria-busy", "true");
            try {
                result = await act(given(), problem) ?? true;
                if (result === "stay") problem.scrollIntoView({ block: "nearest" });
                else dialog.close();
            } catch (error) {
                problem.replaceChildren(trouble(error));
                problem.scrollIntoView({ block: "nearest" });
            }
            go.removeAttribute("aria-busy");
            check();
        });
        dialog.oncancel = (event) => {
            if (mayLeave()) return;
            event.preventDefault();
        };
        dialog.onclose = () => {
            resolve(result === "stay" ? undefined : result);
            giveBack(opener);
        };
        dialog.showModal();
        const first = form.querySelector("[type=radio]:checked")
            ?? form.querySelector("input, textarea");
        (first ?? go).focus();
    });
}

function input({ name, label, value = "", rows, type = "text", isOptional = false, placeholder }) {
    const field = rows
        ? make("textarea", { rows, name, spellcheck: "false" })
        : make("input", { name, type, placeholder,
            autocomplete: type === "password" ? "current-password" : "off" });
    field.value = value;
    field.required = !isOptional;
    return make("label", { class: "asked" }, make("span", {}, label), field);
}

/** Shows a message until it is closed. */
export function tell(title, ...content) {
    const dialog = $("dialog");
    const opener = document.activeElement;
    dialog.replaceChildren(make("div", { class: "in" }, make("h2", { id: "question" }, title),
        ...content),
        make("footer", {}, button("", () => dialog.close(), {}, "Close", make("kbd", {}, "Esc"))));
    dialog.oncancel = null;
    dialog.onclose = () => giveBack(opener);
    dialog.showModal();
}

let hiding = null;

/** Says what was done, for a while, with the way back. */
export function toast(words, label = null, work = null) {
    const box = $("toast");
    const close = () => {
        clearTimeout(hiding);
        box.hidden = true;
    };
    fill(box, make("span", {}, visible(words)),
        label && button("small", async () => {
            close();
            await Promise.resolve().then(work).catch((error) => toast(trouble(error)));
        }, {}, label),
        button("small icon", close, { "aria-label": "Close" }, icon("close")));
    box.hidden = false;
    const wait = () => {
        clearTimeout(hiding);
        hiding = setTimeout(() => {
            if (box.matches(":hover") || box.contains(document.activeElement)) wait();
            else box.hidden = true;
        }, toastTime);
    };
    wait();
}

/** A menu at a button: { icon, words, key, run, isOff, why } or "line". */
export function menu(opener, items) {
    const box = $("menu");
    const rows = items.map((item) => {
        if (item === "line") return make("hr");
        return make("button", {
            type: "button", role: "menuitem", class: item.kind, title: item.isOff ? item.why : null,
            "aria-disabled": item.isOff ? "true" : null,
            onclick: () => {
                if (item.isOff) return;
                box.hidePopover();
                item.run();
            },
        }, icon(item.icon), make("span", {}, item.words), item.key && make("kbd", {}, item.key));
    });
    box.replaceChildren(...rows);
    const at = opener.getBoundingClientRect();
    box.style.setProperty("--x", `${Math.max(8, Math.min(at.left, innerWidth - 280))}px`);
    const isBelow = at.bottom + 40 * rows.length < innerHeight;
    box.dataset.side = isBelow ? "below" : "above";
    box.style.setProperty("--y", isBelow ? `${at.bottom + 4}px` : `${innerHeight - at.top + 4}px`);
    box.ontoggle = ({ newState }) => newState === "closed" && opener.focus();
    box.onkeydown = (event) => moveFocus(event, rows.filter((row) => row.matches("button")));
    box.showPopover();
    rows.find((row) => row.matches("button"))?.focus();
}

function moveFocus(event, rows) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const index = rows.indexOf(document.activeElement);
    rows[(index + step + rows.length) % rows.length].focus();
}
