// The types of /client.js: documents of versiond that several people edit at once.
//
// The law of this library: all typed text is in the document, or still waits and is shown as
// waiting (`pending`, `state`), or was returned as operations with the reason (`dropped`).

/**
 * A JSON value, as JavaScript has it. A number that is not edited keeps its digits in the document,
 * also where JavaScript does not hold it: beyond 2^53, 1e400, 1.50.
 */
export type Value = null | boolean | number | string | Value[] | { [name: string]: Value };

/** A value with all in it read-only: what is shown is frozen. */
export type Shown<T> =
    T extends (infer Element)[] ? readonly Shown<Element>[]
    : T extends object ? { readonly [Name in keyof T]: Shown<T[Name]> }
    : T;

/** An operation of JSON Patch (RFC 6902), or of its extension for text; positions count UTF-16. */
export type Operation =
    | { op: "add" | "replace" | "test"; path: string; value: unknown }
    | { op: "remove"; path: string }
    | { op: "move" | "copy"; from: string; path: string }
    | { op: "str_ins"; path: string; pos: number; str: string }
    | { op: "str_del"; path: string; pos: number; len: number }
    | { op: "str_replace"; path: string; find: string; str: string };

export interface ConnectionOptions {
    /**
     * A token of the daemon; or a function that gets one, called again when the daemon refuses it.
     */
    token?: string | (() => string | Promise<string>);
    /** The actor. With a token that may not act as others, it is the token's name. */
    actor?: string;
    /** Fields of every request, for a proxy, say; a function is asked each time. */
    headers?: Record<string, string>
        | (() => Record<string, string> | Promise<Record<string, string>>);
    /** Whether cookies go along, for a proxy that asks for them. */
    credentials?: RequestCredentials;
    fetch?: typeof fetch;
    /** Whether tabs share one stream; true if nothing is said. */
    share?: boolean;
    /** Whether the browser keeps a random name, by which its tabs know their changes; true. */
    isRemembered?: boolean;
    /** Where what waits outlives the page: IndexedDB in browsers; `null`: nowhere. */
    store?: Store | null;
}

export interface DocumentOptions<T = Value> {
    /** The first value of the document, if it does not exist. */
    create?: T | (() => T);
    /** The side that wins where two edits changed the same place; "mine" by default. */
    conflict?: "reject" | "mine" | "theirs";
    /**
     * How long a pause begins a new step of undo: "2s", or milliseconds. One second if nothing is
     * said; 0: every edit is a step; false: as the document's settings say.
     */
    debounce?: string | number | false;
    /** The members by which elements of lists are known when values are compared: ["id"]. */
    identity?: string[];
    /** Whether `canUndo` and `canRedo` are kept; true if nothing is said. */
    status?: boolean;
}

export interface EditOptions {
    /** A text for people, kept with the change. */
    label?: string;
    /** Edits with one group are one step of undo, however long they take. */
    group?: string;
}

export interface UndoOptions {
    /** Undoes the last version of any actor, instead of the own one. */
    shared?: boolean;
    /** Shared: the number of versions, or a state ("tag:draft"), or all in the scope. */
    count?: number;
    to?: string;
    scope?: true;
    /** One change, by its revision. */
    revision?: number;
    /** Another actor's last version; that needs the right to. */
    actor?: string;
    /** Undoes only this document's part of a transaction. */
    alone?: boolean;
    /** Shared undo: if the last version is a part of a transaction, all of that is taken. */
    together?: boolean;
    /**
     * Where others have built on it: nothing is done ("reject"), it is left as it is ("theirs"), or
     * what they did is hidden ("mine").
     */
    conflict?: "reject" | "mine" | "theirs";
    dryRun?: boolean;
}

/** Edits: by whom, with which label, after and up to which state, at or in which places. */
export interface Selection {
    actor?: string;
    label?: string;
    since?: string | number;
    until?: string | number;
    paths?: string[];
}

