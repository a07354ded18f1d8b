// The changes as cards: the smallest differences, each line with a button to restore it.

import { button, make, spoken } from "./build.js";
import { icon } from "./icons.js";

const shownMax = 8;
/** Characters of a text that was kept that are shown around what changed. */
const around = 60;

export const gone = (...words) => make("del", { dir: "auto" }, spoken("removed "), ...words);
export const come = (...words) => make("ins", { dir: "auto" }, spoken("added "), ...words);

/** Runs of words, those that were kept cut to what is near a change. */
export function shortened(runs) {
    return runs.map((run, index) => {
        if (run.kind !== "same" || run.text.length <= 2 * around) return run;
        const head = index === 0 ? "" : run.text.slice(0, around);
        const tail = index === runs.length - 1 ? "" : run.text.slice(-around);
        return { kind: "same", text: `${head} … ${tail}` };
    });
}

/** A text by words. */
export function runs(list) {
    return make("span", { class: "runs", dir: "auto" }, shortened(list).map(({ kind, text }) =>
        (kind === "same" ? text : kind === "gone" ? gone(text) : come(text))));
}

const arrow = () => [make("span", { "aria-hidden": "true" }, " → "), spoken(" to ")];

/** The words of a line about a change. */
export function changeWords(change) {
    if (change.runs) return [runs(change.runs)];
    if (change.state === "add") return [come(change.value)];
    if (change.state === "remove") return [gone(change.value)];
    if (change.state === "move") return [`moved: was ${change.from + 1}, is ${change.to + 1}`];
    const from = make("span", { class: "old num", dir: "auto" }, change.old);
    return [from, ...arrow(), make("span", { class: "new num", dir: "auto" }, change.new)];
}

/** The lines of an entry: an element that was changed has one for each of its changes. */
export function linesOf(entry) {
    if (entry.state === "same") return [];
    const inner = (entry.changes ?? []).map((change) => ({
        ...change, label: change.label === entry.label ? entry.label
            : `${entry.label}, ${change.label}`,
    }));
    if (entry.state === "move") return [entry, ...inner];
    return entry.changes ? inner : [entry];
}

const signs = { add: "+", remove: "−", move: "↕", change: "±" };
const words = { add: "added", remove: "removed", move: "moved", change: "changed" };

function line(change, putBack) {
    const back = putBack && change.undo !== undefined && button("small back", () => putBack(change),
        { "aria-label": `Put back ${change.label}` }, icon("undo"),
            make("span", { class: "wide" }, "Put back"));
    return make("div", { class: `ch ${change.state}`, "data-path": change.path },
        make("span", { class: "sg", "aria-hidden": "true" }, signs[change.state]),
        spoken(`${words[change.state]} `),
        make("span", { class: "k", dir: "auto" }, change.label),
        make("span", { class: "what" }, ...changeWords(change)), back);
}

/** `putBack` is called with a change; `null` if that may not be. */
export function changeCards(sections, putBack) {
    if (sections.length === 0) return [make("p", { class: "quiet" }, "Nothing is different.")];
    return sections.map((section) => {
        const lines = section.entries.flatMap(linesOf);
        const card = make("section", { class: "card changes", "aria-label": section.name });
        card.append(make("header", {}, make("h4", { dir: "auto" }, section.name),
            make("span", { class: "quiet" }, section.note)));
        const show = (list) => card.append(...list.map((change) => line(change, putBack)));
        show(lines.slice(0, shownMax));
        const rest = lines.slice(shownMax);
        if (rest.length > 0) {
            const more = button("small more", () => {
                more.remove();
                show(rest);
                if (section.more > 0) {
                    card.append(make("p", { class: "quiet pad" },
                        `${section.more} more are not drawn.`));
                }
            }, {}, `${rest.length + section.more} more`, icon("down"));
            card.append(more);
        }
        return card;
    });
}

/** All places that changed, to be seen in the document; of a long text with its runs of words. */
export function changedPlaces(sections) {
    return new Map(sections.flatMap(({ entries }) =>
        entries.flatMap(linesOf).map(({ path, runs: list }) => [path, list])));
}

/** How many changes there are, in words. */
export function countWords(sections) {
    const count = sections.reduce((sum, { changeCount }) => sum + changeCount, 0);
    return count === 1 ? "1 place" : `${count} places`;
}
