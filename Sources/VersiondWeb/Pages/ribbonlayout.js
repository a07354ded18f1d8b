// The layout of changes on the ribbon: time from left to right, with long silences cut short. Pure.

import { length } from "./times.js";

/** A silence of more than this part of the whole is cut to this many units. */
const silencePart = 0.05;
const silenceUnits = 3;

/** Lays out an activity: units of equal width, in which bars, silences and times have places. */
export class RibbonLayout {
    bars = [];
    gaps = [];
    #units = 0;
    /** For each span: where it begins, in units. */
    #starts = [];
    #began;
    #spanLength;

    constructor({ began, ended, spanCount, spans }) {
        this.#began = Date.parse(began);
        this.#spanLength = Math.max(1, Date.parse(ended) - this.#began) / spanCount;
        const most = Math.max(1, ...spans.map(({ changeCount }) => changeCount));
        let next = 0;
        for (const span of spans) {
            this.#silence(next, span.index, spanCount);
            this.#starts[span.index] = this.#units;
            this.bars.push({ ...span, at: this.#units,
                height: Math.sqrt(span.changeCount / most) });
            this.#units += 1;
            next = span.index + 1;
        }
        this.#silence(next, spanCount, spanCount);
        this.#starts[spanCount] = this.#units;
    }

    #silence(from, to, spanCount) {
        const count = to - from;
        const isCut = count > spanCount * silencePart && count > silenceUnits && from > 0;
        const width = isCut ? silenceUnits : count;
        if (isCut) this.gaps.push({ at: this.#units, width,
            words: length(count * this.#spanLength) });
        for (let index = from; index < to; index += 1) {
            this.#starts[index] = this.#units + width * ((index - from) / count);
        }
        this.#units += width;
    }

    get units() {
        return this.#units;
    }

    /** The position of a time, from 0 to 1. */
    placeOf(time) {
        const position = (Date.parse(time) - this.#began) / this.#spanLength;
        const index = Math.max(0, Math.min(this.#starts.length - 2, Math.floor(position)));
        const [from, to] = [this.#starts[index], this.#starts[index + 1]];
        const rest = Math.max(0, Math.min(1, position - index));
        return (from + (to - from) * rest) / this.#units;
    }

    /** The middle of the bar of a revision, from 0 to 1. */
    placeOfRevision(revision) {
        const bar = this.bars.find(({ last }) => last >= revision) ?? this.bars.at(-1);
        return bar ? (bar.at + 0.5) / this.#units : 0;
    }

    /** The time at a unit, for labels. */
    timeAt(unit) {
        let index = this.#starts.findLastIndex((start) => start <= unit);
        index = Math.min(index, this.#starts.length - 2);
        return new Date(this.#began + index * this.#spanLength).toISOString();
    }

    /** The revision at a place from 0 to 1: of the bar that is nearest. */
    revisionAt(place) {
        const unit = place * this.#units;
        let best = null;
        for (const bar of this.bars) {
            const far = Math.max(0, bar.at - unit, unit - bar.at - 1);
            if (best === null || far < best.far) best = { bar, far };
        }
        if (best === null) return null;
        const { first, last, at } = best.bar;
        return Math.round(first + (last - first) * Math.max(0, Math.min(1, unit - at)));
    }

    /** Stops for playing: the ends of bars, up to a limit. */
    stops(most) {
        const step = Math.max(1, this.bars.length / most);
        const stops = [];
        for (let index = step - 1; index < this.bars.length - 0.5; index += step) {
            stops.push(this.bars[Math.round(index)].last);
        }
        const end = this.bars.at(-1)?.last;
        if (stops.at(-1) !== end && end !== undefined) stops.push(end);
        return stops.slice(-most);
    }
}
