// Insertions that are longer than a request may be:
// node --test Tests/Client/insertions.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { Daemon } from "./daemon.mjs";
import { Scene } from "./simulation/scene.mjs";
import { MemoryStore, open } from "./source.mjs";
import { until } from "./waiting.mjs";

/** Less than by default: so the tests are short. A piece of a text must be shorter. */
const bodyBytesMax = 2_300_000;
const long = Array.from({ length: 2_400 }, (_, at) => `${at}`.padStart(1_000, "x")).join(" ");

/** As the daemon: a body has a limit, and a document one, too. */
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
        const isTooLong = scene.stored(name).text.length + letters > documentMax;
        return isTooLong ? refusal("document-too-large") : undefined;
    };
    return scene;
}

const insert = (document, at, text) =>
    document.edit([{ op: "str_ins", path: "/text", pos: at, str: text }]);
const patches = (scene) => scene.calls.filter(({ method }) => method === "PATCH");
async function patched(scene) {
    for (let turn = 0; turn < 1_000 && patches(scene).length === 0; turn += 1) await scene.pass(10);
    assert.equal(patches(scene).length, 1);
}

const dropped = ({ heard }) => heard.filter(({ type }) => type === "dropped");

/** What a client of the real daemon does, and what it hears. */
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
