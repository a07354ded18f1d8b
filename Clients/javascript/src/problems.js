// Errors, and their reports.

/** Why something was not done; `problem` is what the daemon said (RFC 9457). */
export class DocumentError extends Error {
    constructor(problem, { operations = [], cause } = {}) {
        super(problem.detail ?? problem.title ?? problem.code, cause ? { cause } : undefined);
        this.name = "DocumentError";
        this.problem = problem;
        this.code = problem.code;
        this.operations = operations;
    }

    /** Whether the same may succeed later. */
    get isRetryable() {
        return this.code === "offline" || this.problem.status >= 500;
    }
}

export const offline = (detail = "The daemon is out of reach.") =>
    new DocumentError({ code: "offline", detail });

export const deleted =
    { code: "document-deleted", status: 410, detail: "The document was deleted." };

export const placeGone =
    { code: "place-gone", detail: "The element that contained this value was removed." };

export const typedEarly =
    { code: "typed-early", detail: "This was entered before the page was ready." };

/** The problem in an answer; the code is `foreign` if another server on the way sent it. */
export async function problemOf(answer) {
    const problem = await answer.json().catch(() => null);
    if (typeof problem?.code === "string") return problem;
    const detail = `HTTP ${answer.status}, and not by versiond`;
    return { status: answer.status, code: foreign, detail };
}

/**
 * The code of a response that is not the daemon's: a proxy also responds 404 while it cannot reach
 * the daemon. It does not concern a document, so the request is sent again.
 */
export const foreign = "unknown";

/**
 * Reports an error of the application's own code as the browser reports one in a listener: to the
 * console, `error` events and crash reports. Nothing else stops.
 */
export function reportMistake(error) {
    if (typeof globalThis.reportError === "function") globalThis.reportError(error);
    else globalThis.setTimeout(() => { throw error; });
}

/** Calls the application's code; what it throws is reported. */
export function guarded(call) {
    try {
        return call();
    } catch (error) {
        reportMistake(error);
        return undefined;
    }
}

/** An event with a `detail`, also where CustomEvent does not exist. */
export class DetailEvent extends Event {
    constructor(type, detail) {
        super(type);
        this.detail = detail;
    }
}
