import { Place, SharedDocument } from "./index.js";

/**
 * Shows and edits a text in a text area, or in one line, letter by letter. Returns what ends that.
 */
export function bindText(
    document: SharedDocument<any>, element: HTMLTextAreaElement | HTMLInputElement,
    place: string | Place,
): () => void;

/** A part of the text that an editor showed, and its replacement. Positions count UTF-16. */
export interface Part {
    from: number;
    to: number;
    insert: string;
}

/** The interface of an editor for a binding: a text area has it, and others can. */
export interface Editor {
    /** The shown text. */
    readonly text: string;
    /** Behind the letter that was typed last. */
    readonly caret: number;
    /** Whether it shows one line, without the ends of lines that a text has: they stay. */
    readonly isOneLine?: boolean;
    /**
     * Text typed in it before it was bound, and the text in which it was typed: it becomes an edit
     * if the document has that text, and is otherwise returned ("typed-early").
     */
    readonly early?: { from: string; text: string } | null;
    setReadOnly(isReadOnly: boolean): void;
    /**
     * Shows another text. `changes()` lead there from what it shows, one after the other; `move`
     * says where a selection is then.
     */
    show(text: string, how: {
        changes(): { at: number; removed: string; inserted: string }[];
        move(start: number, end: number): [number, number];
    }): void;
}

/**
 * Binds a text of a document to an editor: typed letters go to the document one by one, and other
 * actors' letters come back. An editor shows `\n` at the end of each line, whatever the text has;
 * an editor of one line shows none.
 */
export class TextBinding {
    constructor(document: SharedDocument<any>, editor: Editor, place: string | Place);
    /** The editor is ready to be shown something. */
    begin(): void;
    end(): void;
    /** The editor knows what was typed, in one step. */
    typed(parts: Part[]): void;
    /** Something was typed: what, is found by comparing. */
    read(): void;
    /**
     * An input method begins to compose: until `composed`, the binding does not change the shown
     * text.
     */
    composes(): void;
    composed(): void;
    readonly isComposing: boolean;
    /** A JSON Pointer to the text. */
    readonly pointer: string;
    /** Where a place in what the editor shows is in the text, and the other way round. */
    inText(at: number): number;
    inShown(at: number): number;
}
