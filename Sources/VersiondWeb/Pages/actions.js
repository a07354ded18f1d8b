// The actions on a document. A dialog describes each action that removes something, and the action
// can be undone.

import {
    actingAs, ask, caller, documentPath, get, learnCaller, remember, segment, send,
} from "./api.js";
import { $, button, fill, make } from "./build.js";
import { question, toast } from "./dialog.js";
import { cut } from "./names.js";
import { me } from "./people.js";
import { phrase, plain, told } from "./sentences.js";
import { moment } from "./times.js";

const say = (version) => [...told(version), `, ${moment(version.ended)}.`];

/** The version that a revision belongs to, with its sentence. */
async function holding(name, revision) {
    const page = await get(`${documentPath(name)}/versions?summary&limit=1&cursor=${revision + 1}`);
    return page.versions[0];
}

/** Which documents a transaction has changed, but for this one. */
async function others(name, { transaction } = {}) {
    if (!transaction || transaction.count === 1) return [];
    const { parts } = await get(`/v1/transactions/${segment(transaction.id)}`).catch(() => ({}));
    return (parts ?? []).map(({ document }) => document).filter((other) => other !== name);
}

const together = (documents) => documents.length > 0 && make("p", { class: "stays" },
    `It is part of a transaction with ${documents.join(", ")}. That part is also undone.`);

// MARK: Undo

export async function undo(name, version) {
    const text = make("div", {}, make("p", { class: "summary" }, ...say(version)),
        make("p", {}, `This changes ${name} for everyone. You can redo it.`));
    const path = documentPath(name);
    const work = async (how) => {
        const { change, revision } = await send("POST", `${path}/undo${how}`, {});
        // Only while there is no later change. A transaction that was undone in other documents is
        // redone there as well.
        const back = change?.transaction
            ? () => send("POST", "/v1/undo", { transaction: change.transaction.id })
            : () => send("POST", `${path}/redo${how}`, {}, { revision });
        toast(`Undone: ${plain(version)}.`, "Redo", back);
    };
    await question("Undo the last change?", { text, verb: "Undo it", cancel: "Keep it",
        act: async (_, problem) => work("").catch((error) => resolve(error, problem, work)) });
}

export async function redo(name) {
    const work = async (how) => {
        const { revision } = await send("POST", `${documentPath(name)}/redo${how}`, {});
        const path = `${documentPath(name)}/undo${how}`;
        toast("Redone.", "Undo it", () => send("POST", path, {}, { revision }));
    };
    return work("").catch((error) => aloneInstead(error, "Redo it here only?", work));
}

/** Asks whether a part of a transaction is to be taken in this document only. */
function aloneInstead(error, title, work) {
    if (error.problem?.code !== "part-of-transaction") throw error;
    const names = error.problem.documents.join(", ");
    return question(title, {
        text: make("p", {}, `It is part of a transaction with ${names}, which stays as it is.`),
        verb: "Only here", cancel: "Cancel", act: () => work("?alone"),
    });
}

/** Undoes the user's own last version, past later versions of other actors. */
export async function undoMine(name) {
    const actor = me();
    if (!actor) return askWho("An undo of your changes needs your name.", () => undoMine(name));
    const path = `${documentPath(name)}/undo`;
    const { own } = await get(`${documentPath(name)}/status?actor=${encodeURIComponent(actor)}`);
    if (!own?.hasUndo) return toast("You have no changes to undo.");
    const dry = await send("POST", `${path}?dryRun`, { actor }).catch(unlessConflict);
    const taken = dry?.change?.undone ?? [];
    const passed = dry?.change?.passed ?? [];
    const revision = [...taken, ...passed].sort((one, other) => other - one)[0];
    const version = await holding(name, taken.at(-1) ?? revision ?? own.undo.version);
    // The dialog of that version decides on conflicts with work built on it.
    if (dry === null) return takeBack(name, version);
    const text = make("div", {}, make("p", { class: "summary" }, ...say(version)),
        ...staying(taken.length, passed.length));
    return question("Undo your last change?", { text, verb: "Undo it", cancel: "Keep it",
        act: async () => {
            await send("POST", path, { actor });
            toast(`Undone: ${phrase(version)}.`, "Redo",
                () => send("POST", `${documentPath(name)}/redo`, { actor }));
        } });
}

