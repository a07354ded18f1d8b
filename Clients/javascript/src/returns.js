// A text area shows each end of a line as one letter, whatever the text has.

export const shownText = (text) => (text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text);

/** Where a place in what is shown is in the text. */
export function placeInText(text, shownAt) {
    if (!text.includes("\r\n")) return shownAt;
    let [seen, at] = [0, 0];
    while (seen < shownAt && at < text.length) {
        if (!(text[at] === "\r" && text[at + 1] === "\n")) seen += 1;
        at += 1;
    }
    return at;
}

/** Where a place in the text is in what is shown. */
export function placeInShown(text, at) {
    return shownText(text.slice(0, at)).length;
}

/**
 * Edits of what is shown, one after the other, as edits of the text: a deletion takes the returns
 * in it along.
 */
export function editsOfText(edits, text) {
    if (!text.includes("\r\n")) return edits;
    let now = text;
    return edits.map((edit) => {
        const at = placeInText(now, edit.at);
        const end = placeInText(now, edit.at + edit.removed.length);
        const removed = edit.removed === "" ? "" : now.slice(at, end);
        now = now.slice(0, at) + edit.inserted + now.slice(at + removed.length);
        return { ...edit, at, removed };
    });
}
