import {
    ConflictDetail, DroppedDetail, EditOptions, Present, Problem, Shown, SharedDocument, State,
    Value,
} from "./index.js";

/** What Svelte calls a store: `$value` in a component; `subscribe` calls at once. */
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
 * What stands at a JSON Pointer; `undefined` until the document is ready, and where nothing does.
 * Who subscribes is called only if it is another value: what others do elsewhere costs nothing. A
 * string is replaced as a whole: for text that several people type there is `bindText`.
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

/** How it stands with a document. */
export function status(document: SharedDocument<any>): Readable<Status>;

/** Who else is in a document. */
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

/** What met another actor's edits, and what could not be applied, until it is decided. */
export function conflicts(document: SharedDocument<any>): Readable<Conflicts>;
