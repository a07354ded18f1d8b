// The transformation in client.js, without a daemon: node --test Tests/Client

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
    applyAll, arranged, difference, increasing, isSame, pass, readOperations, Replica, returns,
    writeOperations,
} from "./source.mjs";
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

/** Pair by pair, in the order of both. */
function slowPass(mine, theirs, policy) {
    let [others, passed] = [theirs, []];
    for (const edit of mine) {
        let [left, next] = [[edit], []];
        for (const other of others) {
            const [one, rest] = left.length === 1
                ? pass(left, [other], policy) : slowPass(left, [other], policy);
            [left, next] = [one, [...next, ...rest]];
        }
        [passed, others] = [[...passed, ...left], next];
    }
    return [passed, others];
}

for (const policy of ["mine", "theirs"]) {
    test(`law: passing what still meets something comes to the same as passing all, ${policy}`, () => {
        for (let seed = 1; seed <= runs; seed += 1) {
            const random = new Random(seed);
            const base = crowded(random);
            const [mine, theirs] = [0, 1].map(() =>
                readOperations(operations(random, base, 1 + random.below(9), readOperations), base).edits);
            assert.deepEqual(
                pass(mine, theirs, policy), slowPass(mine, theirs, policy), `seed ${seed}`);
        }
    });
}

test("an edit passes a place that changed 150,000 times, one by one and at once", () => {
    const count = 150_000;
    const theirs = Array.from({ length: count }, (_, at) =>
        ({ kind: "set", place: ["n"], old: at, value: at + 1 }));
    const edit = { kind: "set", place: ["n"], old: 0, value: -1 };
    const [mine, others] = pass([edit], theirs, "mine");
    assert.deepEqual([mine.length, others.length], [count + 1, 0]);
    assert.equal(applyAll({ n: count }, mine).n, -1);
    const few = theirs.slice(0, 10_000);
    const step = (left, other) => pass(left, [other], "mine")[0];
    assert.deepEqual(few.reduce(step, [edit]), pass([edit], few, "mine")[0]);
});

test("a value that goes takes along what others have changed in it, in one edit", () => {
    const count = 10_000;
    const theirs = Array.from({ length: count }, (_, at) => (
        { kind: "text", place: ["a", "text"], at, removed: "", inserted: "x" }));
    for (const edit of [
        { kind: "set", place: ["a"], old: { text: "" }, value: 1 },
        { kind: "set", place: ["a"], old: { text: "" } },
        { kind: "set", place: ["a", "text"], old: "", value: "z" },
    ]) {
        let met = 0;
        const [mine, others] = pass([edit], theirs, "mine", () => { met += 1; });
        assert.deepEqual([mine.length, others.length, met], [1, 0, count]);
        const [one, other] = [applyAll({ a: { text: "x".repeat(count) } }, mine), applyAll({ a: { text: "" } }, [edit])];
        assert.deepEqual(one, other);
        assert.equal(JSON.stringify(mine[0].old).includes("x".repeat(count)), true);
    }
});

test("a list of 150,000 elements is filled, put in another order and emptied", () => {
    const ids = Array.from({ length: 150_000 }, (_, at) => ({ id: at }));
    const [empty, full] = [{ list: [] }, { list: ids }];
    const turned = { list: [...ids.slice(-20_000), ...ids.slice(0, -20_000)] };
    for (const [old, value] of [[empty, full], [full, turned], [turned, empty]]) {
        assert.ok(isSame(applyAll(old, difference(old, value)), value));
    }
});

/** Moves and insertions, each found by looking at the list as it is then. */
function slowlyArranged(value, pairs) {
    const resting = new Set(increasing(pairs.map(([one]) => one)).map((at) => pairs[at][1]));
    const order = [...pairs].sort(([one], [other]) => one - other).map(([, index]) => index);
    const isOld = new Set(order);
    const edits = [];
    for (let index = 0; index < value.length; index += 1) {
        if (resting.has(index)) continue;
        const from = isOld.has(index) ? order.indexOf(index) : -1;
        if (from >= 0) order.splice(from, 1);
        const to = index === 0 ? 0 : order.indexOf(index - 1) + 1;
        order.splice(to, 0, index);
        if (from < 0) edits.push({ kind: "insert", place: [to], value: value[index] });
        else if (from !== to) edits.push({ kind: "move", place: [from], to: [to] });
    }
    return edits;
}

