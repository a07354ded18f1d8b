// /ui/ in a real Chromium: node --test Tests/Client/look.browser.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { binary, Daemon } from "./daemon.mjs";
import { audit } from "./audit.mjs";
import { browser, daemon } from "./stage.mjs";
import { pause } from "./waiting.mjs";

const json = { "Content-Type": "application/json" };
const merge = { "Content-Type": "application/merge-patch+json" };

async function ask(method, path, body, fields = {}) {
    const response = await fetch(`${daemon.origin}${path}`, {
        method, headers: { ...(body === undefined ? {} : json), ...fields }, body: body === undefined ? undefined : JSON.stringify(body),
    });
    assert(response.ok, `${method} ${path}: ${response.status} ${await response.clone().text()}`);
    return response.status === 204 ? null : response.json();
}

const put = (name, value) => ask("PUT", `/v1/documents/${name}`, value);
const patch = (name, value, actor, label = "") =>
    ask("PATCH", `/v1/documents/${name}${label && `?label=${label}`}`, value, { ...merge, ...(actor && { "Versiond-Actor": actor }) });
const value = (name) => ask("GET", `/v1/documents/${name}`);

/** A document with a fork: four versions, one of them left aside. */
async function menu(name) {
    await put(name, { dish: "soup", price: 4, tags: ["hot", "new"] });
    await patch(name, { price: 5 }, "ada", "dearer");
    await patch(name, { dish: "carrot soup" }, "bob");
    await ask("POST", `/v1/documents/${name}/undo`, {});
    await patch(name, { price: 6 }, "ada");
}

const text = (selector) => `(document.querySelector(${JSON.stringify(selector)})?.textContent ?? "")`;
const versions = `[...document.querySelectorAll("#versions > li")].map((one) => Number(one.dataset.version)).join()`;

async function tabAt(url) {
    const tab = await browser.tab(url);
    await tab.send("Emulation.setDeviceMetricsOverride", { width: 1180, height: 720, deviceScaleFactor: 1, mobile: false });
    return tab;
}

async function opened(hash) {
    const tab = await tabAt(`${daemon.origin}/ui/${hash}`);
    await tab.until(`${text("#live")} === "live"`);
    if (hash) await tab.until(`document.querySelector("#versions > li") && document.querySelector("#value > *")`);
    return tab;
}

/** Fills in the dialog and sends it. */
async function answer(tab, fields = {}) {
    await tab.until(`document.querySelector("#dialog").open`);
    await tab.evaluate(`(() => {
        const fields = ${JSON.stringify(fields)};
        for (const [name, value] of Object.entries(fields)) document.querySelector("#dialog [name=" + name + "]").value = value;
        document.querySelector("#dialog [type=submit]").click();
    })()`);
    await tab.until(`!document.querySelector("#dialog").open`);
}

test("versions are lines with lanes, names, and what they are about", async () => {
    await menu("lines");
    await ask("PUT", "/v1/documents/lines/tags/draft", {});
    const tab = await opened("#lines");
    assert.equal(await tab.evaluate(versions), "4,2,1,0");
    const row = (version) => tab.evaluate(text(`[data-version="${version}"]`));
    assert.match(await row(4), /\/price.*now.*draft.*ada/);
    assert.match(await row(2), /\/dish.*left aside.*bob/);
    assert.match(await row(1), /dearer.*ada/);
    assert.equal(await tab.evaluate(`document.querySelectorAll("#versions svg circle").length`), 4);
    await tab.until(`/changed\\/price5 → 6/.test(${text("#changes")})`);
    await tab.click(`[data-version="2"] a`);
    await tab.until(`${text("#title")}.includes("Version 2")`);
    await tab.until(`${text("#changes")}.includes("carrot ")`);
    assert.equal(await tab.evaluate(`document.querySelector("#changes ins").textContent`), "carrot ");
    assert.equal(await tab.evaluate("location.hash"), "#lines@version%3A2");
});

