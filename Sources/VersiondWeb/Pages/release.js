// A release: all drafts of a prefix are merged as one step, or none. A part of the web UI that is
// loaded when it is needed.

import { addressOf } from "./address.js";
import { send } from "./api.js";
import { $, fill, make } from "./build.js";
import { question, tell, toast } from "./dialog.js";
import { tokens } from "./json.js";
import { counted, visible } from "./names.js";

const path = "/v1/merge";
const isConflict = (error) => error.problem?.code === "conflict";
const placeName = (place) => tokens(place).join(" › ") || "the whole document";
const link = (name) => make("a",
    { href: addressOf(name), dir: "auto", onclick: () => $("dialog").close() }, visible(name));

/** Merges all drafts of a prefix, after a question that says what each of them changes. */
export async function mergeAll(prefix) {
    const dry = await send("POST", `${path}?dryRun`, { prefix }).catch((error) => {
        if (!isConflict(error)) throw error;
        tell(`The drafts of ${visible(prefix)} are in conflict`, conflicts(error.problem));
        return null;
    });
    if (!dry) return undefined;
    const count = counted(dry.changes.length, "draft");
    if (dry.changes.length === 0) return toast(`No draft of ${prefix} has edits to merge.`);
    return question(`Merge all drafts of ${prefix}`, {
        text: make("div", { class: "review" },
            make("p", { class: "summary" }, `${count} to merge as one step.`),
            make("ul", {}, ...dry.changes.map(row)),
            dry.unchanged.length > 0
                && make("p", {}, `Nothing to merge: ${dry.unchanged.map(visible).join(", ")}.`),
            make("p", {}, "You can undo this.")),
        verb: `Merge ${count}`, cancel: "Not now",
        act: (_, problem) => merge(prefix, problem),
    });
}

async function merge(prefix, box) {
    let done;
    try {
        done = await send("POST", path, { prefix });
    } catch (error) {
        if (!isConflict(error)) throw error;
        fill(box, conflicts(error.problem));
        return "stay";
    }
    const { transaction, changes } = done;
    if (!transaction) return toast(`No draft of ${prefix} has edits to merge.`);
    return toast(`Merged ${counted(changes.length, "draft")} of ${prefix}.`, "Undo it",
        () => send("POST", "/v1/undo", { transaction }));
}

function row({ document, origin }) {
    const edits = origin.change ? origin.patch?.length : 0;
    const words = edits === undefined ? "" : `: ${counted(edits, "edit")}`;
    return make("li", {}, link(document), ` → ${visible(origin.document)}${words}`);
}

/** Of each draft in conflict, the places. */
const conflicts = ({ skipped }) => make("div", { class: "review" },
    make("p", {}, "These drafts and their origins have changed the same places. ",
        "Nothing was merged: first decide each draft on its page."),
    make("ul", {}, ...skipped.map(({ document, conflicts: places }) =>
        make("li", {}, link(document), ": ", make("b", { dir: "auto" },
            places.map(placeName).join(", "))))));