/** An undo or a redo in several documents: of `all`, or of a transaction. */
export interface UndoOfMany {
    /** All edits in effect of which all that it says is true. */
    all?: Selection;
    /** The name of a transaction. */
    transaction?: string;
    /** Of `all`: only documents with this prefix, or only these. */
    prefix?: string;
    documents?: string[];
    /** The documents (true), or places of them, that stay as they are. */
    keep?: Record<string, true | string[]>;
    /** Decides the conflict at a place of a document. */
    resolve?: Record<string, Record<string, "mine" | "theirs">>;
    /** The revisions that documents must have. */
    match?: Record<string, number>;
    /** Close open runs whose edits it takes; otherwise they are refused ("run-open"). */
    close?: boolean;
    /** A text for people, kept with the change. */
    label?: string;
    /** As in `UndoOptions`. */
    conflict?: "reject" | "mine" | "theirs";
    alone?: boolean;
    dryRun?: boolean;
}

/** A restore of several documents. */
export interface RestoreOfMany {
    /** A time, `restore-point:NAME`, or `cursor:N`. */
    to: string;
    /** Only documents with this prefix; by default that of the restore point. */
    prefix?: string;
    /** Also deletes documents that were created since. */
    made?: "delete";
    /** Also brings back documents that were deleted since. */
    deleted?: "undelete";
    label?: string;
    dryRun?: boolean;
}

/** A merge of all drafts of a prefix into their origins. */
export interface MergeOfDrafts {
    /** The prefix of the names of the drafts. */
    prefix: string;
    /** Decides the conflict at a place of a draft. */
    resolve?: Record<string, Record<string, "reject" | "draft" | "origin">>;
    /** The revisions that drafts, origins or other documents must have. */
    match?: Record<string, number>;
    /** Delete the drafts in the same commit. */
    end?: boolean;
    /** A text for people, kept with the changes. */
    label?: string;
    /** Which side wins where both changed the same place. */
    conflict?: "reject" | "draft" | "origin";
    dryRun?: boolean;
}

/** Whether a run is open, and until when without an edit of it. */
export interface OpenRun {
    run: string;
    open: boolean;
    expires?: string;
}

/** The result of a request on several documents. */
export interface TransactionOutcome {
    /** By this name it is looked up, undone and redone; `null` if nothing was changed. */
    transaction: string | null;
    /** In the order of the edits. `kept` is `[""]` where `keep` left the whole document. */
    changes: (Outcome & { document: string; kept?: string[] })[];
}

/** The result of a request. */
export interface Outcome {
    revision: number;
    version: number;
    patch: Operation[];
    change: Change | null;
}

/** A change, without its patch. */
export interface Change {
    revision: number;
    kind: string;
    actor?: string;
    label?: string;
    time: string;
    /** Of an own undo or redo: the revisions that it took out of effect, or restored. */
    undone?: number[];
    redone?: number[];
    passed?: number[];
    skipped?: { revision: number; conflicts: string[]; with: number[] }[];
    /** The places that `keep` left as they were. */
    kept?: string[];
    /** The transaction that it is a part of. */
    transaction?: { id: string; part: number; count: number };
}

export type State =
    /** There is no value yet, or other actors' changes do not arrive yet: right after `ready`. */
    | "loading"
    /** Everything is confirmed, and changes come as they happen. */
    | "live"
    /** Something is under way. */
    | "saving"
    /** The daemon is unreachable. Edits wait, and are sent when it is back. */
    | "offline"
    /** The daemon requires another token. Edits wait. */
    | "refused"
    | "read-only"
    /** The document does not exist, or could not be created. It opens when it exists. */
    | "missing"
    /** It opens again when it is brought back. */
    | "deleted"
    | "closed";

/**
 * The daemon's problem (RFC 9457), or "offline", "no-token", "not-ready", "read-only", "closed",
 * "place-gone", "typed-early", "superseded".
 */
export interface Problem {
    code: string;
    status?: number;
    title?: string;
    detail?: string;
    hint?: string;
    conflicts?: string[];
    with?: number[];
}