test("law: elements come to the places that a look at the list says", () => {
    for (let seed = 1; seed <= runs; seed += 1) {
        const random = new Random(seed);
        const old = shuffled(random, random.below(12));
        const value = shuffled(random, random.below(12));
        const pairs = value.map((element, index) => [old.indexOf(element), index])
            .filter(([one]) => one >= 0);
        assert.deepEqual(arranged(value, pairs, []), slowlyArranged(value, pairs), `seed ${seed}`);
    }
});

/** Some of the numbers below 14, in some order. */
function shuffled(random, count) {
    const rest = Array.from({ length: 14 }, (_, at) => at);
    return Array.from({ length: count }, () => rest.splice(random.below(rest.length), 1)[0]);
}

for (const which of ["manyLines", "oneLine"]) {
    test(`law: what is typed into a text shown as ${which} is all that changes`, () => {
        const lines = returns[which];
        for (let seed = 1; seed <= runs; seed += 1) {
            const random = new Random(seed);
            // A return and a line feed that come together would be one end from then on.
            const parts = ["a", "b", "\r\n", random.once(2) ? "\r" : "\n"];
            let text = Array.from({ length: random.below(9) }, () => random.of(parts)).join("");
            const shown = returns.shownText(text, lines);
            for (let at = 0; at <= shown.length; at += 1) {
                const inText = returns.placeInText(text, at, lines);
                assert.equal(returns.placeInShown(text, inText, lines), at, `seed ${seed}`);
            }
            const at = random.below(shown.length + 1);
            const removed = shown.slice(at, at + random.below(3));
            const typed = [{ at, removed, inserted: "" }, { at, removed: "", inserted: "X" }]
                .filter((edit) => edit.removed !== edit.inserted);
            const before = text;
            for (const edit of returns.editsOfText(typed, text, lines)) {
                assert.equal(text.slice(edit.at, edit.at + edit.removed.length), edit.removed);
                text = text.slice(0, edit.at) + edit.inserted + text.slice(edit.at + edit.removed.length);
            }
            const wanted = `${shown.slice(0, at)}X${shown.slice(at + removed.length)}`;
            assert.equal(returns.shownText(text, lines), wanted, `seed ${seed}`);
            // Hidden characters are removed only between removed letters.
            const hidden = (value) => value.length - returns.shownText(value, lines).length;
            if (removed.length < 2 && which === "oneLine") assert.equal(hidden(text), hidden(before));
        }
    });
}

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
    const receive = (revision, patch, more) =>
        replica.receive({ revision, patch, change: { revision, kind: "append" }, ...more });
    receive(1, [{ op: "remove", path: "/0/1" }]);
    const [{ key }] = replica.pending;
    receive(2, [{ op: "replace", path: "/1", value: 1 }], { key });
    // The edit waited and is based on revision 2 now: the request does not name earlier edits.
    replica.take();
    receive(3, [{ op: "add", path: "/0/1", value: "c" }, { op: "replace", path: "/0/1", value: "d" }], { wonSince: 0 });
    assert.deepEqual(replica.value, [["b", "mine", "d"], 1], "as the daemon puts what comes later before");
});

test("what others put back is the same value only if the daemon says that it won", () => {
    const shown = (more) => {
        const replica = new Replica();
        replica.load(0, [{ t: "x" }, 0]);
        replica.edit(readOperations([{ op: "replace", path: "/0/t", value: "y" }], replica.value).edits);
        replica.take();
        const receive = (revision, patch, item) =>
            replica.receive({ revision, patch, change: { kind: "append", base: 0 }, ...item });
        receive(1, [{ op: "remove", path: "/0" }]);
        receive(2, [{ op: "add", path: "/0", value: { t: "x" } }], more);
        return replica.value;
    };
    assert.deepEqual(shown({ wonSince: 0 }), [{ t: "y" }, 0]);
    assert.deepEqual(shown({}), [{ t: "y" }, { t: "x" }, 0]);
    assert.deepEqual(shown({ wonSince: 1 }), [{ t: "y" }, { t: "x" }, 0]);
});

