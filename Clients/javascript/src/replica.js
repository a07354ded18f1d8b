// A document as one client has it: what the daemon has confirmed, then what is under way, then what
// waits. Others' changes are carried past both, and both past them, as the daemon does it.
//
// A value without I/O, clock or chance: events go in, and what is shown comes out.

import { applyAll, inverses } from "./edits.js";
import { correction, difference } from "./difference.js";
import { pass } from "./merging.js";
import { MissingEdits } from "./missing.js";
import { PendingCommand, PendingEdit } from "./pending.js";
import { readOperations } from "./reading.js";
import { isConflict, needs, shortened, takeOut } from "./resting.js";
import { TakenBack } from "./takenback.js";
import { textDifference } from "./textdifference.js";
import { freeze, isSame } from "./values.js";
import { isLong } from "./writing.js";

/**
 * The effect of an event on the shown value: the edits that lead from `before` to the new value.
 */
export const shown = (before, edits, more = {}) =>
    ({ before, edits, isOwn: false, conflicts: [], ...more });

export class Replica {
    /** The newest revision that is known, and the tree there. */
    revision = -1;
    tree = undefined;
    /** The shown value. */
    value = undefined;
    /** The edit under way, and those that wait behind it. */
    sent = null;
    waiting = [];
    takenBack = new TakenBack(this);
    /** Other actors' edits since the pending ones were made. */
    #missing = null;
    #policy;
    #identity;

    constructor({ policy = "mine", identity = ["id"] } = {}) {
        this.#policy = policy === "theirs" ? "theirs" : "mine";
        this.#identity = identity;
    }

    get isLoaded() {
        return this.tree !== undefined;
    }

    /** Everything that is not confirmed, in its order. */
    get pending() {
        return this.sent ? [this.sent, ...this.waiting] : this.waiting;
    }

    /** Whether something was edited that is not confirmed. */
    get hasEdits() {
        return this.pending.some(({ isCommand }) => !isCommand);
    }

    // MARK: Here

    /** Edits what is shown. */
    edit(edits, options = {}) {
        this.takenBack.forget();
        return this.add(edits, options);
    }

