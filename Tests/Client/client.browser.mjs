// The client library in a real browser, as people use it: input methods, closed tabs, slow lines,
// tokens that are over. The codes are those of the reports, in the table of Documentation/Project/ClientTests.md.
// node --test Tests/Client/client.browser.mjs

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { Daemon } from "./daemon.mjs";
import { Line } from "./line.mjs";
import { Page } from "./page.mjs";
import { browser, daemon } from "./stage.mjs";
import { pause, until } from "./waiting.mjs";

const opened = (name, actor, context, more = {}) => Page.open(browser, daemon.origin,
    { name, connection: { actor }, ...more }, context);

test("T1, A2: while an input method composes, what others type stays, and so does the word", async () => {
    await daemon.put("ime", { text: "" });
    const [ada, bob] = [await opened("ime", "ada"), await opened("ime", "bob")];
    await bob.type("Hello ");
    await bob.saved();
    await ada.shows("Hello ");
    await ada.tab.focus("#text");
    await ada.caret(6);
    await ada.tab.compose("に");
    // By the program: a click in another window would end the composition.
    await bob.get(`shared.edit([{ op: "str_ins", path: "/text", pos: 0, str: "Ciao! " }])`);
    await bob.saved();
    await ada.tab.until("shared.value.text === 'Ciao! Hello '");
    // The word that is being composed is not touched.
    assert.equal(await ada.text(), "Hello に");
    await ada.tab.focus("#text");
    await ada.tab.compose("にほん");
    await ada.tab.insert("日本");
    await ada.saved();
    for (const page of [ada, bob]) await page.shows("Ciao! Hello 日本");
    assert.deepEqual(await daemon.value("ime"), { text: "Ciao! Hello 日本" });
    for (const page of [ada, bob]) await page.close();
});

for (const tag of ["textarea", "input"]) {
    test(`what is typed into a text in an element ${tag} leaves all ends of lines`, async () => {
        await daemon.put("ends", { text: "a\rb\r\nc\nd" });
        const ada = await opened("ends", "ada", undefined, { tag });
        const end = tag === "input" ? "" : "\n";
        await ada.shows(["a", "b", "c", "d"].join(end));
        await ada.tab.focus("#text");
        await ada.caret(1);
        await ada.tab.insert("X");
        await ada.saved();
        await ada.shows(["aX", "b", "c", "d"].join(end));
        assert.deepEqual(await daemon.value("ends"), { text: "aX\rb\r\nc\nd" });
        await ada.close();
    });
}

test("T1: a tab that is closed in the middle of a word keeps the word", async () => {
    await daemon.put("half", { text: "" });
    const ada = await opened("half", "ada");
    await ada.tab.focus("#text");
    await ada.tab.compose("にほん");
    await pause(100);
    await ada.close();
    await until(async () => (await daemon.value("half")).text === "にほん", "the word");
});

test("T2, A5: six tabs with six documents each need one stream, and save all", async () => {
    const own = await new Daemon().start();
    const names = Array.from({ length: 6 }, (_, index) => `d${index}`);
    for (const name of names) await own.put(name, { text: "" });
    const context = await browser.context();
    const pages = [];
    for (let index = 0; index < 6; index += 1) {
        const page = await Page.open(browser, own.origin, { name: "d0", connection: { actor: "ada" } }, context);
        await page.get(`(async () => {
            window.all = ${JSON.stringify(names)}.map((name) => connection.document(name));
            await Promise.all(all.map(({ ready }) => ready));
            for (const one of all) one.edit([{ op: "str_ins", path: "/text", pos: 0, str: "x" }]);
        })()`);
        pages.push(page);
    }
    for (const page of pages) await page.tab.until("all.every(({ isSaved }) => isSaved)");
    for (const name of names) assert.equal((await own.value(name)).text, "xxxxxx");
    for (const page of pages) await page.tab.until("all.every(({ value }) => value.text === 'xxxxxx')");
    // The daemon notices at its next heartbeat that a stream of before is gone.
    await until(async () => await own.streams() === 1, "one stream", 30_000);
    for (const page of pages) await page.close();
    await own.stop();
});

