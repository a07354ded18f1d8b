// Numbers that a double does not hold keep their digits: clients of the library against the real daemon.
// node --test Tests/Client/numbers.test.mjs

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Daemon } from "./daemon.mjs";
import { readJSON, writeJSON } from "../../Clients/javascript/src/numeral.js";
import { connect, MemoryStore } from "./source.mjs";
import { until } from "./waiting.mjs";

let daemon;
before(async () => { daemon = await new Daemon().start(); });
after(() => daemon.stop());

const address = (name) => `${daemon.origin}/v1/documents/${name}`;
const stored = async (name) => (await (await fetch(address(name))).text()).trim();
let count = 0;

/** A document that begins with this text, open in a client. */
async function opened(text, options = {}) {
    count += 1;
    const name = `numbers-${count}`;
    const headers = { "Content-Type": "application/json" };
    assert.equal((await fetch(address(name), { method: "PUT", body: text, headers })).status, 201);
    const document = connect(daemon.origin, { actor: "ada", store: null, ...options }).document(name);
    await document.ready;
    return document;
}

/** The text that the daemon stores after an edit of a document with this initial text. */
async function edited(text, edit) {
    const document = await opened(text);
    edit(document);
    await document.saved();
    const shown = document.value;
    const result = await stored(document.name);
    assert.deepEqual(shown, JSON.parse(result), "what is shown is what is stored");
    await document.close();
    return result;
}

const beyond = '{"l":[{"id":1,"v":1e400},{"id":2,"v":2}]}';
const ids = '{"l":[{"id":9007199254740993},{"id":9007199254740992}]}';
const long = '{"a":{"v":12345678901234567890123}}';
const odd = '{"a":{"price":1.50,"n":1E3,"z":-0,"s":0.0000001}}';

const cases = {
    "change() filters a list": [beyond,
        (one) => one.change((x) => { x.l = x.l.filter(({ id }) => id !== 2); }), '{"l":[{"id":1,"v":1e400}]}'],
    "change() sorts a list": [beyond,
        (one) => one.change((x) => { x.l.sort((a, b) => b.id - a.id); }), '{"l":[{"id":2,"v":2},{"id":1,"v":1e400}]}'],
    "change() assigns a sorted copy": [beyond,
        (one) => one.change((x) => { x.l = [...x.l].sort((a, b) => b.id - a.id); }),
        '{"l":[{"id":2,"v":2},{"id":1,"v":1e400}]}'],
    "change() splices an element to another place": [beyond,
        (one) => one.change((x) => { const [gone] = x.l.splice(0, 1); x.l.splice(1, 0, gone); }),
        '{"l":[{"id":2,"v":2},{"id":1,"v":1e400}]}'],
    "change() puts a spread copy": [beyond,
        (one) => one.change((x) => { x.l[1] = { ...x.l[0], id: 3 }; }),
        '{"l":[{"id":1,"v":1e400},{"id":3,"v":1e400}]}'],
    "change() copies an element into another member": [beyond,
        (one) => one.change((x) => { x.deep = { in: [x.l[0]] }; }),
        '{"deep":{"in":[{"id":1,"v":1e400}]},"l":[{"id":1,"v":1e400},{"id":2,"v":2}]}'],
    "change() renames a member": [long,
        (one) => one.change((x) => { x.b = x.a; delete x.a; }), '{"b":{"v":12345678901234567890123}}'],
    "change() renames a number": ['{"a":12345678901234567890123}',
        (one) => one.change((x) => { x.b = x.a; delete x.a; }), '{"b":12345678901234567890123}'],
    "change() rotates a list of numbers": ["[1e400,5]",
        (one) => one.change((x) => { x.push(x.shift()); }), "[5,1e400]"],
    "change() assigns members": ['{"a":{"v":1e400},"b":{}}',
        (one) => one.change((x) => { Object.assign(x.b, x.a); }), '{"a":{"v":1e400},"b":{"v":1e400}}'],
    "change() edits beside it": [ids, (one) => one.change((x) => { x.l[0].done = true; }),
        '{"l":[{"done":true,"id":9007199254740993},{"id":9007199254740992}]}'],
    "edit(fn) reorders": [beyond,
        (one) => one.edit((v) => ({ ...v, l: [v.l[1], v.l[0]] })), '{"l":[{"id":2,"v":2},{"id":1,"v":1e400}]}'],
    "edit(fn) reorders ids of 64 bits": [ids,
        (one) => one.edit((v) => ({ ...v, l: [v.l[1], v.l[0]] })), '{"l":[{"id":9007199254740992},{"id":9007199254740993}]}'],
    "edit(fn) filters ids of 64 bits": [ids,
        (one) => one.edit((v) => ({ ...v, l: v.l.slice(0, 1) })), '{"l":[{"id":9007199254740993}]}'],
    "edit(fn) makes each element anew": [ids,
        (one) => one.edit((v) => ({ l: v.l.map((e) => ({ ...e, done: true })) })),
        '{"l":[{"done":true,"id":9007199254740993},{"done":true,"id":9007199254740992}]}'],
    "edit(fn) makes each element anew, in another order":
        ['{"l":[{"id":9007199254740993,"n":"a"},{"id":9007199254740992,"n":"b"}]}',
            (one) => one.edit((v) => ({ l: structuredClone(v.l).reverse() })),
            '{"l":[{"id":9007199254740992,"n":"b"},{"id":9007199254740993,"n":"a"}]}'],
    "edit(fn) edits a clone": [beyond,
        (one) => one.edit((v) => { const copy = structuredClone(v); copy.l.pop(); return copy; }),
        '{"l":[{"id":1,"v":1e400}]}'],
    "edit(fn) renames a member": [long,
        (one) => one.edit(({ a }) => ({ b: a })), '{"b":{"v":12345678901234567890123}}'],
    "edit(fn) renames a number": ['{"a":1e400}', (one) => one.edit(({ a }) => ({ b: a })), '{"b":1e400}'],
    "edit(fn) renames with digits that a double holds": [odd, (one) => one.edit(({ a }) => ({ b: a })),
        '{"b":{"n":1E3,"price":1.50,"s":0.0000001,"z":-0}}'],
    "edit([…]) adds what is there elsewhere": [long,
        (one) => one.edit([{ op: "add", path: "/b", value: one.value.a }, { op: "remove", path: "/a" }]),
        '{"b":{"v":12345678901234567890123}}'],
    "edit([…]) moves": [odd, (one) => one.edit([{ op: "move", from: "/a", path: "/b" }]),
        '{"b":{"n":1E3,"price":1.50,"s":0.0000001,"z":-0}}'],
    "an element is put back after it was taken out": [beyond, (one) => {
        const [gone] = one.value.l;
        one.change((x) => { x.l.shift(); });
        one.change((x) => { x.l.push(gone); });
    }, '{"l":[{"id":2,"v":2},{"id":1,"v":1e400}]}'],
    "a number that is set by the program is that number": [ids,
        (one) => one.change((x) => { x.n = 9007199254740994; x.m = 1.5; }),
        '{"l":[{"id":9007199254740993},{"id":9007199254740992}],"m":1.5,"n":9007199254740994}'],
};

