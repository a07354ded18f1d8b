// Messages over the page, one below the other: each goes by itself, unless a person must decide.

import { button, make } from "./build.js";

const shownTime = 8_000;
/** A choice takes a person longer. */
const choiceTime = 20_000;

export class Messages {
    #box;
    #lines = new Map();

    constructor(box) {
        this.#box = box;
    }

    /**
     * Shows a message with buttons: `[label, work]` each; one whose work returns `true` leaves the
     * message. `key`: what it is about; it takes the place of the one before about that. `stays`:
     * until a person has decided.
     */
    say(text, { key = text, stays = false, close = "OK" } = {}, ...buttons) {
        const line = make("p", {}, make("span", { dir: "auto" }, text));
        const all = close === null ? buttons : [...buttons, [close, () => {}]];
        for (const [label, work] of all) {
            line.append(button("small line", () => {
                if (work(line) !== true && this.#lines.get(key) === line) this.drop(key);
            }, {}, label));
        }
        const known = this.#lines.get(key);
        this.#lines.set(key, line);
        if (known) known.replaceWith(line);
        else this.#box.append(line);
        if (!stays) this.#hide(key, line, buttons.length > 0 ? choiceTime : shownTime);
    }

    drop(key) {
        this.#lines.get(key)?.remove();
        this.#lines.delete(key);
    }

    clear() {
        for (const key of [...this.#lines.keys()]) this.drop(key);
    }

    /** Waits while the pointer or the focus is in the message. */
    #hide(key, line, time) {
        setTimeout(() => {
            if (this.#lines.get(key) !== line) return;
            if (line.matches(":hover") || line.contains(document.activeElement)) {
                this.#hide(key, line, time);
            } else this.drop(key);
        }, time);
    }
}
