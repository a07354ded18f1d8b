// /ui/ in a real browser: node --test Tests/Client/look.browser.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { binary, Daemon } from "./daemon.mjs";
import { axeFaults } from "./axe.mjs";
import {
    answer, ask, choose, json, menu, opened, operate, patch, put, row, tabAt, text, undo, value, versions,
} from "./scene.mjs";
import { daemon } from "./stage.mjs";
import { pause } from "./waiting.mjs";

test("a row is a sentence with a person: names, from and to, labels first (1-6, 8)", async () => {
    await menu("rows");
    await ask("PUT", "/v1/documents/rows/tags/draft", {});
    const tab = await opened("#rows", { actor: "ada" });
    assert.equal(await tab.evaluate(versions), "4,1,0");
    const words = (number) => tab.evaluate(text(`${row(number)} a`));
    assert.match(await words(4), /^bob changed the price of Soup from 5 to 6now.*tag draft/);
    assert.match(await words(1), /^dearer.*You changed the price of Soup from 4 to 5$/);
    assert.match(await words(0), /^You made the document/);
    assert.equal(await tab.evaluate(`document.querySelectorAll(".v > .av").length`), 3);
    assert.equal(await tab.evaluate(`[...document.querySelectorAll(".v .say")].some((one) => /^\\//.test(one.textContent))`), false);
    assert.match(await tab.evaluate(text(".fork")), /1 undone version of bob: /);
    await tab.evaluate(`document.querySelector(".fork button").click()`);
    await tab.until(`${versions} === "4,2,1,0"`);
    await tab.click(`${row(2)} a`);
    await tab.until(`${text("#said")}.includes("changed the name of Green salad")`);
    await tab.until(`${text("#changes")}.includes("“Salad”") && ${text("#meta")}.includes("undone")`);
    assert.equal(await tab.evaluate("location.hash"), "#rows@version:2");
});

test("undo says first what it takes and whose it is, and leaves a way back (7, 24)", async () => {
    await menu("acts");
    const tab = await opened("#acts", { actor: "ada" });
    await choose(tab, "#undo-menu", "Undo the last");
    await tab.until(`/bob changed the price of Soup from 5 to 6/.test(${text("#dialog")})`);
    assert.equal((await value("acts")).dishes[0].price, 6, "nothing is done yet");
    await answer(tab);
    await tab.until(`document.querySelector('${row(1)}').className.includes("now")`);
    assert.equal((await value("acts")).dishes[0].price, 5);
    await tab.evaluate(`document.querySelector("#toast button").click()`);
    await tab.until(`document.querySelector('${row(4)}').className.includes("now")`);
    await operate("acts", [{ op: "replace", path: "/title", value: "Menu" }], "ada");
    await patch("acts", { other: 1 }, "bob");
    await tab.until(`document.querySelector('${row(8)}')`);
    await tab.press("m");
    await tab.until(`/You changed the title from “Summer menu” to “Menu”/.test(${text("#dialog")}) && /Later changes by others stay/.test(${text("#dialog")})`);
    await tab.press("Escape");
    await tab.until(`!document.querySelector("#dialog").open`);
    assert.equal((await value("acts")).title, "Menu");
});

test("what somebody did is taken back where it stands, and put back", async () => {
    await put("mine", { a: 1, b: 1 }, "ada");
    await patch("mine", { a: 2 }, "ada");
    await patch("mine", { b: 2 }, "bob");
    const tab = await opened("#mine@version:1", { actor: "ada" });
    await tab.press("x");
    await answer(tab);
    await tab.until(`document.querySelector('${row(3)}')`);
    assert.deepEqual(await value("mine"), { a: 1, b: 2 });
    await tab.until(`document.querySelector('${row(1)}').className.includes("off")`);
    assert.match(await tab.evaluate(text(row(3))), /You undid a change: changed “a” from 1 to 2/);
    await tab.evaluate(`document.querySelector("#toast button").click()`);
    await tab.until(`document.querySelector('${row(4)}')`);
    assert.deepEqual(await value("mine"), { a: 2, b: 2 });
});

test("each change has a way back, past what came later (29)", async () => {
    await menu("back");
    await operate("back", [{ op: "move", from: "/dishes/0", path: "/dishes/2" }, { op: "replace", path: "/dishes/0/price", value: 9 }], "bob");
    const tab = await opened("#back@version:4");
    await tab.until(`document.querySelector(".ch .back")`);
    await tab.evaluate(`document.querySelector(".ch .back").click()`);
    await tab.until(`document.querySelector('${row(6)}')`);
    const { dishes } = await value("back");
    assert.deepEqual(dishes.map(({ id, price }) => [id, price]), [["d2", 9], ["d3", 18], ["d1", 5]]);
    await tab.until(`/put back/.test(${text("#toast")})`);
});

test("going back and restoring: the whole, a part, or into a new document", async () => {
    await menu("old");
    await operate("old", [{ op: "replace", path: "/title", value: "Other" }], "bob");
    const tab = await opened("#old@version:1");
    await tab.click("#restore");
    await answer(tab, { what: "/dishes" });
    await tab.until(`document.querySelector('${row(6)}')`);
    const now = await value("old");
    assert.deepEqual([now.title, now.dishes[0].price], ["Other", 5]);
    await tab.evaluate(`location.hash = "#old@version:4"`);
    await tab.until(`${text("#said")}.includes("from 5 to 6")`);
    await tab.press("g");
    await tab.until(`document.querySelector("#dialog .ch")`);
    await answer(tab);
    await tab.until(`document.querySelector('${row(4)}').className.includes("now")`);
    assert.equal((await value("old")).title, "Summer menu");
    await tab.evaluate(`location.hash = "#old@version:1"`);
    await tab.until(`${text("#said")} === "dearer"`);
    await tab.click("#restore");
    await answer(tab, { what: "new", name: "twin" });
    await tab.until(`${text("#name")} === "twin" && ${text("#page")}.includes("Soup")`);
    assert.equal((await value("twin")).dishes[0].price, 5);
});

test("a document that is opened while the activity of another one is due shows its value", async () => {
    await menu("before");
    await menu("behind");
    const tab = await opened("#before");
    // The activity of the next document comes later than that of this one is read again.
    await tab.evaluate(`(() => {
        const real = window.fetch;
        window.fetch = async (path, options) => {
            if (String(path).includes("behind/activity")) await new Promise((resolve, reject) => {
                options.signal.addEventListener("abort", () => reject(options.signal.reason));
            });
            return real(path, options);
        };
    })()`);
    await patch("before", { other: 1 }, "bob");
    await tab.until(`document.querySelector('${row(5)}')`);
    await tab.evaluate(`location.hash = "#behind"`);
    await tab.until(`${text("#name")} === "behind" && ${text("#page")}.includes("Soup")`);
});

