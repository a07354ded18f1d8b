// Documents that are renamed while they are open: clients of the library against the real daemon.
// node --test Tests/Client/renaming.test.mjs

import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { Daemon } from "./daemon.mjs";
import { connect, hereAndNow, MemoryStore } from "./source.mjs";
import { until } from "./waiting.mjs";

let daemon;
before(async () => { daemon = await new Daemon().start(); });
after(() => daemon.stop());

async function renamed(name, next) {
    const answer = await fetch(`${daemon.origin}/v1/documents/${name}/rename`, {
        method: "POST", body: JSON.stringify({ name: next }), headers: { "Content-Type": "application/json" },
    });
    assert.equal(answer.status, 201, await answer.clone().text());
}

/** A line that lets requests through, unless `isStopped(url)`; `cut()` ends the streams. */
function line() {
    let cutting = new AbortController();
    const one = (url, { signal, ...options }) => {
        if (one.isStopped(url)) return Promise.reject(new TypeError("away"));
        const ended = isStream(url) ? AbortSignal.any([signal, cutting.signal]) : signal;
        return fetch(url, { ...options, signal: ended });
    };
    one.isStopped = () => false;
    one.cut = () => {
        cutting.abort();
        cutting = new AbortController();
    };
    return one;
}

const isStream = (url) => url.includes("/v1/feed?");

async function opened(name, actor, options = {}) {
    const connection = connect(daemon.origin, { actor, store: null, ...options });
    const document = connection.document(name, { create: { text: "", n: 0 } });
    const heard = [];
    for (const type of ["dropped", "error", "state"]) {
        document.addEventListener(type, ({ detail }) => heard.push({ type, name: document.name, detail }));
    }
    await document.ready;
    await until(() => document.state === "live", "the stream");
    return { connection, document, heard };
}

const isRefusal = ({ type }) => type === "dropped" || type === "error";

test("an open document that is renamed goes on under its new name, and says so", async () => {
    const [ada, bob] = [await opened("first", "ada"), await opened("first", "bob")];
    ada.document.change((draft) => { draft.n = 1; });
    await ada.document.saved();
    const from = ada.heard.length;
    await renamed("first", "second");
    await until(() => ada.document.name === "second" && bob.document.name === "second", "the new name");
    assert.ok(ada.heard.some(({ type, name }) => type === "state" && name === "second"));
    bob.document.change((draft) => { draft.text = "from bob"; });
    await until(() => ada.document.value.text === "from bob", "bob's edit");
    await ada.document.undo();
    await until(() => bob.document.value.n === 0, "ada's undo");
    for (const { document } of [ada, bob]) await until(() => document.state === "live", "live");
    assert.deepEqual(await daemon.value("second"), { text: "from bob", n: 0 });
    const states = ada.heard.slice(from).filter(({ type }) => type === "state").map(({ detail }) => detail.state);
    assert.ok(states.every((state) => state === "live" || state === "saving"), `${states}`);
    assert.deepEqual([...ada.heard, ...bob.heard].filter(isRefusal), []);
    for (const { connection } of [ada, bob]) await connection.close();
});

test("what was typed away from the daemon goes to the new name, also of a document renamed twice", async () => {
    const store = new MemoryStore();
    const way = line();
    const ada = await opened("away", "ada", { fetch: way, store });
    way.isStopped = () => true;
    way.cut();
    ada.document.change((draft) => { draft.text = "typed away"; });
    await renamed("away", "away-2");
    await renamed("away-2", "away-3");
    assert.equal((await daemon.put("away", { n: "another" }, { "If-None-Match": "*" })).status, 201);
    way.isStopped = () => false;
    ada.connection.retry();
    await ada.document.saved();
    assert.equal(ada.document.name, "away-3");
    assert.deepEqual(await daemon.value("away-3"), { text: "typed away", n: 0 });
    assert.deepEqual(await daemon.value("away"), { n: "another" });
    assert.deepEqual(ada.heard.filter(isRefusal), []);
    await until(() => store.records.size === 0, "no record is left");
    await ada.connection.close();
});

test("an edit that the daemon refuses because the document was renamed is sent to the new name", async () => {
    const way = line();
    const ada = await opened("edited", "ada", { fetch: way });
    way.isStopped = isStream;
    way.cut();
    await until(() => ada.document.state === "offline", "the end of the stream");
    await renamed("edited", "edited-2");
    ada.document.change((draft) => { draft.n = 1; });
    await ada.document.saved();
    assert.equal(ada.document.name, "edited-2");
    assert.deepEqual(await daemon.value("edited-2"), { text: "", n: 1 });
    assert.deepEqual(ada.heard.filter(isRefusal), []);
    way.isStopped = () => false;
    ada.connection.retry();
    await until(() => ada.document.state === "live", "the stream");
    await ada.connection.close();
});

