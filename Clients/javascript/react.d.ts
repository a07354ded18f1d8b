import { ReactElement, ReactNode, RefCallback } from "react";
import {
    Connection, DocumentOptions, EditOptions, Outcome, Present, Shown, SharedDocument, UndoOptions,
    Value,
} from "./index.js";
import { Conflicts, Status } from "./store.js";

/** Components below it use this connection. */
export function Versiond(
    properties: { connection: Connection; children?: ReactNode },
): ReactElement;

export function useConnection(): Connection;

/**
 * A document by its name. Suspends until there is a value (`<Suspense fallback={…}>` above), and
 * throws the error that prevents it; with `isSuspending: false` it is `loading` then. It is opened
 * once for all components, and closed when no component has shown it for 5 seconds.
 */
export function useDocument<T = Value>(
    name: string, options?: DocumentOptions<T> & { isSuspending?: boolean },
): SharedDocument<T>;

/**
 * The value at a JSON Pointer, and a function that sets it: only the differences are edited.
 * Renders again only if the value changes. A string is replaced as a whole, so this is for single
 * values: a choice, a number, a checkbox. For text that several people type there is `useText`.
 */
export function useValue<T = Value>(document: SharedDocument<any>, pointer?: string): [
    Shown<T> | undefined,
    (next: T | Shown<T> | ((value: Shown<T> | undefined) => T | Shown<T>), options?: EditOptions)
        => void,
];

/**
 * A text that several people type, letter by letter: a ref for a `<textarea>` or an `<input>`
 * without `value` and `onChange`. The caret stays, and so does what an input method composes.
 */
export function useText(document: SharedDocument<any>, pointer?: string):
    RefCallback<HTMLTextAreaElement | HTMLInputElement>;

/**
 * Conflicts with other actors' edits since the component was shown, and edits that could not be
 * applied, until each is decided.
 */
export function useConflicts(document: SharedDocument<any>): Conflicts;

/** Own undo and redo; with `keys: window`, Ctrl+Z also undoes. */
export function useUndo(document: SharedDocument<any>, options?: { keys?: EventTarget | null }): {
    undo(options?: UndoOptions): Promise<Outcome | null>;
    redo(options?: UndoOptions): Promise<Outcome | null>;
    canUndo: boolean;
    canRedo: boolean;
};

export function useStatus(document: SharedDocument<any>): Status;

/** The other clients in the document. */
export function useOthers(document: SharedDocument<any>): readonly Present[];