test("undo, redo, going back and putting back, by mouse", async () => {
    await menu("acts");
    const tab = await opened("#acts");
    await tab.click("#undo");
    await tab.until(`document.querySelector('[data-version="1"]').className.includes("current")`);
    assert.equal((await value("acts")).price, 5);
    await tab.click("#redo");
    await tab.until(`document.querySelector('[data-version="4"]').className.includes("current")`);
    await tab.click(`[data-version="2"] a`);
    await tab.until(`!document.querySelector("#goto").hidden && ${text("#title")}.includes("Version 2")`);
    await tab.click("#goto");
    await answer(tab);
    await tab.until(`document.querySelector('[data-version="2"]').className.includes("current")`);
    assert.equal((await value("acts")).dish, "carrot soup");
    await tab.evaluate(`location.hash = "#acts@version:4"`);
    await tab.until(`document.querySelector('.part[aria-label="Restore /price"]')`);
    await tab.evaluate(`document.querySelector('.part[aria-label="Restore /price"]').click()`);
    await tab.until(`${text("#dialog")}.includes("/price")`);
    await answer(tab);
    assert.deepEqual(await value("acts"), { dish: "carrot soup", price: 6, tags: ["hot", "new"] });
});

test("undo, redo and walking through the versions, by keyboard", async () => {
    await menu("keys");
    const tab = await opened("#keys");
    await tab.press("u");
    await tab.until(`document.querySelector('[data-version="1"]').className.includes("current")`);
    await tab.press("r");
    await tab.until(`document.querySelector('[data-version="4"]').className.includes("current")`);
    await tab.press("j");
    await tab.until(`location.hash === "#keys@version%3A2" && ${text("#title")}.includes("Version 2")`);
    await tab.press("k");
    await tab.until(`location.hash === "#keys@version%3A4" && ${text("#title")}.includes("Version 4")`);
    await tab.press("c");
    await tab.until(`${text("#title")} === "From version:1 to version:4"`);
    await tab.press("?");
    await tab.until(`document.querySelector("#dialog").open && ${text("#dialog")}.includes("redo")`);
    await tab.press("Escape");
    await tab.until(`!document.querySelector("#dialog").open`);
    await tab.press("/");
    await tab.until(`document.activeElement.id === "filter"`);
    await tab.type("actor:bob");
    await tab.press("Enter");
    await tab.until(`${versions} === "2"`);
    assert.equal(await tab.evaluate(text("#problem")), "");
});

test("documents are made, edited, tagged, copied and deleted; refusals stand in place", async () => {
    const tab = await opened("");
    await tab.click("#create");
    await answer(tab, { name: "made", value: `{"n": 12345678901234567890, "b": 1}` });
    await tab.until(`${text("#name")} === "made" && ${text("#value")}.includes("12345678901234567890")`);
    await tab.click("#edit");
    await tab.until(`document.querySelector("#dialog").open`);
    await tab.evaluate(`document.querySelector("#dialog textarea").value = "{"; document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`${text("#dialog .problem")}.length > 5`);
    await patch("made", { b: 2 }, "bob");
    await answer(tab, { value: `{"n": 12345678901234567890, "b": 1, "c": 3}`, label: "with c" });
    const stored = await (await fetch(`${daemon.origin}/v1/documents/made`)).text();
    assert.equal(stored, `{"n":12345678901234567890,"b":2,"c":3}\n`, "what bob did meanwhile stays");
    await tab.until(`${text("#versions")}.includes("with c")`);
    await tab.click("#tag");
    await answer(tab, { tag: "first" });
    await tab.until(`${text("#versions")}.includes("first")`);
    await tab.click("#snapshot");
    await answer(tab, { key: "copy" });
    await tab.until(`${text("#versions")}.includes("snapshot copy")`);
    await ask("POST", "/v1/documents/made/scopes/push", {});
    await patch("made", { d: 4 });
    await tab.until(`${text("#scopes")}.includes("scope 1")`);
    await tab.evaluate(`[...document.querySelectorAll("#scopes button")].find((one) => one.textContent === "Discard it").click()`);
    await answer(tab);
    await tab.until(`${text("#scopes")} === ""`);
    assert.equal((await value("made")).d, undefined);
    await tab.click("#remove");
    await answer(tab);
    await tab.until(`!document.querySelector('#documents [data-name="made"]') && ${text("#scopes")} === "Bring it back"`);
    await tab.click("#scopes button");
    await tab.until(`document.querySelector('#documents [data-name="made"]') && ${text("#value")}.includes("c: 3")`);
});

test("a document is copied with its history up to what is shown, and renamed", async () => {
    await menu("old");
    const tab = await opened("#old@version:1");
    await tab.click("#copy");
    await answer(tab, { name: "twin" });
    await tab.until(`${text("#name")} === "twin" && ${versions} === "1,0" && ${text("#value")}.includes("price: 5")`);
    assert.equal((await value("old")).price, 6);
    await tab.click("#rename");
    await tab.until(`document.querySelector("#dialog").open`);
    await tab.evaluate(`document.querySelector("#dialog input").value = "old"; document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`${text("#dialog .problem")}.includes("of this name")`);
    await answer(tab, { name: "twins" });
    await tab.until(`${text("#name")} === "twins" && ${versions} === "1,0"`);
    await tab.until(`!document.querySelector('#documents [data-name="twin"]')`);
});

