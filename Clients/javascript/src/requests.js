// The requests for pending edits, and the meaning of responses.

import { writeJSON } from "./numeral.js";
import { foreign } from "./problems.js";
import { portion, writeOperations } from "./writing.js";

/** More than this goes in several requests. */
export const portionMax = { countMax: 5_000, bytesMax: 4 << 20 };

/** The first edits that go in one request. */
export const firstPortion = (edits) => portion(edits, portionMax);

/** Whether a pending edit goes in one request. */
export const isOneRequest = (one) =>
    !one.isLong && firstPortion(one.edits) === one.edits.length;

/** The request for the edit under way; the same, byte by byte, at each repetition. */
export function requestFor(sent, { policy, actor }) {
    if (sent.isCommand) {
        const { query, body } = command(sent.body, sent.undone ? null : actor);
        return {
            method: "POST", rest: `/${sent.name}${query}`, type: "application/json",
            body: JSON.stringify(body), key: sent.key,
        };
    }
    const query = new URLSearchParams({ base: sent.base, conflict: policy });
    const own = sent.behind.map(({ revision, key }) => revision ?? key);
    if (own.length > 0) query.set("own", own.join(","));
    if (sent.step !== null) query.set("group", sent.step);
    if (sent.label !== null) query.set("label", sent.label);
    return {
        method: "PATCH", rest: `?${query}`, type: "application/json-patch+json",
        body: writeJSON(writeOperations(sent.edits)), key: sent.key,
    };
}

/** The body names the target of an undo, the query its options. Own undo, if an actor is known. */
function command({ shared, conflict, dryRun, alone, together, ...what }, actor) {
    const isOwn = !shared && actor && !["actor", "revision", "count", "to", "scope"]
        .some((name) => Object.hasOwn(what, name));
    const given = Object.entries({ conflict, dryRun, alone, together }).filter(([, how]) => how);
    const words = new URLSearchParams(given);
    return {
        query: words.size > 0 ? `?${words}` : "", body: isOwn ? { actor, ...what } : what,
    };
}

/** Problems that report a lost base: the edit continues from the newest state. */
const lostBase = new Set([
    "base-too-old", "trimmed", "earlier-life", "unknown-revision", "wrong-own",
    "other-history",
]);

/** Problems of one edit among many: the others are tried without it. */
const tooMuch = new Set([413, 400, 422]);

/** Whether a problem concerns the request itself, not other actors' changes. */
export const isOwnProblem = ({ status }) => tooMuch.has(status);

/**
 * The meaning of a response: "done" · "again" (unknown, or later) · "renew" (another token) ·
 * "wait" (until a user acts) · "rebase" · "halve" · "gone" (the document) · "refused".
 */
export function meaningOf(status, problem, sent) {
    if (status < 300) return typeof problem?.revision === "number" ? "done" : "again";
    if (status === 401) return "renew";
    if (status === 403) return "wait";
    if (status === 408 || status === 429 || status >= 500) return "again";
    if (problem.code === foreign && status !== 413) return "again";
    if (status === 404 || status === 410) {
        return lostBase.has(problem.code) ? "rebase" : "gone";
    }
    if (problem.code === "other-request") return "done";
    if (sent.isCommand) return "refused";
    if (lostBase.has(problem.code)) return "rebase";
    // Of one edit all parts are stored, or none: smaller requests may do, but not without a part.
    const isOne = sent.stored !== null || sent.tries > 0;
    const isMany = sent.edits.length > 1 && (!isOne || status === 413);
    if (tooMuch.has(status)) return isMany ? "halve" : "refused";
    return "refused";
}
