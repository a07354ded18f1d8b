// /ui/together in a real browser: node --test Tests/Client/together.browser.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Daemon } from "./daemon.mjs";
import { axeFaults } from "./axe.mjs";
import { browser, daemon } from "./stage.mjs";
import { pause } from "./waiting.mjs";

const text = `document.querySelector("#text")`;

async function opened(name, actor, origin = daemon.origin) {
    const tab = await browser.tab(`${origin}/ui/together#${name}`);
    await tab.until(`${text} && !${text}.disabled`);
    await tab.evaluate(`(() => {
        const actor = document.querySelector("#actor");
        actor.value = ${JSON.stringify(actor)};
        actor.dispatchEvent(new Event("change"));
    })()`);
    await tab.until(`!${text}.disabled && document.querySelector("#state").textContent.startsWith("saved")`);
    return tab;
}

const saved = (tab) => tab.until(`document.querySelector("#state").textContent.startsWith("saved")`);

test("two tabs type into one text at once, and lose no letter", async () => {
    const [ada, bob] = [await opened("typing", "ada"), await opened("typing", "bob")];
    await ada.focus("#text");
    await ada.type("Soup: ");
    await bob.until(`${text}.value === "Soup: "`);
    await bob.focus("#text");
    await bob.evaluate(`${text}.setSelectionRange(0, 0)`);
    await Promise.all([ada.type("carrots, leek, salt."), bob.type("Today. ")]);
    await Promise.all([saved(ada), saved(bob)]);
    const { text: stored } = await daemon.value("typing");
    assert.equal(stored, "Today. Soup: carrots, leek, salt.");
    for (const tab of [ada, bob]) await tab.until(`${text}.value === ${JSON.stringify(stored)}`);
    // Each caret stays behind what was typed there.
    assert.equal(await ada.evaluate(`${text}.selectionStart`), stored.length);
    assert.equal(await bob.evaluate(`${text}.selectionStart`), "Today. ".length);
    // Own undo, by the button.
    await ada.until(`!document.querySelector("#undo").disabled`);
    await ada.click("#undo");
    await bob.until(`${text}.value === "Today. "`);
    await ada.until(`!document.querySelector("#redo").disabled`);
    await ada.click("#redo");
    await bob.until(`${text}.value === ${JSON.stringify(stored)}`);
    // SCREENSHOT=file makes the picture of the README.
    if (process.env.SCREENSHOT) writeFileSync(process.env.SCREENSHOT, await ada.screenshot());
    await ada.close();
    await bob.close();
});

test("others and their carets are seen, and move with the letters", async () => {
    const [ada, bob] = [await opened("carets", "ada"), await opened("carets", "bob")];
    const names = `[...document.querySelectorAll("#carets .caret")].map((one) => one.textContent)`;
    await ada.focus("#text");
    await ada.type("good day");
    await bob.until(`${names}.join() === "ada"`);
    const left = `document.querySelector("#carets .caret").getBoundingClientRect().left`;
    const former = await bob.evaluate(left);
    await bob.focus("#text");
    await bob.evaluate(`${text}.setSelectionRange(0, 0)`);
    await bob.type("A very ");
    await bob.until(`${left} > ${former} + 10`);
    await ada.until(`${names}.join() === "bob"`);
    assert.equal(await ada.evaluate(
        `document.querySelector("#others [role=img]").getAttribute("aria-label")`), "bob");
    await bob.close();
    await ada.until(`${names}.length === 0`);
    await ada.close();
});

const press = (tab, label) => tab.evaluate(`[...document.querySelectorAll("#words button")]
    .find((one) => one.textContent === ${JSON.stringify(label)}).click()`);
const says = (tab, words) =>
    tab.until(`document.querySelector("#words").textContent.includes(${JSON.stringify(words)})`);

const setting = (name, settings) => fetch(`${daemon.origin}/v1/documents/${name}/settings`, { method: "PATCH",
    headers: { "Content-Type": "application/json" }, body: JSON.stringify(settings) });
