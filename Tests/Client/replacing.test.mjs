// The operation str_replace in the client, and with a daemon: node --test Tests/Client/replacing.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { Daemon } from "./daemon.mjs";
import { Random } from "./random.mjs";
import { Scene } from "./simulation/scene.mjs";
import { DocumentError, open } from "./source.mjs";
import { until } from "./waiting.mjs";

const replacing = (find, str) => [{ op: "str_replace", path: "/text", find, str }];
const sent = (scene) => scene.calls.filter(({ method }) => method === "PATCH")
    .flatMap(({ body }) => JSON.parse(body));

test("a text that occurs once is replaced, and sent as the words that differ", async () => {
    const scene = new Scene({ d: { text: "Hot soup with white bread" } });
    const { document } = await scene.open("d", { actor: "ada" });
    document.edit(replacing("Hot soup with white", "Cold soup with brown"));
    assert.equal(document.value.text, "Cold soup with brown bread");
    await scene.pass(1_000);
    assert.equal(scene.stored("d").text, "Cold soup with brown bread");
    assert.deepEqual(sent(scene), [
        { op: "str_del", path: "/text", pos: 0, len: 3 }, { op: "str_ins", path: "/text", pos: 0, str: "Cold" },
        { op: "str_del", path: "/text", pos: 15, len: 5 }, { op: "str_ins", path: "/text", pos: 15, str: "brown" },
    ]);
    const undone = document.undo();
    await scene.pass(1_000);
    await undone;
    assert.equal(document.value.text, "Hot soup with white bread");
});

test("a text that occurs never or more than once is a DocumentError, and changes nothing", async () => {
    const scene = new Scene({ d: { text: "😀 so so sososo caf\u00e9", n: 1 } });
    const { document } = await scene.open("d", { actor: "ada" });
    const refused = (find, code, more = {}) => assert.throws(
        () => document.edit([{ op: "add", path: "/first", value: 1 }, ...replacing(find, "x")]),
        (error) => {
            assert.ok(error instanceof DocumentError);
            const { detail, ...problem } = error.problem;
            assert.deepEqual(problem, { code, path: "/text", ...more });
            return error.operations.length === 2 && detail !== "";
        });
    refused("stew", "text-not-found");
    refused("cafe\u0301", "text-not-found");
    refused("\ud83d", "text-not-found");
    refused("so", "text-not-unique", { count: 5, positions: [3, 6, 9, 11, 13] });
    refused("soso", "text-not-unique", { count: 2, positions: [9, 11] });
    assert.throws(() => document.edit([{ op: "str_replace", path: "/n", find: "1", str: "2" }]),
        { code: "patch-does-not-apply" });
    for (const operation of [
        { op: "str_replace", path: "/text", find: "", str: "x" }, { op: "str_replace", path: "/text", find: "x" },
        { op: "str_replace", path: "/text", str: "x" },
    ]) assert.throws(() => document.edit([operation]), TypeError);
    assert.deepEqual([document.value.n, document.value.first, document.isSaved], [1, undefined, true]);
});

test("the positions that are named are the first ten", async () => {
    const scene = new Scene({ d: { text: "a".repeat(40) } });
    const { document } = await scene.open("d");
    assert.throws(() => document.edit(replacing("a", "b")), ({ problem }) =>
        problem.count === 40 && problem.positions.join() === "0,1,2,3,4,5,6,7,8,9");
});

test("the text is searched as the operations before it leave it", async () => {
    const scene = new Scene({ d: { text: "soup" } });
    const { document } = await scene.open("d");
    document.edit([
        { op: "str_ins", path: "/text", pos: 0, str: "hot " }, ...replacing("hot soup", "stew"),
        { op: "add", path: "/text2", value: "stew" }, { op: "str_replace", path: "/text2", find: "ew", str: "" },
    ]);
    assert.deepEqual(document.value, { text: "stew", text2: "st" });
});

test("random replacements lead to the text that replaceAll of JavaScript gives", async () => {
    const scene = new Scene({ d: { text: "" } });
    const { document } = await scene.open("d");
    const random = new Random(7);
    const words = ["soup", "hot", "so", "é", "😀", ",", " ", "  ", "\n", "ab"];
    const text = (count) => Array.from({ length: count }, () => random.of(words)).join(random.of(["", " "]));
    let replaced = 0;
    for (let round = 0; round < 300; round += 1) {
        const old = text(12);
        const letters = Array.from(old);
        const start = random.below(letters.length);
        const find = letters.slice(start, start + 1 + random.below(12)).join("");
        const str = text(random.below(6));
        document.edit([{ op: "replace", path: "/text", value: old }]);
        const isOnce = old.indexOf(find) === old.lastIndexOf(find);
        if (isOnce) {
            document.edit(replacing(find, str));
            assert.equal(document.value.text, old.replaceAll(find, () => str));
            replaced += 1;
        } else assert.throws(() => document.edit(replacing(find, str)), { code: "text-not-unique" });
    }
    assert.ok(replaced > 50);
});

test("with a daemon: another actor's work around and between the words stays", async () => {
    const daemon = await new Daemon().start();
    const url = `${daemon.origin}/v1/documents/d`;
    const client = open(url, { actor: "ada", create: { text: "Hot soup with white bread" } });
    try {
        await client.ready;
        await client.saved();
        const patch = (operations, query = "") => fetch(url + query, {
            method: "PATCH", body: JSON.stringify(operations),
            headers: { "Content-Type": "application/json-patch+json", "Versiond-Actor": "bob" },
        });
        client.edit(replacing("Hot soup with white", "Cold soup with brown"));
        await patch([{ op: "str_ins", path: "/text", pos: 8, str: "s" }], "?base=0");
        await client.saved();
        await until(() => client.value.text === "Cold soups with brown bread");
        // And one that comes by the feed.
        await patch(replacing("brown bread", "dark bread"));
        await until(() => client.value.text === "Cold soups with dark bread");
        assert.equal(client.corrections, 0);
    } finally {
        await client.close({ timeout: 0 });
        await daemon.stop();
    }
});
