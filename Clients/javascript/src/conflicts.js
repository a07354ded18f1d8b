// Where two people changed the same, and only one of both could be done: who lost what, and a way
// to have it the other way round.

import { Choice } from "./choice.js";
import { apply } from "./edits.js";
import { holds, isAround, isAt, valueAt, writePointer } from "./pointers.js";
import { isRemoval } from "./relations.js";
import { placeAfter } from "./shifting.js";
import { isSame } from "./values.js";
import { viewOf } from "./views.js";
import { writeOperations } from "./writing.js";

/**
 * The limit on remembered own values, which are used to notice that another actor overwrites one
 * unseen.
 */
const ownMax = 100;

export class Conflicts {
    #session;
    /** Values that are confirmed: [{ place, value, revision }]. */
    #own = [];
    /** The choices that the application holds. */
    #choices = new Set();

    constructor(session) {
        this.#session = session;
    }

    /** The details of the events for the shown value. */
    found(shown) {
        this.#followChoices(shown.edits);
        const { theirs = [], change, conflicts } = shown;
        const pending = theirs.length === 0 ? []
            : this.#session.replica.pending.flatMap(({ carried }) => carried);
        const met = conflicts.map((one) => this.#met(one, theirs, pending));
        const lost = change ? this.#overwritten(theirs, change, pending) : [];
        this.#follow(shown);
        return [...met, ...lost];
    }

    #followChoices(edits) {
        for (const one of this.#choices) {
            const choice = one.deref();
            if (choice) choice.follow(edits);
            else this.#choices.delete(one);
        }
    }

    /** `use` of a conflict: at a place that has a value, before edits. */
    #choice(place, values, there, edits = []) {
        if (!place) {
            return () => { throw new TypeError("There are not two values: see the operations."); };
        }
        const { main } = this.#session;
        const choice = new Choice(main, place, values, there);
        choice.follow(edits);
        main.conflicts.#choices.add(new WeakRef(choice));
        return (side) => choice.use(side);
    }

    #detail(place, values, { mine, theirs, change, revision }, winner, use) {
        return {
            winner, by: change?.actor ?? null, revision,
            mine: viewOf(writeOperations(mine)), theirs: viewOf(writeOperations(theirs)),
            pointer: place && writePointer(place), values: viewOf(values),
            use,
        };
    }

    /** A pending edit met one of another actor; `all`: all edits of that change. */
    #met({ mine, theirs, change, revision }, all, pending) {
        const { policy } = this.#session;
        const about = { mine: [mine], theirs: [theirs], change, revision };
        const winner = policy === "theirs" ? "theirs" : "mine";
        const { place, values } = bothValues(mine, theirs);
        const isTheirs = all.findIndex((one) => isLike(one, theirs));
        if (values && isTheirs >= 0) {
            const start = all[isTheirs].place.slice(0, place.length);
            values.theirs = this.#valueAfter(start, all.slice(isTheirs));
        }
        const [edits, edit] = winner === "mine" ? [pending, mine] : [[...all, ...pending], theirs];
        const use = this.#choiceAfter(edits, edit, place, values, winner);
        return this.#detail(place, values, about, winner, use);
    }

    /** `use` of a conflict that one of some edits has won; they lead to what is shown. */
    #choiceAfter(edits, won, place, values, winner) {
        if (!place) return this.#choice(place);
        const index = edits.findIndex((one) => isLike(one, won));
        const start = index < 0 ? place : edits[index].place.slice(0, place.length);
        const rest = index < 0 ? [] : edits.slice(index + 1);
        const now = values[winner] === undefined ? null : rest.reduce(
            (one, edit) => one && placeAfter(one, edit), start);
        const there = now === null ? undefined : valueAt(this.#session.main.replica.value, now);
        return there === undefined ? this.#choice(start, values, there, rest)
            : this.#choice(now, values, there);
    }

    /** Another actor, without having seen the confirmed value here, has replaced it. */
    #overwritten(theirs, change, pending) {
        if (change.base === undefined) return [];
        const lost = new Map();
        for (const own of this.#own) {
            if (own.revision <= change.base) continue;
            const index = theirs.findIndex(({ kind, place }) =>
                (kind === "set" || kind === "delete") && holds(place, own.place));
            if (index < 0 || lost.has(index)) continue;
            lost.set(index, this.#lost(own, theirs.slice(index), change, pending));
        }
        return [...lost.values()];
    }

    /** A confirmed value, or what it was in, gave way to the first of some edits. */
    #lost(own, edits, change, pending) {
        const [edit, ...rest] = edits;
        const { kind, place, value, old } = edit;
        const [around, there] = kind === "delete" ? [value, undefined] : [old, value];
        const former = isAt(place, own.place) ? own.value : around;
        const mine = { kind: "set", place, old: null, value: former };
        const values = { mine: former, theirs: this.#valueAfter(place, edits) };
        const { revision } = this.#session.replica;
        const about = { mine: [mine], theirs: [edit], change, revision };
        const use = this.#choice(place, values, there, [...rest, ...pending]);
        return this.#detail(place, values, about, "theirs", use);
    }

    /** The confirmed value at a place, followed through edits. */
    #valueAfter(start, edits) {
        const place = edits.reduce((one, edit) => one && placeAfter(one, edit), start);
        return place ? valueAt(this.#session.replica.tree, place) : undefined;
    }

    #follow({ theirs = [], ours = [], confirmed }) {
        for (const edit of [...theirs, ...ours]) {
            for (const own of this.#own) own.place = own.place && placeAfter(own.place, edit);
            this.#own = this.#own.filter(({ place }) => place !== null
                && !((edit.kind === "set") && holds(edit.place, place)));
            const isValue = confirmed && edit.value !== undefined
                && (edit.kind === "set" || edit.kind === "insert");
            if (isValue) this.#remember(edit);
        }
    }

    #remember({ place, value }) {
        this.#own.push({ place, value, revision: this.#session.replica.revision });
        if (this.#own.length > ownMax) this.#own.shift();
    }
}

/** The place in conflict, and its values if mine or theirs wins. */
function bothValues(mine, theirs) {
    if ([mine, theirs].some(({ kind }) => kind === "move" || kind === "read")) {
        return { place: null, values: null };
    }
    const isOfText = mine.kind === "text" || theirs.kind === "text";
    if (isAt(mine.place, theirs.place) && !isOfText) {
        return { place: mine.place, values: { mine: resultOf(mine), theirs: resultOf(theirs) } };
    }
    const isMineOuter = theirs.kind === "text" || isAround(mine.place, theirs.place);
    const [outer, inner] = isMineOuter ? [mine, theirs] : [theirs, mine];
    const edited = apply(outer.kind === "delete" ? outer.value : outer.old,
        { ...inner, place: inner.place.slice(outer.place.length) });
    const values = outer === mine
        ? { mine: resultOf(mine), theirs: edited } : { mine: edited, theirs: resultOf(theirs) };
    return { place: outer.place, values };
}

/** The value at the place of an edit after it. */
const resultOf = (edit) => (isRemoval(edit) ? undefined : edit.value);

/** Whether two edits do the same, wherever their places are by now. */
const isLike = (one, other) => one.kind === other.kind
    && one.place.length === other.place.length
    && one.place.every((step, depth) => step === other.place[depth] || typeof step === "number")
    && one.inserted === other.inserted && one.removed === other.removed
    && isSame(one.value, other.value);
