// The words that the list of runs and the page of a run share.

import { chip } from "./build.js";
import { counted } from "./names.js";
import { named } from "./people.js";

export const effects = { all: "In effect", part: "Partly in effect", none: "Not in effect" };
const kinds = { all: "", part: "warn", none: "pin" };

/** The same in a filter, which is short enough for a phone. */
export const filters = { "": "All", ...effects, part: "Partly" };

export const effectChip = ({ effect }) => chip(kinds[effect], effects[effect]);

export const openChip = ({ open }) => open && chip("warn", "Open");

/** "Asked by Ada · 3 edits in 2 documents, 1 of them not in effect" */
export function extent({ requesters = [], edits, documentCount, undoneCount }) {
    const asked = requesters.length > 0 ? `Asked by ${named(requesters, true)} · ` : "";
    const undone = undoneCount > 0 && undoneCount < edits
        ? `, ${undoneCount} of them not in effect` : "";
    return `${asked}${counted(edits, "edit")} in ${counted(documentCount, "document")}${undone}`;
}
