// Drafts in the web UI, in a real browser: made, looked at, decided, merged and undone.
// node --test Tests/Client/drafts.browser.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "./waiting.mjs";
import { answer, ask, axeFaults, choose, menu, opened, operate, patch, resize, sizes, text, value } from "./scene.mjs";

const draft = (name) => ask("PUT", `/v1/documents/${name}~ada?copyOf=${name}`, undefined, { "Versiond-Actor": "ada" });
const set = (name, path, to, actor) => operate(name, [{ op: "replace", path, value: to }], actor);
const dialog = `document.querySelector("#dialog")`;
const isReady = `!${dialog}.querySelector("[type=submit]").disabled`;

test("a draft is made from the menu of a document, and is listed there", async () => {
    await menu("carte");
    const tab = await opened("#carte", { actor: "ada" });
    await choose(tab, "#more", "Drafts");
    await tab.until(`${dialog}.open && ${text("#dialog")}.includes("There is none yet")`);
    await answer(tab);
    await tab.until(`${text("#name")} === "carte~ada"`);
    await set("carte~ada", "/dishes/0/price", 9, "ada");
    await tab.evaluate(`location.hash = "#carte"`);
    await tab.until(`${text("#name")} === "carte"`);
    await choose(tab, "#more", "Drafts");
    await tab.until(`/carte~ada 1 edit by you/.test(${text("#dialog")})`);
    assert.deepEqual(await axeFaults(tab), []);
    await tab.click("#dialog .option, #dialog p .b");
    await tab.until(`/Merge carte~ada into carte/.test(${text("#dialog")})`);
});

test("a conflict shows what both have, is decided by key, and the merge can be undone", async () => {
    await menu("dinner");
    await draft("dinner");
    await set("dinner~ada", "/dishes/0/price", 9, "ada");
    await set("dinner~ada", "/title", "Winter menu", "ada");
    await set("dinner", "/dishes/0/price", 7, "bob");
    const tab = await opened("#dinner~ada", { actor: "ada" });
    await tab.press("d");
    await tab.until(`${dialog}.open`);
    const words = await tab.evaluate(text("#dialog"));
    assert.match(words, /2 edits would come into dinner/);
    assert.match(words, /The price of Soup/);
    assert.match(words, /It was 6/);
    assert.match(words, /9 in the draft/);
    assert.match(words, /7 in dinner/);
    assert.match(words, /“Summer menu” → “Winter menu”/);
    assert.equal(await tab.evaluate(isReady), false, "nothing is decided yet");
    assert.deepEqual(await axeFaults(tab), []);
    await tab.evaluate(`${dialog}.querySelector("[type=radio]").focus()`);
    await tab.press(" ");
    await tab.until(isReady);
    await tab.press("Enter");
    await tab.until(`!${dialog}.open && /Merged into dinner/.test(${text("#toast")})`);
    let now = await value("dinner");
    assert.deepEqual([now.title, now.dishes[0].price], ["Winter menu", 9]);
    await tab.evaluate(`[...document.querySelectorAll("#toast .b")].find((one) => one.textContent === "Undo it").click()`);
    await until(async () => (await value("dinner")).title === "Summer menu", () => "the undo");
    now = await value("dinner");
    assert.equal(now.dishes[0].price, 7);
});

test("a part is merged, and what is left waits", async () => {
    await menu("lunch");
    await draft("lunch");
    await set("lunch~ada", "/title", "Winter menu", "ada");
    await set("lunch~ada", "/note", "Closed on Mondays.", "ada");
    const tab = await opened("#lunch~ada", { actor: "ada" });
    await tab.press("d");
    await tab.until(`${dialog}.open && document.querySelectorAll("#dialog [type=checkbox]").length === 2`);
    await tab.evaluate(`[...document.querySelectorAll("#dialog .option")].find((one) => one.textContent.includes("The note")).click()`);
    await tab.click("#dialog [type=submit]");
    await tab.until(`!${dialog}.open && /1 edit is left/.test(${text("#toast")})`);
    const now = await value("lunch");
    assert.deepEqual([now.title, now.note.startsWith("Ask")], ["Winter menu", true]);
});

test("a draft takes over what is new, with what was decided, on a phone, too", async () => {
    await menu("brunch");
    await draft("brunch");
    await set("brunch~ada", "/dishes/0/price", 9, "ada");
    await patch("brunch", { title: "Other" }, "bob");
    await set("brunch", "/dishes/0/price", 7, "bob");
    const tab = await opened("#brunch~ada", { actor: "ada" });
    await resize(tab, sizes.phone);
    await tab.press("d");
    await tab.until(`${dialog}.open && ${text("#dialog")}.includes("brunch has had 2 edits since")`);
    const takeOver = `[...document.querySelectorAll("#dialog .b")].find((one) => one.textContent === "Take over").click()`;
    await tab.evaluate(takeOver);
    await tab.until(`/changed the same places/.test(${text("#dialog .problem")})`);
    await tab.evaluate(`document.querySelector("#dialog [value=origin]").click()`);
    await tab.evaluate(takeOver);
    await tab.until(`!${dialog}.open && /up to date/.test(${text("#toast")})`);
    const now = await value("brunch~ada");
    assert.deepEqual([now.title, now.dishes[0].price], ["Other", 7]);
});
