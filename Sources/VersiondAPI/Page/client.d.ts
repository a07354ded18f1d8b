// The types of /client.js: a document of versiond that several people edit at once.

/** A JSON value, as JavaScript has it: numbers beyond 2^53 lose digits if they are edited. */
export type Value = null | boolean | number | string | Value[] | { [name: string]: Value };

/** An operation of JSON Patch (RFC 6902), or of its extension for text; positions count UTF-16. */
export type Operation =
    | { op: "add" | "replace" | "test"; path: string; value: Value }
    | { op: "remove"; path: string }
    | { op: "move" | "copy"; from: string; path: string }
    | { op: "str_ins"; path: string; pos: number; str: string }
    | { op: "str_del"; path: string; pos: number; len: number };

export interface Options {
    /** A token of the daemon. */
    token?: string;
    /** Who edits: own undo takes back what this actor did. */
    actor?: string;
    /** What the document begins as, if there is none. */
    create?: Value;
    /** Who gives way where two changed the same; "mine" if nothing is said. */
    conflict?: "reject" | "mine" | "theirs";
    /** How long a pause in typing begins a new step of undo: "2s". */
    debounce?: string;
    /** Whether tabs share one stream; true if nothing is said. */
    share?: boolean;
    /** Whether `canUndo` and `canRedo` are kept; true if nothing is said. */
    status?: boolean;
    headers?: Record<string, string>;
    fetch?: typeof fetch;
}

export interface ChangeDetail {
    /** Whether it was made here, by `edit`. */
    isOwn: boolean;
}

/** Why the daemon did not do something. */
export class DocumentError extends Error {
    /** What the daemon said (RFC 9457). */
    problem: { code: string; status?: number; detail?: string; conflicts?: string[]; with?: number[] };
}

export class SharedDocument extends EventTarget {
    /** What is shown; undefined until `ready`. It is not to be changed: `edit` makes another. */
    readonly value: Value | undefined;
    /** The newest revision that is known. */
    readonly revision: number;
    /** Whether the daemon has confirmed every edit. */
    readonly isSaved: boolean;
    readonly canUndo: boolean;
    readonly canRedo: boolean;
    /** Resolves when there is a value; rejects with a DocumentError. */
    readonly ready: Promise<SharedDocument>;
    onchange: ((event: CustomEvent<ChangeDetail>) => void) | null;
    /** An edit came to nothing, or the document cannot be followed any more. */
    onerror: ((event: CustomEvent<DocumentError>) => void) | null;

    /** Edits the value at once, and sends the edit as soon as may be. */
    edit(change: Operation[] | ((value: Value) => Value)): void;
    /** Resolves when the daemon has confirmed every edit. */
    saved(): Promise<void>;
    /** Takes back the last version of this actor, or of anybody if there is no actor. */
    undo(): Promise<unknown>;
    redo(): Promise<unknown>;
    /** Shows and edits the text at an address, and keeps the caret. Returns what ends that. */
    bindTextarea(element: HTMLTextAreaElement | HTMLInputElement, pointer: string): () => void;
    close(): void;
}

export function open(url: string, options?: Options): SharedDocument;
