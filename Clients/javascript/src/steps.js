// The edits that a person made in one go: one version, one step of undo.

/** A pause in typing of this length begins a new step. */
const windowDefault = 1_000;
/** The limit on the length of a step, in windows, even if edits continue. */
const windowsMax = 20;

/** Milliseconds of "500ms", "2s", "1m", or of a number of them. */
export function milliseconds(duration) {
    if (typeof duration === "number") return duration;
    const found = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(duration);
    if (!found) throw new TypeError(`${duration} is no duration: write 500ms, 2s or 1m`);
    return Number(found[1]) * { ms: 1, s: 1_000, m: 60_000 }[found[2]];
}

export class Steps {
    #platform;
    #window;
    #count = 0;
    #group = null;
    #began = 0;
    #last = -Infinity;

    /**
     * `debounce`: how long a pause ends a step; 0: every edit is one; false: the daemon decides.
     */
    constructor(platform, debounce = windowDefault) {
        this.#platform = platform;
        this.#window = debounce === false ? null : milliseconds(debounce);
    }

    /** The name of the step that an edit of now belongs to; `null` if the daemon decides. */
    next(group, tab) {
        if (this.#window === null && group === null) return null;
        const now = this.#platform.now();
        const isOver = group === null
            && (now - this.#last >= this.#window || now - this.#began > this.#window * windowsMax);
        if (isOver || group !== this.#group) {
            this.#count += 1;
            this.#began = now;
        }
        [this.#last, this.#group] = [now, group];
        return `${tab}.${this.#count}`;
    }

    /** The next edit begins a step. */
    end() {
        this.#last = -Infinity;
    }
}