test("undo, redo and walking through the versions, by keyboard (36)", async () => {
    await menu("keys");
    const tab = await opened("#keys");
    await tab.press("u");
    await answer(tab);
    await tab.until(`document.querySelector('${row(1)}').className.includes("now")`);
    await tab.press("r");
    await tab.until(`document.querySelector('${row(4)}').className.includes("now")`);
    await tab.press("j");
    await tab.until(`location.hash === "#keys@version:1" && ${text("#said")} === "dearer"`);
    await tab.press("k");
    await tab.until(`location.hash === "#keys@version:4" && ${text("#said")}.includes("from 5 to 6")`);
    await tab.press("c");
    await tab.until(`location.hash === "#keys@version:1..version:4" && ${text("#diff")}.includes("Soup")`);
    await tab.press("Escape");
    await tab.until(`location.hash === "#keys@version:4" && document.body.dataset.view === "history"`);
    await tab.press("n");
    await tab.until(`location.hash === "#keys"`);
    await tab.press("?");
    await tab.until(`document.querySelector("#dialog").open && ${text("#dialog")}.includes("Undo mine")`);
    await tab.press("Escape");
    await tab.until(`!document.querySelector("#dialog").open`);
    await tab.press("/");
    await tab.until(`document.activeElement.id === "filter"`);
    await tab.type("actor:bob");
    await tab.press("Enter");
    await tab.until(`${versions} === "4"`);
    assert.equal(await tab.evaluate(`document.querySelector("#problem").hidden`), true);
});

test("the skip link leads to the content, and is no document (T15)", async () => {
    await menu("skip");
    const tab = await opened("#skip");
    await tab.evaluate(`document.querySelector("#skip").focus()`);
    await tab.press("Enter");
    await tab.until(`document.activeElement.id === "said"`);
    assert.equal(await tab.evaluate("location.hash"), "#skip");
});

test("single keys can be turned off", async () => {
    await menu("off");
    const tab = await opened("#off");
    const toggle = async () => {
        await tab.press("?");
        await tab.until(`document.querySelector("#dialog").open`);
        await tab.evaluate(`document.querySelector("#dialog [type=checkbox]").click(); document.querySelector("#dialog").close()`);
    };
    await toggle();
    await tab.press("u");
    await tab.press("j");
    assert.equal(await tab.evaluate(`document.querySelector("#dialog").open`), false);
    assert.equal(await tab.evaluate("location.hash"), "#off");
    await toggle();
    await tab.press("u");
    await tab.until(`document.querySelector("#dialog").open`);
});

test("documents are made, edited, tagged, copied, renamed and deleted; refusals stand in place", async () => {
    const tab = await opened("");
    await tab.click("#create");
    await answer(tab, { name: "made", value: `{"n": 12345678901234567890, "b": 1}` });
    await tab.until(`${text("#name")} === "made" && ${text("#page")}.includes("12345678901234567890")`);
    await tab.click("#edit");
    await tab.until(`document.querySelector("#dialog").open`);
    await tab.evaluate(`document.querySelector("#dialog textarea").value = '{\\n  "ü": x'; document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`/an unexpected character .line 2, column 8./.test(${text("#dialog .problem")})`);
    assert.equal(await tab.evaluate("document.activeElement.selectionStart"), 9, "the caret is there");
    await patch("made", { b: 2 }, "bob");
    await answer(tab, { value: `{"n": 12345678901234567890, "b": 1, "c": 3}`, label: "with c" });
    const stored = await (await fetch(`${daemon.origin}/v1/documents/made`)).text();
    assert.equal(stored, `{"n":12345678901234567890,"b":2,"c":3}\n`, "what bob did meanwhile stays");
    await tab.until(`${text("#versions")}.includes("with c")`);
    await tab.press("t");
    await answer(tab, { tag: "first" });
    await tab.until(`${text("#versions")}.includes("tag first")`);
    await choose(tab, "#more", "Take a snapshot");
    await answer(tab, { key: "copy" });
    await tab.until(`${text("#versions")}.includes("snapshot copy")`);
    await choose(tab, "#more", "Copy with its history");
    await answer(tab, { name: "twins" });
    await tab.until(`${text("#name")} === "twins" && ${text("#versions")}.includes("with c")`);
    await choose(tab, "#more", "Rename");
    await tab.until(`document.querySelector("#dialog").open`);
    await tab.evaluate(`document.querySelector("#dialog input").value = "made"; document.querySelector("#dialog form").dispatchEvent(new Event("input")); document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`${text("#dialog .problem")}.includes("in use")`);
    await answer(tab, { name: "sister" });
    await tab.until(`${text("#name")} === "sister" && document.querySelector(".v")`);
    await choose(tab, "#more", "Delete");
    await answer(tab);
    await tab.until(`${text("#gone")}.includes("sister is deleted")`);
    await tab.evaluate(`document.querySelector("#gone .main").click()`);
    await tab.until(`document.querySelector("#doc").dataset.state === "open" && ${text("#page")}.includes("12345678901234567890")`);
});

test("a scope is named once with its owner, and is kept or dropped (14)", async () => {
    await put("scoped", { a: 1 }, "ada");
    await ask("POST", "/v1/documents/scoped/scopes/push", {}, { "Versiond-Actor": "zoe" });
    await patch("scoped", { a: 2 }, "zoe");
    await patch("scoped", { a: 3 }, "zoe");
    const tab = await opened("#scoped");
    await tab.until(`document.querySelectorAll(".scope-name").length === 1 && /zoe’s scope/.test(${text(".scope-name")})`);
    assert.doesNotMatch(await tab.evaluate(text("#versions")), /scope \d/);
    assert.equal(await tab.evaluate(`document.querySelectorAll(".scoped").length`), 2);
    await tab.evaluate(`[...document.querySelectorAll("#notes button")].find((one) => one.textContent === "Drop it").click()`);
    await tab.until(`/zoe’s scope/.test(${text("#dialog h2")})`);
});

