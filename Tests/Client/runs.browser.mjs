// Runs in the web UI, in a real browser: the list, the review of one run, its undo and redo. node
// --test Tests/Client/runs.browser.mjs

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { audit } from "./audit.mjs";
import { axeFaults } from "./axe.mjs";
import { Daemon } from "./daemon.mjs";
import { ask, json, patch, put, resize, sizes, tabAt, text, value } from "./scene.mjs";
import { daemon } from "./stage.mjs";
import { until } from "./waiting.mjs";

const phone = [390, 760];
const main = "#view-runs";
const dialog = `document.querySelector("#dialog")`;
const rows = `[...document.querySelectorAll("#runs .docname")].map((one) => one.firstChild.data).join()`;
const press = (box, words) => `[...document.querySelectorAll("${box} .b, ${box} .seg button")]
    .find((one) => one.textContent.trim() === ${JSON.stringify(words)}).click()`;
const box = (name) => `document.querySelector('#reviewed [value="${name}"]')`;
const place = (name, path) => `document.querySelector('#reviewed [value="${name}"][data-place="${path}"]')`;
const card = (name) => `[...document.querySelectorAll("#reviewed > li")].find((one) =>
    one.querySelector("h3").textContent === ${JSON.stringify(name)}).textContent`;

/** The pages of runs, once one is shown. */
async function shown(hash, options = {}) {
    const tab = await tabAt(`${options.origin ?? daemon.origin}/ui/${hash}`, options);
    await tab.until(`document.querySelector("${main} h1") && document.querySelector("#runs > li, #reviewed > li, ${main} .empty")`);
    return tab;
}

const step = (run, name, merge, query = "") => ask("PATCH", `/v1/documents/${name}${query}`, { merge },
    { "Versiond-Actor": encodeURIComponent(run), "Versiond-Prompt-By": "ada" });

/** A run in four documents. Later edits of others meet one of its places and one of its documents. */
async function scene(name) {
    const run = `agent/${name}`;
    await put(`${name}-menu`, { price: 5, dish: "soup", note: "Ask for the pudding of the day. We bake every morning." }, "ada");
    await step(run, `${name}-menu`, { price: 6, note: "Ask for the dessert of the day. We bake every morning." }, "?label=Summer%20prices");
    await step(run, `${name}-menu`, { side: { bread: 1 } });
    for (const document of ["new", "own", "gone"]) await put(`${name}-${document}`, { m: 1 }, run);
    await patch(`${name}-menu`, { side: { bread: 2 } }, "bob");
    await patch(`${name}-new`, { b: 1 }, "bob");
    await ask("DELETE", `/v1/documents/${name}-gone`);
    return run;
}

test("without runs the page says what one is, with a link to the guide", async () => {
    const empty = await new Daemon({ VERSIOND_DOCUMENTATION: "https://docs.example/" }).start();
    const tab = await shown("#@runs", { origin: empty.origin });
    await tab.until(`/No runs yet.*whose name has a slash/.test(${text(main)})`);
    assert.equal(await tab.evaluate(`document.querySelector("${main} .empty a").href`), "https://docs.example/Guide/Runs.html");
    assert.deepEqual(await axeFaults(tab), []);
    await tab.close();
    await empty.stop();
    const other = await shown("#@runs");
    assert.equal(await other.evaluate(`document.querySelector("${main} .empty a")`), null);
    await other.close();
});

test("runs are listed from the documents, found, filtered, and opened by key", async () => {
    await scene("listed");
    await step("import/7", "listed-menu", { x: 1 });
    await step("import/8", "listed-menu", { y: 1 });
    await ask("POST", "/v1/undo", { all: { actor: "import/8" } });
    const tab = await tabAt(`${daemon.origin}/ui/`, { actor: "ada" });
    await tab.until(`document.querySelector("#documents .d")`);
    await tab.click(`#view-documents a[href="#@runs"]`);
    await tab.until(`${rows} === "import/8,import/7,agent/listed"`);
    assert.match(await tab.evaluate(text(`#runs [data-key="agent/listed"]`)),
        /agent\/listedSummer pricesAsked by you · 5 edits in 4 documents, 1 of them not in effectPartly in effectnow/);
    assert.match(await tab.evaluate(text(`#runs [data-key="import/8"]`)), /1 edit in 1 documentNot in effect/);
    await tab.evaluate(press(main, "Not in effect"));
    await tab.until(`${rows} === "import/8"`);
    await tab.evaluate(press(main, "All"));
    await tab.press("/");
    await tab.type("summer");
    await tab.until(`${rows} === "agent/listed"`);
    await tab.type("x");
    await tab.until(`/No run fits/.test(${text(main)})`);
    await tab.evaluate(press(main, "Show all"));
    await tab.until(`${rows} === "import/8,import/7,agent/listed"`);
    await tab.evaluate("document.activeElement.blur()");
    await tab.press("j");
    await tab.press("j");
    await tab.press("Enter");
    await tab.until(`location.hash === "#@run:import/7" && ${text("#run")} === "import/7"`);
    assert.equal(await tab.evaluate("document.title"), "import/7 · versiond");
    await tab.until(`document.activeElement.id === "run"`);
    await tab.evaluate("history.back()");
    await tab.until(`document.activeElement.closest("#runs [data-key]")?.dataset.key === "import/7"`);
    await tab.close();
});

