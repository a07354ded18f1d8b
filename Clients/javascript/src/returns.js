// The form in which an editor shows the ends of lines of a text, and the positions of letters.

/** A text area shows each end of a line as one letter, whatever the text has. */
export const manyLines = {
    ends: /\r/,
    shown: (text) => text.replaceAll(/\r\n?/g, "\n"),
    isHidden: (text, at) => text[at] === "\r" && text[at + 1] === "\n",
    // The return before it is a part of the end of a line.
    first: (_, at) => at,
};

/** A line shows none. */
export const oneLine = {
    ends: /[\r\n]/,
    shown: (text) => text.replaceAll(/[\r\n]/g, ""),
    isHidden: (text, at) => text[at] === "\r" || text[at] === "\n",
    // Hidden characters stay before the taken ones.
    first: (text, at) => at + text.slice(at).search(/[^\r\n]/),
};

export const shownText = (text, lines) => (lines.ends.test(text) ? lines.shown(text) : text);

/** Where a place in what is shown is in the text. */
export function placeInText(text, shownAt, lines) {
    if (!lines.ends.test(text)) return shownAt;
    let [seen, at] = [0, 0];
    while (seen < shownAt && at < text.length) {
        if (!lines.isHidden(text, at)) seen += 1;
        at += 1;
    }
    return at;
}

/** Where a place in the text is in what is shown. */
export function placeInShown(text, at, lines) {
    if (!lines.ends.test(text)) return at;
    let seen = 0;
    for (let each = 0; each < at; each += 1) if (!lines.isHidden(text, each)) seen += 1;
    return seen;
}

/**
 * Edits of the shown text, one after the other, as edits of the text: a deletion includes the
 * hidden characters in it.
 */
export function editsOfText(edits, text, lines) {
    if (!lines.ends.test(text)) return edits;
    let now = text;
    return edits.map((edit) => {
        const start = placeInText(now, edit.at, lines);
        const at = edit.removed === "" ? start : lines.first(now, start);
        const end = placeInText(now, edit.at + edit.removed.length, lines);
        const removed = edit.removed === "" ? "" : now.slice(at, end);
        now = now.slice(0, at) + edit.inserted + now.slice(at + removed.length);
        return { ...edit, at, removed };
    });
}
