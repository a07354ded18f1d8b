// Drafts in the web UI, in a real browser: creation, review, decisions, merge and undo. node --test
// Tests/Client/drafts.browser.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "./waiting.mjs";
import { axeFaults } from "./axe.mjs";
import { answer, ask, choose, menu, opened, operate, patch, resize, sizes, text, value } from "./scene.mjs";

const draft = (name) => ask("PUT", `/v1/documents/${name}~ada?copyOf=${name}`, undefined, { "Versiond-Actor": "ada" });
const set = (name, path, to, actor) => operate(name, [{ op: "replace", path, value: to }], actor);
const dialog = `document.querySelector("#dialog")`;
const press = (box, words) => `[...document.querySelectorAll("${box} .b")].find((one) => one.textContent === ${JSON.stringify(words)}).click()`;
const isReady = `!${dialog}.querySelector("[type=submit]").disabled`;

test("a draft is made from the menu of a document, and is listed there", async () => {
    await menu("carte");
    const tab = await opened("#carte", { actor: "ada" });
    await choose(tab, "#more", "Drafts");
    await tab.until(`${dialog}.open && ${text("#dialog")}.includes("No drafts yet")`);
    await answer(tab);
    await tab.until(`${text("#name")} === "carte~ada"`);
    await set("carte~ada", "/dishes/0/price", 9, "ada");
    await tab.evaluate(`location.hash = "#carte"`);
    await tab.until(`${text("#name")} === "carte"`);
    await choose(tab, "#more", "Drafts");
    await tab.until(`/carte~ada 1 edit by you/.test(${text("#dialog")})`);
    assert.equal(await tab.evaluate(`document.querySelector("#dialog [name=name]").value`), "carte~ada-2");
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
    assert.match(words, /2 edits to merge into dinner/);
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
    await tab.until(`${text("#dialog [type=submit]")} === "Merge 2 edits"`);
    await tab.evaluate(`[...document.querySelectorAll("#dialog .option")].find((one) => one.textContent.includes("The note")).click()`);
    await tab.until(`${text("#dialog [type=submit]")} === "Merge 1 of 2 edits"`);
    await tab.click("#dialog [type=submit]");
    await tab.until(`!${dialog}.open && /1 edit is left/.test(${text("#toast")})`);
    const now = await value("lunch");
    assert.deepEqual([now.title, now.note.startsWith("Ask")], ["Winter menu", true]);
});

test("a draft is updated from its origin, with what was decided, on a phone, too", async () => {
    await menu("brunch");
    await draft("brunch");
    await set("brunch~ada", "/dishes/0/price", 9, "ada");
    await patch("brunch", { title: "Other" }, "bob");
    await set("brunch", "/dishes/0/price", 7, "bob");
    const tab = await opened("#brunch~ada", { actor: "ada" });
    await resize(tab, sizes.phone);
    await tab.press("d");
    await tab.until(`${dialog}.open && ${text("#dialog")}.includes("brunch has 2 edits that the draft has not")`);
    await tab.evaluate(press("#dialog", "Update from brunch"));
    await tab.until(`/before the conflicts are decided/.test(${text("#dialog .problem")})`);
    await tab.evaluate(`document.querySelector("#dialog [value=origin]").click()`);
    await tab.evaluate(press("#dialog", "Update from brunch"));
    await tab.until(`!${dialog}.open && /has what is new in brunch/.test(${text("#toast")})`);
    const now = await value("brunch~ada");
    assert.deepEqual([now.title, now.dishes[0].price], ["Other", 7]);
});