test("of many forks, the last lane stands for those beyond", async () => {
    await put("forks", 0);
    for (let fork = 1; fork <= 30; fork += 1) {
        await put("forks", fork);
        await ask("POST", "/v1/documents/forks/undo", {});
    }
    const tab = await opened("#forks");
    const [width, lines] = JSON.parse(await tab.evaluate(`JSON.stringify(["width", "childElementCount"].map((name) =>
        Math.max(...[...document.querySelectorAll("#versions svg")].map((one) => (name === "width" ? one.width.baseVal.value : one[name])))))`));
    assert(width <= 9 * 12 && lines <= 30, `${width} wide, ${lines} lines`);
});

test("a value is a tree that is searched, and says who wrote what", async () => {
    await put("tree", { lines: Array.from({ length: 450 }, (_, n) => ({ n })), deep: { er: { est: "needle" } } });
    await patch("tree", { deep: { er: { est: "a needle" } } }, "eve", "sharper");
    const tab = await opened("#tree");
    await tab.focus("#search");
    await tab.type("needle");
    await tab.until(`${text("#found")}.includes("/deep/er/est")`);
    await tab.evaluate(`document.querySelector("#found button").click()`);
    await tab.until(`document.activeElement.dataset.path === "/deep/er/est"`);
    await tab.click("#blame");
    await tab.until(`${text(`[data-path="/deep/er/est"]`)}.includes("eve")`);
    // Opened again if what came of the blame has drawn it anew just then.
    await tab.until(`(document.querySelector('[data-path="/lines"]').open = true) && document.querySelectorAll('[data-path^="/lines/"]').length >= 200 && ${text("#value")}.includes("250 more")`);
});

test("what is found far down is shown, and focus in the value stays while others edit", async () => {
    await put("long", { lines: Array.from({ length: 450 }, (_, n) => ({ n: `line ${n}` })) });
    const tab = await opened("#long");
    await tab.focus("#search");
    await tab.type("line 449");
    await tab.until(`${text("#found")}.includes("/lines/449/n")`);
    await tab.evaluate(`document.querySelector("#found button").click()`);
    await tab.until(`document.activeElement.dataset.path === "/lines/449/n"`);
    await ask("PATCH", "/v1/documents/long", { lines: [] }, merge);
    await tab.until(`!document.querySelector('[data-path="/lines/449/n"]')`);
    await ask("POST", "/v1/documents/long/undo", {});
    await tab.evaluate(`document.querySelector('[data-path="/lines"] > summary').focus()`);
    await patch("long", { other: 1 });
    await tab.until(`document.querySelector('[data-path="/other"]')`);
    assert.equal(await tab.evaluate(`document.activeElement.closest("[data-path]").dataset.path`), "/lines");
});

test("a tag says what changed there, and keys can be switched off", async () => {
    await menu("tagged");
    await ask("PUT", "/v1/documents/tagged/tags/v1", { at: "version:1" });
    const tab = await opened("#tagged@tag:v1");
    await tab.until(`${text("#changes")}.includes("/price")`);
    await tab.press("?");
    await tab.until(`document.querySelector("#dialog").open`);
    await tab.evaluate(`document.querySelector("#dialog [type=checkbox]").click(); document.querySelector("#dialog button").click()`);
    await tab.press("u");
    await tab.press("?");
    await tab.until(`document.querySelector("#dialog").open`);
    assert.deepEqual((await value("tagged")).price, 6, "u did nothing");
    await tab.evaluate(`document.querySelector("#dialog [type=checkbox]").click(); document.querySelector("#dialog button").click()`);
});

