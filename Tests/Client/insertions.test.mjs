// Insertions beyond the limit of one request: node --test Tests/Client/insertions.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { Daemon } from "./daemon.mjs";
import { Scene } from "./simulation/scene.mjs";
import { MemoryStore, open } from "./source.mjs";
import { until } from "./waiting.mjs";

/** Less than by default: so the tests are short. A piece of a text must be shorter. */
const bodyBytesMax = 2_300_000;
const long = Array.from({ length: 2_400 }, (_, at) => `${at}`.padStart(1_000, "x")).join(" ");

/** Limits as the daemon has them: on a body, and also on a document. */
function limited(documents, documentMax = Infinity) {
    const scene = new Scene(documents);
    scene.answer = (method, url, headers, body) => {
        if (method !== "PATCH") return undefined;
        const refusal = (code) => ({
            status: 413, headers: { "Content-Type": "application/problem+json" },
            body: { type: `/problems/${code}`, code, status: 413, detail: code },
        });
        if (Buffer.byteLength(body) > bodyBytesMax) return refusal("body-too-large");
        const letters = JSON.parse(body).reduce((sum, { str, value }) => sum + (str ?? value ?? "").length, 0);
        const name = new URL(url).pathname.split("/").pop();
        const isTooLong = JSON.stringify(scene.stored(name)).length + letters > documentMax;
        return isTooLong ? refusal("document-too-large") : undefined;
    };
    return scene;
}

const insert = (document, at, text) =>
    document.edit([{ op: "str_ins", path: "/text", pos: at, str: text }]);
const patches = (scene) => scene.calls.filter(({ method, status }) => method === "PATCH" && status === 200);
async function patched(scene) {
    for (let turn = 0; turn < 1_000 && patches(scene).length === 0; turn += 1) await scene.pass(10);
    assert.equal(patches(scene).length, 1);
}

const dropped = ({ heard }) => heard.filter(({ type }) => type === "dropped");

/** Runs a client of the real daemon, and records its events. */
async function withDaemon(environment, body) {
    const limit = { VERSIOND_BODY_BYTES_MAX: String(bodyBytesMax) };
    const daemon = await new Daemon({ ...limit, ...environment }).start();
    const client = open(`${daemon.origin}/v1/documents/d`, { actor: "ada", create: { text: "a–z" } });
    const dropped = [];
    client.addEventListener("dropped", ({ detail }) => dropped.push(detail));
    try {
        await client.ready;
        await body(client, dropped, () => daemon.value("d"));
    } finally {
        await client.close({ timeout: 0 });
        await daemon.stop();
    }
}

test("21: an insertion that is longer than a request may be is stored whole, and is one undo step", async () => {
    await withDaemon({}, async (client, dropped, stored) => {
        const text = `${long.slice(0, (1 << 21) - 1)}😀${long}`;
        assert.ok(Buffer.byteLength(text) > bodyBytesMax);
        insert(client, 2, text);
        await client.saved();
        assert.ok((await stored()).text === `a–${text}z`);
        await client.undo();
        assert.deepEqual(await stored(), { text: "a–z" });
        assert.deepEqual([client.value, dropped], [{ text: "a–z" }, []]);
    });
});

test("21: a long insertion that is refused in the middle is taken back, and handed back whole", async () => {
    await withDaemon({ VERSIOND_DOCUMENT_BYTES_MAX: String(2_200_000) }, async (client, dropped, stored) => {
        insert(client, 2, long);
        insert(client, 0, "> ");
        await client.saved();
        await until(() => dropped.length > 0);
        assert.deepEqual(await stored(), { text: "> a–z" });
        assert.deepEqual(client.value, { text: "> a–z" });
        assert.equal(dropped.length, 1);
        assert.equal(dropped[0].problem.code, "document-too-large");
        assert.ok(dropped[0].operations.map(({ str }) => str).join("") === long);
    });
});

test("21: a value that is a longer text than a request may be is stored whole", async () => {
    const scene = limited({ d: { text: "", list: [] } });
    const ada = await scene.open("d", { actor: "ada" });
    ada.document.change((value) => { value.text = long; value.list.push(long); });
    await scene.pass(60_000);
    assert.ok(scene.stored("d").text === long && scene.stored("d").list[0] === long);
    assert.deepEqual(dropped(ada), []);
});

test("21: others edit the text while a long insertion is under way", async () => {
    const scene = limited({ d: { text: "a–z" } });
    const [ada, bob] = [await scene.open("d", { actor: "ada" }), await scene.open("d", { actor: "bob" })];
    insert(ada.document, 2, long);
    insert(ada.document, 2 + long.length, "!");
    await patched(scene);
    insert(bob.document, 0, "bob ");
    await scene.pass(60_000);
    assert.ok(scene.stored("d").text === `bob a–${long}!z`);
    assert.ok(ada.document.value.text === scene.stored("d").text);
});

