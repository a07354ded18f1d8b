// The value at a place of a document, as a store for Svelte, and for Vue with one line.

import { listen } from "./src/listening.js";
import { DocumentError } from "./src/problems.js";
import { replaced, valueIn } from "./places.js";

/** Calls after each event that may make something about a document another one. */
function follow(document, listener) {
    let hasEnded = false;
    const end = listen(
        document, { change: listener, state: listener, saved: listener, dropped: listener });
    // A document that is ready now was not when it was asked.
    const tell = () => { if (!hasEnded) listener(); };
    document.ready.then(tell, tell);
    return () => {
        hasEnded = true;
        end();
    };
}

/** Calls with what `read` gives, now and whenever it is another one. */
function watched(document, read, isSame = Object.is) {
    return {
        subscribe(run) {
            let last = read();
            run(last);
            return follow(document, () => {
                const next = read();
                if (isSame(last, next)) return;
                last = next;
                run(next);
            });
        },
    };
}

/** The value at a pointer. See store.d.ts. */
export function store(document, pointer = "") {
    const read = () => valueIn(document.value, pointer);
    const set = (value, options) => {
        if (document.value === undefined) throw new DocumentError(document.obstacle);
        document.edit((whole) => replaced(whole, pointer, value), options);
    };
    return {
        ...watched(document, read), set,
        update: (change, options) => set(change(read()), options),
    };
}

/** The status of a document: its state, and whether undo and redo are available. */
export function status(document) {
    const read = () => ({
        state: document.state, isSaved: document.isSaved, canUndo: document.canUndo,
        canRedo: document.canRedo, problem: document.problem, dropped: document.stranded.length,
    });
    const isSame = (one, other) => Object.keys(one).every((name) => one[name] === other[name]);
    return watched(document, read, isSame);
}

/** The other clients in a document. */
export function others(document) {
    return {
        subscribe(run) {
            const tell = () => run(document.presence.others);
            const end = listen(document, { presence: tell });
            tell();
            return end;
        },
    };
}

/**
 * Conflicts with other actors' edits, and edits that could not be applied, until each is decided.
 */
export function conflicts(document) {
    return {
        subscribe(run) {
            let shown = { conflicts: [], dropped: document.stranded };
            const show = (more) => {
                shown = { ...shown, ...more };
                run(shown);
            };
            const dismiss = (one) =>
                show({ conflicts: shown.conflicts.filter((other) => other !== one) });
            const add = ({ detail }) =>
                show({ conflicts: [...shown.conflicts, decidable(detail, dismiss)] });
            const ends = [
                listen(document, { conflict: add }),
                watched(document, () => document.stranded).subscribe((dropped) =>
                    show({ dropped })),
            ];
            return () => { for (const end of ends) end(); };
        },
    };
}

/** A conflict that is dismissed when one of both sides is chosen. */
function decidable(detail, dismiss) {
    const one = {
        ...detail, dismiss: () => dismiss(one),
        use(side) {
            detail.use(side);
            dismiss(one);
        },
    };
    return one;
}
