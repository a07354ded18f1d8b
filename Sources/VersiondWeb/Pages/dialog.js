// Questions: one dialog, which says in place what the daemon refused.

import { $, make } from "./build.js";

/**
 * Asks for some fields, and does `act` with them when they are given; what goes wrong stands in the dialog.
 * Resolves when it was done, or not.
 */
export function question(title, { text = null, fields = [], verb = "OK", act }) {
    const dialog = $("dialog");
    const problem = make("p", { role: "alert", class: "problem" });
    const inputs = fields.map(({ name, label, value = "", rows, type = "text", isOptional = false }) => {
        const input = rows ? make("textarea", { rows, name, spellcheck: "false" }) : make("input", { name, type, autocomplete: type === "password" ? "current-password" : "off" });
        input.value = value;
        input.required = !isOptional;
        return make("label", {}, make("span", {}, label), input);
    });
    const go = make("button", { type: "submit" }, verb);
    const form = make("form", {}, make("h2", { id: "question" }, title), text, ...inputs, problem,
        make("div", { class: "bar" }, go, make("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
    dialog.replaceChildren(form);
    return new Promise((resolve) => {
        let isDone = false;
        form.addEventListener("submit", async (event) => {
            event.preventDefault();
            go.disabled = true;
            try {
                await act(Object.fromEntries([...form.elements].filter((one) => one.name).map((one) => [one.name, one.value])));
                isDone = true;
                dialog.close();
            } catch (error) {
                problem.textContent = error.message;
            }
            go.disabled = false;
        });
        dialog.addEventListener("close", () => resolve(isDone), { once: true });
        dialog.showModal();
        (form.querySelector("input, textarea") ?? go).focus();
    });
}

export function tell(title, ...content) {
    const dialog = $("dialog");
    dialog.replaceChildren(make("h2", { id: "question" }, title), ...content,
        make("div", { class: "bar" }, make("button", { type: "button", onclick: () => dialog.close() }, "Close")));
    dialog.showModal();
}
