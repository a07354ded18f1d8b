// Changes of several documents that happen together, or not at all.

import { writeJSON } from "./numeral.js";
import { DocumentError, offline, problemOf } from "./problems.js";
import { rest } from "./signals.js";
import { isSame } from "./values.js";

/** The limit on attempts of a transaction whose outcome is unknown. It is carried out once. */
const attemptsMax = 6;
const firstPause = 250;

/** See `Connection.transact` in client.d.ts. */
export async function transact(connection, edits, { label } = {}) {
    for (const [{ obstacle }] of edits) if (obstacle) throw new DocumentError(obstacle);
    const shown = edits.map(([{ value }]) => value);
    // Waiting edits come first: the daemon must have the state on which the edits are made.
    await Promise.all(edits.map(([document]) => document.saved()));
    const changes = edits.map(([document, change], index) => {
        const isFixed = typeof change !== "function";
        if (isFixed && !isSame(document.value, shown[index])) throw superseded(document);
        return document.member(change);
    });
    const query = label === undefined ? "" : `?${new URLSearchParams({ label })}`;
    const outcome = await outcomeOf(connection, `/v1/transactions${query}`, { changes });
    await Promise.all(edits.map(([document], index) =>
        document.reach(outcome.changes[index].revision)));
    return outcome;
}

/** See `Connection.undoAll` and `mergeDrafts` in client.d.ts. */
export function move(connection, name, { label, conflict, alone, dryRun, ...what }) {
    const given = Object.entries({ label, conflict, alone, dryRun }).filter(([, how]) => how);
    return outcomeOf(connection, `/v1/${name}?${new URLSearchParams(given)}`, what);
}

/** See `Connection.openRun` in client.d.ts. */
export function changeRun(connection, method, run, end, { ttl, label } = {}) {
    const given = Object.entries({ ttl, label }).filter(([, how]) => how);
    const path = `/v1/runs/${encodeURIComponent(run)}${end}?${new URLSearchParams(given)}`;
    return outcomeOf(connection, path, {}, method);
}

async function outcomeOf(connection, path, body, method) {
    const answer = await sent(connection, path, writeJSON(body), method);
    if (answer.ok) return answer.json();
    throw new DocumentError({ status: answer.status, ...await problemOf(answer) });
}

const superseded = ({ name }) => new DocumentError({
    code: "superseded",
    detail: `${name} was edited meanwhile: give a function of the value instead of operations.`,
});

/** Sends a request until there is an answer; the same one each time. */
async function sent(connection, path, body, method) {
    const key = connection.newKey();
    for (let attempt = 1; ; attempt += 1) {
        const answer = await connection.change(path, body, key, method).catch((error) => error);
        if (answer instanceof DocumentError) throw answer;
        const isUnknown = answer instanceof Error || answer.status === 429 || answer.status >= 500;
        if (!isUnknown) return answer;
        if (attempt === attemptsMax) {
            if (!(answer instanceof Error)) return answer;
            throw offline("The daemon is out of reach: all of it happened, or nothing.");
        }
        const [over] = rest(connection.platform, firstPause * 2 ** (attempt - 1));
        await over;
    }
}
