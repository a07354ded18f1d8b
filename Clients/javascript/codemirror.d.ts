import { Extension } from "@codemirror/state";
import { Place, SharedDocument } from "./index.js";

export interface TextOptions {
    /** Whether the editor shows other actors' carets and sends its own; true by default. */
    carets?: boolean;
    /** The label of the caret for others: `{ name: "Ada", color: "#c33" }`. */
    state?: { name?: string; color?: string; [more: string]: unknown };
}

/**
 * An editor of a text in a document: what is typed goes there letter by letter, what others type
 * comes here, and input methods are left alone. Ctrl+Z and Ctrl+Y are own undo and redo: leave out
 * `history()`, and `basicSetup` and `minimalSetup`, which have it. It is read-only until the
 * document is there.
 */
export function versiondText(
    document: SharedDocument<any>, place?: string | Place, options?: TextOptions,
): Extension;
