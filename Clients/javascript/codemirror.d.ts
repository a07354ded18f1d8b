import { Extension } from "@codemirror/state";
import { Place, SharedDocument } from "./index.js";

export interface TextOptions {
    /** Whether others' carets are shown, and one's own to others; true if nothing is said. */
    carets?: boolean;
    /** What others see beside the caret: `{ name: "Ada", color: "#c33" }`. */
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