test("of thousands of documents the first are listed, and a prefix finds the others", async () => {
    const others = await new Daemon().start();
    try {
        const names = Array.from({ length: 2100 }, (_, n) => `many-${n}`);
        await Promise.all(names.map((name) => fetch(`${others.origin}/v1/documents/${name}`, { method: "PUT", headers: json, body: "1" })));
        const tab = await tabAt(`${others.origin}/ui/`);
        await tab.until(`document.querySelectorAll("#documents > li").length === 2000 && !document.querySelector("#more").hidden`);
        await tab.focus("#prefix");
        await tab.type("many-999");
        await tab.until(`document.querySelectorAll("#documents > li").length === 1 && document.querySelector("#more").hidden`);
    } finally {
        await others.stop();
    }
});

test("what others do comes at once, and leaves scroll, focus and what was loaded", async () => {
    await put("busy", { n: 0 });
    for (let number = 1; number <= 230; number += 1) await patch("busy", { n: number });
    const [tab, other] = [await opened("#busy"), await opened("#busy")];
    await tab.send("Page.bringToFront");
    await tab.evaluate(`document.querySelector("#older").click()`);
    await tab.until(`document.querySelectorAll("#versions > li").length === 200`);
    await tab.evaluate(`document.querySelector('[data-version="60"] a').focus(); document.querySelector("#history").scrollTop = 3000`);
    const top = await tab.evaluate(`document.querySelector("#history").scrollTop`);
    assert(top > 500);
    await patch("busy", { n: -1 });
    for (const one of [other, tab]) {
        await one.send("Page.bringToFront");
        await one.until(`document.querySelector('[data-version="231"]')`);
    }
    assert.equal(await tab.evaluate(`document.activeElement.closest("li").dataset.version`), "60");
    assert.equal(await tab.evaluate(`document.querySelectorAll("#versions > li").length`), 201);
    const moved = await tab.evaluate(`document.querySelector("#history").scrollTop`);
    assert(Math.abs(moved - top) < 80, `${moved} and ${top}`);
});

test("four tabs live, and nobody waits for a connection", async () => {
    await put("many", { n: 0 });
    const tabs = [];
    for (let number = 0; number < 4; number += 1) tabs.push(await opened("#many"));
    await patch("many", { n: 1 });
    for (const tab of tabs) {
        await tab.send("Page.bringToFront");
        await tab.until(`document.querySelector('[data-version="1"]') && ${text("#live")} === "live"`);
    }
    // The daemon notices at the next heartbeat that a stream is gone.
    const end = Date.now() + 45_000;
    while (await daemon.streams() > 1 && Date.now() < end) await pause(100);
    assert(await daemon.streams() <= 1);
});

test("offline and back: nothing is missed", async () => {
    await put("away", { n: 0 });
    const tab = await opened("#away");
    await tab.offline(true);
    await daemon.kill();
    await tab.until(`${text("#live")} === "not connected"`);
    await daemon.start();
    await patch("away", { n: 1 });
    await tab.offline(false);
    await tab.until(`document.querySelector('[data-version="1"]') && ${text("#live")} === "live"`);
});

test("through time, by a slider that plays", async () => {
    await menu("time");
    const tab = await opened("#time");
    assert.equal(await tab.evaluate(`document.querySelector("#time").max`), "2");
    await tab.click("#play");
    await tab.until(`${text("#title")}.includes("Version 0")`);
    await tab.until(`${text("#title")}.includes("Version 4") && ${text("#play")} === "Play"`);
});

test("quick edits unfold", async () => {
    await put("quick", { n: 0 });
    for (const n of [1, 2, 3]) {
        await ask("PATCH", "/v1/documents/quick?debounce=10s", { n }, { ...merge, "Versiond-Actor": "ada" });
    }
    const tab = await opened("#quick");
    await tab.evaluate(`document.querySelector(".unfold").click()`);
    await tab.until(`document.querySelectorAll('[data-version="1"] ol li').length === 3`);
    await tab.click(`[data-version="1"] ol li:last-child a`);
    await tab.until(`${text("#title")} === "At 1" && ${text("#changes")}.includes("0 → 1")`);
});