test("more than fifty runs come in pages", async () => {
    await put("many", { n: 0 }, "ada");
    for (let number = 1; number <= 60; number += 1) await step(`many/${number}`, "many", { n: number });
    const tab = await shown("#@runs");
    await tab.until(`document.querySelectorAll("#runs > li").length === 50`);
    await tab.evaluate(press(main, "More runs"));
    await tab.until(`document.querySelectorAll("#runs > li").length > 60`);
    await tab.close();
});

test("a run shows for each document what its undo changes and what stays, also after a reload", async () => {
    const run = await scene("review");
    const tab = await shown(`#@run:${run}`, { actor: "ada" });
    for (const _ of ["opened", "reloaded"]) {
        await tab.until(`/bob edited this later/.test(${card("review-new")})`);
        const words = await tab.evaluate(card("review-menu"));
        assert.match(words, /^review-menu2 edits1 conflict.*agent\/review changed the price from 5 to 6/);
        assert.match(words, /side › breadstays: bob edited this later/);
        assert.match(words, /price6 → .*5/);
        assert.match(words, /removed dessertadded pudding/);
        assert.match(await tab.evaluate(card("review-new")), /The run created this document, which stays: bob edited/);
        assert.match(await tab.evaluate(card("review-own")), /an undo deletes it/);
        assert.match(await tab.evaluate(card("review-gone")), /This document is deleted/);
        assert.match(await tab.evaluate(text(".run-head")), /Asked by you · 5 edits in 4 documents.*Summer prices/);
        // Of two documents, and of the two places in one of them that an undo reverts.
        assert.equal(await tab.evaluate(`document.querySelectorAll("#reviewed [type=checkbox]").length`), 4);
        await tab.evaluate("window.isOld = true");
        await tab.reload();
        await tab.until(`window.isOld !== true && document.querySelector("#reviewed > li")`);
    }
    await tab.close();
});

test("a run shows its changes that its undo does not undo", async () => {
    const run = await scene("other");
    await ask("PUT", "/v1/documents/other-menu/tags/lunch", {}, { "Versiond-Actor": run });
    const tab = await shown(`#@run:${run}`, { actor: "ada" });
    await tab.until(`/Other changes.*does not undo these.*other-menu · tag · revision 4/.test(${text(".rest")})`);
    for (const size of [phone, sizes.wide]) {
        await resize(tab, size);
        await tab.until("document.getAnimations().length === 0");
        assert.deepEqual(await tab.evaluate(`(${audit})()`), []);
    }
    assert.deepEqual(await axeFaults(tab), []);
    await tab.close();
});

test("an undo says what it changes, leaves conflicts, and is undone by the toast", async () => {
    const run = await scene("undone");
    const tab = await shown(`#@run:${run}`, { actor: "ada" });
    await tab.evaluate(`document.querySelector("#undo-run").click()`);
    await tab.until(`${dialog}.open`);
    const words = await tab.evaluate(text("#dialog"));
    assert.match(words, /changes 2 documents: undone-menu, undone-own\..*undone-own is deleted/);
    assert.match(words, /2 places have later edits that conflict\.They stay as they are/);
    assert.deepEqual(await axeFaults(tab), []);
    await tab.press("Escape");
    await tab.until(`!${dialog}.open`);
    assert.equal((await value("undone-menu")).price, 6);
    await tab.evaluate(`document.querySelector("#undo-run").click()`);
    await tab.until(`${dialog}.open && ${text("#dialog [type=submit]")} === "Undo the rest"`);
    await tab.press("Enter");
    await tab.until(`!${dialog}.open && /Undone in 2 documents: agent.undone. 2 places with later edits stayed/.test(${text("#toast")})`);
    const now = await value("undone-menu");
    assert.deepEqual([now.price, now.side.bread], [5, 2]);
    await tab.until(`/This document is deleted/.test(${card("undone-own")}) && document.querySelector("#undo-run").disabled`);
    assert.match(await tab.evaluate(text("#why")), /No edit of this run can be undone/);
    await tab.evaluate(press("#toast", "Undo"));
    await until(async () => (await value("undone-menu")).price === 6, "the redo");
    await tab.until(`/in effect again/.test(${text("#toast")}) && ${box("undone-own")}?.checked === false`);
    assert.deepEqual(await value("undone-own"), { m: 1 });
    await tab.close();
});

