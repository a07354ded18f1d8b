// The undo of a run: its effect in words before it happens, and the way back.

import { caller, segment, send } from "./api.js";
import { make } from "./build.js";
import { question, toast } from "./dialog.js";
import { counted, visible } from "./names.js";
import { me } from "./people.js";
import { note, trouble } from "./states.js";

const listedMax = 3;

/** The reason why the caller may not undo a run, or `null`. */
export function obstacle(run) {
    const { name, rights } = caller;
    if (!rights.has("write") && !rights.has("propose")) return "This token may only read.";
    const isOwn = run === me() || (name !== "" && (run === name || run.startsWith(`${name}/`)));
    return rights.has("undo-others") || isOwn ? null
        : "This token may not undo edits of others: it lacks the right undo-others.";
}

/** Undoes a run in some documents, after a question; `done` is called after each change. */
export async function undoRun(run, documents, done) {
    const body = { all: { actor: run }, documents };
    const dry = await send("POST", "/v1/undo?dryRun&conflict=theirs", body).catch(unlessNothing);
    if (!dry) return undefined;
    const staying = conflictsIn(dry.changes);
    return question(`Undo ${run}?`, {
        text: make("div", {}, ...effectOf(run, documents, dry.changes, staying)),
        verb: staying > 0 ? "Undo the rest" : "Undo run", cancel: "Keep it",
        act: async () => {
            // Edits that arrive meanwhile also stay.
            finish(run, await send("POST", "/v1/undo?conflict=theirs", body), done);
        },
    });
}

function unlessNothing(error) {
    if (error.problem?.code !== "nothing-to-undo") throw error;
    toast(error.problem.skipped ? "Later edits conflict with all of it: nothing can be undone."
        : trouble(error));
    return null;
}

/** How many places stay as they are, because of later edits. */
const conflictsIn = (changes) => changes.reduce((sum, { conflicts, change }) => sum
    + (conflicts?.length ?? 0)
    + (change?.skipped ?? []).reduce((count, one) => count + (one.conflicts?.length ?? 1), 0), 0);

/** Names as a list: "menu, stock and 2 more". */
function listed(names) {
    const rest = names.length - listedMax;
    const words = names.slice(0, listedMax).map(visible);
    return rest > 0 ? `${words.join(", ")} and ${rest} more` : words.join(", ");
}

const namesOf = (changes) => changes.map(({ document }) => document);

function effectOf(run, documents, changes, staying) {
    const names = namesOf(changes.filter(({ change }) => change));
    const deleted = namesOf(changes.filter(({ change }) => change?.kind === "delete"));
    const along = names.filter((name) => !documents.includes(name));
    const [verb, object] = deleted.length === 1 ? ["is", "it"] : ["are", "them"];
    return [
        make("p", { class: "summary" }, `The undo changes ${counted(names.length, "document")}: `,
            make("b", { dir: "auto" }, listed(names)), "."),
        deleted.length > 0 && make("p", {},
            `${listed(deleted)} ${verb} deleted, because the run created ${object}.`),
        along.length > 0 && make("p", {},
            `A transaction of the run includes ${listed(along)}. That part is also undone.`),
        staying > 0 ? conflictNote(staying) : make("p", {}, "Later edits of others stay."),
        make("p", {}, "You can undo this."),
    ].filter(Boolean);
}

function conflictNote(count) {
    const [title, rest] = count === 1
        ? ["1 place has later edits that conflict.", "it as it is"]
        : [`${count} places have later edits that conflict.`, "them as they are"];
    return note("warn", "warn", title, `“Undo the rest” leaves ${rest}.`);
}

function finish(run, { transaction, changes }, done) {
    const count = changes.filter(({ change }) => change).length;
    const staying = conflictsIn(changes);
    const rest = staying > 0 ? ` ${counted(staying, "place")} with later edits stayed.` : "";
    toast(`Undone in ${counted(count, "document")}: ${run}.${rest}`, "Undo", async () => {
        await send("POST", `/v1/transactions/${segment(transaction)}/undo`);
        toast(`${run} is in effect again.`);
        await done();
    });
    void done();
}