    /** Adds edits to what waits. */
    add(edits, given) {
        const options = edits.some(isLong) ? { ...given, isAlone: true } : given;
        const last = this.waiting[this.waiting.length - 1];
        if (last && !last.isCommand && last.takes(options)) last.add(edits);
        else this.waiting.push(new PendingEdit(edits, this.revision, this.#behind(), options));
        return this.show(edits, { isOwn: true });
    }

    /**
     * The pending edits on which a new one depends, if the request can name them: all made on the
     * newest revision.
     */
    #behind() {
        const isKnown = this.pending.every((one) =>
            !one.isCommand && one.base === this.revision && one.behind !== null);
        return isKnown ? [...this.pending] : null;
    }

    command(name, body, key) {
        const command = new PendingCommand(name, body, key);
        this.waiting.push(command);
        return command;
    }

    /** Shows edits that were made to what is pending. */
    show(edits, more) {
        const before = this.value;
        this.value = applyAll(before, edits);
        return shown(before, edits, more);
    }

    // MARK: Messages of the daemon

    /** The document at a revision: at the beginning, and when changes were missed. */
    load(revision, tree) {
        freeze(tree);
        const old = this.tree;
        this.revision = revision;
        if (old !== undefined) {
            // By letters, which are in conflict with no letter that waits.
            const edits = difference(old, tree, this.#identity, [], textDifference);
            return this.#carry(edits, tree, {});
        }
        [this.tree, this.value] = [tree, tree];
        return shown(undefined, []);
    }

    /** Begins where a client that is gone has left off; the first may have been under way. */
    resume(pending) {
        for (const { edits, request, stored, ...options } of pending) {
            this.add(edits, { ...options, isAlone: true });
            const added = this.waiting[this.waiting.length - 1];
            if (request) added.request = request;
            const before = this.waiting[this.waiting.length - 2];
            const isRest = stored && before?.stored && before.step === added.step;
            added.stored = isRest ? before.stored : stored ?? null;
        }
        if (this.waiting[0]?.request) this.sent = this.waiting.shift();
    }

    /** One change of the feed: what it shows, "known", or "gap" if one before it is missing. */
    receive(item) {
        if (item.revision <= this.revision) return "known";
        if (item.revision > this.revision + 1) return "gap";
        // The shown value still has an erased place; and a new life does not follow from the old
        // one.
        if (["purge", "forgotten", "create"].includes(item.change.kind)) return "gap";
        const { edits, tree } = readOperations(item.patch, this.tree);
        this.revision = item.revision;
        const own = item.key === undefined ? undefined
            : this.pending.find(({ key }) => key === item.key);
        return own ? this.#confirm(own, edits, tree) : this.#carry(edits, tree, item);
    }

    /** Others' edits past what is pending, and that past them. */
    #carry(edits, tree, item) {
        const { change = {}, revision } = item;
        const before = this.value;
        const conflicts = [];
        let others = edits;
        const missing = this.#missing ?? new MissingEdits(this.pending);
        for (const one of this.pending) {
            const onPair = (found, mine, theirs) => {
                one.isMet ||= found !== "both";
                if (found === "conflict") conflicts.push({ mine, theirs, change, revision });
            };
            [one.carried, others] = pass(one.carried, others, this.#policy, onPair);
            one.isCarried = true;
        }
        this.takenBack.follow(others, this.#policy);
        this.#carryStored(edits);
        this.tree = tree;
        const hasReturned = missing.append(edits, item);
        this.#missing = missing.isNeeded ? missing : null;
        if (hasReturned && this.#missing) others = this.#mergeAnew(before);
        else this.#render(others);
        return shown(before, others, { conflicts, change, theirs: edits });
    }

    /** Other actors undid edits that pending ones have met: these are merged with the rest. */
    #mergeAnew(before) {
        const { pending } = this;
        const stood = this.#with(pending.filter((one) => this.#missing.has(one)));
        this.#missing.merge(pending, this.#policy);
        const stands = this.#with(pending.filter((one) => this.#missing.has(one)));
        const others = pending.filter((one) => !this.#missing.has(one));
        this.#past(correction(stood, stands), "mine", others);
        this.value = this.#with(pending);
        return difference(before, this.value, this.#identity);
    }

    #with(pending) {
        return applyAll(this.tree, pending.flatMap(({ carried }) => carried));
    }

    /**
     * A pending edit is confirmed: the one under way, as a rule; or one behind it, which a closed
     * page has sent. The shown value may differ from the daemon's result.
     */
    #confirm(own, edits, tree) {
        const [before, pending] = [this.value, this.pending];
        const index = pending.indexOf(own);
        const [earlier, later] = [pending.slice(0, index), pending.slice(index + 1)];
        const stood = this.#with([...earlier, own]);
        let others = edits;
        for (const one of earlier) {
            [one.carried, others] = pass(one.carried, others, this.#policy);
            one.isCarried = true;
        }
        this.tree = tree;
        const isShown = own.carried.length > 0;
        const fix = isShown ? correction(stood, this.#with(earlier)) : others;
        this.#remove(own);
        this.#carryStored(edits, own);
        own.confirm(this.revision, edits);
        const isExpected = fix.length === 0 && earlier.length === 0;
        this.#missing = isExpected ? this.#missing?.confirmed(own, this.#policy) ?? null : null;
        this.takenBack.confirmed(own);
        const rest = this.#past(fix, "mine", later);
        // The value is the same: the shown object stays, and no view renders again.
        if (isExpected && later.length === 0 && isSame(before, tree)) this.tree = before;
        else this.#render(rest);
        return shown(before, rest, {
            confirmed: own, ours: edits, isCorrected: isShown && fix.length > 0,
        });
    }

    /** Carries the undoing of stored parts past edits of the confirmed state. */
    #carryStored(edits, own = null) {
        for (const stored of new Set(this.pending.map((one) => one.stored))) {
            if (!stored || stored === own?.stored) continue;
            [stored.undoing] = pass(stored.undoing, edits, "mine");
        }
    }

    #remove(own) {
        if (this.sent === own) this.sent = null;
        else this.waiting.splice(this.waiting.indexOf(own), 1);
    }

    /**
     * The edit under way changed nothing. Waiting edits that depend on it may be lost with it:
     * `lost`.
     */
    drop() {
        const { sent } = this;
        const stood = this.#with([sent]);
        const { kept, resting, undoing } = takeOut(this.pending, (one) => {
            if (one.undone === sent) return inverses(one.carried);
            return one === sent ? correction(stood, this.tree) : null;
        }, isConflict);
        return this.#without(kept, undoing, { lost: resting });
    }

    /** The edit under way was refused. It is `lost`, with its other parts and its resting edits. */
    refuse() {
        const { sent } = this;
        const isGone = (one) => one === sent || one.undone === sent
            || (sent.stored && one.stored === sent.stored);
        const { kept, undoing } = takeOut(
            this.pending, (one) => (isGone(one) ? inverses(one.carried) : null),
            sent.isCommand ? isConflict : needs);
        const lost = shortened(inverses(undoing));
        const shown = this.#without(kept, undoing, { lost, isRefused: true });
        if (sent.stored) {
            const left = this.waiting.flatMap(({ carried }) => carried);
            [sent.stored.undoing] = pass(sent.stored.undoing, left, "mine");
        }
        return shown;
    }

    /**
     * The edit under way was refused, and the person has edited it since: it is sent again with
     * these edits, as one. Returns whether there is anything to send.
     */
    retry() {
        const { sent } = this;
        if (!sent.mayGoAgain || this.waiting.some(({ isCommand }) => isCommand)) return false;
        const { kept, resting, undoing } = takeOut(
            this.pending, (one) => (one === sent ? inverses(one.carried) : null), needs);
        const edits = shortened(inverses(undoing));
        if (resting.length === 0 || edits.length === 0) return false;
        this.sent = null;
        this.#keep(kept);
        sent.goAgain(edits, this.revision);
        this.waiting.push(sent);
        return true;
    }

    /** Continues without a removed edit. */
    #without(kept, undoing, more) {
        const { sent, value } = this;
        this.sent = null;
        this.takenBack.confirmed(sent);
        this.#keep(kept);
        this.#past(undoing, "theirs", []);
        this.value = this.#with(this.waiting);
        return shown(value, shortened(undoing), more);
    }

    /** Reduces the waiting edits to these, made on the newest revision and on unknown edits. */
    #keep(kept) {
        this.#missing = null;
        for (const [one, edits] of kept) {
            if (one.isCommand) continue;
            one.isRearranged ||= edits.length !== one.carried.length;
            one.carried = edits;
            one.rebase(this.revision, null);
        }
        this.waiting = [...kept.keys()].filter((one) => one.isCommand || one.carried.length > 0);
    }

    /** Gives up everything that is not confirmed. */
    giveUp() {
        const before = this.value;
        [this.sent, this.waiting, this.value, this.#missing] = [null, [], this.tree, null];
        this.takenBack.forget();
        return shown(before, difference(before, this.tree, this.#identity), { isOwn: true });
    }

    /** Transforms a correction over pending edits. Returns the rest of it for the shown value. */
    #past(fix, policy, pending) {
        let others = fix;
        for (const one of pending) {
            [one.carried, others] = pass(one.carried, others, policy);
            if (fix.length > 0) one.isCarried = true;
        }
        this.takenBack.follow(others, policy);
        return others;
    }

    /**
     * Applies the rest of other actors' edits to the shown value; that is quicker than rendering
     * all again.
     */
    #render(others) {
        const { pending } = this;
        try {
            this.value = pending.length === 0 ? this.tree : applyAll(this.value, others);
        } catch {
            this.value = this.#with(pending);
        }
    }

    // MARK: Sending

    /**
     * Takes the first waiting edit, to be sent; of its operations, as many as `portion` permits.
     */
    take(portion = (edits) => edits.length) {
        const first = this.waiting.shift();
        if (!first || first.isCommand || first.request) return (this.sent = first ?? null);
        if (!first.isSendableAsMade) {
            this.#rebase(first);
            while (this.waiting.length > 0 && first.mayTakeAlong(this.waiting[0])) {
                first.takeAlong(this.waiting.shift());
            }
        }
        if (first.isLong) {
            this.#rebase(first);
            first.divide();
        }
        const count = portion(first.edits);
        if (count < first.edits.length) {
            this.#rebase(first);
            this.waiting.unshift(first);
            this.sent = first.cut(count);
        } else this.sent = first;
        this.sent.isCarried = true;
        return this.sent;
    }

    /**
     * From now on, a pending edit is based on the newest revision, and those behind it depend on
     * that one: the request does not name earlier dependencies, so none of them restores
     * removed values.
     */
    #rebase(pending) {
        pending.rebase(this.revision);
        this.#missing = null;
    }

    /**
     * Returns the edit under way, of which nothing was done, to the waiting ones; in two parts if
     * necessary. If it was undone here, neither part is sent.
     */
    putBack(count = 0) {
        const sent = this.sent;
        this.sent = null;
        if (this.waiting.some(({ undone }) => undone === sent)) {
            this.waiting = this.waiting.filter(({ undone }) => undone !== sent);
            this.takenBack.putBack(sent);
            // After a conflict an edit and its undo are not nothing.
            const before = this.value;
            this.value = this.#with(this.pending);
            return shown(before, difference(before, this.value, this.#identity));
        }
        sent.request = undefined;
        if (!sent.isCommand) this.#rebase(sent);
        this.waiting.unshift(sent);
        if (count > 0) {
            const first = sent.cut(count);
            first.isAlone = sent.isAlone = true;
            this.waiting.unshift(first);
        }
    }
}