test("the page of an open run says so, and its undo closes it", async () => {
    const run = await scene("open");
    const path = `/v1/runs/${encodeURIComponent(run)}`;
    await ask("PUT", path);
    const tab = await shown(`#@run:${run}`, { actor: "ada" });
    assert.match(await tab.evaluate(text(".run-head")), /Open/);
    await tab.until(`${text("#undo-run")} === "Close and undo …"`);
    assert.deepEqual(await axeFaults(tab), []);
    await tab.evaluate(`document.querySelector("#undo-run").click()`);
    await tab.until(`${dialog}.open && /The run is open\\. This also closes it/.test(${text("#dialog")})`);
    await tab.press("Enter");
    await tab.until(`!${dialog}.open && /Undone in 2 documents/.test(${text("#toast")})`);
    assert.equal((await value("open-menu")).price, 5);
    await tab.until(`!/Open/.test(${text(".run-head")})`);
    await tab.close();
});

test("a run that was undone is redone, also later", async () => {
    const run = await scene("again");
    await ask("POST", "/v1/undo?conflict=theirs", { all: { actor: run } });
    await patch("again-menu", { dish: "stew" }, "bob");
    const tab = await shown(`#@run:${run}`, { actor: "ada" });
    await tab.evaluate(`document.querySelector("#redo-run").click()`);
    await tab.until(`${dialog}.open`);
    const words = await tab.evaluate(text("#dialog"));
    assert.match(words, /Redo agent\/again\?.*changes 2 documents: again-menu, again-own\./);
    assert.match(words, /again-own is restored: the undo deleted it/);
    assert.deepEqual(await axeFaults(tab), []);
    await tab.evaluate(`document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`/Redone in 2 documents: agent.again/.test(${text("#toast")})`);
    const now = await value("again-menu");
    assert.deepEqual([now.price, now.dish], [6, "stew"]);
    assert.deepEqual(await value("again-own"), { m: 1 });
    await tab.evaluate(press("#toast", "Undo"));
    await until(async () => (await value("again-menu")).price === 5, "the undo of the redo");
    await tab.until(`/is undone again/.test(${text("#toast")}) && document.querySelector("#undo-run").disabled`);
    await tab.close();
});

test("without an undo there is nothing to redo, and the page says so", async () => {
    const run = await scene("nothing");
    await ask("POST", `/v1/documents/nothing-menu/undo`, { revision: 1 });
    const tab = await shown(`#@run:${run}`, { actor: "ada" });
    await tab.evaluate(`document.querySelector("#redo-run").click()`);
    await tab.until(`/There is nothing to redo/.test(${text("#toast")})`);
    await tab.close();
});

test("documents and places are kept by their checkboxes", async () => {
    const run = await scene("part");
    const tab = await shown(`#@run:${run}`, { actor: "ada" });
    await tab.evaluate(`${box("part-own")}.focus()`);
    await tab.press(" ");
    await tab.until(`${text("#undo-run")} === "Undo the rest …" && /Kept: 1 document/.test(${text(".choice")})`);
    await tab.evaluate(press(".choice", "Keep nothing"));
    await tab.until(`${text("#undo-run")} === "Undo run …" && !${box("part-own")}.checked`);
    await tab.evaluate(press(".choice", "Keep all"));
    await tab.until(`document.querySelector("#undo-run").disabled && ${text("#why")} === "All documents are kept."`);
    assert.equal(await tab.evaluate(`${place("part-menu", "/price")}.checked && ${place("part-menu", "/price")}.disabled`), true);
    assert.deepEqual(await axeFaults(tab), []);
    await tab.evaluate(`${box("part-menu")}.click()`);
    await tab.evaluate(`${place("part-menu", "/price")}.click()`);
    await tab.until(`/Kept: 1 document, 1 place/.test(${text(".choice")})`);
    await tab.evaluate(`document.querySelector("#undo-run").click()`);
    await tab.until(`/changes 1 document: part-menu.*Kept: .*part-menu › price/.test(${text("#dialog")})`);
    await tab.evaluate(`document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`/Undone in 1 document/.test(${text("#toast")})`);
    const now = await value("part-menu");
    assert.deepEqual([now.price, now.note], [6, "Ask for the pudding of the day. We bake every morning."]);
    assert.deepEqual(await value("part-own"), { m: 1 });
    // The document stays kept; its places were those of an older revision.
    await tab.until(`${box("part-own")}.checked && !${place("part-menu", "/price")}.checked`);
    await tab.close();
});

test("places that changed since they were chosen are not undone", async () => {
    const run = await scene("stale");
    const tab = await shown(`#@run:${run}`, { actor: "ada" });
    await tab.evaluate(`${place("stale-menu", "/price")}.click()`);
    await patch("stale-menu", { dish: "stew" }, "bob");
    await tab.evaluate(`document.querySelector("#undo-run").click()`);
    await tab.until(`/The document has changed since. Nothing was done/.test(${text("#problem")})`);
    assert.equal((await value("stale-menu")).price, 6);
    await tab.evaluate(`document.querySelector("#reload").click()`);
    await tab.until(`${text("#undo-run")} === "Undo run …"`);
    await tab.close();
});

test("a run in more than 100 documents is undone as a whole", async () => {
    for (let number = 1; number <= 103; number += 1) await put(`wide-${number}`, { n: 1 }, "agent/wide");
    const tab = await shown("#@run:agent/wide");
    await tab.until(`document.querySelectorAll("#reviewed > li").length === 100 && ${text("#undo-run")} === "Undo run …"`);
    assert.doesNotMatch(await tab.evaluate(text(".choice")), /Keep all/);
    await tab.evaluate(press(main, "More documents"));
    await tab.until(`document.querySelectorAll("#reviewed > li").length === 103 && /Keep all/.test(${text(".choice")})`);
    await tab.evaluate(`document.querySelector("#undo-run").click()`);
    await tab.until(`/changes 103 documents/.test(${text("#dialog")})`);
    await tab.press("Escape");
    await tab.close();
});

test("the list shows new runs, and the page of a run says when its documents change", async () => {
    const run = await scene("live");
    const list = await shown("#@runs");
    await list.until(`${text("#live")} === "live"`);
    await step("agent/live-2", "live-menu", { z: 1 });
    await list.until(`${rows}.startsWith("agent/live-2")`);
    await list.close();
    const page = await shown(`#@run:${run}`);
    await page.until(`${text("#live")} === "live"`);
    // A change that arrives while the page still opens is already in what it reads.
    let price = 6;
    await until(async () => {
        price += 1;
        await patch("live-menu", { price }, "bob");
        return page.evaluate(`/The documents of this run have changed/.test(${text(main)})`);
    }, "the note");
    await page.evaluate(press(main, "Show the changes"));
    await page.until(`/1 edit is replaced/.test(${card("live-menu")}) || !/price/.test(${card("live-menu")})`);
    await page.until(`!/have changed/.test(${text(main)})`);
    await page.close();
});

test("a version of a run links it, and an unknown run says so", async () => {
    const run = await scene("linked");
    const tab = await tabAt(`${daemon.origin}/ui/#linked-menu@version:2`);
    await tab.until(`document.querySelector("#meta a")`);
    await tab.evaluate(`document.querySelector("#meta a").click()`);
    await tab.until(`${text("#run")} === "${run}" && document.querySelector("#reviewed > li")`);
    await tab.evaluate(`location.hash = "#@run:agent/none"`);
    await tab.until(`/No such run/.test(${text(main)})`);
    await tab.evaluate(press(main, "All runs"));
    await tab.until(`location.hash === "#@runs" && document.querySelector("#runs > li")`);
    await tab.close();
});

test("a token without undo-others reviews a run, and undoes only its own", async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "versiond-runs-"));
    const file = path.join(directory, "tokens.json");
    const token = (name, allow) => Daemon.token(file, "--name", name, "--allow", allow);
    const [agent, bob] = [token("agent", "read,write"), token("bob", "read,write")];
    const guarded = await new Daemon({ VERSIOND_TOKENS: file }).start();
    await guarded.put("menu", { n: 1 }, { Authorization: `Bearer ${agent}`, "Versiond-Actor": "agent/1", ...json });
    const tab = await shown("#@runs", { origin: guarded.origin });
    await tab.until(`/Who are you/.test(${text(main)})`);
    assert.deepEqual(await axeFaults(tab), []);
    const look = async (secret, hash) => {
        await tab.evaluate(`sessionStorage.setItem("token", ${JSON.stringify(secret)}); location.hash = "${hash}"; window.isOld = true`);
        await tab.reload();
        await tab.until(`window.isOld !== true && document.querySelector("#reviewed > li, ${main} .empty")`);
    };
    await look(bob, "#@run:agent/1");
    assert.match(await tab.evaluate(text("#why")), /may not undo edits of others/);
    assert.equal(await tab.evaluate(`document.querySelector("#undo-run").disabled && !document.querySelector("#reviewed [type=checkbox]")`), true);
    assert.deepEqual(await axeFaults(tab), []);
    await look(agent, "#@run:agent/1");
    await tab.until(`!document.querySelector("#undo-run").disabled`);
    await tab.evaluate(`document.querySelector("#undo-run").click()`);
    await tab.until(`/menu is deleted, because the run created it/.test(${text("#dialog")})`);
    await tab.evaluate(`document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`/Undone in 1 document/.test(${text("#toast")})`);
    await tab.close();
    await guarded.stop();
    rmSync(directory, { recursive: true, force: true });
});

/** The first requests for runs are refused. */
const refusing = (status, code) => `{
    const ask = window.fetch;
    window.isReady = false;
    window.fetch = (address, options) => (isReady || !String(address).startsWith("/v1/runs") ? ask(address, options)
        : Promise.resolve(new Response(JSON.stringify({ code: "${code}", status: ${status}, detail: "The index is built." }),
            { status: ${status}, headers: ${status === 503 ? '{ "Retry-After": "2" }' : "{}"} })));
}`;

test("while the daemon builds its index the page says so, and reads again by itself", async () => {
    await scene("indexing");
    const tab = await tabAt("about:blank");
    await tab.beforePages(refusing(503, "indexing"));
    await tab.navigate(`${daemon.origin}/ui/#@runs`);
    await tab.until(`/not ready yet.*This page tries again in 2 seconds/.test(${text(main)})`);
    assert.deepEqual(await axeFaults(tab), []);
    await tab.evaluate("isReady = true");
    await tab.until(`document.querySelector("#runs > li")`);
    await tab.close();
});