const lines = `[...document.querySelectorAll("#words p")].map((one) => one.firstChild.textContent)`;

test("words of a closed tab that had another name are offered", async () => {
    const first = await opened("left", "gone-1");
    await first.offline(true);
    await first.focus("#text");
    await first.type("precious");
    await first.until(`/waiting/.test(document.querySelector("#state").textContent)`);
    await first.close();
    const second = await opened("left", "other-2");
    await says(second, "Edits of gone-1 to this document wait in this browser.");
    await press(second, "Continue as gone-1");
    await second.until(`${text}.value === "precious"`);
    await saved(second);
    assert.equal((await daemon.value("left")).text, "precious");
    await second.close();
});

test("an undo that others' work stands in the way of asks what to do with that", async () => {
    const tab = await opened("in-the-way", "ada");
    await tab.focus("#new");
    await tab.type("bread");
    await tab.click("#adding button");
    await saved(tab);
    await fetch(`${daemon.origin}/v1/documents/in-the-way`, {
        method: "PATCH", headers: { "Content-Type": "application/json-patch+json", "Versiond-Actor": "bob" },
        body: JSON.stringify([{ op: "replace", path: "/items/0/text", value: "rye bread" }]),
    });
    await tab.until(`document.querySelector("#items input[type=text]")?.value === "rye bread"`);
    await tab.click("#undo");
    await says(tab, "The undo or redo would hide later changes by other actors.");
    await press(tab, "Undo all");
    await tab.until(`document.querySelectorAll("#items li").length === 0`);
    await tab.close();
});

test("a name that no browser can ask for is refused, and the page stays usable", async () => {
    const tab = await browser.tab(`${daemon.origin}/ui/together#..`);
    await says(tab, 'A document cannot be called "..".');
    await tab.until(`${text} && !${text}.disabled && document.querySelector("#document").value === "together"`);
    await tab.close();
});

test("the list: a stale index marks the right item", async () => {
    const [ada, bob] = [await opened("list", "ada"), await opened("list", "bob")];
    await ada.focus("#new");
    for (const item of ["bread", "milk"]) {
        await ada.type(item);
        await ada.click("#adding button");
    }
    await bob.until(`document.querySelectorAll("#items li").length === 2`);
    // At the same moment: ada removes the first item, bob marks the second one.
    await bob.front();
    await Promise.all([
        ada.evaluate(`document.querySelector("#items li button:last-child").click()`),
        bob.evaluate(`document.querySelectorAll("#items li input[type=checkbox]")[1].click()`),
    ]);
    await Promise.all([saved(ada), saved(bob)]);
    for (const tab of [ada, bob]) {
        await tab.until(`document.querySelectorAll("#items li").length === 1`);
        await tab.until(`document.querySelector("#items input[type=checkbox]").checked`);
    }
    const { items } = await daemon.value("list");
    assert.deepEqual(items.map(({ text: item, done }) => [item, done]), [["milk", true]]);
    await ada.close();
    await bob.close();
});

test("what is typed offline is there when the line is back", async () => {
    const [ada, bob] = [await opened("offline", "ada"), await opened("offline", "bob")];
    await ada.offline(true);
    await ada.focus("#text");
    await ada.type("from the train");
    await bob.focus("#text");
    await bob.type("from home, ");
    await saved(bob);
    // Changes of others may come by a tab that is online; what is typed here is shown all the time.
    assert.ok((await ada.evaluate(`${text}.value`)).includes("from the train"));
    assert.equal((await daemon.value("offline")).text, "from home, ");
    await ada.offline(false);
    await saved(ada);
    await ada.until(`${text}.value.length === 25`);
    await bob.until(`${text}.value === ${JSON.stringify((await daemon.value("offline")).text)}`);
    const { text: stored } = await daemon.value("offline");
    assert.ok(stored === "from the trainfrom home, " || stored === "from home, from the train", stored);
    await ada.close();
    await bob.close();
});