test("what others removed where it had been moved to comes back there", () => {
    const replica = new Replica();
    replica.load(0, { list: ["", "b"], other: [] });
    const edit = (operations, key) =>
        replica.edit(readOperations(operations, replica.value).edits, { step: key, key });
    edit([{ op: "move", from: "/list/0", path: "/other/0" }], "a");
    const { key } = replica.take();
    edit([{ op: "replace", path: "/other/0", value: "mine" }], "b");
    const receive = (revision, patch, more) =>
        replica.receive({ revision, patch, change: { kind: "append", base: 0 }, ...more });
    receive(1, [{ op: "remove", path: "/list/0" }]);
    receive(2, [], { key });
    assert.deepEqual(replica.value, { list: ["b"], other: ["mine"] });
    // It has won: the value that was moved away is the one that is there again.
    const back = [{ op: "add", path: "/list/0", value: "" }, { op: "replace", path: "/list/0", value: 5 }];
    receive(3, back, { wonSince: 0 });
    assert.deepEqual(replica.value, { list: ["mine", "b"], other: [] });
});

const inserted = (pos, str) => ({ op: "str_ins", path: "/text", pos, str });
const typed = (replica, at, str, step) => replica.edit(
    readOperations([inserted(at, str)], replica.value).edits, { step, key: step });

const received = (replica, revision, operation, more) =>
    replica.receive({ revision, patch: [operation], change: { kind: "append" }, ...more });

test("others' letters come to their place while a step that was undone here can be redone", () => {
    const replica = new Replica();
    replica.load(0, { text: "abcdefgh" });
    typed(replica, 0, "X", "one");
    typed(replica, 0, "YYY", "two");
    replica.takenBack.undo();
    received(replica, 1, inserted(1, "Z"));
    assert.equal(replica.value.text, "XaZbcdefgh");
    const { key } = replica.take();
    received(replica, 2, inserted(0, "X"), { key });
    assert.equal(replica.value.text, "XaZbcdefgh");
    replica.takenBack.redo("three");
    assert.equal(replica.value.text, "YYYXaZbcdefgh");
});

test("steps that were undone here are redone where they were", () => {
    const replica = new Replica();
    replica.load(0, { text: "abcdef" });
    typed(replica, 0, "XX", "one");
    typed(replica, 4, "Y", "two");
    replica.takenBack.undo();
    replica.takenBack.undo();
    received(replica, 1, inserted(3, "Z"));
    replica.takenBack.redo("three");
    replica.takenBack.redo("four");
    assert.equal(replica.value.text, "XXabYcZdef");
});

test("a step that was undone on one under way is redone behind the undo of that", () => {
    const replica = new Replica();
    replica.load(0, { text: "abcdef" });
    typed(replica, 0, "XX", "one");
    const { key } = replica.take();
    typed(replica, 4, "Y", "two");
    replica.takenBack.undo();
    replica.takenBack.undo();
    received(replica, 1, inserted(0, "XX"), { key });
    assert.equal(replica.value.text, "abcdef");
    replica.takenBack.redo("three");
    assert.equal(replica.value.text, "abYcdef");
});

test("after a conflict an edit and its undo that were not sent leave nothing", () => {
    const replica = new Replica();
    replica.load(0, { title: "a" });
    replica.edit(readOperations([{ op: "replace", path: "/title", value: "b" }], replica.value).edits, { key: "k" });
    replica.take();
    replica.takenBack.undo();
    received(replica, 1, { op: "replace", path: "/title", value: "c" });
    replica.putBack();
    assert.deepEqual([replica.value, replica.pending], [{ title: "c" }, []]);
});

test("a document that is read again keeps others' letters beside those that wait", () => {
    for (const [before, after, shown] of [
        ["", "theirs", "mine theirs"], ["old text", "old new text", "mine old new text"],
    ]) {
        const replica = new Replica();
        replica.load(0, { text: before });
        typed(replica, 0, "mine ", "one");
        replica.load(9, { text: after });
        assert.equal(replica.value.text, shown);
    }
});

test("a move that was written in two is read as one", () => {
    const base = ["a", { list: [] }, 0];
    const edits = [{ kind: "move", place: [0], to: [0, "list", 0] }];
    assert.deepEqual(writeOperations(edits), [
        { op: "move", from: "/0", path: "/1" }, { op: "move", from: "/1", path: "/0/list/0" },
    ]);
    assert.deepEqual(readOperations(writeOperations(edits), base).edits, edits);
    // Two that are not halves stay two.
    const two = [{ op: "move", from: "/0", path: "/1" }, { op: "move", from: "/1", path: "/2" }];
    assert.equal(readOperations(two, base).edits.length, 2);
});
