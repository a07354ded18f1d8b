// The documentation site on a phone, in Chromium: node --test Tests/Client/site.browser.mjs, after Scripts/docs

import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { after, afterEach, before, test } from "node:test";
import { axeFaults } from "./axe.mjs";
import { Browser } from "./chromium.mjs";

const site = path.resolve(process.env.SITE ?? ".build/site/html");
const types = { html: "text/html; charset=utf-8", css: "text/css", js: "text/javascript", json: "application/json", svg: "image/svg+xml" };
/** Under a folder, as a server of many sites has it. */
const folder = "/some/folder";
let server, origin, browser;
let faults = [];

before(async () => {
    server = createServer(({ url }, response) => {
        const name = path.join(site, decodeURI(new URL(url, "http://x").pathname.slice(folder.length)));
        const file = existsSync(name) && statSync(name).isDirectory() ? path.join(name, "index.html") : name;
        if (!existsSync(file)) return response.writeHead(404).end();
        response.writeHead(200, { "Content-Type": types[file.split(".").pop()] ?? "application/octet-stream" }).end(readFileSync(file));
    });
    await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
    origin = `http://127.0.0.1:${server.address().port}`;
    browser = new Browser();
    browser.onEvent = (method, { request, response, exceptionDetails, type, args }) => {
        if (method === "Network.requestWillBeSent" && !request.url.startsWith(origin) && !/^(data|file|about|blob):/.test(request.url)) {
            faults.push(`leaves the site: ${request.url}`);
        }
        if (method === "Network.responseReceived" && response.status >= 400) faults.push(`${response.status}: ${response.url}`);
        if (method === "Runtime.exceptionThrown") faults.push(exceptionDetails.exception?.description ?? exceptionDetails.text);
        if (method === "Runtime.consoleAPICalled" && type === "error") faults.push(args.map(({ value }) => value).join(" "));
    };
});
after(async () => {
    await browser.close();
    server.close();
});
afterEach(() => {
    const found = faults;
    faults = [];
    assert.deepEqual(found, []);
});

const text = (selector) => `(document.querySelector(${JSON.stringify(selector)})?.textContent ?? "")`;
const ready = `document.readyState === "complete" && document.documentElement.classList.contains("js")`;

async function opened(address, { size = [390, 844], scheme = "light" } = {}) {
    const tab = await browser.tab("about:blank");
    await tab.prefer({ scheme, still: true });
    await tab.resize(size);
    await go(tab, address.startsWith("file:") ? address : `${origin}${folder}/${address}`);
    return tab;
}

async function go(tab, url) {
    await tab.navigate(url);
    await tab.until(`location.href === ${JSON.stringify(url)} && ${ready}`);
}

/** The pages that the index of the site names. */
const pages = [...readFileSync(path.join(site, "llms.txt"), "utf8").matchAll(/\]\(([^)]*)\.md\)/g)]
    .map(([, page]) => `${page.replace(/README$/, "index")}.html`);

async function search(tab, words) {
    await tab.click("label[for=__search]");
    await tab.until(`document.activeElement.matches(".md-search__input")`);
    await tab.type(words);
    await tab.until(`document.querySelector(".md-search-result__link")`);
}

test("a word is searched, and a result leads to its place", async () => {
    const tab = await opened("index.html");
    await search(tab, "debounce");
    await tab.evaluate(`document.querySelector(".md-search-result__link").click()`);
    await tab.until(`!location.pathname.endsWith("/index.html") && ${ready} && /debounce/i.test(${text("article")})`);
    await tab.close();
});

test("the navigation opens, and a page and a section lead on", async () => {
    const tab = await opened("Guide/Undo.html");
    await tab.click("label.md-header__button[for=__drawer]");
    const link = `[...document.querySelectorAll(".md-nav--primary a")].find((one) => one.textContent.trim() === "Drafts")`;
    await tab.until(`${link}?.checkVisibility({ visibilityProperty: true }) && ${link}.getBoundingClientRect().x >= 0`);
    await tab.evaluate(`${link}.click()`);
    await tab.until(`location.pathname.endsWith("/Guide/Drafts.html") && ${ready}`);
    await tab.evaluate(`document.querySelector("article a[href*='Editing.html#']").click()`);
    await tab.until(`location.pathname.endsWith("/Guide/Editing.html") && document.querySelector(location.hash)`);
    await tab.close();
});

test("no page scrolls sideways or shows its Markdown; wide tables and code scroll in themselves", async () => {
    const tab = await opened("index.html");
    for (const page of pages) {
        await go(tab, `${origin}${folder}/${page}`);
        assert.equal(await tab.evaluate("document.documentElement.scrollWidth"), 390, page);
        assert.equal(await tab.evaluate(`(() => {
            const article = document.querySelector("article").cloneNode(true);
            for (const code of article.querySelectorAll("code")) code.remove();
            return article.textContent.match(/\`\`\`.*|\\]\\(.*/)?.[0] ?? "";
        })()`), "", page);
    }
    await tab.close();
});

test("axe finds no serious fault, in light and dark", async () => {
    for (const scheme of ["light", "dark"]) {
        const tab = await opened("index.html", { scheme });
        for (const page of ["index.html", "Guide/Feeds.html", "Guide/Quickstarts/react.html"]) {
            await go(tab, `${origin}${folder}/${page}`);
            assert.deepEqual(await axeFaults(tab, ["serious", "critical"]), [], `${page}, ${scheme}`);
        }
        await tab.close();
    }
});

test("code is copied by its button", async () => {
    const tab = await opened("Guide/Tour.html");
    await tab.evaluate(`document.addEventListener("copy", () => { window.copied = document.activeElement.value ?? String(getSelection()); })`);
    await tab.until(`document.querySelector(".md-code__button, .md-clipboard")`);
    await tab.evaluate(`document.querySelector("pre").scrollIntoView({ block: "center" })`);
    await tab.click(".md-code__button, .md-clipboard");
    await tab.until("window.copied");
    assert.equal((await tab.evaluate("window.copied")).trim(), (await tab.evaluate(`document.querySelector("pre code").textContent`)).trim());
    await tab.close();
});

test("the pages of the Swift libraries work below a folder", async () => {
    const tab = await opened("Guide/SwiftLibrary.html");
    await tab.evaluate(`document.querySelector("article a[href*='versioningkit']").click()`);
    await tab.until(`location.pathname.endsWith("/Libraries/documentation/versioningkit/") && ${text("h1")}.includes("VersioningKit")`);
    await tab.close();
});

test("the search works without a server", async () => {
    const tab = await opened(`file://${site}/index.html`);
    await search(tab, "debounce");
    await tab.close();
});
