// Keeps a replica at the daemon's newest revision: loads it, takes what the stream brings, and
// reads what the stream left out.

import { bodyOf } from "./numeral.js";
import { deleted, DocumentError, foreign, offline, problemOf } from "./problems.js";
import { rest } from "./signals.js";

const firstPause = 250;
const longestPause = 15_000;
/** How long a confirmed change may take to come by the stream before it is asked for. */
const streamDelayMax = 1_000;

export class Following {
    #host;
    #platform;
    #isEnded = false;
    #catching = null;
    #isBehind = false;
    #waiters = [];
    #wake = () => {};
    /** Whether the stream brings what happens. */
    isLive = false;
    /** Whether the stream has not answered yet, since the document was opened. */
    isConnecting = true;
    /** Whether the document was deleted. */
    isDeleted = false;
    /** Whether the document could not be opened, and there may be one later. */
    isMissing = false;
    #isAppearing = false;

    constructor(host, platform) {
        this.#host = host;
        this.#platform = platform;
    }

    get #replica() {
        return this.#host.replica;
    }

    end() {
        this.#isEnded = true;
        this.#wake();
        this.#changed();
    }

    wake() {
        this.#wake();
    }

    // MARK: Loading

    /** Loads the document, however long that takes; rejects if it cannot be had at all. */
    async load(at = null) {
        let wait = firstPause;
        while (!this.#isEnded) {
            try {
                return await this.#loadOnce(at);
            } catch (error) {
                const status = error.problem?.status ?? 0;
                const isFinal = error instanceof DocumentError && status >= 400 && status < 500
                    && ![401, 403, 408, 429].includes(status) && error.code !== foreign;
                if (isFinal) throw error;
                this.#host.unreachable(error);
            }
            await this.#rest(wait * (0.5 + this.#platform.random()));
            wait = Math.min(longestPause, wait * 2);
        }
        throw offline("The document was closed.");
    }

    async #loadOnce(at) {
        const rest = at === null ? "" : `?at=${at}`;
        const answer = await this.#host.get(rest);
        if (!answer.ok) {
            const problem = await problemOf(answer);
            if (at === null && problem.code === "unknown-document" && await this.#create()) {
                return this.#loadOnce(at);
            }
            throw new DocumentError({ status: answer.status, ...problem });
        }
        await this.#show(answer, at !== null);
    }

    /** Shows the document as it was read. */
    async #show(answer, isOld = false) {
        const revision = Number(answer.headers.get("ETag").replaceAll('"', ""));
        const value = await bodyOf(answer);
        // A stream may have been quicker.
        if (isOld && this.#replica.isLoaded && revision < this.#replica.revision) return;
        this.isDeleted = false;
        this.#host.readable();
        this.#host.show(this.#replica.load(revision, value));
        this.#host.loaded(revision);
        this.#changed();
    }

    /** Makes the document, if the application says what of. */
    async #create() {
        const value = this.#host.initialValue();
        if (value === undefined) return false;
        const made = await this.#host.create(JSON.stringify(value));
        // Another client may have been quicker.
        if (made.ok || made.status === 412) return true;
        throw new DocumentError({ status: made.status, ...await problemOf(made) });
    }

    #rest(milliseconds) {
        const [over, wake] = rest(this.#platform, milliseconds);
        this.#wake = wake;
        return over;
    }

    // MARK: Following

    /** One change of the feed. */
    receive(item) {
        if (item.event === "seal") return;
        if (!this.#replica.isLoaded) return void this.#appear();
        if (this.#take(item) === "gap") this.catchUp().catch(() => {});
    }

    #take(item) {
        const { kind, renamedTo } = item.change;
        if (renamedTo !== undefined && item.revision === this.#replica.revision + 1) {
            this.#host.renamed(renamedTo);
            return "renamed";
        }
        let shown = "gap";
        try {
            shown = this.#replica.receive(item);
        } catch {
            // The change does not fit the local state: the document is read again.
            return "gap";
        }
        if (typeof shown === "string") return shown;
        this.isDeleted = kind === "delete";
        this.#host.show(shown, item);
        this.#changed();
        if (this.isDeleted) this.#host.gone(deleted);
        return shown;
    }

    /** The stream has begun: what came before it is read. */
    live() {
        this.isLive = true;
        this.isConnecting = false;
        this.#host.stateChanged();
        if (this.isMissing) void this.#appear();
        else this.catchUp().catch(() => {});
    }

    /** Opens the document that was missing, if there is one now. */
    async #appear() {
        if (!this.isMissing || this.#isAppearing) return;
        this.#isAppearing = true;
        try {
            await this.load();
            this.isMissing = false;
            this.#host.appeared();
            // The stream may have brought more while it was read.
            this.catchUp().catch(() => {});
        } catch (error) {
            if (!this.#isEnded) this.#host.missing(error);
        } finally {
            this.#isAppearing = false;
        }
        this.#host.stateChanged();
    }

    /** The stream is down; with a status it was refused. */
    down(status) {
        this.isLive = false;
        this.isConnecting = false;
        this.#host.stateChanged();
        if (status === 401 || status === 403) this.catchUp().catch(() => {});
    }

    /** Reads all changes after the newest one that is known. */
    async catchUp() {
        this.#isBehind = true;
        this.#catching ??= this.#catchUpAgain().finally(() => { this.#catching = null; });
        return this.#catching;
    }

    async #catchUpAgain() {
        let wait = firstPause;
        while (this.#isBehind && !this.#isEnded) {
            this.#isBehind = false;
            try {
                await this.#readChanges();
                wait = firstPause;
            } catch (error) {
                if (this.#isEnded) return;
                this.#isBehind = true;
                const status = error.problem?.status ?? 0;
                const isRefused = status === 401 || status === 403;
                if (isRefused) this.#host.refused(error.problem);
                const pause = wait * (0.5 + this.#platform.random());
                const long = isRefused ? this.#host.connection.pauseAfter(status) : undefined;
                await this.#rest(long ?? pause);
                wait = Math.min(longestPause, wait * 2);
            }
        }
    }

    async #readChanges() {
        for (;;) {
            const since = this.#replica.revision;
            const answer = await this.#host.changesSince(since);
            if (!answer.ok) return this.#cannotFollow(answer);
            this.#host.readable();
            const { events } = await bodyOf(answer);
            if (events.length === 0 || this.#isEnded) return undefined;
            const end = this.#takeAll(events);
            // The changes that come next have the document's new name.
            if (end === "renamed") continue;
            if (end === "gap" || this.#replica.revision <= since) return this.#loadAnew();
        }
    }

    /** Takes events one after the other, until one says that what follows is elsewhere. */
    #takeAll(events) {
        for (const item of events) {
            if (item.revision !== this.#replica.revision + 1) continue;
            const taken = this.#take(item);
            if (taken === "gap" || taken === "renamed") return taken;
        }
        return "all";
    }

    async #cannotFollow(answer) {
        const problem = { status: answer.status, ...await problemOf(answer) };
        const isLost = ["trimmed", "unknown-revision", "earlier-life", "other-history"]
            .includes(problem.code);
        if (isLost) return this.#loadAnew();
        const isGone = answer.status === 404 || answer.status === 410;
        if (isGone && problem.code !== foreign) return this.#host.gone(problem);
        throw new DocumentError(problem);
    }

    async #loadAnew() {
        const answer = await this.#host.get("");
        if (!answer.ok) return this.#cannotFollow(answer);
        return this.#show(answer);
    }

    /** Waits until a revision is known: by the stream, or by asking. */
    async reach(revision) {
        const end = this.#platform.now() + streamDelayMax;
        while (this.#replica.revision < revision && !this.#isEnded) {
            const left = end - this.#platform.now();
            if (left <= 0 || !this.isLive) return this.catchUp();
            await this.#next(left);
        }
        return undefined;
    }

    #next(milliseconds) {
        const [over, wake] = rest(this.#platform, milliseconds);
        this.#waiters.push(wake);
        return over;
    }

    #changed() {
        for (const waiter of this.#waiters.splice(0)) waiter();
    }
}
