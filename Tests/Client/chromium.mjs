// Drives a real Chromium by its own protocol, over a pipe.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Tab } from "./tab.mjs";

export class Browser {
    constructor(binary = process.env.CHROMIUM ?? "chromium") {
        this.directory = mkdtempSync(path.join(tmpdir(), "versiond-browser-"));
        this.process = spawn(binary, [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
            "--disable-backgrounding-occluded-windows", "--remote-debugging-pipe",
            `--user-data-dir=${this.directory}`, "about:blank",
        ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
        this.waiting = new Map();
        this.count = 0;
        let rest = "";
        this.process.stdio[4].on("data", (data) => {
            const messages = (rest + data).split("\0");
            rest = messages.pop();
            for (const message of messages) this.#receive(JSON.parse(message));
        });
    }

    /** Hears what a page reports: requests, exceptions, messages of the console. */
    onEvent = () => {};

    #receive({ id, result, error, method, params }) {
        if (method) this.onEvent(method, params);
        const waiter = this.waiting.get(id);
        if (!waiter) return;
        this.waiting.delete(id);
        if (error) waiter.reject(new Error(error.message));
        else waiter.resolve(result);
    }

    send(method, params = {}, sessionId = undefined) {
        this.count += 1;
        const id = this.count;
        this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
        return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    }

    /** A window with cookies and storage of its own, as another person's browser has it. */
    async context() {
        const { browserContextId } = await this.send("Target.createBrowserContext");
        return browserContextId;
    }

    async tab(url, context = undefined) {
        const { targetId } = await this.send("Target.createTarget",
            { url: "about:blank", browserContextId: context });
        const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
        const tab = new ChromiumTab(this, sessionId, targetId);
        for (const domain of ["Page", "Runtime", "Network"]) await tab.send(`${domain}.enable`);
        await tab.navigate(url);
        return tab;
    }

    async close() {
        const ended = new Promise((resolve) => this.process.once("exit", resolve));
        this.send("Browser.close").catch(() => {});
        await ended;
        rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
    }
}

class ChromiumTab extends Tab {
    constructor(browser, session, target) {
        super();
        this.browser = browser;
        this.session = session;
        this.target = target;
    }

    send(method, params) {
        return this.browser.send(method, params, this.session);
    }

    // MARK: Pages

    async run(expression) {
        const { result, exceptionDetails } = await this.send("Runtime.evaluate",
            { expression, awaitPromise: true, returnByValue: true });
        if (!exceptionDetails) return result.value;
        throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }

    navigate(url) {
        return this.send("Page.navigate", { url });
    }

    reload() {
        return this.send("Page.reload");
    }

    front() {
        return this.send("Page.bringToFront");
    }

    /** Runs a script in each page that is loaded from now on, before the page's own. */
    beforePages(source) {
        return this.send("Page.addScriptToEvaluateOnNewDocument", { source });
    }

    close() {
        return this.browser.send("Target.closeTarget", { targetId: this.target });
    }

    // MARK: Keyboard and mouse

    async clickAt(x, y) {
        for (const type of ["mousePressed", "mouseReleased"]) {
            await this.send("Input.dispatchMouseEvent",
                { type, x, y, button: "left", clickCount: 1 });
        }
    }

    /** Types letter by letter into what has the focus. */
    async type(text) {
        for (const letter of text) {
            const key = { key: letter };
            await this.send("Input.dispatchKeyEvent", { type: "keyDown", text: letter, ...key });
            await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
        }
    }

    /** Presses a key: a letter, or Enter or Escape. */
    async press(key) {
        await this.front();
        const number = { Enter: 13, Escape: 27 }[key];
        const text = { Enter: "\r", Escape: undefined }[key] ?? (number ? undefined : key);
        const shared = { key, code: number ? key : undefined, windowsVirtualKeyCode: number };
        await this.send("Input.dispatchKeyEvent", { type: "keyDown", text, ...shared });
        await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...shared });
    }

    /**
     * Presses a letter with Control, and Shift if it is a capital; `stands` is the Latin letter on
     * the same key of a keyboard with other letters.
     */
    async pressControl(letter, stands = letter) {
        const modifiers = 2 | (letter.toLowerCase() === letter ? 0 : 8);
        const code = `Key${stands.toUpperCase()}`;
        const windowsVirtualKeyCode = stands.toUpperCase().charCodeAt(0);
        for (const type of ["rawKeyDown", "keyUp"]) {
            await this.send("Input.dispatchKeyEvent",
                { type, key: letter, code, windowsVirtualKeyCode, modifiers });
        }
    }

    /** The text that an input method shows while it composes; it ends with `insert`. */
    compose(text) {
        return this.send("Input.imeSetComposition",
            { text, selectionStart: text.length, selectionEnd: text.length });
    }

    insert(text) {
        return this.send("Input.insertText", { text });
    }

    // MARK: The environment of the page

    offline(isOffline) {
        return this.send("Network.emulateNetworkConditions",
            { offline: isOffline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
    }

    /** A window of that size; a narrow one is a phone's, which is touched. */
    async resize([width, height]) {
        const mobile = width < 600;
        await this.send("Emulation.setDeviceMetricsOverride",
            { width, height, deviceScaleFactor: 1, mobile });
        await this.send("Emulation.setTouchEmulationEnabled", { enabled: mobile });
    }

    /** The preferences of a person: a light or dark scheme, and reduced motion. */
    prefer({ scheme, still }) {
        return this.send("Emulation.setEmulatedMedia", { features: [
            { name: "prefers-color-scheme", value: scheme },
            { name: "prefers-reduced-motion", value: still ? "reduce" : "no-preference" }] });
    }

    /** The language and region by which the page writes dates and numbers. */
    speak(locale) {
        return this.send("Emulation.setLocaleOverride", { locale });
    }

    /**
     * The number of elements with a role in the accessibility tree; with this name, if it is given.
     */
    async heard(wanted, called = undefined) {
        await this.send("Accessibility.enable");
        const { nodes } = await this.send("Accessibility.getFullAXTree");
        return nodes.filter(({ role, name, ignored }) => !ignored && role?.value === wanted
            && (called === undefined || (name?.value ?? "") === called)).length;
    }

    /** A picture, as `png`, `webp` or `jpeg`. */
    async screenshot(format = "png") {
        const { data } = await this.send("Page.captureScreenshot",
            { format, ...(format !== "png" && { quality: 82 }) });
        return Buffer.from(data, "base64");
    }
}