test("a draft says on its page that it is one, how far ahead and behind, and is merged from there", async () => {
    await menu("page");
    await draft("page");
    const tab = await opened("#page~ada", { actor: "ada" });
    await tab.until(`/Draft of page.*The same as page/.test(${text("#drafting")})`);
    await set("page~ada", "/dishes/0/price", 9, "ada");
    await set("page~ada", "/title", "Winter menu", "ada");
    await set("page", "/dishes/0/price", 7, "bob");
    await tab.until(`/2 edits ahead, 1 edit behind 1 conflict/.test(${text("#drafting")})`);
    assert.deepEqual(await axeFaults(tab), []);
    await tab.evaluate(press("#drafting", "Merge …"));
    await tab.until(`${dialog}.open`);
    await tab.evaluate(`document.querySelector("#dialog [value=draft]").click()`);
    await tab.evaluate(`document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`!${dialog}.open && /The same as page/.test(${text("#drafting")})`);
    assert.equal((await value("page")).title, "Winter menu");
    await patch("page", { title: "Spring menu" }, "bob");
    await tab.until(`/1 edit behind/.test(${text("#drafting")})`);
    await tab.evaluate(press("#drafting", "Update from page"));
    await until(async () => (await value("page~ada")).title === "Spring menu", () => "the update");
    await tab.until(`/The same as page/.test(${text("#drafting")})`);
    await tab.evaluate(`document.querySelector("#drafting a").click()`);
    await tab.until(`${text("#name")} === "page"`);
});

test("a document says which drafts wait, without a menu being opened", async () => {
    await menu("busy");
    const tab = await opened("#busy", { actor: "bob" });
    await draft("busy");
    await set("busy~ada", "/title", "Winter menu", "ada");
    await tab.until(`/1 draft waits to be merged.*busy~ada 1 edit by ada/.test(${text("#drafting")})`);
    await ask("PUT", "/v1/documents/busy~agent?copyOf=busy", undefined, { "Versiond-Actor": "agent" });
    await set("busy~agent", "/dishes/0/price", 9, "agent");
    await set("busy", "/dishes/0/price", 7, "bob");
    await tab.until(`/2 drafts wait to be merged.*busy~agent 1 edit by agent 1 conflict/.test(${text("#drafting")})`);
    assert.deepEqual(await axeFaults(tab), []);
    await tab.evaluate(press("#drafting", "Review …"));
    await tab.until(`${dialog}.open && /Drafts of busy/.test(${text("#dialog")})`);
    await tab.press("Escape");
    await tab.evaluate(`[...document.querySelectorAll("#drafting a")].find((one) => one.textContent === "busy~agent").click()`);
    await tab.until(`${text("#name")} === "busy~agent" && /Draft of busy/.test(${text("#drafting")})`);
    await tab.evaluate(`location.hash = "#busy"`);
    await ask("DELETE", "/v1/documents/busy~agent");
    await ask("DELETE", "/v1/documents/busy~ada");
    await tab.until(`${text("#name")} === "busy" && ${text("#drafting")} === ""`);
});

test("a removal and an edit of the neighbour are two choices, and what needs the other is said", async () => {
    const elements = [["b", "Pie", 3], ["a", "Tea", 2], ["c", "Cake", 4]].map(([id, name, price]) => ({ id, name, price }));
    await ask("PUT", "/v1/documents/inseparable", { items: elements, title: "Menu" }, { "Versiond-Actor": "bob" });
    await draft("inseparable");
    await operate("inseparable~ada", [{ op: "remove", path: "/items/1" }], "ada");
    await set("inseparable~ada", "/items/1/price", 5, "ada");
    await set("inseparable~ada", "/title", "Autumn", "ada");
    const tab = await opened("#inseparable~ada", { actor: "ada" });
    await tab.press("d");
    await tab.until(`${dialog}.open`);
    const options = JSON.parse(await tab.evaluate(`JSON.stringify([...document.querySelectorAll("#dialog .option")].map((one) => one.textContent))`));
    assert.equal(options.length, 3, options.join(" | "));
    const [removal] = options.filter((words) => /Tea: removed/.test(words));
    assert.match(removal, /Only together with the price of Cake/);
    const tick = (words) => tab.evaluate(`[...document.querySelectorAll("#dialog .option")].find((one) => ${words}.test(one.textContent)).querySelector("input").click()`);
    const merges = (words) => tab.until(`${text("#dialog [type=submit]")} === ${JSON.stringify(words)}`);
    await merges("Merge 3 edits");
    await tick("/^The price of Cake/");
    await merges("Merge 1 of 3 edits");
    await tick("/Tea: removed/");
    await merges("Merge 3 edits");
    await tick("/Tea: removed/");
    await merges("Merge 2 of 3 edits");
    await tab.evaluate(`document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`!${dialog}.open && /1 edit is left/.test(${text("#toast")})`);
    const [pie, tea, cake] = elements;
    assert.deepEqual(await value("inseparable"), { items: [pie, tea, { ...cake, price: 5 }], title: "Autumn" });
});

