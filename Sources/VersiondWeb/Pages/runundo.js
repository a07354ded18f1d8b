// The undo and the redo of a run: the effect in words before it happens, and the way back.

import { caller, send } from "./api.js";
import { make } from "./build.js";
import { question, toast } from "./dialog.js";
import { counted, visible } from "./names.js";
import { me } from "./people.js";
import { placeName } from "./runreview.js";
import { note, trouble } from "./states.js";

const listedMax = 3;

const undoing = {
    name: "undo", verb: "Undo run", rest: "Undo the rest", cancel: "Keep it", done: "Undone",
    life: "deleted, because the run created",
};
const redoing = {
    name: "redo", verb: "Redo run", rest: "Redo the rest", cancel: "Cancel", done: "Redone",
    life: "restored: the undo deleted",
};

/** The reason why the caller may not undo a run, or `null`. */
export function obstacle(run) {
    const { name, rights } = caller;
    if (!rights.has("write") && !rights.has("propose")) return "This token may only read.";
    const isOwn = run === me() || (name !== "" && (run === name || run.startsWith(`${name}/`)));
    return rights.has("undo-others") || isOwn ? null
        : "This token may not undo edits of others: it lacks the right undo-others.";
}

/**
 * Undoes a run, after a question, with further members of the request: what is kept, whether the
 * run is closed. `done` is called after each change.
 */
export const undoRun = (run, asked, done) => move(undoing, run, asked, done);

/** Redoes the newest undo of a run, after a question. */
export const redoRun = (run, asked, done) => move(redoing, run, asked, done);

async function move(way, run, asked, done) {
    const path = `/v1/${way.name}?conflict=theirs`;
    const body = { all: { actor: run }, ...asked };
    const dry = await send("POST", `${path}&dryRun`, body)
        .catch((error) => unlessNothing(way, error));
    if (!dry) return undefined;
    const staying = conflictsIn(dry.changes);
    return question(`${way.verb.split(" ")[0]} ${run}?`, {
        text: make("div", {}, ...effectOf(way, dry.changes, staying, asked.close)),
        verb: staying > 0 ? way.rest : way.verb, cancel: way.cancel,
        act: async () => {
            // Edits that arrive meanwhile also stay.
            finish(way, run, await send("POST", path, body), done);
        },
    });
}

function unlessNothing({ name, done }, error) {
    if (error.problem?.code !== `nothing-to-${name}`) throw error;
    toast(error.problem.skipped
        ? `Later edits conflict with all of it: nothing can be ${done.toLowerCase()}.`
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

function effectOf({ name, life }, changes, staying, closes) {
    const names = namesOf(changes.filter(({ change }) => change));
    const ended = namesOf(changes.filter(({ change }) =>
        ["delete", "undelete"].includes(change?.kind)));
    const kept = changes.flatMap(({ document, change, kept: whole = [] }) =>
        (change?.kept ?? whole).map((path) =>
            [document, placeName(path)].filter(Boolean).join(" › ")));
    const [verb, object] = ended.length === 1 ? ["is", "it"] : ["are", "them"];
    return [
        closes && make("p", {}, "The run is open. This also closes it."),
        make("p", { class: "summary" },
            `The ${name} changes ${counted(names.length, "document")}: `,
            make("b", { dir: "auto" }, listed(names)), "."),
        ended.length > 0 && make("p", {}, `${listed(ended)} ${verb} ${life} ${object}.`),
        kept.length > 0 && make("p", {}, `Kept: ${listed(kept)}.`),
        staying > 0 ? conflictNote(staying) : make("p", {}, "Later edits of others stay."),
        make("p", {}, "You can undo this."),
    ].filter(Boolean);
}

function conflictNote(count) {
    const [title, rest] = count === 1
        ? ["1 place has later edits that conflict.", "It stays as it is."]
        : [`${count} places have later edits that conflict.`, "They stay as they are."];
    return note("warn", "warn", title, rest);
}

function finish(way, run, { transaction, changes }, done) {
    const count = changes.filter(({ change }) => change).length;
    const staying = conflictsIn(changes);
    const rest = staying > 0 ? ` ${counted(staying, "place")} with later edits stayed.` : "";
    toast(`${way.done} in ${counted(count, "document")}: ${run}.${rest}`, "Undo", async () => {
        await send("POST", "/v1/undo", { transaction });
        toast(way === undoing ? `${run} is in effect again.` : `${run} is undone again.`);
        await done();
    });
    void done();
}
