// Where the elements of a list stand while they are brought into a new order, one by one.

import { increasing } from "./lcs.js";

/**
 * Elements that are left of an old list, by their indexes in the new one: as many as possible rest,
 * and the others move. They are taken from the first one on, and each of them, as each new one,
 * comes to stand behind the one before it.
 */
export class OldOrder {
    /** The new indexes of those that rest; they grow. */
    #resting;
    #isResting;
    /** For each that moves: where it stood in the old list, and how many that rest before it. */
    #moving = new Map();
    /** How many of those that have not moved yet stand where. */
    #waiting;
    /** Where each stood that rests. */
    #ranks = [];
    /** How many that rest are before the next index. */
    #passed = 0;

    /** `pairs`: [old index, new index], in the order of the new list. O(n log n). */
    constructor(pairs) {
        const old = pairs.map(([one]) => one);
        this.#resting = increasing(old).map((index) => pairs[index][1]);
        this.#isResting = new Set(this.#resting);
        this.#waiting = new Counts(pairs.length);
        const order = [...pairs].sort(([one], [other]) => one - other);
        order.forEach(([, index], rank) => {
            if (this.#isResting.has(index)) {
                this.#ranks.push(rank);
                return;
            }
            this.#moving.set(index, { rank, resting: this.#ranks.length });
            this.#waiting.add(rank, 1);
        });
    }

    /**
     * Brings the next element to its place: where it stood, -1 if it is new, and where it stands
     * now; `null` if it rests. O(log n).
     */
    take(index) {
        if (this.#isResting.has(index)) {
            this.#passed += 1;
            return null;
        }
        const from = this.#leave(index);
        const to = index + (this.#passed === 0
            ? 0 : this.#waiting.before(this.#ranks[this.#passed - 1]));
        return { from, to };
    }

    /** Where an element stands that moves now. */
    #leave(index) {
        const moving = this.#moving.get(index);
        if (!moving) return -1;
        const { rank, resting } = moving;
        this.#waiting.add(rank, -1);
        // Behind all that came to stand before the next one that rests, and behind those that
        // rest before it whose turn has not come.
        const placed = Math.min(index, this.#resting[resting] ?? index);
        return placed + Math.max(0, resting - this.#passed) + this.#waiting.before(rank);
    }
}

/** Numbers at positions, and their sums: a Fenwick tree. */
class Counts {
    #sums;

    constructor(length) {
        this.#sums = new Int32Array(length + 1);
    }

    add(position, number) {
        for (let at = position + 1; at < this.#sums.length; at += at & -at) {
            this.#sums[at] += number;
        }
    }

    /** The sum of what is at lower positions. */
    before(position) {
        let sum = 0;
        for (let at = position; at > 0; at -= at & -at) sum += this.#sums[at];
        return sum;
    }
}