test("nothing is wider than a small phone, and all of it can be reached", async () => {
    await menu("phone");
    const tab = await opened("#phone");
    await tab.send("Emulation.setDeviceMetricsOverride", { width: 360, height: 700, deviceScaleFactor: 2, mobile: true });
    await tab.until(`innerWidth === 360`);
    assert.equal(await tab.evaluate(`document.scrollingElement.scrollWidth <= 360 && document.querySelector("main").scrollWidth <= 360`), true);
    assert.equal(await tab.evaluate(`document.querySelector("nav").getBoundingClientRect().width`), 0);
    await tab.evaluate(`document.querySelector(".back").click()`);
    await tab.until(`document.querySelector("nav").getBoundingClientRect().width > 300`);
    assert.equal(await tab.evaluate(`document.scrollingElement.scrollWidth <= 360`), true);
});

/** What axe-core finds; `Scripts/test-client` says in AXE where that is. Without it, nothing. */
async function axeFaults(tab) {
    if (!process.env.AXE) return [];
    await tab.evaluate(`${readFileSync(process.env.AXE)}; 0`);
    const found = await tab.evaluate(`axe.run().then(({ violations }) => JSON.stringify(violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => id + ": " + target + " " + failureSummary))))`);
    return JSON.parse(found);
}

for (const scheme of ["light", "dark"]) {
    test(`everything has a name, a role and contrast (${scheme})`, async () => {
        const name = scheme === "light" ? "menu" : "dinner";
        await menu(name);
        await ask("PUT", `/v1/documents/${name}/tags/draft`, {});
        await patch(name, { dish: "pumpkin soup", allergens: ["celery"] }, "eve", "autumn");
        const tab = await opened(`#${name}@version:6`);
        await tab.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
        await tab.until(`document.querySelector(".part")`);
        await tab.evaluate(`document.querySelector("#blame").click()`);
        await tab.until(`document.querySelector(".chip.author")`);
        assert.deepEqual(await tab.evaluate(`(${audit})()`), []);
        assert.deepEqual(await axeFaults(tab), []);
        await tab.click("#tag");
        await tab.until(`document.querySelector("#dialog").open`);
        assert.deepEqual(await axeFaults(tab), [], "with a dialog");
        await tab.evaluate(`document.querySelector("#dialog").close()`);
        if (process.env.SCREENSHOTS) {
            mkdirSync(process.env.SCREENSHOTS, { recursive: true });
            writeFileSync(`${process.env.SCREENSHOTS}/look-${scheme}.png`, await tab.screenshot());
        }
    });
}

test("with tokens: the page asks who one is, and offers what one may", async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), "versiond-tokens-")), "tokens.json");
    const token = (name, allow) =>
        execFileSync(binary, ["token", "create", "--file", file, "--name", name, "--allow", allow]).toString().match(/vd_\S+/)[0];
    const [reader, writer] = [token("rita", "read"), token("wim", "read,write")];
    const guarded = await new Daemon({ VERSIOND_TOKENS: file }).start();
    const sent = await fetch(`${guarded.origin}/v1/documents/kept`, { method: "PUT", body: "{\"n\":1}", headers: { ...json, Authorization: `Bearer ${writer}` } });
    assert.equal(sent.status, 201);
    const tab = await tabAt(`${guarded.origin}/ui/#kept`);
    await tab.until(`${text("#problem")}.includes("token") && document.activeElement.id === "who"`);
    for (const [secret, name, canWrite] of [[reader, "rita", false], [writer, "wim", true]]) {
        await tab.click("#who");
        await answer(tab, { token: secret });
        await tab.until(`${text("#who")} === "${name}" && ${text("#value")}.includes("n: 1") && ${text("#live")} === "live"`);
        await tab.until(`document.querySelector("#edit").disabled === ${!canWrite}`);
        assert.equal(await tab.evaluate(`document.querySelector("#remove").disabled`), true);
    }
    await tab.click("#who");
    await tab.until(`document.querySelector("#dialog").open`);
    await tab.evaluate(`document.querySelector("#dialog [name=token]").value = "vd_wrong"; document.querySelector("#dialog [type=submit]").click()`);
    await tab.until(`${text("#dialog .problem")}.includes("not known")`);
    await tab.close();
    await guarded.stop();
});
