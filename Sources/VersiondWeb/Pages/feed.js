// Changes while a page is open. A browser has one stream: the visible tabs share it, and hidden
// tabs release it, so that a browser's few connections stay free.

import { ask, caller } from "./api.js";

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Feed {
    #receive;
    #refresh;
    #say;
    #controller = null;
    #channel = null;
    #cursor = null;
    /** How it goes, if this tab has the stream. */
    #state = null;

    /**
     * `receive` is called with each change; `refresh` when some may have been missed; `say` with
     * how it goes.
     */
    constructor({ receive, refresh, say }) {
        this.#receive = receive;
        this.#refresh = refresh;
        this.#say = say;
        document.addEventListener("visibilitychange",
            () => (document.hidden ? this.end() : this.begin()));
        addEventListener("pagehide", () => this.end());
        addEventListener("pageshow", (event) => event.persisted && this.begin());
    }

    begin() {
        this.end();
        if (document.hidden) return;
        const { signal } = (this.#controller = new AbortController());
        const name = `versiond feed ${caller.name}`;
        const stream = () => this.#stream(signal);
        this.#refresh();
        try {
            this.#channel = new BroadcastChannel(name);
            this.#channel.onmessage = ({ data }) => this.#hear(data);
            this.#channel.postMessage({ event: "hello" });
            // The tab that has the lock has the stream, and passes on what comes.
            navigator.locks.request(name, { signal }, stream).catch(() => {
                if (!signal.aborted) this.#alone(stream);
            });
        } catch {
            this.#alone(stream);
        }
    }

    /** The browser refuses locks or channels, as where it keeps no data of the site. */
    #alone(stream) {
        this.#channel?.close();
        this.#channel = null;
        void stream();
    }

    end() {
        this.#controller?.abort();
        this.#channel?.close();
        this.#controller = this.#channel = this.#state = null;
    }

    /** Messages and requests of the tab that has the stream. */
    #hear(message) {
        switch (message.event) {
        case "hello": return this.#state && this.#tell(this.#state);
        case "state": return this.#say(message.words);
        case "reset": return this.#reset();
        default: return this.#take(message);
        }
    }

    #tell(words) {
        this.#state = words;
        this.#say(words);
        this.#channel?.postMessage({ event: "state", words });
    }

    #reset() {
        this.#cursor = null;
        this.#refresh();
    }

    #take(item) {
        if (item.event === "seal") return this.#receive(item);
        const isNew = this.#cursor === null || item.cursor > this.#cursor;
        if (isNew) this.#cursor = item.cursor;
        if (isNew && item.event === "change") this.#receive(item);
    }

    async #stream(signal) {
        while (!signal.aborted) {
            const patience = setTimeout(() => this.#tell("waiting for a connection"), 3000);
            try {
                const position = this.#cursor === null ? "" : `&cursor=${this.#cursor}`;
                const response = await ask(`/v1/feed?heartbeat=15s${position}`,
                    { signal, accept: "application/x-ndjson" });
                clearTimeout(patience);
                this.#tell("live");
                await this.#read(response.body, this.#cursor === null);
            } catch (error) {
                clearTimeout(patience);
                if (signal.aborted) return;
                // Changes that are forgotten, unknown, or of a lost history cannot be fetched.
                if ([404, 409, 410].includes(error.status)) {
                    this.#reset();
                    this.#channel?.postMessage({ event: "reset" });
                }
                const isRefused = error.status === 401 || error.status === 403;
                this.#tell(isRefused ? "no access" : "not connected");
                // Without a token that the daemon takes there is nothing to wait for.
                if (isRefused) return;
            }
            await pause(1000);
        }
    }

    /**
     * `isFromNow`: changes before the first bookmark were not sent, so the page reads everything
     * again.
     */
    async #read(body, isFromNow) {
        let mayMiss = isFromNow;
        const reader = body.pipeThrough(new TextDecoderStream()).getReader();
        for (let rest = ""; ;) {
            const { value, done } = await reader.read();
            if (done) return;
            const lines = (rest + value).split("\n");
            rest = lines.pop();
            for (const line of lines) {
                const { event, cursor, document, revision, change } = JSON.parse(line);
                const item = { event, cursor, document, revision, kind: change?.kind,
                    paths: change?.paths, time: change?.time, actor: change?.actor ?? "" };
                this.#take(item);
                this.#channel?.postMessage(item);
                if (mayMiss) this.#refresh();
                mayMiss = false;
            }
        }
    }
}