test("what a page that is gone left is sent to the new name by the page that goes on", async () => {
    const store = new MemoryStore();
    let shift = 0;
    const platform = { ...hereAndNow, now: () => Date.now() + shift };
    const way = line();
    const gone = await opened("left", "ada", { fetch: way, store });
    way.isStopped = () => true;
    gone.document.change((draft) => { draft.text = "left behind"; });
    await gone.document.close({ timeout: 0 });
    const ada = await opened("left", "ada", { store, platform });
    // So much later the record has no owner.
    shift = 60_000;
    await renamed("left", "left-2");
    await until(async () => (await daemon.value("left-2")).text === "left behind", "what was left");
    await until(() => store.records.size === 0, "no record is left");
    assert.deepEqual(ada.heard.filter(isRefusal), []);
    for (const { connection } of [gone, ada]) await connection.close();
});

test("what could not be applied stays with a document that is renamed, until it is forgotten", async () => {
    const store = new MemoryStore();
    const first = await opened("stranded", "ada", { store });
    first.document.handBack("/gone", "typed");
    await until(() => store.records.size === 1, "the record");
    await renamed("stranded", "stranded-2");
    await until(() => [...store.records.keys()].every((id) => id.includes("stranded-2\n")), "the record's move");
    await first.connection.close();
    const second = await opened("stranded-2", "ada", { store });
    await until(() => second.document.stranded.length === 1, "what was typed");
    await renamed("stranded-2", "stranded-3");
    await until(() => second.document.name === "stranded-3", "the new name");
    await until(() => [...store.records.keys()].every((id) => id.includes("stranded-3\n")), "the record's move");
    second.document.stranded[0].forget();
    await until(() => store.records.size === 0, "the end of the record");
    await second.connection.close();
});

test("presence goes on under the new name", async () => {
    const [ada, bob] = [await opened("presence", "ada"), await opened("presence", "bob")];
    ada.document.presence.set({ color: "red" });
    await until(() => bob.document.presence.others.length === 1, "ada");
    await renamed("presence", "presence-2");
    await until(() => bob.document.name === "presence-2", "the new name");
    ada.document.presence.set({ color: "blue" });
    await until(() => bob.document.presence.others[0]?.state.color === "blue", "ada's colour");
    const { clients } = await (await fetch(`${daemon.origin}/v1/documents/presence-2/presence`)).json();
    assert.equal(clients.length, 1);
    for (const { connection } of [ada, bob]) await connection.close();
});

test("a document that is renamed out of a token's reach is refused and keeps what waits; others go on", async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), "versiond-tokens-")), "tokens");
    const [root, token] = [["root", "read,write,admin", ""], ["ada", "read,write", "a/"]].map(([name, allow, prefix]) =>
        Daemon.token(file, "--name", name, "--allow", allow, ...(prefix ? ["--prefix", prefix] : [])));
    const guarded = await new Daemon({}, ["--tokens", file]).start();
    const asRoot = { "Content-Type": "application/json", "Authorization": `Bearer ${root}` };
    const at = (name) => `${guarded.origin}/v1/documents/${encodeURIComponent(name)}`;
    const move = (from, to) => fetch(`${at(from)}/rename`, { method: "POST", headers: asRoot, body: JSON.stringify({ name: to }) });
    for (const name of ["a/x", "a/y"]) await guarded.put(encodeURIComponent(name), { n: 0 }, asRoot);
    const way = line();
    const connection = connect(guarded.origin, { token, fetch: way, store: null });
    const [x, y] = ["a/x", "a/y"].map((name) => connection.document(name));
    for (const document of [x, y]) await until(() => document.state === "live", "the stream");
    way.isStopped = (url) => url.includes("x?base=");
    x.change((draft) => { draft.n = 1; });
    assert.equal((await move("a/x", "b/x")).status, 201);
    way.isStopped = () => false;
    await until(() => x.state === "refused", "the refusal");
    assert.deepEqual([x.name, x.pending.length], ["b/x", 1]);
    await fetch(at("a/y"), { method: "PATCH", headers: { ...asRoot, "Content-Type": "application/merge-patch+json" }, body: '{"n":2}' });
    await until(() => y.value.n === 2, "an edit of the other document");
    assert.equal(y.state, "live");
    await guarded.put(encodeURIComponent("a/x"), { n: "another" }, asRoot);
    connection.retry(root);
    await until(() => x.state === "live" && x.isSaved, "a token for the new name");
    const stored = await Promise.all(["b/x", "a/x"].map((name) => guarded.value(encodeURIComponent(name), asRoot)));
    assert.deepEqual([x.value, ...stored], [{ n: 1 }, { n: 1 }, { n: "another" }]);
    await connection.close();
    await guarded.stop();
});

test("a label that looks like a rename is none: the document is deleted", async () => {
    const ada = await opened("labelled", "ada");
    await daemon.put("elsewhere", { n: 5 });
    await fetch(`${daemon.origin}/v1/documents/labelled?label=renamed%20to%20elsewhere`, { method: "DELETE" });
    await until(() => ada.document.state === "deleted", "the deletion");
    assert.equal(ada.document.name, "labelled");
    assert.equal(ada.heard.find(({ type }) => type === "error").detail.message, "The document was deleted.");
    await ada.connection.close();
});
