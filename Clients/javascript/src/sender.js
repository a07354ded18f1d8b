// Sends what is pending, one request at a time, until the daemon has answered each.

import { bodyOf } from "./numeral.js";
import { DocumentError, offline, problemOf } from "./problems.js";
import { firstPortion, isOneRequest, isOwnProblem, meaningOf, requestFor } from "./requests.js";
import { rest } from "./signals.js";

const firstPause = 250;
const longestPause = 15_000;
/** The limit on rebases of one edit before it is given up. */
const rebasesMax = 5;

export class Sender {
    #host;
    #platform;
    #isRunning = false;
    #isEnded = false;
    #wake = () => {};
    /** Whether it was woken since the last request began. */
    #isWoken = false;
    #wait = firstPause;
    /** Whether the last request had an answer. */
    isReachable = true;
    /** The problem that blocks waiting edits, in the daemon's words. */
    problem = null;

    /** `host` is the document: see SharedDocument. */
    constructor(host, platform) {
        this.#host = host;
        this.#platform = platform;
    }

    get #replica() {
        return this.#host.replica;
    }

    /** Whether what waits has to wait for something that is not here. */
    get isStuck() {
        return !this.isReachable || this.problem !== null;
    }

    /** Sends what there is, unless that is being done. */
    async run() {
        if (this.#isRunning || !this.#replica.isLoaded) return;
        this.#isRunning = true;
        // Edits of the same moment are sent together.
        await null;
        while (!this.#isEnded && (this.#replica.sent || this.#replica.waiting.length > 0)) {
            await this.#sendOne();
        }
        this.#isRunning = false;
        // Nothing waits any more: so nothing is in its way.
        this.#noted();
    }

    /** Tries at once what waits for a better time. */
    wake() {
        this.#wait = firstPause;
        this.#isWoken = true;
        this.#wake();
        void this.run();
    }

    end() {
        this.#isEnded = true;
        this.#wake();
    }

    async #sendOne() {
        this.#isWoken = false;
        const actor = await this.#host.actorName().catch((error) => error);
        if (this.#isEnded) return undefined;
        if (actor instanceof Error) return this.#failed(actor);
        const sent = this.#replica.sent ?? this.#replica.take(firstPortion);
        if (!sent) return undefined;
        this.#prepare(sent, actor);
        if (sent.isRearranged) await this.#host.kept();
        if (this.#isEnded) return undefined;
        this.#host.stateChanged();
        try {
            const { name } = this.#host;
            const answer = await this.#host.send(sent.request);
            const body = answer.ok ? await bodyOf(answer) : await problemOf(answer);
            if (this.#isEnded) return undefined;
            this.isReachable = true;
            return await this.#answered(sent, answer, body, name);
        } catch (error) {
            if (this.#replica.sent === sent) return this.#failed(error);
            // The stream has said that it is done.
            this.#noted();
            return this.#host.done(sent, null);
        }
    }

    /**
     * The page may end: waiting edits are sent in a way that outlives it. If the page continues,
     * the same requests are sent again, with the same keys, and carried out once.
     */
    flush() {
        if (!this.isReachable || this.problem) return;
        const { sent, waiting } = this.#replica;
        if (sent && !sent.request) this.#prepare(sent, this.#host.actor);
        for (const one of waiting) {
            if (one.isCommand || one.behind === null || !this.#isKnown(one)) return;
            if (!isOneRequest(one)) return;
            one.isCarried = true;
            this.#prepare(one, this.#host.actor);
            this.#host.send(one.request, true).catch(() => {});
        }
    }

    /** Whether the request can name all edits on which an edit depends. */
    #isKnown({ behind, base }) {
        return behind.every((one) => one.base === base
            && (one.revision !== null || one.request !== undefined));
    }

    #prepare(sent, actor) {
        if (sent.request) return;
        sent.request = requestFor(sent, { policy: this.#host.policy, actor });
        this.#host.keep();
    }

    #noted() {
        this.#wait = firstPause;
        this.isReachable = true;
        this.problem = null;
        this.#host.stateChanged();
    }

    /** The outcome is unknown: the same request is sent again, and carried out once. */
    async #failed(error) {
        if (this.#isEnded) return;
        const isRefused = error instanceof DocumentError && error.code === "no-token";
        this.isReachable = isRefused;
        this.problem = isRefused ? error.problem : null;
        this.#refuseCommands(isRefused ? error : offline());
        this.#host.stateChanged();
        await this.#rest();
    }

    /** Commands that were not sent are not kept for later. */
    #refuseCommands(error) {
        const commands = this.#replica.waiting.filter((one) => one.isCommand && !one.undone);
        for (const command of commands) {
            this.#replica.waiting.splice(this.#replica.waiting.indexOf(command), 1);
            command.reject(error);
        }
    }

    #rest(milliseconds = this.#wait * (0.5 + this.#platform.random())) {
        this.#wait = Math.min(longestPause, this.#wait * 2);
        // The reason of a refusal may be gone by now.
        if (this.#isWoken) return undefined;
        const [over, wake] = rest(this.#platform, milliseconds);
        this.#wake = wake;
        return over;
    }

    /** `name`: which document it was sent to. */
    async #answered(sent, answer, body, name) {
        const meaning = meaningOf(answer.status, body, sent);
        if (meaning === "done") return this.#done(sent, body);
        if (this.#replica.sent !== sent) return this.#host.done(sent, null);
        const problem = { status: answer.status, ...body };
        switch (meaning) {
            case "again": return this.#later(problem, answer);
            case "renew":
            case "wait": return this.#refused(sent, problem);
            case "rebase": return this.#rebase(sent, problem, name);
            case "halve": return this.#putBack(Math.ceil(sent.edits.length / 2));
            case "gone": return this.#gone(sent, problem, name);
            default: return this.#dropped(sent, problem);
        }
    }

    async #done(sent, answer) {
        this.#noted();
        const isNext = answer.revision === this.#replica.revision + 1 && answer.change;
        const isHere = this.#replica.sent === sent;
        if (isHere && isNext && !sent.isCommand) this.#host.receive({ ...answer, key: sent.key });
        else if (isHere) await this.#host.reach(answer.revision ?? answer.change?.revision);
        if (this.#isEnded) return;
        // It changed nothing.
        if (this.#replica.sent === sent) {
            const shown = this.#replica.drop();
            this.#host.show(shown);
            if (shown.lost.length > 0) this.#host.lost(shown.lost, { code: "superseded" });
        }
        this.#host.done(sent, answer);
    }

    async #later(problem, answer) {
        this.problem = problem;
        this.#host.stateChanged();
        const seconds = Number(answer.headers.get("Retry-After"));
        const wait = seconds > 0 ? Math.min(seconds * 1_000, 4 * longestPause) : undefined;
        await this.#rest(wait);
    }

    /** Edits wait until there is another token or right. Commands do not. */
    async #refused(sent, problem) {
        if (sent.isCommand && !sent.undone) return this.#dropped(sent, problem);
        this.problem = problem;
        this.#refuseCommands(new DocumentError(problem));
        this.#host.stateChanged();
        return this.#rest(this.#host.connection.pauseAfter(problem.status));
    }

    /** The document does not exist; if it was renamed, the same request is sent to its new name. */
    async #gone(sent, problem, name) {
        if (this.#host.name === name) await this.#host.catchUp();
        if (this.#host.name !== name || this.#replica.sent !== sent) return;
        this.#host.gone(problem);
    }

    async #rebase(sent, problem, name) {
        sent.rebases = (sent.rebases ?? 0) + 1;
        if (sent.rebases > rebasesMax) return this.#dropped(sent, problem);
        if (problem.code === "earlier-life") return this.#gone(sent, problem, name);
        this.#putBack();
        return this.#host.catchUp();
    }

    #putBack(count) {
        const shown = this.#replica.putBack(count);
        if (shown) this.#host.show(shown);
    }

    #dropped(sent, problem) {
        if (isOwnProblem(problem) && this.#replica.retry()) return this.#host.keep();
        const shown = this.#replica.refuse();
        const parts = sent.stored?.revisions ?? [];
        for (const revision of [...parts].reverse()) this.#host.takeBack(revision);
        this.#host.show(shown);
        this.#host.dropped(sent, problem, shown.lost);
        return undefined;
    }
}
