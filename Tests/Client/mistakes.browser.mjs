// Rows that come while a page is open, keys on other keyboards and in other fields, and browsers that
// keep no data of the site, in a real browser. node --test Tests/Client/mistakes.browser.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { Page } from "./page.mjs";
import { browser, daemon } from "./stage.mjs";
import { until } from "./waiting.mjs";

const opened = (name, actor, context, more = {}) => Page.open(browser, daemon.origin,
    { name, connection: { actor }, ...more }, context);

async function together(name, context = undefined) {
    const tab = await browser.tab(`${daemon.origin}/ui/together#${name}`, context);
    await tab.until(`[document.querySelector("#text")].some((one) => one && !one.readOnly && !one.disabled)`);
    return tab;
}

const rows = `[...document.querySelectorAll("#items li input[type=text]")].map(({ value, readOnly }) => [value, readOnly])`;

test("25, B1: rows that come while the page is open write into their own elements", async () => {
    await daemon.put("fresh", { text: "", items: [] });
    const tab = await together("fresh");
    const add = (text) => tab.evaluate(`(() => {
        document.querySelector("#new").value = ${JSON.stringify(text)};
        document.querySelector("#new").form.requestSubmit();
    })()`);
    await add("first");
    await add("second");
    await tab.until(`JSON.stringify(${rows}) === ${JSON.stringify(JSON.stringify([["first", false], ["second", false]]))}`);
    // A row that reaches the daemon first would stay behind rows that the page adds to an empty list.
    await until(async () => (await daemon.value("fresh")).items.length === 2, "the rows at the daemon");
    await fetch(`${daemon.origin}/v1/documents/fresh`, {
        method: "PATCH", headers: { "Content-Type": "application/json-patch+json", "Versiond-Actor": "bob" },
        body: JSON.stringify([{ op: "add", path: "/items/0", value: { id: "b", text: "by bob", done: false } }]),
    });
    await tab.until(`${rows}.map(([value]) => value).join() === "by bob,first,second"`);
    await tab.focus("#items li input[type=text]");
    await tab.evaluate(`document.querySelector("#items li input[type=text]").setSelectionRange(6, 6)`);
    await tab.type("!");
    await tab.click("#items li input[type=checkbox]");
    await tab.until(`document.querySelector("#items li input[type=checkbox]").checked`);
    let items;
    do ({ items } = await daemon.value("fresh")); while (!items[0].done || items[0].text !== "by bob!");
    assert.deepEqual(items.map(({ text, done }) => [text, done]), [["by bob!", true], ["first", false], ["second", false]]);
    await tab.close();
});

test("F12, B13: Ctrl+Z in a field that is not bound is that field's", async () => {
    await daemon.put("fields", { text: "", items: [] });
    const tab = await together("fields");
    await tab.focus("#text");
    await tab.type("important");
    await tab.until(`document.querySelector("#text").value === "important"`);
    await tab.focus("#new");
    await tab.type("milk");
    await tab.pressControl("z");
    await tab.until(`document.querySelector("#new").value !== "milk"`);
    assert.equal(await tab.evaluate(`document.querySelector("#text").value`), "important");
    // Where nothing is typed, the page's keys undo in the document.
    await tab.evaluate("document.activeElement.blur()");
    await tab.pressControl("z");
    await tab.until(`document.querySelector("#text").value === ""`);
    await tab.close();
});

test("F12, B13: Ctrl+Z in an empty field that is not bound undoes nothing elsewhere", async () => {
    await daemon.put("native", { text: "" });
    const page = await opened("native", "ada", await browser.context());
    await page.tab.evaluate(`document.body.append(Object.assign(document.createElement("input"), { id: "foreign" }))`);
    await page.type("important");
    await page.saved();
    await page.tab.focus("#foreign");
    await page.tab.pressControl("z");
    // The next text is typed after the browser's own reaction to the key.
    await page.type("!");
    await page.saved();
    assert.deepEqual(await daemon.value("native"), { text: "important!" });
    await page.tab.pressControl("z");
    await page.shows("");
    await page.close();
});

test("F11, B15: undo and redo on a keyboard without Latin letters, also after a reload", async () => {
    await daemon.put("cyrillic", { text: "" });
    const page = await opened("cyrillic", "ada", await browser.context());
    await page.type("мир");
    await page.saved();
    await page.tab.pressControl("я", "z");
    await page.shows("");
    await page.tab.pressControl("Я", "Z");
    await page.shows("мир");
    await page.tab.pressControl("я", "z");
    await page.shows("");
    await page.tab.pressControl("н", "y");
    await page.shows("мир");
    await page.saved();
    await page.reload();
    await page.tab.until("shared.canUndo");
    await page.tab.focus("#text");
    await page.tab.pressControl("я", "z");
    await page.shows("");
    await page.close();
});

/** The exceptions of a browser for a site that may store no data. */
const refusals = {
    locks: `LockManager.prototype.request = () => Promise.reject(new DOMException("no", "SecurityError"));`,
    everything: `
        const refuse = () => { throw new DOMException("no", "SecurityError"); };
        LockManager.prototype.request = refuse;
        globalThis.BroadcastChannel = class { constructor() { refuse(); } };
        for (const name of ["sessionStorage", "localStorage", "indexedDB"]) {
            Object.defineProperty(globalThis, name, { get: refuse });
        }`,
};

for (const [what, script] of Object.entries(refusals)) {
    test(`21, B2, B3: where the browser refuses ${what}, each page follows by itself`, async () => {
        const name = `blocked-${what}`;
        await daemon.put(name, { text: "", items: [] });
        const context = await browser.context();
        const tabs = [];
        for (const path of [`together#${name}`, `together#${name}`, ""]) {
            const tab = await browser.tab("about:blank", context);
            await tab.beforePages(script);
            await tab.navigate(`${daemon.origin}/ui/${path}`);
            tabs.push(tab);
        }
        const [ada, bob, list] = tabs;
        for (const tab of [ada, bob]) await tab.until(`[document.querySelector("#text")].some((one) => one && !one.readOnly && !one.disabled)`);
        await ada.focus("#text");
        await ada.type("seen");
        await bob.until(`document.querySelector("#text").value === "seen"`);
        await list.until(`document.body.textContent.includes(${JSON.stringify(name)})`);
        for (const tab of tabs) await tab.close();
    });
}