const sorted = (text) => JSON.stringify(JSON.parse(text.replace(/-?\d[\d.eE+]*/g, '"$&"'), (_, value) =>
    (value && typeof value === "object" && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) : value)));

for (const [how, [text, edit, expected]] of Object.entries(cases)) {
    test(`digits of numbers that were not edited stay: ${how}`, async () => {
        assert.equal(sorted(await edited(text, edit)), sorted(expected));
    });
}

test("digits stay where a number has 16 of them around its point", async () => {
    const text = '{"a":123456789.123456789,"b":1}';
    assert.equal(await edited(text, (one) => one.edit(({ a, b }) => ({ c: a, b }))), '{"b":1,"c":123456789.123456789}');
});

test("digits stay in a document with a text of millions of lines", () => {
    const lines = '\\"1e3\n'.repeat(4_000_000);
    const read = readJSON(JSON.stringify({ lines, n: "number" }).replace('"number"', "1e400"));
    assert.ok(read.lines === lines);
    assert.equal(writeJSON(read.n), "1e400");
});

test("a number that JSON cannot say is a TypeError, also where the document has one beyond doubles", async () => {
    const one = await opened('{"a":1e400,"b":-1e400}');
    for (const number of [NaN, 0 / 0]) assert.throws(() => one.change((x) => { x.c = number; }), TypeError);
    const other = await opened('{"a":1}');
    assert.throws(() => other.edit(() => ({ a: Infinity })), TypeError);
    for (const document of [one, other]) await document.close();
});

test("an application sees numbers as JavaScript has them, in everything that it is given", async () => {
    const one = await opened(beyond);
    const seen = [];
    one.onchange = ({ detail }) => seen.push(detail.before, detail.operations);
    one.change((x) => {
        assert.equal(x.l[0].v, Infinity);
        x.l.reverse();
        x.copy = x.l[1];
    });
    assert.equal(one.at("/l/1/v").value, Infinity);
    assert.deepEqual(one.pending.at(-1), { op: "add", path: "/copy", value: { id: 1, v: Infinity } });
    await one.saved();
    const outcome = await one.undo();
    assert.deepEqual(outcome.patch.find(({ path }) => path === "/copy"), { op: "remove", path: "/copy" });
    await one.redo();
    assert.deepEqual(seen[0], { l: [{ id: 1, v: Infinity }, { id: 2, v: 2 }] });
    assert.deepEqual(seen[1].at(-1), { op: "add", path: "/copy", value: { id: 1, v: Infinity } });
    assert.ok((await stored(one.name)).includes('"copy":{"id":1,"v":1e400}'));
    await one.close();
});

test("what another client writes keeps its digits when this one moves it", async () => {
    const one = await opened('{"a":null}');
    await fetch(address(one.name), {
        method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" },
        body: '{"a":{"id":9007199254740993,"price":1.50}}',
    });
    await until(() => one.value.a !== null, "the edit of the other client");
    one.edit(({ a }) => ({ b: a }));
    await one.saved();
    assert.equal(sorted(await stored(one.name)), sorted('{"b":{"id":9007199254740993,"price":1.50}}'));
    await one.close();
});

test("digits stay in a transaction, and in what waits until the next page", async () => {
    const one = await opened(long);
    await one.saved();
    const connection = connect(daemon.origin, { actor: "ada", store: null });
    const document = connection.document(one.name);
    await document.ready;
    await connection.transact([[document, ({ a }) => ({ b: a })]]);
    assert.equal(await stored(one.name), '{"b":{"v":12345678901234567890123}}');
    await connection.close();
    await one.close();

    const store = new MemoryStore();
    let isAway = false;
    const line = (...given) => (isAway ? Promise.reject(new TypeError("away")) : fetch(...given));
    const first = connect(daemon.origin, { actor: "ada", store, fetch: line }).document(one.name);
    await first.ready;
    isAway = true;
    first.edit(({ b }) => ({ c: b }));
    await first.close({ timeout: 0 });
    isAway = false;
    const second = connect(daemon.origin, { actor: "ada", store }).document(one.name);
    await second.ready;
    await until(() => second.value.c !== undefined && second.isSaved, "what waited", 40_000);
    assert.equal(await stored(one.name), '{"c":{"v":12345678901234567890123}}');
    await second.close();
});