test("a conflict in an edit is decided in place, and nothing is lost (35, 37, T16)", async () => {
    await put("clash", { price: 5, note: "a" }, "ada");
    for (const [policy, words, price] of [["theirs", "Keep 6", 6], ["mine", "Set 5.5", 5.5]]) {
        await put("clash", { price: 5, note: policy }, "ada");
        const tab = await opened("#clash", { actor: "ada" });
        await tab.click("#edit");
        await tab.until(`document.querySelector("#dialog").open`);
        await patch("clash", { price: 6 }, "bob");
        await tab.evaluate(`document.querySelector("#dialog textarea").value = '{"price": 5.5, "note": "mine ${policy}"}'; document.querySelector("#dialog [type=submit]").click()`);
        await tab.until(`/bob changed the price meanwhile/.test(${text("#dialog .problem")})`);
        assert.doesNotMatch(await tab.evaluate(text("#dialog .problem")), /GET|conflict=|PATCH/);
        // One Escape does not drop what was written.
        await tab.press("Escape");
        await tab.until(`/unsaved changes/.test(${text("#dialog .problem")}) && document.querySelector("#dialog").open`);
        await tab.evaluate(`document.querySelector("#dialog [type=submit]").click()`);
        await tab.until(`document.querySelector("#dialog .problem .acts")`);
        await tab.evaluate(`[...document.querySelectorAll("#dialog .problem button")].find((one) => one.textContent === ${JSON.stringify(words)}).click()`);
        await tab.until(`!document.querySelector("#dialog").open`);
        assert.deepEqual(await value("clash"), { price, note: `mine ${policy}` });
        await tab.close();
    }
});

test("what was written and dropped can be brought back (37)", async () => {
    await put("drafted", { a: 1 });
    const tab = await opened("#drafted");
    // The browser asks before it closes the tab, if the page requests it.
    const mayLeave = () => tab.evaluate(`dispatchEvent(new Event("beforeunload", { cancelable: true }))`);
    await tab.press("e");
    await tab.until(`document.querySelector("#dialog").open`);
    assert.equal(await mayLeave(), true);
    await tab.evaluate(`document.querySelector("#dialog textarea").value = '{"a": "much work"}'`);
    assert.equal(await mayLeave(), false);
    await tab.press("Escape");
    await tab.press("Escape");
    await tab.until(`!document.querySelector("#dialog").open && ${text("#toast")}.includes("Continue editing")`);
    await tab.evaluate(`document.querySelector("#toast button").click()`);
    await tab.until(`document.querySelector("#dialog").open && document.querySelector("#dialog textarea").value.includes("much work")`);
    assert.equal(await mayLeave(), false);
    await answer(tab);
    await tab.until(`${text("#page")}.includes("much work")`);
    assert.equal(await mayLeave(), true);
});

test("a filter without result says what to drop, and a document that is not there says so (32)", async () => {
    await menu("found");
    const tab = await opened("#found");
    await tab.focus("#filter");
    await tab.type("actor:nobody soup");
    await tab.press("Enter");
    await tab.until(`${text("#nothing")}.includes("No version fits") && ${text("#nothing")}.includes("Drop “actor:nobody”")`);
    await tab.evaluate(`[...document.querySelectorAll("#nothing button")].find((one) => one.textContent === "Show all").click()`);
    await tab.until(`${versions} === "4,1,0"`);
    await tab.evaluate(`location.hash = "#found@version:77"`);
    await tab.until(`${text("#said")} === "There is no version 77" && !document.querySelector("#now").hidden`);
    assert.equal(await tab.evaluate(text("#meta")), "Version 77 does not exist.");
    assert.equal(await tab.evaluate(`document.querySelector("#page").checkVisibility()`), false, "no empty box");
    await tab.evaluate(`location.hash = "#not-there"`);
    await tab.until(`${text("#gone")}.includes("Document “not-there” does not exist")`);
});

