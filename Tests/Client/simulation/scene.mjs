// One daemon, one connection and browsers with tabs, for cases described step by step.

import { connect } from "../source.mjs";
import { Random } from "../random.mjs";
import { Browser, Tab } from "./browser.mjs";
import { Daemon } from "./daemon.mjs";
import { Network } from "./network.mjs";
import { TextArea } from "./people.mjs";
import { VirtualTime } from "./time.mjs";

export const origin = "http://daemon";

export class Scene {
    time = new VirtualTime();
    daemon = new Daemon();
    /** The requests: { method, path, status }. */
    calls = [];

    constructor(documents = {}) {
        this.random = new Random(1);
        this.daemon.operationsMax = 10_000;
        const handle = this.daemon.handle.bind(this.daemon);
        this.daemon.handle = (method, url, headers, body) => {
            const answer = this.answer?.(method, url, headers, body) ?? handle(method, url, headers, body);
            const { pathname, search } = new URL(url);
            this.calls.push({ method, path: pathname, search, body, headers, status: answer.status });
            return answer;
        };
        this.network = new Network(this.time, this.random, this.daemon);
        for (const [name, value] of Object.entries(documents)) this.daemon.make(name, value);
    }

    browser() {
        return new Browser(this.time, this.random);
    }

    /** A page of a browser with a connection. */
    page(options = {}, browser = this.browser()) {
        const tab = new Tab(browser, this.network);
        const connection = connect(origin, { platform: tab.platform, store: tab.store, ...options });
        return { tab, browser, connection };
    }

    /** A document, opened in a page of its own and live. */
    async open(name, options = {}, browser = this.browser()) {
        const { create, conflict, debounce, identity, status, ...more } = options;
        const page = this.page(more, browser);
        const document = page.connection.document(
            name, { create, conflict, debounce, identity, status });
        const heard = [];
        for (const type of ["saved", "dropped", "conflict", "error", "state"]) {
            document.addEventListener(type, ({ detail }) => heard.push({ type, detail }));
        }
        await this.time.pass(1_000);
        return { ...page, document, heard };
    }

    /** A text area that shows a place of a document. */
    area(document, place = "/text") {
        const area = new TextArea();
        document.bindTextarea(area, place);
        return area;
    }

    stored(name) {
        return this.daemon.documents.get(name).tree;
    }

    count(method, ending) {
        return this.calls.filter((call) => call.method === method && call.path.endsWith(ending)).length;
    }

    pass(milliseconds) {
        return this.time.pass(milliseconds);
    }
}

/** How a promise ended: its value, its error, or "pending". */
export async function fate(promise) {
    const pending = Symbol("pending");
    const tick = new Promise((resolve) => setImmediate(() => resolve(pending)));
    const result = await Promise.race([promise.catch((error) => error), tick]);
    return result === pending ? "pending" : result;
}