/** Why something was not done. */
export class DocumentError extends Error {
    readonly code: string;
    readonly problem: Problem;
    /** The edits that came to nothing, if it is about edits. */
    readonly operations: Operation[];
    /** Whether the same may succeed later. */
    readonly isRetryable: boolean;
}

export interface ChangeDetail<T = Value> {
    /** Whether it was made here. */
    isOwn: boolean;
    /** The actor of the change, if it is another one. */
    by: string | null;
    label: string | null;
    /** The value shown before. */
    before: Shown<T> | undefined;
    /** The operations that lead from there to the shown value. */
    readonly operations: Operation[];
}

/** Two changed the same, and only one of both is there now. */
export interface ConflictDetail {
    winner: "mine" | "theirs";
    /** The other actor, and the revision of their change. */
    by: string | null;
    revision: number;
    mine: Operation[];
    theirs: Operation[];
    /** The place, and both values; `undefined`: no value. */
    pointer: string | null;
    values: { mine: Value | undefined; theirs: Value | undefined } | null;
    /** Has it this way, as a new edit. */
    use(side: "mine" | "theirs"): void;
}

/** Edits that could not be applied. They are stored until the application forgets them. */
export interface DroppedDetail {
    operations: Operation[];
    problem: Problem;
    error: DocumentError;
    /** The revision that was newest when they came to nothing. */
    revision: number;
    /** Tries the same on what is there now. */
    again(): void;
    forget(): void;
}

export interface DocumentEvents<T = Value> {
    change: CustomEvent<ChangeDetail<T>>;
    state: CustomEvent<{ state: State; problem: Problem | null }>;
    /** Everything is confirmed. */
    saved: CustomEvent<{ revision: number }>;
    conflict: CustomEvent<ConflictDetail>;
    /** Without a listener, an `error` event says the same. */
    dropped: CustomEvent<DroppedDetail>;
    error: CustomEvent<DocumentError>;
    /** Others came, went, or show something else. */
    presence: CustomEvent<{ others: readonly Present[] }>;
}

/** Another client in the document. */
export interface Present {
    client: string;
    actor: string;
    /**
     * Its public state. If `at` is a place in a text, `{ path, anchor, head }`, it moves with the
     * letters around it, as a caret does.
     */
    state: any;
    revision: number;
}

/** The clients in a document. Presence is not history. */
export interface Presence {
    /** The name of this one, made at random. */
    readonly client: string;
    /** The other clients. The first access subscribes to their changes. */
    readonly others: readonly Present[];
    /** Shows others any JSON of up to 2 KiB; `null`: this one is not there any more. */
    set(state: unknown): void;
}

type Listener<E> = ((event: E) => void) | null;

/** A place that follows its value: an element stays this one, wherever it moves. */
export class Place {
    /** Its address now; `null` if the element is gone. */
    readonly pointer: string | null;
    /** Its index, if it is an element of a list; else `null`. */
    readonly index: number | null;
    readonly isGone: boolean;
    /** The value there; `undefined` if there is none. */
    readonly value: Shown<Value> | undefined;
    /** A place inside it. */
    at(...names: (string | number)[]): Place;
    set(value: unknown, options?: EditOptions): void;
    remove(options?: EditOptions): void;
    /** Before the element at another place, or to a free name. */
    moveTo(target: Place | string, options?: EditOptions): void;
    insertText(position: number, text: string, options?: EditOptions): void;
    deleteText(position: number, length: number, options?: EditOptions): void;
}

/** A row of a list: an element, or one with what is to be done when it changes or ends. */
export type Row = HTMLElement
    | { element: HTMLElement; update?(place: Place): void; end?(): void };

