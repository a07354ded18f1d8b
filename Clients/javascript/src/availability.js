// Whether there is something to undo and to redo: mostly from what the daemon says anyway.

/** How often the status is asked for at most; and when it is not answered. */
const [askingMin, askingMax] = [1_000, 15_000];
/** Changes of others that can take from an actor what there is to undo. */
const reaching = new Set([
    "undo", "redo", "goto", "discard-scope", "delete", "undelete", "settings",
]);

export class Availability {
    hasUndo = false;
    hasRedo = false;
    #host;
    #platform;
    /** Of which revision that is; answers come in any order. */
    #revision = -1;
    #timer = null;
    #asked = -Infinity;
    #pause = askingMin;
    #isEnded = false;

    constructor(host, platform) {
        this.#host = host;
        this.#platform = platform;
    }

    end() {
        this.#isEnded = true;
        this.#platform.clearTimeout(this.#timer);
    }

    /** A response to an own change. */
    answered(answer) {
        if (!answer.change || answer.hasUndo === undefined) return;
        const actor = this.#host.actor;
        if (!actor) this.#set(answer.revision, answer);
        else if (answer.own?.actor === actor) this.#set(answer.revision, answer.own);
        else this.ask();
    }

    /** A change of the feed that is not an answer. */
    received(item) {
        const actor = this.#host.actor;
        const { change } = item;
        if (!actor) this.#set(item.revision, item);
        else if (change.kind === "append" && change.actor === actor) {
            this.#set(item.revision, { hasUndo: true, hasRedo: false });
        } else if (reaching.has(change.kind) && (change.of === undefined || change.of === actor)) {
            this.ask();
        }
    }

    /** The document was read again: the changes since are unknown, and it may be an older one. */
    loaded(revision) {
        this.#revision = revision;
        this.ask();
    }

    #set(revision, { hasUndo, hasRedo }) {
        if (revision < this.#revision) return;
        this.#revision = revision;
        this.#platform.clearTimeout(this.#timer);
        this.#timer = null;
        if (this.hasUndo === hasUndo && this.hasRedo === hasRedo) return;
        [this.hasUndo, this.hasRedo] = [hasUndo, hasRedo];
        this.#host.stateChanged();
    }

    /** Asks the daemon, soon, and once for all that happens until then. */
    ask() {
        if (this.#timer !== null || this.#isEnded || !this.#host.wantsStatus) return;
        const wait = Math.max(0, this.#asked + this.#pause - this.#platform.now());
        this.#timer = this.#platform.setTimeout(() => {
            this.#timer = null;
            this.#asked = this.#platform.now();
            this.#askNow().catch(() => this.#askLater());
        }, wait);
    }

    async #askNow() {
        await this.#host.actorName().catch(() => {});
        const { actor } = this.#host;
        const query = actor ? `?${new URLSearchParams({ actor })}` : "";
        const answer = await this.#host.get(`/status${query}`);
        if (answer.status === 429 || answer.status >= 500) return this.#askLater();
        this.#pause = askingMin;
        if (!answer.ok || this.#timer !== null || this.#isEnded) return undefined;
        const status = await answer.json();
        return this.#set(status.revision, status.own ?? status);
    }

    #askLater() {
        this.ask();
        this.#pause = Math.min(askingMax, 2 * this.#pause);
    }
}
