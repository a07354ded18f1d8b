// The positions of a list's elements while they are brought into a new order, one by one.

import { increasing } from "./lcs.js";

/**
 * The remaining elements of an old list, by their indexes in the new one: as many as possible rest,
 * and the others move. They are taken from the first one on, and each moved or new one goes behind
 * the one before it.
 */
export class OldOrder {
    /** The new indexes of those that rest; they grow. */
    #resting;
    #isResting;
    /** For each moving element: its old position, and the number of resting ones before it. */
    #moving = new Map();
    /** The positions of elements that have not moved yet. */
    #waiting;
    /** The old position of each resting element. */
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
     * Brings the next element to its place: its old position, -1 if it is new, and its current one;
     * `null` if it rests. O(log n).
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

    /** The current position of a moving element. */
    #leave(index) {
        const moving = this.#moving.get(index);
        if (!moving) return -1;
        const { rank, resting } = moving;
        this.#waiting.add(rank, -1);
        // Behind all elements placed before the next resting one, and behind those before it whose
        // turn has not come.
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

    /** The sum of the counts at lower positions. */
    before(position) {
        let sum = 0;
        for (let at = position; at > 0; at -= at & -at) sum += this.#sums[at];
        return sum;
    }
}
