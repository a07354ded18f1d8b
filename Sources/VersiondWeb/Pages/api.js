// Asks the daemon, with the token of this tab.

import { parse } from "./json.js";

/** Who asks, and what the daemon says that they may. */
export const caller = {
    token: sessionStorage.getItem("token") ?? "", actor: sessionStorage.getItem("actor") ?? "",
    name: "", rights: new Set(),
};

/** What the daemon refused, in its words. */
export class Refusal extends Error {
    constructor(problem, status) {
        super([problem.detail, problem.hint].filter(Boolean).join(" ")
            || `The daemon said ${status}.`);
        this.problem = problem;
        this.status = status;
    }
}

/** Of several reads of one kind the last one counts: it ends those before. */
export class Latest {
    #controller = null;

    begin(...signals) {
        this.#controller?.abort();
        this.#controller = new AbortController();
        return AbortSignal.any([this.#controller.signal, ...signals]);
    }
}

/** The actor for the history, if the token may act as that. */
export const actingAs = () => {
    const { actor, name, rights } = caller;
    return rights.has("admin") || actor === name || actor.startsWith(`${name}/`) ? actor : "";
};

export async function ask(path,
    { method = "GET", body, accept = "application/json", type = "application/json", signal } = {}) {
    const headers = { Accept: accept };
    if (caller.token) headers.Authorization = `Bearer ${caller.token}`;
    const actor = method === "GET" ? "" : actingAs();
    if (actor) headers["Versiond-Actor"] = encodeURIComponent(actor);
    if (body !== undefined) headers["Content-Type"] = type;
    const response = await fetch(path, { method, headers, body, signal });
    if (response.ok) return response;
    throw new Refusal(await response.json().catch(() => ({})), response.status);
}

export async function get(path, signal) {
    return parse(await (await ask(path, { signal })).text());
}

export async function send(method, path, value) {
    const body = value === undefined ? undefined : JSON.stringify(value);
    const text = await (await ask(path, { method, body })).text();
    return text ? parse(text) : null;
}

export const documentPath = (name) => `/v1/documents/${encodeURIComponent(name)}`;

/** Learns who asks and what they may. */
export async function learnCaller() {
    caller.rights = new Set();
    const { name, rights } = await get("/v1/whoami");
    caller.name = name;
    caller.rights = new Set(rights);
}

export function remember(token, actor) {
    caller.token = token;
    caller.actor = actor;
    sessionStorage.setItem("token", token);
    sessionStorage.setItem("actor", actor);
}