test("tabs of one document share one stream", async () => {
    const own = await new Daemon().start();
    const tabs = [];
    for (let index = 0; index < 4; index += 1) tabs.push(await opened("shared", "ada", own.origin));
    await tabs[0].focus("#text");
    await tabs[0].type("one line for all");
    for (const tab of tabs) await tab.until(`${text}.value === "one line for all"`);
    // The daemon notices at the next heartbeat that a stream of before is gone.
    const end = Date.now() + 25_000;
    while (await own.streams() !== 1 && Date.now() < end) await pause(50);
    assert.equal(await own.streams(), 1);
    // The tab with the stream closes; another one takes over.
    await tabs[0].close();
    await tabs[1].focus("#text");
    await tabs[1].type("!");
    for (const tab of tabs.slice(1)) await tab.until(`${text}.value.includes("!")`);
    for (const tab of tabs.slice(1)) await tab.close();
    await own.stop();
});

test("every control has a name, and the page fits a phone", async () => {
    const tab = await opened("phone", "ada");
    await tab.resize([360, 740]);
    await tab.focus("#new");
    await tab.type("bread");
    await tab.click("#adding button");
    await tab.until(`document.querySelectorAll("#items li").length === 1`);
    assert.ok(await tab.evaluate("document.documentElement.scrollWidth <= 360"));
    let controls = 0;
    for (const role of ["textbox", "button", "checkbox"]) {
        controls += await tab.heard(role);
        assert.equal(await tab.heard(role, ""), 0, `a ${role} has no name`);
    }
    assert.ok(controls >= 8);
    await tab.close();
});

test("what could not be stored can be copied, also where the browser has no clipboard", async () => {
    for (const hasClipboard of [true, false]) {
        const name = `copied-${hasClipboard}`;
        const tab = await opened(name, "ada");
        await tab.evaluate(`void Object.defineProperty(navigator, "clipboard", { value: ${hasClipboard}
            ? { writeText: async (text) => { window.copied = text; } } : undefined })`);
        await setting(name, { schema: { properties: { text: { maxLength: 3 } } } });
        await tab.focus("#text");
        await tab.type("words");
        const words = `document.querySelector("#words").textContent`;
        await tab.until(`/could not be stored/.test(${words})`);
        await saved(tab);
        const rest = "words".slice((await daemon.value(name)).text.length);
        await press(tab, "Copy");
        await tab.until(hasClipboard ? `window.copied === "${rest}" && /Copied/.test(${words})`
            : `document.activeElement.matches("#words textarea")`);
        if (!hasClipboard) {
            const selected = await tab.evaluate(`(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)`);
            assert.equal(selected, rest);
        }
        assert.match(await tab.evaluate(words), /could not be stored/, "the line stays");
        await tab.close();
    }
});

test("what could not be stored is one line, in the person's words, and can be tried again", async () => {
    const tab = await opened("again", "ada");
    await setting("again", { schema: { properties: { text: { maxLength: 3 } } } });
    await tab.focus("#text");
    await tab.type("words");
    await saved(tab);
    await tab.until(`${lines}.length === 1`);
    const [line] = await tab.evaluate(lines);
    const { text: stored } = await daemon.value("again");
    const words = [...line.matchAll(/“([a-z]+)”/g)].map(([, part]) => part).join("");
    assert.equal(stored + words, "words");
    assert.doesNotMatch(line, /str_ins|"op"/);
    await press(tab, "Try again");
    await saved(tab);
    await tab.until(`${lines}.length === 1 && ${text}.value === ${JSON.stringify(stored)}`);
    await setting("again", { schema: null });
    await press(tab, "Try again");
    await tab.until(`${lines}.length === 0 && ${text}.value === "words"`);
    await saved(tab);
    assert.equal((await daemon.value("again")).text, "words");
    await tab.close();
});

