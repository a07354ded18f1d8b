// Pending edits that are taken out from among others, with the edits that rest on them: letters
// typed right behind letters, and what was done inside a value or to it.

import { inverse, inverses, join } from "./edits.js";
import { pass } from "./merging.js";
import { isAt } from "./pointers.js";
import { isSameEdit } from "./relations.js";

/** With more edits than this to be undone, all that is behind them counts as resting on them. */
const undoingMax = 1_000;

/**
 * `undoingOf(pending)`: the edits that undo it if it is taken out, else `null`. `isResting(found,
 * edit, undoing)`: whether an edit behind it goes along; see `pass`. Returns what is left of each
 * other pending edit (`kept`), the edits that go along (`resting`), and what undoes all that is
 * taken out, behind the last pending edit (`undoing`).
 */
export function takeOut(pending, undoingOf, isResting) {
    const [kept, resting] = [new Map(), []];
    let undoing = [];
    for (const one of pending) {
        const own = undoingOf(one);
        if (own) undoing = [...own, ...undoing];
        else kept.set(one, one.carried.flatMap(keep));
    }
    return { kept, resting, undoing };

    function keep(edit) {
        let rests = undoing.length > undoingMax;
        const onPair = (...pair) => { rests ||= isResting(...pair); };
        const [mine, others] = rests ? [] : pass([edit], undoing, "theirs", onPair);
        if (rests) {
            resting.push(edit);
            undoing = [...inverses([edit]), ...undoing];
            return [];
        }
        undoing = others;
        return mine;
    }
}

export const isConflict = (found) => found === "conflict";

/** Whether an edit has a meaning only if what another one undoes is there. */
export const needs = (found, edit, undoing) => found !== "both"
    || (edit.kind === "text" && undoing.kind === "text" && isAt(edit.place, undoing.place)
        && touches(edit, undoing));

/** Letters typed in front of others do not need them. */
function touches(edit, undoing) {
    const [end, undoingEnd] = [edit, undoing].map(({ at, removed }) => at + removed.length);
    const isBehind = undoing.removed === "" ? undoing.at <= end : undoing.at < end;
    return isBehind && edit.at <= undoingEnd;
}

/** Edits in their shortest form: what is undone, or set again, is left out. */
export function shortened(edits) {
    const result = [];
    for (const edit of edits) {
        const last = result[result.length - 1];
        const isSet = last?.kind === "set" && edit.kind === "set" && isAt(last.place, edit.place);
        if (last && isSameEdit(inverse(last) ?? {}, edit)) result.pop();
        else if (isSet) result[result.length - 1] = { ...last, value: edit.value };
        else join(result, [edit]);
    }
    return result;
}