test("a value is a tree that is searched, and says who wrote what (T18)", async () => {
    await put("tree", { lines: Array.from({ length: 450 }, (_, n) => ({ n: `line ${n}` })), deep: { er: { est: "needle" } } });
    await patch("tree", { deep: { er: { est: "a needle" } } }, "eve", "?label=sharper");
    const tab = await opened("#tree");
    await tab.focus("#search");
    await tab.type("needle");
    await tab.until(`${text("#found")}.includes("/deep/er/est")`);
    await tab.press("Enter");
    await tab.until(`document.activeElement.dataset.path === "/deep/er/est"`);
    await tab.evaluate(`document.querySelector("#blame").click()`);
    await tab.until(`${text(`#tree [data-path="/deep/er/est"]`)}.includes("eve")`);
    await tab.evaluate(`document.querySelector("#search").value = ""`);
    await tab.focus("#search");
    await tab.type("line 440");
    await tab.until(`${text("#found")}.includes("/lines/440/n")`);
    await tab.press("Enter");
    await tab.until(`document.activeElement.dataset.path === "/lines/440/n"`);
    assert.ok(await tab.evaluate(`document.querySelectorAll('[data-path^="/lines/"]').length`) < 250, "only what is near");
    await tab.until(`${text("#tree")}.includes("390 before")`);
    await patch("tree", { other: 1 });
    await tab.until(`document.querySelector('[data-path="/other"]')`);
    assert.equal(await tab.evaluate(`document.activeElement.dataset.path`), "/lines/440/n", "the focus and the place stay");
});

test("elements that were added and moved are told as that; kept words are plain (26-28, T25)", async () => {
    await menu("truth");
    await operate("truth", [{ op: "add", path: "/dishes/-", value: { id: "d4", name: "Gazpacho", price: 7 } },
        { op: "move", from: "/dishes/2", path: "/dishes/0" },
        { op: "replace", path: "/note", value: "Ask for the dessert of the day. We bake our bread every morning." }], "zoe");
    const tab = await opened("#truth");
    await tab.until(`document.querySelectorAll("#changes .ch").length === 3`);
    const lines = JSON.parse(await tab.evaluate(`JSON.stringify([...document.querySelectorAll("#changes .ch")].map((one) => one.textContent))`));
    assert.match(lines[0], /note/);
    assert.equal(await tab.evaluate(`document.querySelector("#changes del").lastChild.data + document.querySelector("#changes ins").lastChild.data`), "puddingdessert");
    assert.ok(lines.some((line) => /moved.*Trout.*was 3, is 1/.test(line)), lines.join("\n"));
    assert.ok(lines.some((line) => /added.*Gazpacho/.test(line)), lines.join("\n"));
    assert.match(await tab.evaluate(text("#changes")), /3 → 4 elements, 2 unchanged/);
    await tab.press("c");
    await tab.until(`document.querySelector("#diff .same")`);
    assert.match(await tab.evaluate(text("#diff .same")), /2 elements unchanged/);
    assert.equal(await tab.evaluate(`document.querySelectorAll("#diff .dr .back").length`), 3);
    await tab.press("v");
    await tab.until(`document.querySelector("#diff").dataset.how === "inline"`);
    const width = await tab.evaluate(`document.querySelector("#diff .dr.text .side").getBoundingClientRect().width`);
    assert.ok(width > 300, `a text has ${width} px (B19)`);
    await tab.press("j");
    await tab.until(`document.activeElement.classList.contains("dr") && ${text("#change-index")} === "1 of 3"`);
    await tab.press("z");
    await tab.until(`/put back/.test(${text("#toast")})`);
    await tab.press("s");
    await tab.until(`location.hash === "#truth@head..version:4"`);
});

test("runs fold, sessions and days have heads, equal minutes are blank (9-13)", async () => {
    await put("runs", { n: [0, 0, 0, 0, 0, 0] }, "ada");
    for (let index = 0; index < 6; index += 1) await operate("runs", [{ op: "replace", path: `/n/${index}`, value: 1 }], "price-bot");
    await patch("runs", { last: 1 }, "ada");
    const tab = await opened("#runs");
    assert.equal(await tab.evaluate(versions), "7,0");
    assert.match(await tab.evaluate(text(".run")), /price-bot changed .*6 versions/);
    assert.match(await tab.evaluate(text(".day h2")), /Today|Yesterday/);
    assert.match(await tab.evaluate(text(".session")), /ada and price-bot · .* · 8 versions/);
    await tab.evaluate(`document.querySelector(".run button").click()`);
    await tab.until(`${versions} === "7,6,5,4,3,2,1,0"`);
    assert.ok(await tab.evaluate(`document.querySelectorAll(".v time.same").length`) >= 5);
    assert.equal(await tab.evaluate(`getComputedStyle(document.querySelector(".day")).position`), "sticky");
    assert.equal(await tab.evaluate(`document.querySelectorAll(".v.now").length`), 1);
});

test("quick edits are one version, that says what is left of them", async () => {
    await put("quick", { n: 0 });
    for (const n of [1, 2, 3]) await patch("quick", { n }, "ada", "?debounce=10s");
    const tab = await opened("#quick");
    await tab.until(`/ada changed “n” from 0 to 3/.test(${text(row(1))}) && /3 edits/.test(${text(row(1))})`);
});

test("what others do comes at once, and leaves scroll, focus and what was loaded", async () => {
    await put("busy", { n: 0 });
    for (let number = 1; number <= 230; number += 1) await patch("busy", { n: number }, number % 2 ? "ada" : "bob");
    const [tab, other] = [await opened("#busy"), await opened("#busy")];
    await tab.front();
    for (const count of [150, 200]) {
        await tab.evaluate(`document.querySelector("#older").click()`);
        await tab.until(`document.querySelectorAll("#versions [data-version]").length >= ${count}`);
    }
    await tab.evaluate(`document.querySelector('${row(60)} a').focus(); document.querySelector("#timeline").scrollTop = 3000`);
    const top = await tab.evaluate(`document.querySelector("#timeline").scrollTop`);
    assert(top > 500);
    await patch("busy", { n: -1 }, "cyd");
    for (const one of [other, tab]) {
        await one.front();
        await one.until(`document.querySelector('${row(231)}')`);
    }
    assert.equal(await tab.evaluate(`document.activeElement.closest("li").dataset.version`), "60");
    const moved = await tab.evaluate(`document.querySelector("#timeline").scrollTop`);
    assert(Math.abs(moved - top) < 120, `${moved} and ${top}`);
    await tab.until(`!document.querySelector("#pill").hidden && ${text("#pill")} === "1 new change"`);
});

test("four tabs live, and nobody waits for a connection", async () => {
    await put("many", { n: 0 });
    const tabs = [];
    for (let number = 0; number < 4; number += 1) tabs.push(await opened("#many"));
    await patch("many", { n: 1 });
    for (const tab of tabs) {
        await tab.front();
        await tab.until(`document.querySelector('${row(1)}') && ${text("#live")} === "live"`);
    }
    // The daemon notices at the next heartbeat that a stream is gone.
    const end = Date.now() + 45_000;
    let streams = await daemon.streams();
    while (streams > 1 && Date.now() < end) {
        await pause(100);
        streams = await daemon.streams();
    }
    assert(streams <= 1);
});

test("offline says what one sees, and nothing is missed when the line is back (33)", async () => {
    await put("away", { n: 0 });
    const tab = await opened("#away");
    await tab.offline(true);
    await daemon.kill();
    await tab.until(`${text("#live")} === "not connected" && !document.querySelector("#away").hidden && /You see what was there/.test(${text("#away")})`);
    await daemon.start();
    await patch("away", { n: 1 });
    await tab.offline(false);
    await tab.until(`document.querySelector('${row(1)}') && ${text("#live")} === "live" && document.querySelector("#away").hidden`);
});

test("the ribbon is walked by arrow keys with words, and has flags and pins (15, 17)", async () => {
    await menu("ribbon");
    await ask("PUT", "/v1/documents/ribbon/tags/draft", { at: "version:1" });
    await ask("PUT", "/v1/documents/ribbon/snapshots/copy", {});
    const tab = await opened("#ribbon");
    await tab.until(`document.querySelectorAll("#ribbon .bar").length > 0 && document.querySelector("#ribbon .cloth") && document.querySelector("#ribbon .pinhead")`);
    await tab.focus("#ribbon");
    await tab.evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }))`);
    await tab.until(`location.hash === "#ribbon@version:1" && /price of Soup from 4 to 5/.test(document.querySelector("#ribbon").getAttribute("aria-valuetext"))`);
    await tab.evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Home", bubbles: true }))`);
    await tab.until(`location.hash === "#ribbon@version:0"`);
    await tab.evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true }))`);
    await tab.until(`location.hash === "#ribbon"`);
    await tab.click("#play");
    await tab.until(`/ of /.test(${text("#playing")})`);
    await tab.until(`document.querySelector("#play").getAttribute("aria-label") === "Play"`);
});

test("find or do: documents, versions, places and commands, by keyboard", async () => {
    await menu("palette");
    const tab = await opened("#palette");
    await tab.pressControl("k");
    await tab.until(`document.querySelector("#palette").open && document.querySelectorAll("#palette-list [role=option]").length > 3`);
    await tab.type("Soup");
    await tab.until(`/\\/dishes\\/0\\/name/.test(${text("#palette-list")})`);
    await tab.evaluate(`document.querySelector("#palette-text").value = "dearer"; document.querySelector("#palette-text").dispatchEvent(new Event("input"))`);
    await tab.until(`/You|ada changed the price of Soup/.test(${text("#palette-list")}) && document.querySelectorAll("#palette-list [role=option]").length === 1`);
    await tab.press("Enter");
    await tab.until(`location.hash === "#palette@version:1" && !document.querySelector("#palette").open`);
});

test("of thousands of documents the recent ones are listed, and a prefix finds the others", async () => {
    const others = await new Daemon().start();
    try {
        const names = Array.from({ length: 2_100 }, (_, n) => `many-${String(n).padStart(4, "0")}`);
        for (let start = 0; start < names.length; start += 100) {
            await Promise.all(names.slice(start, start + 100).map((name) => fetch(`${others.origin}/v1/documents/${name}`, { method: "PUT", headers: json, body: "1" })));
        }
        const tab = await opened("", { origin: others.origin });
        await tab.until(`document.querySelectorAll("#documents .d").length === 100`);
        await tab.until(`/made the document/.test(${text("#documents .d")})`);
        await tab.focus("#find");
        await tab.type("many-0999");
        await tab.until(`document.querySelectorAll("#documents .d").length === 1`);
        await tab.evaluate(`document.querySelector("#find").value = "none-such"; document.querySelector("#find").dispatchEvent(new Event("input"))`);
        await tab.until(`${text("#none")}.includes("No document fits")`);
        await tab.evaluate(`document.querySelector("#find").value = ""; document.querySelector("#which [value=name]").click()`);
        await tab.until(`document.querySelectorAll("#documents .d").length >= 100`);
        const count = await tab.evaluate(`document.querySelectorAll("#documents .d").length`);
        await tab.evaluate(`document.querySelector("#more-documents").click()`);
        await tab.until(`document.querySelectorAll("#documents .d").length > ${count}`);
        await tab.close();
    } finally {
        await others.stop();
    }
});

test("the menu leads to the documentation that the operator named", async () => {
    const documented = await new Daemon({ VERSIOND_DOCUMENTATION: `${daemon.origin}/livez` }).start();
    const tab = await tabAt(`${documented.origin}/ui/`);
    await tab.until(`${text("#live")} === "live"`);
    await tab.evaluate("window.open = (url) => { window.opened = url; }");
    await choose(tab, "#who", "Documentation");
    assert.equal(await tab.evaluate("window.opened"), `${daemon.origin}/livez`);
    await tab.close();
    await documented.stop();
});

test("with tokens: the page asks who one is, and shows why something may not be done (34)", async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), "versiond-tokens-")), "tokens.json");
    const token = (name, allow) =>
        execFileSync(binary, ["token", "create", "--file", file, "--name", name, "--allow", allow]).toString().match(/vd_\S+/)[0];
    const [reader, writer] = [token("rita", "read"), token("wim", "read,write")];
    const guarded = await new Daemon({ VERSIOND_TOKENS: file }).start();
    const sent = await fetch(`${guarded.origin}/v1/documents/kept`, { method: "PUT", body: "{\"n\":1}", headers: { ...json, Authorization: `Bearer ${writer}` } });
    assert.equal(sent.status, 201);
    const tab = await tabAt(`${guarded.origin}/ui/#kept`);
    await tab.until(`/requires a token/.test(${text("#gone")})`);
    await tab.evaluate(`[...document.querySelectorAll("#gone button")].find((one) => one.textContent === "Sign in").click()`);
    await answer(tab, { token: reader });
    await tab.until(`/You are rita/.test(document.querySelector("#who").getAttribute("aria-label")) && ${text("#page")}.includes("1")`);
    await tab.until(`document.querySelector("#edit").disabled && /may only read/.test(document.querySelector("#edit").title) && /You have read access only/.test(${text("#notes")})`);
    await choose(tab, "#who", "You are rita");
    await tab.until(`document.querySelector("#dialog").open`);
    await tab.evaluate(`document.querySelector("#dialog [name=token]").value = "vd_wrong"; document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`${text("#dialog .problem")}.includes("unknown")`);
    await answer(tab, { token: writer });
    await tab.until(`/You are wim/.test(document.querySelector("#who").getAttribute("aria-label")) && !document.querySelector("#edit").disabled && ${text("#notes")} === ""`);
    await choose(tab, "#more", "Delete");
    await tab.until(`document.querySelector('#menu [aria-disabled="true"]')`);
    assert.equal(await tab.evaluate(`document.querySelector("#dialog").open`), false);
    await tab.close();
    await guarded.stop();
});

test("an undo of others' work that is in the way offers what can be done", async () => {
    await put("way", { list: [] }, "ada");
    await operate("way", [{ op: "add", path: "/list/0", value: { id: "a", n: 1 } }], "ada");
    await operate("way", [{ op: "replace", path: "/list/0/n", value: 2 }], "bob");
    const tab = await opened("#way@version:1", { actor: "ada" });
    await tab.press("x");
    await tab.until(`document.querySelector("#dialog").open`);
    await tab.evaluate(`document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`/Later changes by others conflict with it/.test(${text("#dialog .problem")})`);
    assert.deepEqual((await value("way")).list, [{ id: "a", n: 2 }]);
    await tab.evaluate(`[...document.querySelectorAll("#dialog .problem button")].find((one) => one.textContent === "Undo it anyway").click()`);
    await tab.until(`!document.querySelector("#dialog").open`);
    assert.deepEqual((await value("way")).list, []);
    assert.ok(undo);
});

