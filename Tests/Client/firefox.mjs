// Drives a real Firefox by WebDriver BiDi, and by its own scripts where that has no word.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Tab } from "./tab.mjs";
import { connectSocket } from "./websocket.mjs";

/** Tabs that are not in front run as fast as the others. */
const preferences = {
    "dom.min_background_timeout_value": 4,
    "dom.timeout.enable_budget_timer_throttling": false,
};

export class Browser {
    constructor(binary = process.env.FIREFOX ?? "firefox-esr") {
        this.directory = mkdtempSync(path.join(tmpdir(), "versiond-browser-"));
        writeFileSync(path.join(this.directory, "user.js"), Object.entries(preferences)
            .map(([name, value]) => `user_pref("${name}", ${value});\n`).join(""));
        // The shell ends Firefox when the pipe is closed: by `close`, and by the end of the tests.
        this.process = spawn("sh", ["-c", '"$@" & exec 2>&-; cat; kill $!; wait $!', "sh", binary,
            "--headless", "--remote-debugging-port=0", "--remote-allow-system-access",
            "--profile", this.directory], { stdio: ["pipe", "ignore", "pipe"] });
        this.waiting = new Map();
        this.count = 0;
        this.connected = this.#connect();
    }

    async #connect() {
        let said = "";
        const address = await new Promise((resolve, reject) => {
            this.process.stderr.on("data", (data) => {
                said += data;
                const found = said.match(/BiDi listening on (ws:\S+)/);
                if (found) resolve(`${found[1]}/session`);
            }).on("end", () => reject(new Error(said)));
        });
        const write = await connectSocket(address, (text) => this.#receive(JSON.parse(text)),
            () => { for (const id of this.waiting.keys()) this.#receive({ id, message: "ended" }); });
        await this.#sendBy(write, "session.new", { capabilities: {} });
        return write;
    }

    #receive({ id, result, message }) {
        const waiter = this.waiting.get(id);
        if (!waiter) return;
        this.waiting.delete(id);
        if (result === undefined) waiter.reject(new Error(message));
        else waiter.resolve(result);
    }

    #sendBy(write, method, params) {
        this.count += 1;
        const id = this.count;
        write(JSON.stringify({ id, method, params }));
        return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    }

    async send(method, params = {}) {
        return this.#sendBy(await this.connected, method, params);
    }

    /** A container with cookies and storage of its own, as another person's browser has it. */
    async context() {
        const { userContext } = await this.send("browser.createUserContext");
        return userContext;
    }

    async tab(url, userContext = undefined) {
        const { context } = await this.send("browsingContext.create", { type: "tab", userContext });
        const tab = new FirefoxTab(this, context);
        if (url !== "about:blank") await tab.navigate(url);
        return tab;
    }

    async evaluateIn(context, expression) {
        const { result, exceptionDetails } = await this.send("script.evaluate",
            { expression, target: { context }, awaitPromise: true });
        if (exceptionDetails) throw new Error(exceptionDetails.text);
        return valueOf(result);
    }

    /** The value of an expression in Firefox's own window, where a script has all rights. */
    async evaluateInside(expression) {
        this.inside ??= (await this.send("browsingContext.getTree", { "moz:scope": "chrome" }))
            .contexts[0].context;
        return this.evaluateIn(this.inside, expression);
    }

    async close() {
        const ended = new Promise((resolve) => this.process.once("exit", resolve));
        this.process.stdin.end();
        await ended;
        rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
    }
}

/** A value of a page, from how BiDi writes it. */
function valueOf({ type, value }) {
    if (type === "array") return value.map(valueOf);
    if (type === "object") {
        return Object.fromEntries(value.map(([name, one]) => [name, valueOf(one)]));
    }
    if (type === "number") return Number(value);
    if (type === "undefined") return undefined;
    if (type === "null") return null;
    return ["string", "boolean"].includes(type) ? value : {};
}

class FirefoxTab extends Tab {
    constructor(browser, context) {
        super();
        this.browser = browser;
        this.context = context;
        this.isComposing = false;
        const manager = "chrome://remote/content/shared/NavigableManager.sys.mjs";
        this.own = `ChromeUtils.importESModule("${manager}")
            .NavigableManager.getBrowsingContextById("${context}")`;
    }

    send(method, params = {}) {
        return this.browser.send(method, { context: this.context, ...params });
    }

    // MARK: Pages

    run(expression) {
        return this.browser.evaluateIn(this.context, expression);
    }

    navigate(url) {
        return this.send("browsingContext.navigate", { url, wait: "interactive" });
    }

    reload() {
        return this.send("browsingContext.reload", { wait: "none" });
    }

    front() {
        return this.send("browsingContext.activate");
    }

    /** Runs a script in each page that is loaded from now on, before the page's own. */
    beforePages(source) {
        return this.browser.send("script.addPreloadScript",
            { functionDeclaration: `() => { ${source} }`, contexts: [this.context] });
    }

    close() {
        return this.send("browsingContext.close");
    }

