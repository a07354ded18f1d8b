// Whether there is something to undo and to redo: mostly from what the daemon says anyway.

/** How often the status is asked for at most. */
const askingMin = 1_000;
/** Changes of others that can take from an actor what there is to undo. */
const reaching = new Set([
    "undo", "redo", "goto", "discard-scope", "delete", "undelete", "settings",
]);

export class Availability {
    hasUndo = false;
    hasRedo = false;
    #host;
    #platform;
    #timer = null;
    #asked = -Infinity;
    #isEnded = false;

    constructor(host, platform) {
        this.#host = host;
        this.#platform = platform;
    }

    end() {
        this.#isEnded = true;
        this.#platform.clearTimeout(this.#timer);
    }

    /** A response to a change of one's own. */
    answered(answer) {
        if (!answer.change || answer.hasUndo === undefined) return;
        const actor = this.#host.actor;
        if (!actor) this.#set(answer.hasUndo, answer.hasRedo);
        else if (answer.own?.actor === actor) this.#set(answer.own.hasUndo, answer.own.hasRedo);
        else this.ask();
    }

    /** A change of the feed that is not an answer. */
    received(item) {
        const actor = this.#host.actor;
        const { change } = item;
        if (!actor) this.#set(item.hasUndo, item.hasRedo);
        else if (change.kind === "append" && change.actor === actor) this.#set(true, false);
        else if (reaching.has(change.kind) && (change.of === undefined || change.of === actor)) {
            this.ask();
        }
    }

    #set(hasUndo, hasRedo) {
        this.#platform.clearTimeout(this.#timer);
        this.#timer = null;
        if (this.hasUndo === hasUndo && this.hasRedo === hasRedo) return;
        [this.hasUndo, this.hasRedo] = [hasUndo, hasRedo];
        this.#host.stateChanged();
    }

    /** Asks the daemon, soon, and once for all that happens until then. */
    ask() {
        if (this.#timer !== null || this.#isEnded || !this.#host.wantsStatus) return;
        const wait = Math.max(0, this.#asked + askingMin - this.#platform.now());
        this.#timer = this.#platform.setTimeout(() => {
            this.#timer = null;
            this.#asked = this.#platform.now();
            this.#ask().catch(() => {});
        }, wait);
    }

    async #ask() {
        const { actor } = this.#host;
        const query = actor ? `?${new URLSearchParams({ actor })}` : "";
        const answer = await this.#host.get(`/status${query}`);
        if (!answer.ok || this.#timer !== null || this.#isEnded) return;
        const status = await answer.json();
        const { hasUndo, hasRedo } = status.own ?? status;
        this.#set(hasUndo, hasRedo);
    }
}