test("where undo has gone far back, now is there, and what was undone is one row", async () => {
    await put("far", { n: 0 }, "ada");
    for (let n = 1; n <= 130; n += 1) {
        await patch("far", { n }, "ada");
        await undo("far");
    }
    const tab = await opened("#far");
    await tab.until(`document.querySelector('${row(0)}.now')`);
    assert.ok(await tab.evaluate(`document.querySelectorAll(".fork").length`) <= 3);
    assert.ok(await tab.evaluate(`document.querySelectorAll("#versions > li").length`) < 10);
});

test("far back in a long history only what is near is read, and the list goes on both ways", async () => {
    await put("deep", { n: 0 }, "ada");
    for (let n = 1; n <= 400; n += 1) await patch("deep", { n }, n % 2 ? "ada" : "bob");
    const tab = await opened("#deep@version:100");
    assert.match(await tab.evaluate(text("#said")), /from 99 to 100/);
    await tab.until(`document.querySelector('${row(100)} a[aria-current]')`);
    assert.ok(await tab.evaluate(`document.querySelectorAll("#versions [data-version]").length`) <= 300);
    assert.equal(await tab.evaluate(text("#position")), "301 of 401");
    for (let tries = 0; tries < 8; tries += 1) {
        await tab.evaluate(`document.querySelector("#newer").hidden || document.querySelector("#newer").click()`);
        await pause(150);
    }
    await tab.until(`document.querySelector('${row(400)}')`);
    assert.ok(await tab.evaluate(`document.querySelectorAll("#versions [data-version]").length`) <= 300);
});