test("T5, A20: what is typed in the second before a tab is closed is there, ten times", async () => {
    await daemon.put("close", { text: "" });
    const context = await browser.context();
    let expected = "";
    for (let round = 0; round < 10; round += 1) {
        const page = await opened("close", "ada", context);
        await page.shows(expected);
        await page.caret(expected.length);
        await page.type(`word${round} `);
        expected += `word${round} `;
        await page.close();
        await until(async () => (await daemon.value("close")).text === expected, expected);
    }
});

test("who closes a tab is not shown to others any more, twenty times", async () => {
    await daemon.put("gone", { text: "" });
    const ada = await opened("gone", "ada");
    const others = "shared.presence.others.map(({ actor }) => actor).join()";
    for (let round = 0; round < 20; round += 1) {
        const bob = await opened("gone", "bob");
        await bob.tab.focus("#text");
        await bob.get("shared.presence.set({ isHere: true })");
        await ada.tab.until(`${others} === "bob"`);
        await bob.close();
        await ada.tab.until(`${others} === ""`);
    }
    await ada.close();
});

test("A20: what is typed offline outlives the tab, and is sent once by the next one", async () => {
    await daemon.put("train", { text: "" });
    const context = await browser.context();
    const page = await opened("train", "ada", context);
    await page.tab.offline(true);
    await page.type("from the train");
    await page.tab.until("!shared.isSaved");
    await page.tab.until("shared.state === 'offline'");
    await pause(200);
    await page.close();
    assert.equal((await daemon.value("train")).text, "");
    const [one, other] = [await opened("train", "ada", context), await opened("train", "ada", context)];
    for (const next of [one, other]) await next.shows("from the train", 40_000);
    await pause(500);
    assert.equal((await daemon.value("train")).text, "from the train");
    for (const next of [one, other]) await next.close();
});

test("T5: what is typed offline is there after a reload of the page", async () => {
    await daemon.put("reload", { text: "" });
    const page = await opened("reload", "ada", await browser.context());
    await page.tab.offline(true);
    await page.type("kept");
    await page.tab.until("shared.state === 'offline'");
    await pause(200);
    await page.tab.offline(false);
    await page.reload();
    await page.shows("kept");
    await page.saved();
    assert.equal((await daemon.value("reload")).text, "kept");
    await page.close();
});

const bearer = (token) => ({ Authorization: `Bearer ${token}` });

/** A daemon that wants tokens, which the test makes and takes away. */
async function guarded() {
    const directory = mkdtempSync(path.join(tmpdir(), "versiond-tokens-"));
    const file = path.join(directory, "tokens.json");
    const admin = Daemon.token(file, "--name", "admin", "--allow", "read,write,admin");
    const own = new Daemon({}, ["--tokens", file]);
    await own.start();
    const answers = (token) => fetch(`${own.origin}/v1/whoami`,
        { headers: bearer(token) }).then(({ status }) => status);
    return {
        own, origin: own.origin,
        put: (name, value) => own.put(name, value, bearer(admin)),
        async add(name, ...options) {
            const token = Daemon.token(file, "--name", name, "--allow", "read,write", ...options);
            own.process.kill("SIGHUP");
            await until(async () => await answers(token) === 200, "a new token");
            return token;
        },
        async revokeAll(known) {
            rmSync(file);
            Daemon.token(file, "--name", "nobody", "--allow", "read");
            own.process.kill("SIGHUP");
            await until(async () => await answers(known) === 401, "no token any more");
        },
        async stop() {
            await own.stop();
            rmSync(directory, { recursive: true });
        },
    };
}