export class SharedDocument<T = Value> {
    /** Its name now: if it is renamed, this follows, and a `state` event reports it. */
    readonly name: string;
    /**
     * The shown value: confirmed, then sent, then waiting edits. Frozen. `undefined` until `ready`.
     */
    readonly value: Shown<T> | undefined;
    /** The newest revision that is known. */
    readonly revision: number;
    /** The actor of own undo; `null` if none was given, and undo is shared. */
    readonly actor: string | null;
    readonly state: State;
    /** The problem that blocks edits, in the daemon's words; `null` if there is none. */
    readonly problem: Problem | null;
    /** Why nothing can be edited now; `null` if it can. */
    readonly obstacle: Problem | null;
    /** Whether the daemon has confirmed every edit. */
    readonly isSaved: boolean;
    /** The edits that wait for confirmation, as operations on the confirmed value. */
    readonly pending: Operation[];
    /** Edits that could not be applied, here and in pages before, until they are forgotten. */
    readonly stranded: readonly DroppedDetail[];
    /**
     * The other actors of whom edits of this document wait in this browser, left by pages that are
     * gone; `null`: without a name. They are sent when that actor opens the document here. A
     * `state` event reports when this changes.
     */
    readonly waitingActors: readonly (string | null)[];
    readonly canUndo: boolean;
    readonly canRedo: boolean;
    /** Resolves when there is a value; rejects if there is none to be had. */
    readonly ready: Promise<this>;

    onchange: Listener<DocumentEvents<T>["change"]>;
    onstate: Listener<DocumentEvents<T>["state"]>;
    onsaved: Listener<DocumentEvents<T>["saved"]>;
    onconflict: Listener<DocumentEvents<T>["conflict"]>;
    ondropped: Listener<DocumentEvents<T>["dropped"]>;
    onerror: Listener<DocumentEvents<T>["error"]>;
    onpresence: Listener<DocumentEvents<T>["presence"]>;
    readonly presence: Presence;
    addEventListener<Type extends keyof DocumentEvents<T>>(
        type: Type, listener: (event: DocumentEvents<T>[Type]) => void,
        options?: boolean | AddEventListenerOptions): void;
    removeEventListener<Type extends keyof DocumentEvents<T>>(
        type: Type, listener: (event: DocumentEvents<T>[Type]) => void,
        options?: boolean | EventListenerOptions): void;

    /**
     * Edits with operations, or with a function from the old value to a new one. The edit is shown
     * at once. Strings are replaced; letters merge with `str_ins`, `str_del` and `str_replace`
     * only. A value outside JSON throws a TypeError; a document that cannot be edited now, and
     * operations that do not apply to the shown value, throw a DocumentError
     * ("patch-does-not-apply"; of `str_replace` also "text-not-found" and "text-not-unique"); both
     * change nothing.
     */
    edit(change: Operation[] | ((value: Shown<T>) => T | Shown<T>), options?: EditOptions): void;
    /** Edits with a recipe, in place. Elements that are taken out and put in again have moved. */
    change(recipe: (draft: T) => void, options?: EditOptions): void;
    /** A place that follows its value. */
    at(pointer: string): Place;

    /**
     * Undoes the actor's own last version, past later versions of others. While the daemon is
     * unreachable, it undoes waiting edits locally and refuses all others: no undo happens later
     * without a request.
     */
    undo(options?: UndoOptions): Promise<Outcome | null>;
    redo(options?: UndoOptions): Promise<Outcome | null>;

    /** Resolves when the daemon has confirmed every edit. */
    saved(): Promise<void>;
    /** Tries at once what waits: after a login, say. */
    retry(): void;
    /** Gives up waiting edits: they are removed from the shown value, and returned. */
    discard(): Operation[];
    /**
     * Closes the document when waiting edits are confirmed, or after 5 seconds. Resolves with the
     * rest. The rest is also stored in the browser's database, and sent when the document is opened
     * again; after discard() it is not.
     */
    close(options?: { timeout?: number }): Promise<Operation[]>;