test("a first walk: who changed this, back to an earlier state, compare, take back what an import did", async () => {
    await menu("walk");
    await operate("walk", [0, 1, 2].map((index) => ({ op: "replace", path: `/dishes/${index}/price`, value: 20 })), "import");
    await operate("walk", [{ op: "replace", path: "/title", value: "Autumn menu" }], "bob");
    let clicks = 0;
    const tab = await opened("#walk", { actor: "ada" });
    const click = (selector) => {
        clicks += 1;
        return tab.click(selector);
    };
    const walked = async (most, work) => {
        clicks = 0;
        await work();
        assert.ok(clicks <= most, `${clicks} clicks`);
    };
    await walked(1, async () => {
        await click("#blame");
        await tab.until(`[...document.querySelectorAll("#page .by")].find((one) => one.textContent.startsWith("20"))?.title.startsWith("import")`);
    });
    await walked(4, async () => {
        await click(`${row(4)} a`);
        await tab.until(`${text("#said")}.includes("from 5 to 6")`);
        await click("#restore");
        await tab.until(`document.querySelector("#dialog").open`);
        await click(`#dialog [value="/dishes"]`);
        await click("#dialog [type=submit]");
        await tab.until(`!document.querySelector("#dialog").open`);
    });
    assert.deepEqual((await value("walk")).dishes.map(({ price }) => price), [6, 8, 18]);
    assert.equal((await value("walk")).title, "Autumn menu");
    // The list is stable before the next click.
    await tab.until(`document.querySelector('${row(7)}')?.className.includes("now")`);
    await undo("walk");
    await tab.until(`document.querySelector(".fold.ahead")`);
    await walked(4, async () => {
        await click(`${row(6)} a`);
        await tab.until(`${text("#said")}.includes("Autumn menu")`);
        await click("#compare");
        await tab.until(`document.querySelector("#diff .dr")`);
        await click("#end-from");
        await tab.until(`document.querySelector("#menu").matches(":popover-open")`);
        await tab.evaluate(`[...document.querySelectorAll("#menu [role=menuitem]")].find((one) => one.textContent.startsWith("1:")).click()`);
        clicks += 1;
        await tab.until(`location.hash.includes("@version:1..") && ${text("#diff")}.includes("Autumn menu") && ${text("#diff")}.includes("20")`);
    });
    await tab.evaluate(`location.hash = "#walk"`);
    await tab.until(`document.querySelector('${row(5)}')`);
    await walked(3, async () => {
        await click(`${row(5)} a`);
        await tab.until(`${text("#said")}.includes("import changed the price of 3 dishes")`);
        await click("#take");
        await tab.until(`document.querySelector("#dialog").open`);
        await click("#dialog [type=submit]");
        await tab.until(`!document.querySelector("#dialog").open`);
    });
    const now = await value("walk");
    assert.deepEqual([now.title, ...now.dishes.map(({ price }) => price)], ["Autumn menu", 6, 8, 18]);
});

test("undo of one's own says what it passes, and asks where others have built on it (T24)", async () => {
    await put("passed", { a: 1, b: 1 }, "ada");
    await patch("passed", { b: 2 }, "ada");
    await patch("passed", { a: 2 }, "ada");
    await patch("passed", { a: 3 }, "bob");
    const tab = await opened("#passed", { actor: "ada" });
    await tab.press("m");
    await tab.until(`/You changed “b” from 1 to 2/.test(${text("#dialog")}) && /A later change of yours has no visible effect/.test(${text("#dialog")})`);
    await answer(tab);
    assert.deepEqual(await value("passed"), { a: 3, b: 1 });
    await operate("passed", [{ op: "add", path: "/list", value: [{ id: "x", n: 1 }] }], "ada");
    await operate("passed", [{ op: "replace", path: "/list/0/n", value: 2 }], "bob");
    await tab.until(`document.querySelectorAll("#versions [data-version]").length === 7`);
    await tab.press("m");
    await tab.until(`/Undo this version/.test(${text("#dialog")}) && /You added the list/.test(${text("#dialog")})`);
    await tab.evaluate(`document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`/Later changes by others conflict with it/.test(${text("#dialog .problem")})`);
    assert.deepEqual((await value("passed")).list, [{ id: "x", n: 2 }]);
});

test("names of dots are refused, and nothing is written over what is there", async () => {
    await put("precious", { a: 1 });
    await patch("precious", { a: 2 });
    const tab = await opened("#precious@version:1");
    for (const [press, field] of [["t", "tag"], [null, "key"]]) {
        if (press) await tab.press(press);
        else await choose(tab, "#more", "Take a snapshot");
        await tab.until(`document.querySelector("#dialog").open`);
        await tab.evaluate(`document.querySelector("#dialog [name=${field}]").value = ".."; document.querySelector("#dialog [type=submit]").click()`);
        await tab.until(`/is no name/.test(${text("#dialog .problem")})`);
        await tab.evaluate(`document.querySelector("#dialog").close()`);
        await tab.until("document.activeElement === document.body || !document.querySelector('#dialog').open");
    }
    await tab.evaluate(`location.hash = ""`);
    await tab.until(`document.body.dataset.view === "documents"`);
    await tab.click("#create");
    await tab.until(`document.querySelector("#dialog").open`);
    await tab.evaluate(`document.querySelector("#dialog [name=name]").value = "precious"; document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`/with this name already exists/.test(${text("#dialog .problem")})`);
    assert.deepEqual(await value("precious"), { a: 2 });
});

