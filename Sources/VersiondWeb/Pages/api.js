// Asks the daemon, with the token of this tab.

import { parse } from "./json.js";
import { tabStorage } from "./storage.js";

/** The caller, and the rights that the daemon reports. */
export const caller = {
    token: tabStorage.getItem("token") ?? "", actor: tabStorage.getItem("actor") ?? "",
    name: "", rights: new Set(),
};

/** A refusal of the daemon, in its words. */
export class Refusal extends Error {
    /** `wait`: the seconds after which the request may be repeated, or 0. */
    constructor(problem, status, wait = 0) {
        super([problem.detail, problem.hint].filter(Boolean).join(" ")
            || `The daemon said ${status}.`);
        this.problem = problem;
        this.status = status;
        this.wait = wait;
    }
}

/** The daemon did not respond. */
export class Unreachable extends Error {
    constructor() {
        super("The daemon cannot be reached. Nothing of yours is lost; try again.");
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
    { method = "GET", body, accept = "application/json", type = "application/json", signal,
        isNew = false, revision } = {}) {
    const headers = { Accept: accept };
    if (caller.token) headers.Authorization = `Bearer ${caller.token}`;
    const actor = method === "GET" ? "" : actingAs();
    if (actor) headers["Versiond-Actor"] = encodeURIComponent(actor);
    if (body !== undefined) headers["Content-Type"] = type;
    if (isNew) headers["If-None-Match"] = "*";
    if (revision !== undefined) headers["If-Match"] = `"${revision}"`;
    const response = await fetch(path, { method, headers, body, signal }).catch((error) => {
        throw error.name === "AbortError" ? error : new Unreachable();
    });
    if (response.ok) return response;
    throw new Refusal(await response.json().catch(() => ({})), response.status,
        Number(response.headers.get("Retry-After")));
}

export async function get(path, signal) {
    return parse(await (await ask(path, { signal })).text());
}

/** `options`: `isNew`, only if it is not there; `revision`, only if that is the newest. */
export async function send(method, path, value, options = {}) {
    const body = value === undefined ? undefined : JSON.stringify(value);
    const text = await (await ask(path, { method, body, ...options })).text();
    return text ? parse(text) : null;
}

/** A name as a part of an address. Browsers take dots alone for a way up, whatever one writes. */
export function segment(name) {
    if (name === "" || name === "." || name === "..") {
        throw new Error(`“${name}” is no name that a browser can ask for. Use another one.`);
    }
    return encodeURIComponent(name);
}

export const documentPath = (name) => `/v1/documents/${segment(name)}`;

/** The members by which the document's settings know elements. */
export async function identityOf(name, signal) {
    const answer = await get(`${documentPath(name)}/settings`, signal).catch(() => ({}));
    return answer.settings?.identity ?? ["id"];
}

/** Reads the caller's name and rights. The former ones apply until the response arrives. */
export async function learnCaller() {
    get("/v1").then(({ links }) => { caller.documentation = links.documentation; }, () => {});
    const { name, rights } = await get("/v1/whoami").catch((error) => {
        caller.rights = new Set();
        throw error;
    });
    caller.name = name;
    caller.rights = new Set(rights);
}

export function remember(token, actor) {
    caller.token = token;
    caller.actor = actor;
    tabStorage.setItem("token", token);
    tabStorage.setItem("actor", actor);
}
