// What goes wrong, and what is told of it.

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

export async function problemOf(answer) {
    try {
        return await answer.json();
    } catch {
        return { status: answer.status, code: "unknown", detail: `HTTP ${answer.status}` };
    }
}

/** An event with a `detail`, where there is no CustomEvent, too. */
export class DetailEvent extends Event {
    constructor(type, detail) {
        super(type);
        this.detail = detail;
    }
}