test("the way back in a toast takes back that and nothing else, and says if it cannot", async () => {
    await put("ways", { a: 1 }, "ada");
    await patch("ways", { a: 2 }, "ada");
    await ask("PUT", "/v1/documents/ways/tags/here", { at: "version:0" });
    await undo("ways");
    const tab = await opened("#ways", { actor: "ada" });
    await tab.press("r");
    await tab.until(`/Redone/.test(${text("#toast")})`);
    await patch("ways", { b: 1 }, "bob");
    await tab.evaluate(`document.querySelector("#toast button").click()`);
    await tab.until(`/The document has changed since/.test(${text("#toast")})`);
    assert.deepEqual(await value("ways"), { a: 2, b: 1 });
    await tab.evaluate(`location.hash = "#ways@version:1"`);
    await tab.until(`/from 1 to 2/.test(${text("#said")})`);
    await tab.press("t");
    await answer(tab, { tag: "here" });
    await tab.until(`/Tagged version 1/.test(${text("#toast")}) && !/null|false|undefined/.test(${text("#toast")})`);
    await tab.evaluate(`document.querySelector("#toast button").click()`);
    await tab.until(`document.querySelector("#toast").hidden`);
    const end = Date.now() + 5_000;
    while ((await ask("GET", "/v1/documents/ways/tags/here")).version !== 0 && Date.now() < end) await pause(20);
    assert.equal((await ask("GET", "/v1/documents/ways/tags/here")).version, 0);
});

test("a transaction is said to be one, and its undo says what goes with it (19)", async () => {
    await put("pair-a", { n: 1 }, "ada");
    await put("pair-b", { n: 1 }, "ada");
    const both = (n) => ask("POST", "/v1/transactions", {
        changes: ["pair-a", "pair-b"].map((document) => ({ document, merge: { n } })),
    });
    await both(2);
    const tab = await opened("#pair-a@version:1", { actor: "ada" });
    await tab.until(`/together with 1 other document/.test(${text("#meta")})`);
    await choose(tab, "#undo-menu", "Undo the last");
    await tab.until(`document.querySelector("#dialog").open`);
    await tab.evaluate(`document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`/a transaction with pair-b/.test(${text("#dialog .problem")})`);
    assert.equal((await value("pair-a")).n, 2, "nothing is done yet");
    const press = (words) => tab.evaluate(`[...document.querySelectorAll("#dialog .problem button")].find((one) => one.textContent === "${words}").click()`);
    await press("Undo all parts");
    await tab.until(`!document.querySelector("#dialog").open && /Undone/.test(${text("#toast")})`);
    assert.deepEqual([await value("pair-a"), await value("pair-b")], [{ n: 1 }, { n: 1 }]);
    await tab.evaluate(`document.querySelector("#toast button").click()`);
    const end = Date.now() + 5_000;
    while ((await value("pair-b")).n !== 2 && Date.now() < end) await pause(20);
    assert.deepEqual([await value("pair-a"), await value("pair-b")], [{ n: 2 }, { n: 2 }]);
    await tab.evaluate(`location.hash = "#pair-a@version:1"; document.querySelector("#take").click()`);
    await tab.until(`/a transaction with pair-b. That part is also undone/.test(${text("#dialog")})`);
    await answer(tab);
    await tab.until(`/Undone/.test(${text("#toast")})`);
    assert.deepEqual([await value("pair-a"), await value("pair-b")], [{ n: 1 }, { n: 1 }]);
});

test("what was erased is not shown, what is gone comes back by itself, and dots are a tag's name", async () => {
    await put("erased", { email: "secret@x", n: 1 }, "ada");
    await patch("erased", { n: 2 }, "ada");
    const tab = await opened("#erased@version:0");
    await tab.until(`/secret@x/.test(${text("#page")})`);
    await ask("POST", "/v1/documents/erased/purge", { paths: ["/email"] });
    await tab.until(`!/secret@x/.test(${text("#page")})`);
    await ask("PUT", "/v1/documents/erased/tags/a..b", { at: "version:1" });
    await tab.evaluate(`location.hash = "#erased@tag:a%2E%2Eb"`);
    await tab.until(`/from 1 to 2/.test(${text("#said")})`);
    await ask("DELETE", "/v1/documents/erased");
    await tab.until(`/is deleted/.test(${text("#gone")})`);
    await ask("POST", "/v1/documents/erased/undelete");
    await tab.until(`document.querySelector("#doc").dataset.state === "open" && /from 1 to 2/.test(${text("#said")})`);
    await tab.evaluate(`location.hash = "#nobody@1..2"`);
    await tab.until(`/cannot be compared/.test(${text("#diff")})`);
});

test("a document of which a place is erased stays in the list, and one that is gone does not", async () => {
    await put("places", { email: "x", n: 1 }, "ada");
    await put("leaving", { n: 1 }, "ada");
    const tab = await opened("", { actor: "ada" });
    const names = `[...document.querySelectorAll("#documents .d")].map((one) => one.textContent).join(" ")`;
    await tab.until(`/places/.test(${names}) && /leaving/.test(${names})`);
    await ask("POST", "/v1/documents/places/purge", { paths: ["/email"] });
    await ask("DELETE", "/v1/documents/leaving");
    await tab.until(`!/leaving/.test(${names})`);
    assert.match(await tab.evaluate(names), /places/);
});

test("elements are known by the document's own identity, and moved ones go back where they were", async () => {
    await put("known", { l: ["A", "B", "C", "D", "E", "F"].map((key) => ({ key, v: 1 })) });
    await ask("PATCH", "/v1/documents/known/settings", { identity: ["key"] });
    await put("known", { l: ["E", "C", "D", "F", "G"].map((key) => ({ key, v: 1 })) });
    const tab = await opened("#known");
    await tab.until(`[...document.querySelectorAll("#changes .ch.move")].some((one) => one.textContent.includes("“l” E"))`);
    await tab.evaluate(`document.querySelector("#changes .ch.move .back").click()`);
    await tab.until(`/put back/.test(${text("#toast")})`);
    assert.deepEqual((await value("known")).l.map(({ key }) => key), ["C", "D", "E", "F", "G"]);
});

test("undo of one's own asks for a name first, and then continues", async () => {
    await put("nameless", { a: 1 }, "ada");
    await patch("nameless", { a: 2 }, "ada");
    const tab = await opened("#nameless");
    await tab.press("m");
    await tab.until(`document.querySelector("#dialog").open && /needs your name/.test(${text("#dialog")})`);
    assert.equal(await tab.evaluate("document.activeElement.name"), "actor");
    await tab.evaluate(`document.activeElement.value = "ada"; document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`/Undo your last change/.test(${text("#dialog h2")})`);
    await answer(tab);
    await tab.until(`/Undone/.test(${text("#toast")})`);
    assert.deepEqual(await value("nameless"), { a: 1 });
});

