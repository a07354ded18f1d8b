// An application with users of its own, as Snippets/users/server.py is one, in a real browser.
// node --test Tests/Client/users.browser.mjs

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { Browser } from "./browser.mjs";
import { Daemon, binary } from "./daemon.mjs";
import { until } from "./waiting.mjs";

const directory = mkdtempSync(path.join(tmpdir(), "versiond-users-"));
const tokens = path.join(directory, "tokens.json");
const key = path.join(directory, "notes.key");
let [browser, daemon, server, port, root] = [];

const freePort = () => new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
        const { port: free } = probe.address();
        probe.close(() => resolve(free));
    });
});

before(async () => {
    writeFileSync(key, "0123456789abcdef0123456789abcdef\n", { mode: 0o600 });
    root = Daemon.token(tokens, "--name", "root", "--allow", "admin");
    execFileSync(binary, ["token", "issuer", "add", "--file", tokens, "--name", "notes",
        "--algorithm", "HS256", "--key", key, "--prefix", "notes/", "--max-age", "10m"]);
    port = await freePort();
    daemon = await new Daemon({ VERSIOND_ORIGINS: `http://127.0.0.1:${port}` }, ["--tokens", tokens]).start();
    // A token is over 27 s before it is made: with the 30 s by which clocks may differ it has 3 s.
    server = spawn("python3", [path.join(import.meta.dirname, "../../Snippets/users/server.py")], {
        env: { ...process.env, VERSIOND: daemon.origin, NOTES_KEY: key, PORT: String(port), LIFE: "-27" },
        stdio: ["ignore", "ignore", "inherit"],
    });
    await until(async () => (await fetch(`http://127.0.0.1:${port}/`).catch(() => null))?.status === 401,
        "the application");
    browser = new Browser();
});

after(async () => {
    await browser.close();
    server.kill();
    await daemon.stop();
    rmSync(directory, { recursive: true, force: true });
});

const open = async (user) => browser.tab(`http://127.0.0.1:${port}/login?user=${user}`, await browser.context());
const text = async (user) =>
    (await daemon.value(`notes%2F${user}%2Fnote`, { Authorization: `Bearer ${root}` })).text;
const asked = "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/token')).length";

test("a document that the token names by itself is edited and followed, too", async () => {
    const [ada, bob] = [await open("ada"), await open("bob")];
    const program = `(async () => {
        const { connect } = await import(${JSON.stringify(daemon.origin)} + "/client.js");
        const token = async () => (await fetch("/token", { method: "POST" })).text();
        window.all = connect(${JSON.stringify(daemon.origin)}, { token })
            .document("notes/all", { create: { list: [] } });
        await all.ready;
    })()`;
    for (const tab of [ada, bob]) {
        await tab.until("document.querySelector('textarea')?.disabled === false");
        await tab.evaluate(program);
    }
    await ada.evaluate("all.change(({ list }) => { list.push({ id: 1 }); })");
    await ada.until("all.isSaved");
    await bob.until("all.value.list.length === 1");
    assert.equal(await bob.evaluate("all.state"), "live");
    for (const tab of [ada, bob]) await tab.close();
});

test("a page goes on when its user's token is over, and loses no word", async () => {
    const ada = await open("ada");
    await ada.until("document.querySelector('textarea')?.disabled === false");
    await ada.focus("textarea");
    await ada.type("before ");
    await until(async () => await text("ada") === "before ", "what was typed first");
    // The stream ends with the token; the page asks the application for another one.
    const first = await ada.evaluate(asked);
    await ada.until(`${asked} > ${first}`);
    await ada.type("and after");
    await until(async () => await text("ada") === "before and after", "what was typed then");
    const feed = await fetch(`${daemon.origin}/v1/documents/notes%2Fada%2Fnote/feed?cursor=-1`,
        { headers: { Authorization: `Bearer ${root}` } });
    const { events } = await feed.json();
    assert.ok(events.length > 1 && events.every(({ change }) => change.actor === "ada"), "who it was is known");
    await ada.close();
});