test("T6, A4: a token that is over drops nothing; with another one all is sent", async () => {
    const guard = await guarded();
    const token = await guard.add("ada");
    await guard.put("login", { text: "" });
    const page = await Page.open(browser, guard.origin, { name: "login", token }, await browser.context());
    await page.type("before ");
    await page.saved();
    await guard.revokeAll(token);
    await page.type("an hour of typing");
    await page.tab.until("shared.state === 'refused'");
    assert.equal(await page.get("shared.problem.status"), 401);
    assert.equal(await page.get("shared.isSaved"), false);
    assert.equal(await page.text(), "before an hour of typing");
    const next = await guard.add("ada");
    await page.get(`window.token = ${JSON.stringify(next)}; connection.retry()`);
    await page.saved();
    assert.equal((await guard.own.value("login", bearer(next))).text,
        "before an hour of typing");
    assert.deepEqual(await page.heard("dropped"), []);
    await page.close();
    await guard.stop();
});

test("T8: who may only read cannot type, and the page says so", async () => {
    const guard = await guarded();
    const token = await guard.add("reader", "--allow", "read");
    await guard.put("read", { text: "shown" });
    const page = await Page.open(browser, guard.origin, { name: "read", token }, await browser.context());
    await page.shows("shown");
    assert.equal(await page.get("shared.state"), "read-only");
    assert.equal(await page.get("document.getElementById('text').readOnly"), true);
    await page.type("lost?");
    assert.equal(await page.text(), "shown");
    await page.close();
    await guard.stop();
});

test("T8: a document without the bound place gets it, letter by letter", async () => {
    await daemon.put("lacking", { title: "no text yet" });
    const [ada, bob] = [await opened("lacking", "ada"), await opened("lacking", "bob")];
    await ada.type("written");
    await ada.saved();
    await bob.shows("written");
    assert.deepEqual(await daemon.value("lacking"), { title: "no text yet", text: "written" });
    await daemon.put("nowhere", [1, 2]);
    const page = await opened("nowhere", "ada");
    assert.equal(await page.get("document.getElementById('text').readOnly"), true);
    for (const one of [ada, bob, page]) await one.close();
});

test("T10: a paste of a megabyte on a slow line arrives, once", async (context) => {
    await daemon.put("paste", { text: "" });
    const line = await new Line(daemon.origin, { delay: 20, rate: 30_000 }).start();
    context.after(() => line.stop());
    const page = await Page.open(browser, line.origin, { name: "paste", connection: { actor: "ada" } });
    await page.tab.focus("#text");
    await page.tab.insert("x".repeat(1_000_000));
    await page.type("end");
    await page.saved(120_000);
    const { text } = await daemon.value("paste");
    assert.equal(text.length, 1_000_003);
    assert.ok(text.endsWith("xend"));
    const { versions } = await daemon.value("paste/versions");
    // The first, the paste, and a version of each letter if the typing is slow.
    assert.ok(versions.length <= 5, `${versions.length} versions`);
    await page.close();
});

test("T11: undo and redo by keyboard, in every way that keyboards say it, and after a reload", async () => {
    await daemon.put("keys", { text: "" });
    const page = await opened("keys", "ada", await browser.context(), { document: { debounce: 200 } });
    await page.type("one ");
    await pause(300);
    await page.type("two");
    await page.saved();
    await page.tab.pressControl("z");
    await page.shows("one ");
    await page.tab.pressControl("Z");
    await page.shows("one two");
    await page.tab.pressControl("z");
    await page.shows("one ");
    await page.tab.pressControl("y");
    await page.shows("one two");
    await page.saved();
    await page.reload();
    await page.tab.until("shared.canUndo");
    await page.tab.focus("#text");
    await page.tab.pressControl("z");
    await page.shows("one ");
    await page.tab.pressControl("z");
    await page.shows("");
    await page.saved();
    assert.equal((await daemon.value("keys")).text, "");
    await page.close();
});

