// The transformation in client.js, without a daemon: node --test Tests/Client

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { applyAll, difference, isSame, pass, readOperations, Replica, writeOperations } from "./source.mjs";
import { crowded, operations, Random } from "./random.mjs";

const runs = Number(process.env.RUNS ?? 3_000);

for (const policy of ["mine", "theirs"]) {
    test(`both ways lead to one tree when ${policy} wins (TP1)`, () => {
        for (let seed = 1; seed <= runs; seed += 1) {
            const random = new Random(seed);
            const base = crowded(random);
            const [mine, theirs] = [0, 1].map(() =>
                readOperations(operations(random, base, 1 + random.below(6), readOperations), base));
            const [one, other] = pass(mine.edits, theirs.edits, policy);
            assert.deepEqual(applyAll(theirs.tree, one), applyAll(mine.tree, other), `seed ${seed}`);
        }
    });
}

for (const table of ["json0", "text"]) {
    test(`two edits come out as ${table} publishes it`, () => {
        const rows = JSON.parse(readFileSync(new URL(`../MergeTables/${table}.json`, import.meta.url)));
        for (const [index, row] of rows.entries()) {
            const [mine, theirs] = [row.mine, row.theirs].map((patch) => readOperations(patch, row.base));
            for (const policy of row.wins ? [row.wins] : ["mine", "theirs"]) {
                const [edits] = pass(mine.edits, theirs.edits, policy);
                assert.deepEqual(applyAll(theirs.tree, edits), row.value, `row ${index + 1}, ${policy}`);
            }
        }
    });
}

test("edits are written as operations that make the same tree", () => {
    for (let seed = 1; seed <= runs; seed += 1) {
        const random = new Random(seed);
        const base = crowded(random);
        const { edits, tree } = readOperations(operations(random, base, 4, readOperations), base);
        assert.deepEqual(readOperations(writeOperations(edits), base).tree, tree, `seed ${seed}`);
    }
});

test("the difference of two values leads from one to the other", () => {
    for (let seed = 1; seed <= runs; seed += 1) {
        const random = new Random(seed);
        const [old, value] = [crowded(random), crowded(random)];
        assert.ok(isSame(applyAll(old, difference(old, value)), value), `seed ${seed}`);
    }
});

test("a name like __proto__ is a name", () => {
    const tree = JSON.parse('{"__proto__":{"a":1}}');
    const { tree: next } = readOperations([{ op: "replace", path: "/__proto__/a", value: 2 }], tree);
    assert.equal(JSON.stringify(next), '{"__proto__":{"a":2}}');
});

test("a move to where its value stands is no edit, here as in the daemon", () => {
    assert.deepEqual(readOperations([{ op: "move", from: "/0", path: "/-" }], ["only"]).edits, []);
    // Nor does one come to life that others have made one.
    const replica = new Replica();
    replica.load(0, ["a", "b"]);
    replica.edit(readOperations([{ op: "move", from: "/0", path: "/1" }], replica.value).edits);
    replica.receive({ revision: 1, patch: [{ op: "remove", path: "/1" }], change: { kind: "append" } });
    assert.deepEqual(replica.take().edits, []);
    replica.receive({ revision: 2, patch: [{ op: "add", path: "/0", value: "c" }], change: { kind: "append" } });
    assert.deepEqual(replica.value, ["c", "a"]);
});

test("what was removed before an edit was made anew does not come back for it", () => {
    const replica = new Replica();
    replica.load(0, [["b", "c"], 0]);
    replica.edit(readOperations([{ op: "replace", path: "/1", value: 1 }], replica.value).edits, { step: "a" });
    replica.take();
    replica.edit(readOperations([{ op: "add", path: "/0/2", value: "mine" }], replica.value).edits, { step: "b" });
    const receive = (revision, patch, change, key) =>
        replica.receive({ revision, patch, change: { revision, kind: "append", ...change }, key });
    receive(1, [{ op: "remove", path: "/0/1" }], {});
    const [{ key }] = replica.pending;
    receive(2, [{ op: "replace", path: "/1", value: 1 }], { base: 0 }, key);
    // It waited, and is made anew on revision 2: of what was before, the daemon is not told.
    replica.take();
    receive(3, [{ op: "add", path: "/0/1", value: "c" }, { op: "replace", path: "/0/1", value: "d" }], { base: 0 });
    assert.deepEqual(replica.value, [["b", "mine", "d"], 1], "as the daemon puts what comes later before");
});