test("a restore says what it removes", async () => {
    await menu("removing");
    await patch("removing", { drinks: ["Tea"], open: true }, "bob");
    await operate("removing", [{ op: "add", path: "/dishes/-", value: { id: "d4", name: "Cake", price: 3 } }], "bob");
    const tab = await opened("#removing@version:1");
    await tab.click("#restore");
    await tab.until(`document.querySelector("#dialog").open`);
    const option = (what) => tab.evaluate(`document.querySelector('#dialog [value="${what}"]').closest("label").textContent`);
    assert.match(await option(""), /The whole document.*removes (?=.*drinks)(?=.*open)(?=.*Cake)/);
    assert.match(await option("/drinks"), /removed: it did not exist then; the rest stays/);
    assert.match(await option("/dishes"), /4 → 3 elements, 2 unchanged; the rest stays; removes Cake/);
    await answer(tab, { what: "/drinks" });
    assert.equal((await value("removing")).drinks, undefined);
});

test("a restore puts a single field back, of the document or of an element", async () => {
    await menu("single");
    await patch("single", { title: "Other", note: "None", open: true }, "bob");
    await operate("single", [{ op: "remove", path: "/dishes/2" }], "bob");
    const tab = await opened("#single@version:1", { actor: "ada" });
    const restore = async (what) => {
        await tab.click("#restore");
        await answer(tab, { what });
    };
    await tab.click("#restore");
    await tab.until(`document.querySelector("#dialog details")`);
    const offered = await tab.evaluate(`[...document.querySelectorAll("#dialog details .option")].map((one) => one.textContent)`);
    assert.deepEqual(offered, ["Only title“Other” → “Summer menu”", "Only openremoved: it did not exist then",
        "Only Soup, price6 → 5", "Only Troutcomes back"]);
    await tab.evaluate(`document.querySelector("#dialog details").open = true`);
    assert.deepEqual(await axeFaults(tab), []);
    await tab.press("Escape");
    for (const what of ["/title", "/dishes/0/price", "/dishes/2"]) await restore(what);
    const now = await value("single");
    assert.deepEqual([now.title, now.note, now.open], ["Summer menu", "None", true]);
    assert.deepEqual(now.dishes.map(({ name, price }) => [name, price]), [["Soup", 5], ["Salad", 8], ["Trout", 18]]);
});

test("a comparison with a version that does not exist says so, and leads back", async () => {
    await menu("lacking");
    const tab = await tabAt(`${daemon.origin}/ui/#lacking@version:77..head`);
    await tab.until(`/Version 77 does not exist/.test(${text("#diff")})`);
    assert.equal(await tab.evaluate(`document.querySelector("#end-from").checkVisibility()`), false);
    // The comparison may be read again meanwhile, as the feed begins.
    await tab.until(`[...document.querySelectorAll("#diff .b")].some((one) => one.textContent === "Show the history" && (one.click(), true))`);
    await tab.until(`document.querySelector('${row(4)}')`);
    await tab.evaluate(`location.hash = "#lacking@version:1..head"`);
    await tab.until(`document.querySelector("#diff .dr") && document.querySelector("#end-from").checkVisibility()`);
});

test("a name cannot turn the direction of its letters: what does is shown", async () => {
    const name = "photo\u202Egnp.exe";
    await put(encodeURIComponent(name), { a: 1 }, "ada");
    const tab = await opened(`#${encodeURIComponent(name)}`);
    assert.equal(await tab.evaluate(text("#name")), "photo‹U+202E›gnp.exe");
    assert.equal(await tab.evaluate(text("#crumbs")), "photo‹U+202E›gnp.exe");
    assert.doesNotMatch(await tab.evaluate("document.title"), /\u202E/);
    await tab.evaluate(`location.hash = ""`);
    await tab.until(`/photo‹U\\+202E›gnp.exe/.test(${text("#documents")}) && /photo‹U/.test(${text("#lately")})`);
    assert.doesNotMatch(await tab.evaluate("document.body.textContent"), /\u202E/);
});

test("of a long text only what came is marked in the document", async () => {
    const note = "We bake our bread every morning. ".repeat(200);
    await put("marked", { note }, "ada");
    await patch("marked", { note: `${note.slice(0, 3300)}Today, too. ${note.slice(3300)}` }, "ada");
    const tab = await opened("#marked");
    await tab.until(`document.querySelector("#page .hit")`);
    assert.equal(await tab.evaluate(`document.querySelector("#page .hit").firstChild.data`), "Today, too. ");
    assert.equal(await tab.evaluate(`document.querySelectorAll("#page .hit").length`), 1);
});

test("a document is named in full where it is told of, and its keys are as they are", async () => {
    await put("many%2Frota%2F399", { toString: "x", firstName: "Ada" }, "ada");
    await operate("many%2Frota%2F399", [{ op: "replace", path: "/toString", value: "y" }], "ada");
    const tab = await opened("");
    await tab.until(`[...document.querySelectorAll("#lately a")].some((one) => one.textContent === "many/rota/399")`);
    await tab.evaluate(`location.hash = "#many/rota/399"`);
    await tab.until(`${text("#changes .k")} === "toString"`);
    await tab.until(`[...document.querySelectorAll("#page dt")].map((one) => one.textContent).join() === "toString,firstName"`);
});

test("counts agree: an id is no count, and a session that is not read to its end says so", async () => {
    await put("counted", { n: 0 }, "ada");
    for (let n = 1; n <= 120; n += 1) await patch("counted", { n }, n % 2 ? "ada" : "bob");
    const tab = await opened("#counted");
    assert.match(await tab.evaluate(text("#lede")), /121 versions/);
    assert.match(await tab.evaluate(text("#meta")), /id 120/);
    assert.match(await tab.evaluate(text(".session")), /until .* · 100 or more versions/);
});

test("a flag stands on the bar of its version, and its name is cut with a sign that it is", async () => {
    await put("flags", { n: 0 }, "ada");
    await patch("flags", { n: 1 }, "bob");
    await ask("PUT", "/v1/documents/flags/tags/a-very-long-name", { at: "version:0" });
    const tab = await opened("#flags");
    await tab.until(`document.querySelector("#ribbon .pole") && document.querySelectorAll("#ribbon .bar").length > 0`);
    const [pole, ...bars] = JSON.parse(await tab.evaluate(`JSON.stringify([...document.querySelectorAll("#ribbon .pole, #ribbon .bar")]
        .sort((one) => (one.matches(".pole") ? -1 : 1)).map((one) => { const { left, right } = one.getBoundingClientRect(); return [left, right]; }))`));
    assert.ok(bars.some(([left, right]) => pole[0] >= left - 1 && pole[1] <= right + 1), JSON.stringify([pole, bars]));
    assert.equal(await tab.evaluate(text("#ribbon .flagname")), "a-very-lo…");
});
