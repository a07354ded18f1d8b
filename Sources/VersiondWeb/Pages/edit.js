// Edits the whole value as text, based on the shown state: the daemon merges it with later changes,
// and the user decides on conflicts in place. The typed text is never lost.

import { ask, documentPath } from "./api.js";
import { conflictNote } from "./conflict.js";
import { question, toast } from "./dialog.js";
import { parse } from "./json.js";

/** `kept` is what was written before, and dropped. */
export async function edit(name, kept = null) {
    const response = await ask(`${documentPath(name)}?pretty`);
    const draft = { base: response.headers.get("ETag").replaceAll('"', ""),
        text: await response.text() };
    const begun = kept ?? draft;
    let isWarned = false;
    let dialogText = () => begun.text;
    // The tab is closed, or goes elsewhere.
    const leaving = new AbortController();
    addEventListener("beforeunload", (event) => {
        const text = document.querySelector("#dialog textarea")?.value ?? draft.text;
        if (text !== draft.text && !begun.isSaved) event.preventDefault();
    }, { signal: leaving.signal });
    const done = await question(`Edit ${name}`, {
        fields: [
            { name: "value", label: "Value (JSON)", value: begun.text, rows: 20 },
            { name: "label", label: "Label", isOptional: true,
                value: begun.label ?? "" },
        ],
        verb: "Save",
        mayLeave: () => {
            dialogText = () => document.querySelector("#dialog textarea").value;
            const isSame = dialogText() === draft.text;
            if (isSame || isWarned) return true;
            isWarned = true;
            const problem = document.querySelector("#dialog .problem");
            problem.replaceChildren("You have unsaved changes. Press again to discard them.");
            return false;
        },
        act: (given, problem) => save(name, begun, given, problem),
    }).finally(() => leaving.abort());
    const text = document.querySelector("#dialog textarea")?.value ?? draft.text;
    if (done === undefined && !begun.isSaved && text !== draft.text) {
        const label = document.querySelector("#dialog [name=label]")?.value;
        toast("Your changes are not saved.", "Continue editing",
            () => edit(name, { base: begun.base, text, label }));
    }
    return done;
}

/** The text goes as it is: so no digit of a number is lost. */
function put(name, { base }, { value, label }, policy = "") {
    const about = label ? `&label=${encodeURIComponent(label)}` : "";
    return ask(`${documentPath(name)}?base=${base}${about}${policy}`,
        { method: "PUT", body: value }).catch((error) => { throw placed(error, value); });
}

/** A refusal of a text says the line and the column instead of the byte; the caret goes there. */
export function placed(error, text) {
    const { offset, detail } = error.problem ?? {};
    if (offset === undefined) return error;
    const before = new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, offset));
    const lines = before.split("\n");
    const place = `line ${lines.length}, column ${[...lines.at(-1)].length + 1}`;
    error.problem.detail = detail.replace(/at byte \d+/, place);
    const field = document.querySelector("#dialog textarea");
    field?.focus();
    field?.setSelectionRange(before.length, before.length + 1);
    return error;
}

async function save(name, begun, given, problem) {
    try {
        await put(name, begun, given);
        return true;
    } catch (error) {
        if (error.problem?.code !== "conflict") throw error;
        const theirs = parse(await (await ask(documentPath(name))).text());
        problem.replaceChildren(await conflictNote(name, error.problem, {
            mine: parse(given.value), theirs,
            choose: async (policy) => {
                try {
                    await put(name, begun, given, `&conflict=${policy}`);
                    begun.isSaved = true;
                    problem.closest("dialog").close();
                    toast(policy === "mine" ? "Saved; yours is there now."
                        : "Saved; what was there stays.");
                } catch (refused) {
                    problem.append(refused.message);
                }
            },
        }));
        return "stay";
    }
}