test("conflicts stand apart from the other edits, and each choice says what it does", async () => {
    await menu("apart");
    await draft("apart");
    await set("apart~ada", "/dishes/0/price", 9, "ada");
    await set("apart~ada", "/title", "Winter menu", "ada");
    await set("apart", "/dishes/0/price", 7, "bob");
    const tab = await opened("#apart~ada", { actor: "ada" });
    await tab.press("d");
    await tab.until(`${dialog}.open`);
    const parts = JSON.parse(await tab.evaluate(`JSON.stringify([...document.querySelectorAll("#dialog section")].map((one) =>
        [one.querySelector("h3").textContent, one.querySelectorAll("[type=radio]").length, one.querySelectorAll("[type=checkbox]").length]))`));
    assert.deepEqual(parts, [["1 conflict to decide", 3, 0], ["Other edits", 0, 1]]);
    assert.match(await tab.evaluate(text("#dialog")), /Decide later.*apart keeps 7; the edit stays in the draft/);
    await tab.evaluate(`document.querySelector("#dialog [value=later]").click()`);
    await tab.until(`${text("#dialog [type=submit]")} === "Merge 1 of 2 edits"`);
    await tab.evaluate(`document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`!${dialog}.open && /1 edit is left/.test(${text("#toast")})`);
    const now = await value("apart");
    assert.deepEqual([now.title, now.dishes[0].price], ["Winter menu", 7]);
});

/** Documents with a draft each, whose price and title ada changed. */
async function release(prefix, ...names) {
    for (const name of names) {
        await menu(name);
        const one = `${prefix}~%2F${name}`;
        await ask("PUT", `/v1/documents/${one}?copyOf=${name}`, undefined, { "Versiond-Actor": "ada" });
        await set(one, "/dishes/0/price", 9, "ada");
        await set(one, "/title", "Winter menu", "ada");
    }
    return opened("", { actor: "ada" });
}

const find = (tab, words) => tab.evaluate(`(() => {
    const field = document.querySelector("#find");
    field.value = ${JSON.stringify(words)};
    field.dispatchEvent(new Event("input"));
})()`);

test("all drafts of a prefix are merged as one step from their list, and that is undone", async () => {
    const tab = await release("winter", "terrace", "bar");
    await find(tab, "winter~");
    await tab.until(`document.querySelectorAll("#documents .d").length === 2`);
    assert.equal(await tab.evaluate(text("#release")), "", "the prefix is not complete");
    await find(tab, "winter~/");
    await tab.until(`/Drafts of winter~\\//.test(${text("#release")})`);
    assert.deepEqual(await axeFaults(tab), []);
    await tab.evaluate(press("#release", "Merge all …"));
    await tab.until(`${dialog}.open && /2 drafts to merge/.test(${text("#dialog")})`);
    assert.match(await tab.evaluate(text("#dialog")), /winter~\/bar → bar: 2 edits/);
    assert.deepEqual(await axeFaults(tab), []);
    await tab.evaluate(`document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`!${dialog}.open && /Merged 2 drafts of winter~/.test(${text("#toast")})`);
    for (const name of ["terrace", "bar"]) assert.equal((await value(name)).title, "Winter menu");
    await tab.evaluate(press("#toast", "Undo it"));
    for (const name of ["terrace", "bar"]) {
        await until(async () => (await value(name)).title === "Summer menu", () => "the undo");
    }
    await find(tab, "");
    await tab.until(`${text("#release")} === ""`);
});

test("a merge of all drafts shows the conflicts of each draft, before and after the question", async () => {
    const tab = await release("spring", "garden", "cellar");
    await find(tab, "spring~/");
    await tab.until(`/Merge all/.test(${text("#release")})`);
    await tab.evaluate(press("#release", "Merge all …"));
    await tab.until(`${dialog}.open && /2 drafts to merge/.test(${text("#dialog")})`);
    for (const name of ["garden", "cellar"]) await set(name, "/dishes/0/price", 7, "bob");
    await tab.evaluate(`document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`/Nothing was merged/.test(${text("#dialog .problem")})`);
    const words = /spring~\/cellar: .*price.*spring~\/garden: .*price/;
    assert.match(await tab.evaluate(text("#dialog .problem")), words);
    await tab.press("Escape");
    await tab.until(`!${dialog}.open`);
    await tab.evaluate(press("#release", "Merge all …"));
    await tab.until(`${dialog}.open && /are in conflict/.test(${text("#dialog")})`);
    assert.match(await tab.evaluate(text("#dialog")), words);
    assert.deepEqual(await axeFaults(tab), []);
    await tab.evaluate(`document.querySelector("#dialog a").click()`);
    await tab.until(`!${dialog}.open && ${text("#name")} === "spring~/cellar"`);
    await tab.until(`/Merge all of spring~\\/ …/.test(${text("#drafting")})`);
    for (const name of ["garden", "cellar"]) assert.equal((await value(name)).title, "Summer menu");
});