function unlessConflict(error) {
    if (error.problem?.code !== "conflict") throw error;
    return null;
}

/** The words about later changes that stay, and about own ones that an undo skips. */
function staying(taken, passed) {
    const words = passed === 1 ? "A later change of yours has no visible effect and is skipped."
        : `${passed} later changes of yours have no visible effect and are skipped.`;
    return [
        make("p", { class: "stays" }, taken > 0 ? "Later changes by others stay."
            : "It has no visible effect any more: nothing changes."),
        taken > 0 && passed > 0 && make("p", {}, words),
    ].filter(Boolean);
}

/** Undoes one version at any position. */
export async function takeBack(name, version) {
    const isOne = version.edits <= 1;
    const body = { revision: version.last };
    const text = make("div", {}, ...[make("p", { class: "summary" }, ...say(version)),
        make("p", { class: "stays" }, "Later changes stay."),
        together(await others(name, version))].filter(Boolean));
    return question("Undo this version?", { text, verb: "Undo it", cancel: "Keep it",
        act: async (_, problem) => {
            const work = (policy) => (isOne
                ? send("POST", `${documentPath(name)}/undo${policy}`, body)
                : unmake(name, version, policy));
            const done = await work("").catch((error) => resolve(error, problem, work));
            if (done === "stay") return done;
            if (done?.change && done.patch.length > 0) {
                const { revision } = done.change;
                toast(`Undone: ${phrase(version)}.`, "Redo",
                    () => send("POST", `${documentPath(name)}/undo`, { revision }));
            } else toast("It had no visible effect any more: nothing has changed.");
            return done;
        } });
}

/** Why an undo is not done without being asked again, and how it can be. */
function obstacle({ code, documents, document }, isMove) {
    if (code === "part-of-transaction") {
        return [`It is part of a transaction with ${documents.join(", ")}.`,
            !isMove && ["Undo all parts", "?together", null], ["Only here", "?alone", null]];
    }
    if (code !== "conflict") return null;
    return [`Later changes by others conflict with it${document ? ` in ${document}` : ""}.`,
        ["Undo the rest", "?conflict=theirs", "All changes without a conflict are undone."],
        caller.rights.has("undo-others")
            && ["Undo it anyway", "?conflict=mine", "Undone."],
        document && ["Only here", "?alone", "Undone in this document only."]];
}

/** An undo that others are in the way of: it can be done in another way. */
function resolve(error, problem, work, { isMove = false } = {}) {
    const [words, ...ways] = obstacle(error.problem ?? {}, isMove) ?? [];
    if (!words) throw error;
    const choose = (how, done) => async () => {
        try {
            await work(how);
            problem.closest("dialog").close();
            if (done) toast(done);
        } catch (refused) {
            problem.append(make("p", {}, refused.message));
        }
    };
    fill(problem, make("p", {}, words), ...ways.filter(Boolean).map(([verb, how, done]) =>
        button("line small", choose(how, done), {}, verb)));
    return "stay";
}

/** Undoes a version of several edits: what it did is edited away on its own state. */
async function unmake(name, version, policy) {
    const base = documentPath(name);
    const { patch } = await get(
        `${base}/diff?from=version:${version.version}&to=${version.first - 1}`);
    return edit(name, patch, version.last, `undid: ${phrase(version)}`.slice(0, 200),
        policy.replace("?", "&"));
}

/** A patch that was made on a revision, merged with what came later. */
function edit(name, patch, revision, label, more = "") {
    const query = `?base=${revision}&label=${encodeURIComponent(label)}${more}`;
    return ask(documentPath(name) + query, { method: "PATCH", type: "application/json-patch+json",
        body: typeof patch === "string" ? patch : JSON.stringify(patch) }).then((response) =>
            response.json());
}