/** Ada ticks the second of two items away from the daemon, while bob removes it. */
async function removedMeanwhile(name) {
    const [ada, bob] = [await opened(name, "ada"), await opened(name, "bob")];
    await ada.focus("#new");
    for (const item of ["bread", "milk", "salt"]) {
        await ada.type(item);
        await ada.click("#adding button");
    }
    await saved(ada);
    await bob.until(`document.querySelectorAll("#items li").length === 3`);
    await ada.offline(true);
    await ada.evaluate(`document.querySelectorAll("#items input[type=checkbox]")[1].click()`);
    await bob.front();
    await bob.evaluate(`document.querySelectorAll("#items li")[1].querySelector("button:last-child").click()`);
    await bob.until(`document.querySelectorAll("#items li").length === 2`);
    await saved(bob);
    await bob.close();
    await ada.offline(false);
    await saved(ada);
    return ada;
}

test("who changed a row that was removed meanwhile is told that, and can remove it or put it back", async () => {
    const ada = await removedMeanwhile("removed");
    const rows = `[...document.querySelectorAll("#items input[type=text]")].map(({ value }) => value).join()`;
    await ada.until(`${rows} === "bread,milk,salt"`);
    assert.deepEqual(await ada.evaluate(lines), ["bob removed milk while you changed it. It is still there."]);
    assert.deepEqual(await axeFaults(ada), []);
    await press(ada, "Remove milk");
    await ada.until(`${rows} === "bread,salt" && ${lines}.length === 0`);
    await saved(ada);
    assert.deepEqual((await daemon.value("removed")).items.map((one) => one.text), ["bread", "salt"]);
    await ada.close();
});

test("a message moves nothing, and goes by itself unless it has something to keep", async () => {
    const tab = await opened("still", "ada");
    const top = `${text}.getBoundingClientRect().top`;
    const former = await tab.evaluate(top);
    const operations = [{ op: "replace", path: "/items", value: 1 }];
    await fetch(`${daemon.origin}/v1/documents/still`, { method: "PATCH",
        headers: { "Content-Type": "application/json-patch+json" }, body: JSON.stringify(operations) });
    await says(tab, "This document has no list “items”.");
    assert.equal(await tab.evaluate(top), former);
    await tab.until(`${lines}.length === 0`, 15_000);
    await tab.close();
});

test("who one is by a token is what the page says, and what one does is one's own", async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "versiond-together-"));
    const tokens = path.join(directory, "tokens.json");
    const token = Daemon.token(tokens, "--name", "carla", "--allow", "write");
    const own = await new Daemon({}, ["--tokens", tokens]).start();
    const tab = await browser.tab(`${own.origin}/ui/together#mine`);
    await tab.until(`!document.querySelector("#token-label").hidden`);
    await tab.evaluate(`(() => {
        const field = document.querySelector("#token");
        field.value = ${JSON.stringify(token)};
        field.dispatchEvent(new Event("change"));
    })()`);
    await tab.until(`!${text}.disabled && document.querySelector("#actor").value === "carla"`);
    assert.equal(await tab.evaluate(`document.querySelector("#actor").readOnly`), true);
    await tab.focus("#new");
    await tab.type("bread");
    await tab.click("#adding button");
    await tab.until(`/^.?You /.test(document.querySelector("#now li")?.textContent)`);
    await tab.close();
    await own.stop();
    rmSync(directory, { recursive: true, force: true });
});

test("the fields of the page end at one line on a phone", async () => {
    const tab = await opened("ends", "ada");
    for (const width of [320, 360, 412]) {
        await tab.resize([width, 740]);
        await tab.until(`innerWidth === ${width}`);
        const ends = JSON.parse(await tab.evaluate(`JSON.stringify([...document.querySelectorAll(".who-am .field")]
            .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().right))`));
        assert.ok(ends.every((end) => end === ends[0] && end <= width), `${width}: ${ends}`);
    }
    await tab.close();
});
