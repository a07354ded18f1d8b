// The other clients in a document, and their states. Presence is not history. See client.d.ts.

import { isAt, placeOf, writePointer } from "./pointers.js";
import { DocumentError, problemOf } from "./problems.js";
import { caretAfter, placeAfter } from "./shifting.js";

/** States are sent no more often; the newest counts. */
const pause = 100;
/** How long after the daemon was out of reach it is tried again. */
const longPause = 1_000;
/** How long what is shown may wait until what it was shown in is saved. */
const unsavedMax = 500;
const renewal = 10_000;
const ttl = "30s";

export class Presence {
    #session;
    #changed;
    #own = null;
    #isSending = false;
    #isDirty = false;
    #timer = null;
    #isWatching = false;
    /** The daemon refuses it: nothing is sent until a call wakes the document. */
    #isRefused = false;
    /** How many items of the stream came. */
    #heard = 0;
    /** By client: what is shown of it, and what is held back until its revision is here. */
    #clients = new Map();
    #end = () => {};

    /** `changed(others)` is called when `others` has changed. */
    constructor(session, changed) {
        this.#session = session;
        this.#changed = changed;
        this.client = session.platform.randomName(9);
    }

    /** The other clients, in the order of their arrival. */
    get others() {
        this.watch();
        return [...this.#clients.values()].map(({ shown }) => shown).filter(Boolean);
    }

    /** Begins to hear of others. */
    watch() {
        if (this.#isWatching || this.#session.isClosed) return;
        this.#isWatching = true;
        this.#session.connection.watchPresence();
        this.#end = this.#session.follow((shown) => this.#carry(shown));
        void this.refresh();
    }

    /** Shows others any JSON; `null`: nothing, and this one is not there any more. */
    set(state) {
        this.watch();
        this.#own = state === null || state === undefined ? null : JSON.stringify(state);
        this.#renew();
    }

    end() {
        this.#end();
        this.#isWatching = false;
        this.#session.platform.clearTimeout(this.#timer);
        this.leave();
        this.#clients.clear();
    }

    /** Says that this one has gone, in a way that outlives the page. */
    leave() {
        if (this.#own === null) return;
        void this.#call("DELETE", "", { isLast: true }).catch(() => {});
    }

    /** The page is there again. */
    comeBack() {
        this.#isRefused = false;
        if (this.#own !== null) this.#renew();
    }

    /** The document has another name: there others see this one, and there they are. */
    renamed() {
        this.comeBack();
        void this.refresh();
    }

    // MARK: The own state

    #call(method, query = "", options = {}) {
        const path = `${this.#session.path}/presence/${this.client}${query}`;
        const { connection } = this.#session;
        const fields = connection.acting(options.body === undefined ? {}
            : { "Content-Type": "application/json" });
        return connection.fetch(method, path, { ...options, fields });
    }

    get #maySend() {
        return !this.#session.isClosed && !this.#isRefused;
    }

    async #send() {
        const { platform } = this.#session;
        if (this.#isSending || !this.#maySend) return;
        this.#isSending = true;
        platform.clearTimeout(this.#timer);
        while (this.#isDirty && this.#maySend) {
            const wait = await this.#sendOnce().catch(() => longPause);
            await this.#rest(wait);
        }
        this.#isSending = false;
        if (this.#own === null || !this.#maySend) return;
        this.#timer = platform.setTimeout(() => this.#renew(), renewal);
    }

    #renew() {
        this.#isDirty = true;
        void this.#send();
    }

    /** Sends what is shown. Returns how long to wait until the next time. */
    async #sendOnce() {
        await this.#session.connection.actorName();
        if (!await this.#saved() || !this.#maySend) return longPause;
        this.#isDirty = false;
        const query = `?ttl=${ttl}&revision=${this.#session.replica.revision}`;
        const answer = await (this.#own === null ? this.#call("DELETE")
            : this.#call("PUT", query, { body: this.#own })).catch(() => null);
        if (answer?.ok) return pause;
        const isAway = !answer || answer.status >= 500;
        this.#isDirty ||= isAway;
        // Others continue without it; the next state is sent again.
        if (!isAway) await this.#refused(answer);
        return isAway ? longPause : pause;
    }

    #rest(milliseconds) {
        return new Promise((resolve) => {
            this.#session.platform.setTimeout(resolve, milliseconds);
        });
    }

    /**
     * The position of a caret counts the letters before it, so the daemon should have them first.
     * Returns whether the document exists.
     */
    async #saved() {
        const { replica } = this.#session;
        const isUnsaved = () => replica.pending.length > 0 && !this.#session.isClosed;
        for (let waited = 0; isUnsaved() && waited < unsavedMax; waited += 20) {
            await this.#rest(20);
        }
        return replica.isLoaded;
    }

    async #refused(answer) {
        const problem = await problemOf(answer);
        // A state that is too long is refused alone; all other refusals would repeat.
        this.#isRefused = answer.status !== 413;
        if (this.#isRefused) this.#isDirty = false;
        this.#session.tell("error", new DocumentError({ status: answer.status, ...problem }));
    }

    // MARK: Other clients' states

    /** Reads the present clients: after a break of the stream, or if the stream began earlier. */
    async refresh() {
        if (!this.#isWatching) return;
        const path = `${this.#session.path}/presence`;
        const heard = this.#heard;
        const answer = await this.#session.connection.fetch("GET", path).catch(() => null);
        const list = answer?.ok ? await answer.json().catch(() => null) : null;
        // The stream has brought newer reports meanwhile.
        if (!Array.isArray(list?.clients) || this.#heard !== heard) return;
        this.receive({ clients: list.clients, all: true });
    }

    /** An item of the stream. */
    receive({ clients, all = false }) {
        if (!this.#isWatching) return;
        this.#heard += 1;
        const named = new Set(clients.map(({ client }) => client));
        const left = all ? [...this.#clients.keys()].filter((client) => !named.has(client)) : [];
        for (const client of left) this.#clients.delete(client);
        for (const one of clients) {
            if (one.client === this.client) continue;
            if (one.state === null) this.#clients.delete(one.client);
            else this.#hold(one);
        }
        this.#changed(this.others);
    }

    #hold({ client, actor, state, revision = 0 }) {
        const known = this.#clients.get(client) ?? { shown: null };
        known.next = { client, actor, state, revision };
        this.#clients.set(client, known);
        this.#settle(known);
    }

    /** Shows what holds at a revision that is here. */
    #settle(known) {
        if (!known.next || known.next.revision > this.#session.replica.revision) return false;
        [known.shown, known.next] = [known.next, null];
        return true;
    }

    /** Others' carets stay where they are while the text around them changes. */
    #carry({ edits, before }) {
        let isNew = false;
        for (const known of this.#clients.values()) {
            if (known.shown) {
                const state = carried(known.shown.state, edits, before);
                isNew ||= state !== known.shown.state;
                known.shown = { ...known.shown, state };
            }
            isNew = this.#settle(known) || isNew;
        }
        if (isNew) this.#changed(this.others);
    }
}

/** Whether a client's value is a place in a text. */
const isCaret = (at) => typeof at?.path === "string" && (at.path === "" || at.path[0] === "/")
    && [at.anchor, at.head].every((place) => Number.isInteger(place) && place >= 0);

/** A state whose member `at` is a place in a text, past edits. */
function carried(state, edits, before) {
    if (!isCaret(state?.at) || before === undefined) return state;
    let place = placeOf(state.at.path, before);
    let { anchor, head } = state.at;
    for (const edit of edits) {
        if (place === null) return { ...state, at: null };
        if (edit.kind === "text" && isAt(edit.place, place)) {
            [anchor, head] = [caretAfter(anchor, edit), caretAfter(head, edit)];
        }
        place = placeAfter(place, edit);
    }
    if (place === null) return { ...state, at: null };
    const isSame = anchor === state.at.anchor && head === state.at.head;
    const path = writePointer(place);
    if (isSame && path === state.at.path) return state;
    return { ...state, at: { path, anchor, head } };
}
