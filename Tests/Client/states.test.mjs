// The states of a document, and what is heard of it, told step by step in the simulation.
// node --test Tests/Client/states.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { fate, Scene } from "./simulation/scene.mjs";

const statesOf = (heard) => heard.filter(({ type }) => type === "state").map(({ detail }) => detail.state);

/** Opens a document and listens to it from the beginning. */
function opening(scene, name, options = {}) {
    const { connection } = scene.page({ actor: "ada", ...options });
    const document = connection.document(name, options);
    const heard = [];
    for (const type of ["saved", "dropped", "conflict", "error", "state"]) {
        document.addEventListener(type, ({ detail }) => heard.push({ type, detail }));
    }
    return { connection, document, heard };
}

// MARK: Opening

test("a document that opens goes from loading to live, and is never offline", async () => {
    const scene = new Scene({ d: { n: 0 } });
    const { document, heard } = opening(scene, "d");
    assert.equal(document.state, "loading");
    await scene.pass(2_000);
    assert.equal(document.state, "live");
    assert.ok(!statesOf(heard).includes("offline"), `${statesOf(heard)}`);
});

test("what is edited before the changes of others come is saving, then loading, and saved() waits for it", async () => {
    const scene = new Scene({ d: { n: 0 } });
    // The stream takes its time.
    scene.network.detour = ({ url }) => (url.includes("/v1/feed?") ? 5_000 : 0);
    const { document, heard } = opening(scene, "d");
    await scene.pass(500);
    document.change((draft) => { draft.n = 1; });
    const saved = document.saved();
    assert.deepEqual([document.state, await fate(saved)], ["saving", "pending"]);
    await scene.pass(1_000);
    assert.equal(await fate(saved), undefined);
    assert.deepEqual([document.isSaved, document.state, scene.stored("d").n], [true, "loading", 1]);
    await scene.pass(10_000);
    assert.equal(document.state, "live");
    assert.ok(!statesOf(heard).includes("offline"), `${statesOf(heard)}`);
});

test("a document whose stream does not begin is offline", async () => {
    const scene = new Scene({ d: { n: 0 } });
    scene.answer = (method, url) => (new URL(url).pathname === "/v1/feed" ? { status: 503, body: {} } : null);
    const { document } = opening(scene, "d");
    await scene.pass(2_000);
    assert.deepEqual([document.state, document.value], ["offline", { n: 0 }]);
    scene.answer = null;
    await scene.pass(20_000);
    assert.equal(document.state, "live");
});