    /** Shows and edits a text, letter by letter, and keeps the caret. Returns what ends that. */
    bindTextarea(
        element: HTMLTextAreaElement | HTMLInputElement, place: string | Place,
    ): () => void;
    /**
     * Shows and sets the value at a place, at once: a checkbox, a radio, a number, a choice or
     * several, a date, a short text. Input that is not a value of its type stays in the control and
     * is not set.
     */
    bindInput(
        element: HTMLInputElement | HTMLSelectElement, place: string | Place, options?: EditOptions,
    ): () => void;
    /** Shows a list: each element keeps its row. */
    bindList(
        parent: HTMLElement, place: string | Place, makeRow: (place: Place) => Row,
    ): () => void;
    /** Lets the keys of undo and redo work in an element, or in the whole page. */
    bindKeys(target: EventTarget): () => void;
}

/** One daemon, with one stream for all its documents. */
export class Connection {
    readonly url: string;
    readonly actor: string | null;
    document<T = Value>(name: string, options?: DocumentOptions<T>): SharedDocument<T>;
    /**
     * Edits all documents, or none of them: each with operations, or with a function from the old
     * value to a new one. Waiting edits in them are saved first; if another actor edits meanwhile,
     * operations are refused ("superseded"), and functions are called again. The result is shown
     * when the daemon has confirmed it. Own undo of it, in any of the documents, undoes all of it.
     */
    transact(
        edits: [SharedDocument<any>, Operation[] | ((value: any) => unknown)][],
        options?: { label?: string },
    ): Promise<TransactionOutcome>;
    /**
     * Undoes many edits as one step, and keeps later ones of others. An edit of this client that
     * still waits is not among them: see `saved()`. The effect is shown as other changes are.
     */
    undoAll(what: UndoOfMany): Promise<TransactionOutcome>;
    /** Redoes the newest `undoAll` of these edits; again, the one before. */
    redoAll(what: UndoOfMany): Promise<TransactionOutcome>;
    /**
     * Restores the documents of a prefix to a time, `restore-point:NAME` or `cursor:N`: one step.
     * The response lists the documents that were created, deleted and erased since.
     */
    restoreAll(what: RestoreOfMany): Promise<TransactionOutcome & {
        madeSince: string[]; deletedSince: string[]; purgedSince: string[];
    }>;
    /** Merges all drafts of a prefix into their origins as one step; `unchanged`: with no edits. */
    mergeDrafts(what: MergeOfDrafts): Promise<TransactionOutcome & { unchanged: string[] }>;
    /** Opens a run, or keeps it open, until `ttl` ("10m") passes without an edit of it. */
    openRun(run: string, options?: { ttl?: string; label?: string }): Promise<OpenRun>;
    /** Closes a run: it is over. */
    closeRun(run: string, options?: { label?: string }): Promise<OpenRun>;
    /** Tries at once what waits; with another token, if one is given. */
    retry(token?: ConnectionOptions["token"]): void;
    close(options?: { timeout?: number }): Promise<void>;
}

/** Where what waits outlives the page. */
export interface Store {
    put(record: StoredRecord): Promise<unknown>;
    delete(id: string): Promise<unknown>;
    /**
     * Puts a record in the place of another one, if that is there. Resolves with whether it was.
     */
    move(id: string, record: StoredRecord): Promise<boolean>;
    list(prefix: string): Promise<StoredRecord[]>;
}

export interface StoredRecord {
    id: string;
    [name: string]: unknown;
}

/** A store that ends with the page. */
export class MemoryStore implements Store {
    put(record: StoredRecord): Promise<void>;
    delete(id: string): Promise<void>;
    move(id: string, record: StoredRecord): Promise<boolean>;
    list(prefix: string): Promise<StoredRecord[]>;
}

/**
 * A connection to the daemon at an address: `https://docs.example`; in a page, that of the page.
 */
export function connect(url?: string, options?: ConnectionOptions & DocumentOptions): Connection;

/** Opens one document by its address: `/v1/documents/note`. */
export function open<T = Value>(
    address: string, options?: ConnectionOptions & DocumentOptions<T>,
): SharedDocument<T>;
