// Pictures of the web UI in every state, from the real daemon: Scripts/pictures [NAME …]
// The history in them was made at its times: the daemon ran with another clock.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Browser } from "./browser.mjs";
import { binary, Daemon } from "./daemon.mjs";
import { Line } from "./line.mjs";
import { pause } from "./waiting.mjs";

const folder = new URL("../../Documentation/pictures/", import.meta.url);
mkdirSync(folder, { recursive: true });
const wanted = process.argv.slice(2);
const clock = ["/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1"].find(existsSync);

const daemon = new Daemon();
const ago = (days, hours = 0) => new Date(Date.now() - (days * 24 + hours) * 3_600_000);

/** Lets the daemon run at another time while `work` is done. */
async function at(time, work) {
    const text = time.toISOString().slice(0, 19).replace("T", " ");
    // With the library before it the program does not see its arguments.
    daemon.environment = { LD_PRELOAD: clock, FAKETIME: `@${text}`, FAKETIME_DONT_FAKE_MONOTONIC: "1", TZ: "UTC",
        VERSIOND_PORT: String(daemon.port), VERSIOND_DIRECTORY: daemon.directory };
    await daemon.start();
    await work();
    await daemon.kill("SIGTERM");
}

async function ask(method, name, rest, body, actor, type = "application/json") {
    const target = `${daemon.origin}/v1/documents/${encodeURIComponent(name)}${rest}`;
    const response = await fetch(target, {
        method, headers: { "Content-Type": type, ...(actor && { "Versiond-Actor": encodeURIComponent(actor) }) },
        body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${await response.text()}`);
}

const menu = "menus/summer-menu";
const edit = (name, actor, operations, query = "") => ask("PATCH", name, query, operations, actor, "application/json-patch+json");
const set = (name, actor, place, value, query) => edit(name, actor, [{ op: "replace", path: place, value }], query);
const dish = (id, name, price, description) => ({ id, name, price, ...(description && { description }) });

async function makePast() {
    await at(ago(170), async () => {
        await ask("PUT", menu, "", { title: "Spring menu", note: "Ask for the pudding of the day. We bake our bread every morning, also on Sundays. Please tell us what you cannot eat.",
            open: false, address: { street: "Mill Lane 4", city: "Ulm" },
            dishes: [dish("d1", "Tomato soup", 4.5, "Cold, with toasted bread"), dish("d2", "Green salad", 8, "Leaves of the garden"),
                dish("d3", "Lentil stew", 9), dish("d4", "Ravioli verdi", 13, "Filled with ricotta"), dish("d5", "Trout", 18, "From the river, with almonds")] }, "Bob");
        await ask("PUT", "settings/till", "", { tips: false, VATRate: 7 }, "Ada");
        await ask("PUT", "rota/november", "", { saturday: ["Eve", "Jürgen"], sunday: ["Dan"] }, "Eve");
    });
    const people = ["Ada", "Bob", "Cyd", "Jürgen", "Zoë"];
    for (const [index, day] of [160, 151, 150, 149, 120, 118, 96, 95, 60, 58, 30, 29, 22].entries()) {
        await at(ago(day, index % 5), async () => {
            for (let number = 0; number <= (index * 7) % 5; number += 1) {
                await set(menu, people[(index + number) % 5], `/dishes/${(index + number) % 5}/price`, 5 + ((index * 3 + number) % 14));
            }
        });
        if (day === 151) await at(ago(day - 0.1), () => ask("PUT", menu, "/tags/opening", {}, "Bob"));
        if (day === 60) await at(ago(59.5), () => ask("PUT", menu, "/snapshots/before-autumn", {}, "Cyd"));
    }
    await at(ago(5), async () => {
        await set(menu, "Cyd", "/dishes/3/name", "Ravioli");
        await set(menu, "Bob", "/title", "Summer menu");
        await set("rota/november", "Jürgen", "/sunday/0", "Zoë");
    });
    await at(ago(1, 4), async () => {
        await edit(menu, "Zoë", [{ op: "add", path: "/dishes/-", value: dish("d6", "Plum cake", 5, "With cream") }, { op: "add", path: "/dishes/-", value: dish("d7", "Apple tart", 5.5) }]);
        for (let number = 0; number < 9; number += 1) await set(menu, "price-bot", `/dishes/${number % 5}/price`, 6 + number);
        await edit(menu, "Jürgen", [{ op: "str_ins", path: "/note", pos: 0, str: "Welcome. " }]);
        await set(menu, "Cyd", "/open", true, "?label=Ready%20to%20print");
        await ask("PUT", menu, "/tags/printed", {}, "Cyd");
        await ask("PUT", menu, "/snapshots/before-summer", {}, "Cyd");
    });
    await at(ago(0, 3), async () => {
        await ask("PUT", "notes/kitchen-meeting", "", { text: "Please order more flour before the weekend: the bakery is closed on Monday and Tuesday.",
            items: [{ id: "a", text: "Flour, 25 kg", done: true }, { id: "b", text: "Basil, three bunches", done: false }, { id: "c", text: "Tomatoes from Ulm", done: false }] }, "Cyd");
        await edit(menu, "Bob", [{ op: "remove", path: "/dishes/2" }]);
        await set(menu, "Bob", "/dishes/1/price", 11);
        await ask("POST", menu, "/undo", {}, "Bob");
        await edit(menu, "Bob", [{ op: "move", from: "/dishes/3", path: "/dishes/2" }]);
        await edit(menu, "Zoë", [{ op: "add", path: "/dishes/-", value: dish("d8", "Gazpacho", 7) }]);
    });
    daemon.environment = {};
    await daemon.start();
    await ask("POST", menu, "/scopes/push", {}, "Zoë");
    await edit(menu, "Zoë", [...[0, 1, 2].map((index) => ({ op: "replace", path: `/dishes/${index}/price`, value: 6 + 2.5 * index })),
        { op: "replace", path: "/note", value: "Welcome. Ask for the dessert of the day. We bake our bread every morning. Our tomatoes come from Ulm. Please tell us what you cannot eat." }]);
    await edit(menu, "Ada", [{ op: "str_ins", path: "/dishes/0/description", pos: 6, str: "with basil oil and " }]);
    await set(menu, "Bob", "/dishes/0/price", 6.5);
    await ask("PATCH", "notes/kitchen-meeting", "", [{ op: "replace", path: "/items/1/done", value: true }], "Ada", "application/json-patch+json");
}

/** A run that changes two documents and creates one, and a later edit of one place. */
async function makeRuns() {
    const by = "agent/run-17";
    await edit(menu, by, [{ op: "replace", path: "/dishes/1/price", value: 9.5 }, { op: "replace", path: "/dishes/3/price", value: 14.5 }], "?label=Winter%20prices");
    await edit(menu, by, [{ op: "add", path: "/dishes/0", value: dish("d9", "Pumpkin risotto", 12) }]);
    await ask("PUT", "menus/allergens", "", { gluten: ["Tomato soup"] }, by);
    await set("settings/till", by, "/VATRate", 19);
    await set(menu, "Bob", "/dishes/0/price", 13);
    await set("rota/november", "import/2026-11", "/saturday/0", "Cyd");
    await fetch(`${daemon.origin}/v1/undo`, { method: "POST", headers: { "Content-Type": "application/json" }, body: `{"all":{"actor":"import/2026-11"}}` });
}

const browser = new Browser();

/** One picture: `work` brings the page into its state. */
async function picture(name, hash, { size = [1280, 800], scheme = "light", actor = "Ada", origin = daemon.origin, page = "/ui/", ready, work } = {}) {
    if (wanted.length > 0 && !wanted.includes(name)) return;
    const tab = await browser.tab("about:blank");
    await tab.resize(size);
    await tab.speak("en-GB");
    await tab.prefer({ scheme, still: false });
    await tab.beforePages(`if (location.protocol === "http:") { sessionStorage.setItem("actor", ${JSON.stringify(actor)}); sessionStorage.setItem("together-actor", ${JSON.stringify(actor)}); }`);
    await tab.navigate(`${origin}${page}${hash}`);
    await tab.until(ready ?? (hash.includes("..") ? `document.querySelector("#diff > *")` : hash ? `document.querySelector(".v") && document.querySelector("#page > *")` : `document.querySelector("#documents .say b")`));
    await pause(700);
    if (work) await work(tab);
    await pause(500);
    writeFileSync(new URL(`${name}.webp`, folder), await tab.screenshot("webp"));
    console.log(name);
    await tab.close();
}

const click = (selector) => (tab) => tab.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
const newest = async () => (await (await fetch(`${daemon.origin}/v1/documents/${encodeURIComponent(menu)}/versions?limit=9`)).json()).versions;

await makePast();
const at_ = `#${menu}`;
const zoe = `${at_}@version:${(await newest()).find(({ actors }) => actors?.includes("Zoë")).version}`;
const phone = [375, 760];

await picture("documents-light", "");
await picture("documents-dark", "", { scheme: "dark" });
await picture("history-light", at_);
await picture("version-dark", zoe, { scheme: "dark", work: click("#blame") });
await picture("version-json", zoe, { work: click("#as [value=json]") });
await picture("compare-light", `${at_}@tag:opening..head`);
await picture("compare-inline-dark", `${at_}@tag:opening..head`, { scheme: "dark", work: click("#how [value=inline]") });
await picture("together-light", "#notes/kitchen-meeting", { page: "/ui/together", ready: `!document.querySelector("#text").disabled && document.querySelector("#now li")` });
await picture("phone-documents", "", { size: phone });
await picture("phone-history", at_, { size: phone });
await picture("phone-version", zoe, { size: phone });
await picture("phone-compare", `${at_}@tag:opening..head`, { size: phone });
const small = [900, 640];
await picture("dialog-undo", at_, { size: small, work: (tab) => tab.press("m") });
await picture("dialog-undo-all", at_, { size: small, work: (tab) => tab.press("u") });
await picture("dialog-restore", zoe, { size: small, work: click("#restore") });
await picture("dialog-tag", zoe, { size: small, work: (tab) => tab.press("t") });
await picture("dialog-keys", at_, { size: small, work: (tab) => tab.press("?") });
await picture("palette", at_, { size: small, work: async (tab) => {
    await tab.pressControl("k");
    await pause(200);
    await tab.type("price");
    await pause(500);
} });
await picture("toast", at_, { size: small, work: async (tab) => {
    await tab.press("m");
    await tab.until(`document.querySelector("#dialog").open`);
    await click("#dialog [type=submit]")(tab);
    await tab.until(`!document.querySelector("#toast").hidden`);
    await ask("POST", menu, "/redo", { actor: "Ada" }, "Ada");
} });
await picture("conflict", at_, { size: small, work: async (tab) => {
    await tab.press("e");
    await tab.until(`document.querySelector("#dialog textarea")`);
    await set(menu, "Bob", "/open", "soon");
    await tab.evaluate(`(() => { const text = document.querySelector("#dialog textarea"); text.value = text.value.replace('"open": true', '"open": false'); document.querySelector("#dialog [type=submit]").click(); })()`);
    await tab.until(`document.querySelector("#dialog .note")`);
    await set(menu, "Bob", "/open", true);
} });
await picture("no-result", at_, { size: small, work: async (tab) => {
    await tab.focus("#filter");
    await tab.type("actor:Eve wine");
    await tab.press("Enter");
    await tab.until(`document.querySelector("#nothing .empty")`);
} });
await makeRuns();
const reviewed = `document.querySelector("#reviewed .effects")`;
await picture("runs", "#@runs", { size: small, ready: `document.querySelector("#runs > li")` });
await picture("run-light", "#@run:agent/run-17", { ready: reviewed });
await picture("phone-run", "#@run:agent/run-17", { size: phone, ready: reviewed });
const line = await new Line(daemon.origin).start();
await picture("loading", "", { size: small, origin: line.origin, work: async (tab) => {
    line.delay = 4_000;
    await tab.evaluate(`location.hash = ${JSON.stringify(at_)}`);
    await tab.until(`document.querySelector("#versions .sk")`);
} });
line.stop();
await picture("offline", at_, { size: small, work: async (tab) => {
    await tab.offline(true);
    await daemon.kill("SIGTERM");
    await tab.until(`!document.querySelector("#away").hidden`);
    await daemon.start();
} });
await picture("deleted", at_, { size: small, work: async (tab) => {
    await ask("DELETE", "rota/november", "");
    await tab.evaluate(`location.hash = "#rota/november"`);
    await tab.until(`document.querySelector("#gone .empty")`);
} });
const empty = await new Daemon().start();
await picture("nothing-yet", "", { size: small, origin: empty.origin, ready: `document.querySelector("#none .empty")` });
await empty.stop();
const tokens = path.join(mkdtempSync(path.join(tmpdir(), "versiond-tokens-")), "tokens.json");
const kiosk = execFileSync(binary, ["token", "create", "--file", tokens, "--name", "kiosk", "--allow", "read"]).toString().match(/vd_\S+/)[0];
const owner = execFileSync(binary, ["token", "create", "--file", tokens, "--name", "owner", "--allow", "read,write"]).toString().match(/vd_\S+/)[0];
const guarded = await new Daemon({ VERSIOND_TOKENS: tokens }).start();
await fetch(`${guarded.origin}/v1/documents/menu`, { method: "PUT", body: `{"title":"Summer menu","open":true}`, headers: { "Content-Type": "application/json", Authorization: `Bearer ${owner}` } });
await picture("no-access", "#menu", { size: small, origin: guarded.origin, actor: "", ready: `document.querySelector("#gone .empty")` });
await picture("read-only", "", { size: small, origin: guarded.origin, actor: "", ready: `document.querySelector("#none .empty")`, work: async (tab) => {
    await tab.evaluate(`sessionStorage.setItem("token", ${JSON.stringify(kiosk)}); location.hash = "#menu"`);
    await tab.reload();
    await tab.until(`document.querySelector("#notes .note") && document.querySelector("#page > *")`);
} });
await guarded.stop();
await browser.close();
await daemon.stop();