/** Puts back one thing that changed; `revision` is the state in which it was changed. */
export async function putBack(name, change, revision) {
    const label = cut(`put back ${change.label}`, 120);
    const work = (more) => edit(name, change.undo, revision, label, more);
    const finish = (done) => {
        if (!done.change) return toast(`${change.label} is as it was already.`);
        return toast(`You put back ${change.label}.`, "Undo",
            () => send("POST", `${documentPath(name)}/undo`, { revision: done.change.revision }));
    };
    try {
        finish(await work(""));
    } catch (error) {
        if (error.problem?.code !== "conflict") throw error;
        await question(`Put back ${change.label}?`, {
            text: make("p", {}, "A later change has replaced it. Nothing is restored yet."),
            verb: "Put it back anyway", cancel: "Keep the current value",
            act: async () => finish(await work("&conflict=mine")),
        });
    }
}

// MARK: Scopes

export const closeScope = (name, how, whose, isOthers) => question(
    how === "pop" ? `Keep the changes in ${whose}?` : `Drop the changes in ${whose}?`, {
        text: make("p", {}, how === "pop" ? "They become one version and can be undone in one step."
            : "The owner’s changes are undone; changes by others stay."),
        verb: how === "pop" ? "Keep it" : "Drop it", kind: how === "pop" ? "main" : "danger full",
        act: (_, problem) => {
            const path = `${documentPath(name)}/scopes/${how}`;
            const work = (policy) => send("POST", path + policy, isOthers ? { force: true } : {});
            return work("").catch((error) => resolve(error, problem, work));
        },
    });

// MARK: Documents

export function unlessTaken(error) {
    if (error.status !== 412) throw error;
    throw new Error("A document with this name already exists. Choose another name.");
}

export const create = (made, name = "") => question("New document", {
    fields: [{ name: "name", label: "Name", value: name },
        { name: "value", label: "Value (JSON)", value: "{}", rows: 8 }],
    verb: "Create",
    act: async ({ name: given, value }) => {
        await ask(documentPath(given), { method: "PUT", body: value, isNew: true })
            .catch(async (error) => {
                const { placed } = await import("./edit.js");
                return unlessTaken(placed(error, value));
            });
        made(given);
    },
});

export const undelete = (name) => send("POST", `${documentPath(name)}/undelete`);

// MARK: The user's name

/** Asks for a name, says why, and continues with what was asked for. */
const askWho = (why, then) =>
    $("who").dispatchEvent(new CustomEvent("identify", { detail: { why, then } }));

const rights = () => [...caller.rights].join(", ") || "nothing without a token";
const whose = () => (caller.name ? ` This token is ${caller.name}’s.` : "");

const tokenField = () => ({ name: "token", label: "Token", type: "password", value: caller.token,
    isOptional: true, placeholder: "vd_…" });
const nameField = (isOptional) =>
    ({ name: "actor", label: "Your name, for the history", value: caller.actor, isOptional });

/** Where nothing may be done without a token it is asked for first. */
export const identify = (known, why = "") => question("Who are you?", {
    text: make("p", {}, why, why && " ",
        `You may: ${rights()}.${whose()} A token is kept in this tab only.`),
    fields: caller.rights.size > 0 ? [nameField(why === ""), tokenField()]
        : [tokenField(), nameField(true)],
    verb: why ? "Continue" : "Come in",
    act: async ({ token, actor }) => {
        const [oldToken, oldActor] = [caller.token, caller.actor];
        remember(token, actor);
        try {
            await learnCaller();
            if (actor && !actingAs()) {
                throw new Error(`This token acts as ${caller.name}, or ${caller.name}/…, only.`);
            }
        } catch (error) {
            remember(oldToken, oldActor);
            throw error;
        }
        known();
    },
});