test("a refused reader sees a sentence, and can try again", async () => {
    const run = await scene("refused");
    const tab = await tabAt("about:blank");
    await tab.beforePages(refusing(403, "forbidden"));
    await tab.navigate(`${daemon.origin}/ui/#@run:${run}`);
    await tab.until(`/No access to runs/.test(${text(main)})`);
    await tab.evaluate("isReady = true");
    await tab.evaluate(press(main, "Try again"));
    await tab.until(`document.querySelector("#reviewed > li")`);
    await tab.close();
});

const isOverflowing = `JSON.stringify([...document.querySelectorAll("body *")].filter((one) => one.checkVisibility()
    && !one.closest("svg, .vh, .wide, .skip, dialog:not([open])") && one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => one.id || one.className || one.tagName).slice(0, 5))`;
const small = (least) => `JSON.stringify([...document.querySelectorAll("${main} :is(button, a[href], label.tick)")]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < ${least})
    .map((one) => one.textContent.slice(0, 20)))`;

for (const scheme of ["light", "dark"]) {
    test(`everything has a name, contrast and room, from 320 to 1,600 pixels (${scheme})`, async () => {
        const run = await scene(`look-${scheme}-with-a-name-that-is-rather-long`);
        for (const hash of ["#@runs", `#@run:${run}`]) {
            const tab = await shown(hash, { scheme, size: sizes.wide });
            for (const width of [320, 640, 896, 1600]) {
                await resize(tab, [width, 800]);
                assert.deepEqual(JSON.parse(await tab.evaluate(isOverflowing)), [], `${hash} at ${width}`);
            }
            for (const [size, least] of [[sizes.wide, 24], [phone, 44]]) {
                await resize(tab, size);
                await tab.until("document.getAnimations().length === 0");
                assert.deepEqual(await tab.evaluate(`(${audit})()`), [], `${hash} ${size[0]}`);
                assert.deepEqual(await axeFaults(tab), [], `${hash} ${size[0]}`);
                assert.deepEqual(JSON.parse(await tab.evaluate(small(least))).filter((words) => least > 24
                    || !/edited this/.test(words)), [], `${hash} ${size[0]}`);
                assert.ok(await tab.evaluate(`[...document.querySelectorAll(".b.main")].filter((one) => one.checkVisibility()).length`) <= 1);
            }
            await tab.close();
        }
    });
}
