import {
    ConflictDetail, DroppedDetail, EditOptions, Present, Problem, Shown, SharedDocument, State,
    Value,
} from "./index.js";

/** A store in Svelte's sense: `$value` in a component; `subscribe` calls at once. */
export interface Readable<T> {
    /** Calls with the value now and with each other one. Returns what ends that. */
    subscribe(run: (value: T) => void): () => void;
}

export interface Writable<T> extends Readable<Shown<T> | undefined> {
    /** Edits what differs; others' edits of the rest stay. */
    set(value: T | Shown<T>, options?: EditOptions): void;
    update(change: (value: Shown<T> | undefined) => T | Shown<T>, options?: EditOptions): void;
}

/**
 * The value at a JSON Pointer; `undefined` until the document is ready, and if there is none.
 * Subscribers are called only if this value changes: edits at other places cost nothing. A string
 * is replaced as a whole: for text that several people type there is `bindText`.
 *
 * In Vue: `const isNew = shallowRef();`
 * `onUnmounted(store(menu, "/isNew").subscribe((value) => { isNew.value = value; }));`
 */
export function store<T = Value>(document: SharedDocument<any>, pointer?: string): Writable<T>;

export interface Status {
    state: State;
    isSaved: boolean;
    canUndo: boolean;
    canRedo: boolean;
    problem: Problem | null;
    /** How many edits could not be applied, and wait to be taken or forgotten. */
    dropped: number;
}

/** The state of a document. */
export function status(document: SharedDocument<any>): Readable<Status>;

/** The other clients in a document. */
export function others(document: SharedDocument<any>): Readable<readonly Present[]>;

/** A conflict that waits to be decided: `use(side)` and `dismiss()` take it off the list. */
export interface OpenConflict extends ConflictDetail {
    /** Leaves it as it is. */
    dismiss(): void;
}

export interface Conflicts {
    /** The conflicts since it was subscribed to, the oldest first. */
    conflicts: readonly OpenConflict[];
    /** Edits that could not be applied, until they are forgotten. */
    dropped: readonly DroppedDetail[];
}

/**
 * Conflicts with other actors' edits, and edits that could not be applied, until each is decided.
 */
export function conflicts(document: SharedDocument<any>): Readable<Conflicts>;