    // MARK: Keyboard and mouse

    async clickAt(x, y) {
        const actions = [{ type: "pointerMove", x: Math.round(x), y: Math.round(y) },
            { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }];
        await this.send("input.performActions",
            { actions: [{ type: "pointer", id: "mouse", actions }] });
    }

    /** Types letter by letter into what has the focus. */
    async type(text) {
        const actions = [...text].flatMap((value) =>
            ["keyDown", "keyUp"].map((type) => ({ type, value })));
        await this.send("input.performActions",
            { actions: [{ type: "key", id: "keys", actions }] });
    }

    /** Presses a key: a letter, or Enter or Escape. */
    async press(key) {
        await this.front();
        await this.type({ Enter: "\uE007", Escape: "\uE00C" }[key] ?? key);
    }

    /**
     * Presses a letter with Control, and Shift if it is a capital; `stands` is the Latin letter on
     * the same key of a keyboard with other letters.
     */
    pressControl(letter, stands = letter) {
        const code = stands.toUpperCase();
        const keys = [["Control", "ControlLeft", 17],
            ...(letter.toLowerCase() === letter ? [] : [["Shift", "ShiftLeft", 16]]),
            [letter, `Key${code}`, code.charCodeAt(0)]];
        return this.#input(`
            const keys = ${JSON.stringify(keys)}.map(([key, code, keyCode]) =>
                new content.KeyboardEvent("", { key, code, keyCode }));
            for (const key of keys) input.keydown(key);
            for (const key of keys.reverse()) input.keyup(key);`);
    }

    /** The text that an input method shows while it composes; it ends with `insert`. */
    compose(text) {
        this.isComposing = true;
        return this.#input(`
            input.setPendingCompositionString(${JSON.stringify(text)});
            input.appendClauseToPendingComposition(${text.length}, input.ATTR_RAW_CLAUSE);
            input.setCaretInPendingComposition(${text.length});
            input.flushPendingComposition();`);
    }

    async insert(text) {
        const quoted = JSON.stringify(text);
        if (this.isComposing) await this.#input(`input.commitCompositionWith(${quoted});`);
        else await this.evaluate(`document.execCommand("insertText", false, ${quoted})`);
        this.isComposing = false;
    }

    /** Acts as a keyboard or an input method, which only a script of the browser may be. */
    #input(work) {
        const script = `try {
            this.input ??= Cc["@mozilla.org/text-input-processor;1"]
                .createInstance(Ci.nsITextInputProcessor);
            input.beginInputTransactionForTests(content);
            ${work}
            sendAsyncMessage("done");
        } catch (error) {
            sendAsyncMessage("done", String(error));
        }`;
        const address = `data:text/javascript;charset=utf-8,${encodeURIComponent(script)}`;
        return this.browser.evaluateInside(`new Promise((resolve, reject) => {
            const { messageManager } = ${this.own}.embedderElement;
            const done = ({ data }) => {
                messageManager.removeMessageListener("done", done);
                if (data) reject(new Error(data));
                else resolve();
            };
            messageManager.addMessageListener("done", done);
            messageManager.loadFrameScript(${JSON.stringify(address)}, false);
        })`);
    }

    // MARK: The environment of the page

    offline(isOffline) {
        const networkConditions = isOffline ? { type: "offline" } : null;
        return this.browser.send("emulation.setNetworkConditions",
            { networkConditions, contexts: [this.context] });
    }

    /** A window of that size; a narrow one is a phone's, which is touched. */
    async resize([width, height]) {
        const isTouched = width < 600;
        await this.send("browsingContext.setViewport",
            { viewport: { width, height }, devicePixelRatio: 1 });
        await this.browser.evaluateInside(`${this.own}.inRDMPane = ${isTouched};
            ${this.own}.touchEventsOverride = "${isTouched ? "enabled" : "none"}"`);
    }

    /** The preferences of a person: a light or dark scheme, and reduced motion. */
    prefer({ scheme, still }) {
        return this.browser.evaluateInside(`${this.own}.prefersColorSchemeOverride = "${scheme}";
            ${this.own}.prefersReducedMotionOverride = "${still ? "reduce" : "no-preference"}"`);
    }

    /** The language and region by which the page writes dates and numbers. */
    speak(locale) {
        return this.browser.send("emulation.setLocaleOverride",
            { locale, contexts: [this.context] });
    }

    /**
     * The number of elements with a role in the accessibility tree; with this name, if it is given.
     */
    async heard(role, name = undefined) {
        const { nodes } = await this.send("browsingContext.locateNodes",
            { locator: { type: "accessibility", value: { role, name } } });
        return nodes.length;
    }

    /** A picture, as `png`, `webp` or `jpeg`. */
    async screenshot(format = "png") {
        const { data } = await this.send("browsingContext.captureScreenshot",
            { format: { type: `image/${format}`, ...(format !== "png" && { quality: 0.82 }) } });
        return Buffer.from(data, "base64");
    }
}