test("T11: Ctrl+Z takes back one's own words, and leaves others'", async () => {
    await daemon.put("own", { text: "" });
    const [ada, bob] = [await opened("own", "ada"), await opened("own", "bob")];
    await ada.type("mine ");
    await ada.saved();
    await bob.shows("mine ");
    await bob.caret(5);
    await bob.type("theirs");
    await bob.saved();
    await ada.shows("mine theirs");
    await ada.tab.focus("#text");
    await ada.tab.pressControl("z");
    for (const page of [ada, bob]) await page.shows("theirs");
    for (const page of [ada, bob]) await page.close();
});

test("T9: two who edit, sort and remove rows at once reach the rows that they see", async () => {
    await daemon.put("rows", { text: "", items: ["ale", "bread", "cake"].map((text) => ({ id: text, text, done: false })) });
    const [ada, bob] = await Promise.all(["ada", "bob"].map(async (actor) => {
        const tab = await browser.tab(`${daemon.origin}/ui/together#rows`, await browser.context());
        await tab.until("document.querySelectorAll('#items li').length === 3");
        return tab;
    }));
    const row = (index) => `document.querySelectorAll("#items li")[${index}]`;
    // At the same moment: ada sorts and removes, bob marks and types.
    await Promise.all([
        ada.evaluate(`${row(2)}.querySelector("button").click(); ${row(0)}.querySelectorAll("button")[1].click()`),
        bob.evaluate(`(() => {
            ${row(1)}.querySelector("input[type=checkbox]").click();
            const text = ${row(2)}.querySelector("input[type=text]");
            text.value = "cake, dark";
            text.dispatchEvent(new Event("input"));
        })()`),
    ]);
    const wanted = [["cake, dark", false], ["bread", true]];
    await until(async () => {
        const { items } = await daemon.value("rows");
        return JSON.stringify(items.map(({ text, done }) => [text, done])) === JSON.stringify(wanted);
    }, "the rows");
    for (const tab of [ada, bob]) {
        await tab.until(`[...document.querySelectorAll("#items li input[type=text]")]
            .map(({ value }) => value).join() === "cake, dark,bread"`);
        await tab.close();
    }
});

test("three browsers with three tabs: lines, daemon, tokens and pages end, and no word is gone", async () => {
    const guard = await guarded();
    await guard.put("storm", { text: "" });
    const people = ["ada", "bob", "cyd"];
    const tokens = new Map();
    for (const name of people) tokens.set(name, await guard.add(name));
    const pages = [];
    for (const name of people) {
        const context = await browser.context();
        for (let index = 0; index < 3; index += 1) {
            const page = await Page.open(browser, guard.origin, { name: "storm", token: tokens.get(name) }, context);
            pages.push(Object.assign(page, { person: name, number: pages.length }));
        }
    }
    const words = [];
    const write = async (page) => {
        const word = `<${page.person}${page.number}.${words.length}>`;
        words.push(word);
        const { length } = await page.text();
        await page.caret(length);
        await page.tab.focus("#text");
        await page.tab.insert(word);
    };
    const all = async () => { for (const page of pages) await write(page); };
    await all();
    await pages[0].tab.offline(true);
    await pages[4].tab.offline(true);
    await all();
    await guard.own.kill();
    await all();
    await guard.own.start();
    await pages[1].reload();
    await all();
    await pages[0].tab.offline(false);
    await guard.revokeAll(tokens.get("ada"));
    await all();
    for (const name of people) tokens.set(name, await guard.add(name));
    for (const page of pages) {
        page.options.token = tokens.get(page.person);
        await page.get(`window.token = ${JSON.stringify(page.options.token)}`);
    }
    await pages[7].reload();
    await pages[4].tab.offline(false);
    for (const page of pages) await page.get("connection.retry()");
    await all();
    for (const page of pages) await page.saved(60_000);
    const { text } = await guard.own.value("storm", bearer(tokens.get("ada")));
    for (const page of pages) await page.shows(text, 60_000);
    for (const word of words) {
        assert.equal(text.split(word).length, 2, `${word} is there ${text.split(word).length - 1} times`);
    }
    for (const page of pages) assert.deepEqual(await page.heard("dropped"), []);
    for (const page of pages) await page.close();
    await guard.stop();
});
