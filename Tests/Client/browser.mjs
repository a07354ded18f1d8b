// Drives a real Chromium by its own protocol, over a pipe.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export class Browser {
    constructor(binary = process.env.CHROMIUM ?? "chromium") {
        this.directory = mkdtempSync(path.join(tmpdir(), "versiond-browser-"));
        this.process = spawn(binary, [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
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

    #receive({ id, result, error }) {
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
        const tab = new Tab(this, sessionId, targetId);
        await tab.send("Page.enable");
        await tab.send("Runtime.enable");
        await tab.send("Network.enable");
        await tab.send("Page.navigate", { url });
        return tab;
    }

    async close() {
        const ended = new Promise((resolve) => this.process.once("exit", resolve));
        this.send("Browser.close").catch(() => {});
        await ended;
        rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
    }
}

class Tab {
    constructor(browser, session, target) {
        this.browser = browser;
        this.session = session;
        this.target = target;
    }

    send(method, params) {
        return this.browser.send(method, params, this.session);
    }

    /** What an expression gives in the page. */
    async evaluate(expression, milliseconds = 120_000) {
        let timer;
        const over = new Promise((_, reject) => {
            timer = setTimeout(() => reject(new Error(`no end: ${expression}`)), milliseconds);
        });
        const asked = this.send("Runtime.evaluate",
            { expression, awaitPromise: true, returnByValue: true });
        const { result, exceptionDetails } = await Promise.race([asked, over]).finally(() => clearTimeout(timer));
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
    }

    async until(expression, milliseconds = 20_000) {
        const end = Date.now() + milliseconds;
        while (!await this.evaluate(expression).catch(() => false)) {
            if (Date.now() > end) throw new Error(`in vain: ${expression}`);
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
    }

    /** Brings it to the front and sets the focus, as a click does. */
    async focus(selector) {
        await this.send("Page.bringToFront");
        await this.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);
    }

    /** Clicks as people do: on what can be clicked. */
    async click(selector) {
        await this.send("Page.bringToFront");
        await this.until(`document.querySelector(${JSON.stringify(selector)})?.disabled !== true`);
        const { x, y } = await this.evaluate(`(() => {
            const box = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
            return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        })()`);
        for (const type of ["mousePressed", "mouseReleased"]) {
            await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
        }
    }

    /** Types letter by letter into what has the focus. */
    async type(text) {
        for (const letter of text) {
            await this.send("Input.dispatchKeyEvent", { type: "keyDown", text: letter, key: letter });
            await this.send("Input.dispatchKeyEvent", { type: "keyUp", key: letter });
        }
    }

    /** Presses a key: a letter, or Enter or Escape. */
    async press(key) {
        await this.send("Page.bringToFront");
        const code = { Enter: 13, Escape: 27 }[key];
        const text = { Enter: "\r", Escape: undefined }[key] ?? (code ? undefined : key);
        await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, code: code ? key : undefined, text, windowsVirtualKeyCode: code });
        await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code: code ? key : undefined, windowsVirtualKeyCode: code });
    }

    /**
     * Presses a letter with Control, and Shift if it is a capital; `stands` is the Latin letter on
     * the same key, where the keyboard has other letters.
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

    /** What an input method shows while it composes; the end of it is `insert`. */
    compose(text) {
        return this.send("Input.imeSetComposition",
            { text, selectionStart: text.length, selectionEnd: text.length });
    }

    insert(text) {
        return this.send("Input.insertText", { text });
    }

    async reload() {
        await this.send("Page.reload");
    }

    async offline(isOffline) {
        await this.send("Network.emulateNetworkConditions",
            { offline: isOffline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
    }

    async screenshot() {
        const { data } = await this.send("Page.captureScreenshot", { format: "png" });
        return Buffer.from(data, "base64");
    }

    close() {
        return this.browser.send("Target.closeTarget", { targetId: this.target });
    }
}
