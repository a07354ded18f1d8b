// The ribbon: all of the history as a strip, to be walked through by mouse, touch and keys.

import { drawing } from "./build.js";
import { cut, visible } from "./names.js";
import { hueOf } from "./people.js";
import { RibbonLayout } from "./ribbonlayout.js";
import { brief, moment } from "./times.js";

const [height, base, top] = [84, 62, 20];
const labelRoom = 70;
const stopsMax = 60;
const barMax = 12;
const pillWidth = 68;

export class Ribbon {
    #box;
    #go;
    #layout = null;
    #marks = [];
    #knob = null;
    #range = [0, 0];
    #wait = null;

    /** `go` is called with a revision, "older", "newer", "first" or "last". */
    constructor(box, go) {
        this.#box = box;
        this.#go = go;
        box.addEventListener("pointerdown", (event) => this.#drag(event));
        box.addEventListener("keydown", (event) => this.#press(event));
        new ResizeObserver(() => this.#draw()).observe(box);
    }

    /**
     * `marks`: { name, kind: "tag" | "snapshot" } with the revision or the time. `range`: first and
     * last revision.
     */
    show(activity, marks, range) {
        this.#layout = new RibbonLayout(activity);
        this.#marks = marks;
        this.#range = range;
        this.#draw();
    }

    /** The state that is shown: { revision, time, words }. */
    point(knob) {
        this.#knob = knob;
        this.#place();
    }

    get stops() {
        return this.#layout?.stops(stopsMax) ?? [];
    }

    #draw() {
        const width = this.#box.clientWidth;
        if (!this.#layout || width === 0) return;
        const unit = width / this.#layout.units;
        const children = [
            drawing("line", { class: "base", x1: 0, x2: width, y1: base + 0.5, y2: base + 0.5 }),
            ...this.#bars(unit), ...this.#gaps(unit), ...this.#times(width), ...this.#flags(width),
        ];
        this.#box.replaceChildren(
            drawing("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
                ...children,
                drawing("g", { class: "knob" })));
        this.#place();
    }

    #bars(unit) {
        const room = base - top - 4;
        return this.#layout.bars.flatMap(({ at, height: part, changeCount, shares }) => {
            const whole = Math.max(3, part * room);
            const known = shares.reduce((sum, share) => sum + share.changeCount, 0);
            const all = known < changeCount
                ? [...shares, { actor: "", changeCount: changeCount - known }] : shares;
            let y = base;
            const wide = Math.max(1, Math.min(unit - 1, barMax));
            return all.map((share) => {
                const tall = whole * (share.changeCount / changeCount);
                y -= tall;
                return drawing("rect", { class: "bar",
                    x: ((at + 0.5) * unit - wide / 2).toFixed(1), y: y.toFixed(1),
                    width: wide.toFixed(1), height: tall.toFixed(1), rx: 1,
                    "data-hue": share.actor ? hueOf(share.actor) : null });
            });
        });
    }

    #gaps(unit) {
        return this.#layout.gaps.map(({ at, width, words }) => {
            const x = (at + width / 2) * unit;
            return drawing("path", { class: "gap",
                d: `M${x - 5} ${base + 4}l3-8M${x + 1} ${base + 4}l3-8` },
                title(`nothing for ${words}`));
        });
    }

    /** Dates below, as many as have room. */
    #times(width) {
        const count = Math.max(2, Math.min(6, Math.floor(width / 140)));
        let last = null;
        return Array.from({ length: count }, (_, index) => {
            const words = brief(this.#layout.timeAt((index / count) * this.#layout.units));
            if (words === last) return null;
            last = words;
            const text = drawing("text", { x: (index / count) * width, y: height - 6 });
            text.textContent = words;
            return text;
        }).filter(Boolean);
    }

    #flags(width) {
        let free = Infinity;
        const sorted = this.#marks.map((mark) =>
            ({ ...mark, x: Math.round(this.#placeOf(mark) * width) + 0.5 }))
            .sort((one, other) => other.x - one.x);
        return sorted.flatMap(({ name, kind, x }) => {
            if (kind === "snapshot") {
                return [drawing("line", { class: "base", x1: x, x2: x, y1: top, y2: base }),
                    drawing("circle", { class: "pinhead", cx: x, cy: top, r: 3 },
                        title(`snapshot ${name}`))];
            }
            const isNamed = Math.min(free, width) - x >= labelRoom;
            if (isNamed) free = x;
            const label = drawing("text", { class: "flagname", x: x + 12, y: 13 });
            label.textContent = isNamed ? cut(visible(name), 10) : "";
            return [drawing("line", { class: "pole", x1: x, x2: x, y1: 4, y2: base }),
                drawing("path", { class: "cloth", d: `M${x} 4.5h8l-2 3.5 2 3.5h-8Z` },
                    title(`tag ${name}`)), label];
        });
    }

    /** A mark of a revision is on the bar of that revision. */
    #placeOf({ revision, time }) {
        return revision === undefined ? this.#layout.placeOf(time)
            : this.#layout.placeOfRevision(revision);
    }

    #place() {
        const group = this.#box.querySelector(".knob");
        if (!group || !this.#knob) return;
        const width = this.#box.clientWidth;
        const { time, revision, words } = this.#knob;
        const x = Math.max(6, Math.min(width - 6, this.#placeOf({ revision }) * width));
        const half = pillWidth / 2;
        const middle = Math.max(half, Math.min(width - half, x));
        const label = drawing("text", { class: "pillname", x: middle, y: height - 6.5,
            "text-anchor": "middle" });
        label.textContent = brief(time);
        group.replaceChildren(
            drawing("line", { class: "line", x1: x, x2: x, y1: 6, y2: base + 6 }),
                drawing("circle", { cx: x, cy: 8, r: 5 }),
            drawing("rect", { class: "pill", x: middle - half, y: height - 19, width: pillWidth,
                height: 17, rx: 5 }), label);
        const values = { valuemin: this.#range[0], valuemax: this.#range[1], valuenow: revision,
            valuetext: `${words}, ${moment(time)}` };
        for (const [key, value] of Object.entries(values)) this.#box.setAttribute(`aria-${key}`,
            value);
    }

    #drag(event) {
        if (event.button !== 0 || !this.#layout) return;
        this.#box.setPointerCapture(event.pointerId);
        const move = ({ clientX }) => {
            const box = this.#box.getBoundingClientRect();
            const revision = this.#layout.revisionAt((clientX - box.left) / box.width);
            clearTimeout(this.#wait);
            this.#wait = setTimeout(() => revision !== null && this.#go(revision), 30);
        };
        const end = () => {
            this.#box.removeEventListener("pointermove", move);
            this.#box.removeEventListener("pointerup", end);
            this.#box.removeEventListener("pointercancel", end);
        };
        this.#box.addEventListener("pointermove", move);
        this.#box.addEventListener("pointerup", end);
        this.#box.addEventListener("pointercancel", end);
        this.#box.focus();
        move(event);
    }

    #press(event) {
        const ways = { ArrowLeft: "older", ArrowDown: "older", ArrowRight: "newer",
            ArrowUp: "newer",
            Home: "first", End: "last" };
        if (!ways[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        this.#go(ways[event.key]);
    }
}

function title(words) {
    const element = drawing("title");
    element.textContent = words;
    return element;
}