/** Another actor edits while a part is stored and the daemon does not take the next one; then that is refused. */
async function refusedAfter(documents, place, { isReloaded = false }, others) {
    const scene = limited(documents, 2_200_000);
    const [answer, browser, store] = [scene.answer, scene.browser(), new MemoryStore()];
    let ada = await scene.open("d", { actor: "ada", store }, browser);
    const bob = await scene.open("d", { actor: "bob" });
    ada.document.edit([{ op: "str_ins", path: place, pos: 2, str: long }]);
    await patched(scene);
    scene.answer = (method, url, headers, body) => (body?.length > 10_000 ? { status: 503, body: {} } : undefined);
    await scene.pass(1_000);
    others(bob.document);
    await scene.pass(1_000);
    scene.answer = answer;
    if (isReloaded) {
        ada.tab.end({ isTold: false });
        ada = await scene.open("d", { actor: "ada", store }, browser);
    }
    await scene.pass(240_000);
    const handedBack = dropped(ada);
    assert.equal(handedBack.length, 1);
    scene.answer = null;
    return { scene, again: async () => { handedBack[0].detail.again(); await scene.pass(60_000); } };
}

/** The daemon is away while a long insertion is under way. */
async function away(isBegun) {
    const scene = limited({ d: { text: "a–z" } });
    const ada = await scene.open("d", { actor: "ada" });
    insert(ada.document, 2, long);
    if (isBegun) await patched(scene);
    scene.network.offline.add(ada.tab);
    scene.network.cut(ada.tab);
    await scene.pass(5_000);
    const back = async () => {
        scene.network.offline.delete(ada.tab);
        ada.connection.retry();
        await scene.pass(60_000);
    };
    return { scene, ada, back };
}

for (const isReloaded of [false, true]) {
    const when = isReloaded ? "after a reload, too" : "in the same page";
    test(`21: what is handed back of a long insertion is whole where others edited before it, ${when}`, async () => {
        const { scene, again } = await refusedAfter({ d: { text: "a–z" } }, "/text", { isReloaded }, (bob) => {
            insert(bob, 0, "bob ");
        });
        assert.deepEqual(scene.stored("d"), { text: "bob a–z" });
        await again();
        assert.ok(scene.stored("d").text === `bob a–${long}z`);
    });

    test(`21: what is handed back of a long insertion goes into its own element after a move, ${when}`, async () => {
        const texts = [{ text: "a–z" }, { text: "other" }];
        const done = await refusedAfter({ d: { text: "", list: texts } }, "/list/0/text", { isReloaded }, (bob) => {
            bob.change(({ list }) => { list.unshift({ text: "by bob" }); });
        });
        await done.again();
        assert.ok(done.scene.stored("d").list[1].text === `a–${long}z`);
    });
}

test("21: a long insertion of which a part may be stored is not undone in part while the daemon is away", async () => {
    const { scene, ada, back } = await away(true);
    assert.equal(ada.document.canUndo, false);
    await assert.rejects(ada.document.undo(), { code: "offline" });
    assert.ok(ada.document.value.text === `a–${long}z`);
    await back();
    assert.ok(scene.stored("d").text === `a–${long}z`);
    void ada.document.undo();
    await scene.pass(60_000);
    assert.deepEqual([scene.stored("d"), ada.document.value], [{ text: "a–z" }, { text: "a–z" }]);
});

test("21: a long insertion that is undone while the daemon is away, before it had any part, is not stored", async () => {
    const { scene, ada, back } = await away(false);
    assert.equal(await ada.document.undo(), null);
    insert(ada.document, 0, "> ");
    await back();
    assert.deepEqual([scene.stored("d"), ada.document.value], [{ text: "> a–z" }, { text: "> a–z" }]);
    assert.deepEqual([ada.document.isSaved, dropped(ada)], [true, []]);
});

test("21: a page that ends within a long insertion leaves the rest, which is one with what is stored", async () => {
    for (const documentMax of [Infinity, 2_200_000]) {
        const scene = limited({ d: { text: "a–z" } }, documentMax);
        const [browser, store] = [scene.browser(), new MemoryStore()];
        const first = await scene.open("d", { actor: "ada", store }, browser);
        insert(first.document, 2, long);
        await patched(scene);
        first.tab.end({ isTold: false });
        const second = await scene.open("d", { actor: "ada", store }, browser);
        await scene.pass(240_000);
        assert.equal(second.document.isSaved, true);
        if (documentMax === Infinity) {
            assert.ok(scene.stored("d").text === `a–${long}z`);
            void second.document.undo();
            await scene.pass(60_000);
        } else {
            const [{ detail }] = dropped(second);
            assert.ok(detail.operations.map(({ str }) => str).join("") === long);
        }
        assert.deepEqual(scene.stored("d"), { text: "a–z" });
    }
});

test("21: what is edited while the parts of many edits are under way is done once", async () => {
    const numbers = Array.from({ length: 6_000 }, (_, at) => at);
    const scene = new Scene({ d: { numbers, list: [1, 2, 3, 4] } });
    const { document } = await scene.open("d", { actor: "ada" });
    const group = "one step";
    document.edit(numbers.map((at) => ({ op: "replace", path: `/numbers/${at}`, value: -at })), { group });
    await scene.pass(1);
    document.edit([{ op: "remove", path: "/list/0" }], { group });
    await scene.pass(10_000);
    assert.deepEqual(scene.stored("d").list, [2, 3, 4]);
    assert.deepEqual(document.value.list, [2, 3, 4]);
});
