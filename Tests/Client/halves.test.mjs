// A move into the element behind is sent as two (RFC 6902 forbids its address): what looks like two
// halves is one for all who merge, wherever it comes from; and what was undone is taken out alike.
// Against a real daemon.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Daemon } from "./daemon.mjs";
import { crowded, operations, Random } from "./random.mjs";
import { isSame, readOperations, Replica, writeOperations } from "./source.mjs";

const runs = Number(process.env.RUNS ?? 40);
const daemon = new Daemon();
before(() => daemon.start());
after(() => daemon.stop());

async function call(method, path, body, type = "application/json", actor = "ada") {
    const answer = await fetch(`${daemon.origin}/v1/documents/${path}`, {
        method, body: body && JSON.stringify(body),
        headers: { "content-type": type, "versiond-actor": actor },
    });
    const text = await answer.text();
    assert.ok(answer.status < 300, `${method} ${path}: ${text}`);
    return JSON.parse(text);
}

const patch = (path, operations, actor) =>
    call("PATCH", path, operations, "application/json-patch+json", actor);
const move = (from, path) => ({ op: "move", from, path });

/** The edits of other actors after `base`: [the start, the base's revision, calls]. */
const ways = {
    "an undo of a move out of the element before": (inner, key, more) => [
        [Array.isArray(inner) ? ["V"] : { x: "V" }, ...more], 1, [
            (name) => patch(name, [move(`/0/${key}`, "/1"), move("/1", "/0")]),
            (name) => call("POST", `${name}/undo`, {}),
        ]],
    "an undo of moves out of an element and before it": (inner, key, more) => [
        [Array.isArray(inner) ? ["V", "W"] : { x: "V" }, ...more], 0, [
            (name) => patch(name, [move(`/0/${key}`, "/1"), move("/1", "/0")]),
            (name) => call("POST", `${name}/undo`, {}),
        ]],
    "one undo of two changes": (inner, key, more) => [
        [Array.isArray(inner) ? ["V", "W"] : { x: "V" }, ...more], 0, [
            (name) => patch(name, [move(`/0/${key}`, "/1")]),
            (name) => patch(name, [move("/1", "/0")], "bob"),
            (name) => call("POST", `${name}/goto`, { to: "version:0" }),
        ]],
    "one undo of several values": (inner, key, more) => [
        ["V", { x: "V" }, ...more], 0, [
            (name) => patch(name, [{ op: "replace", path: "/0", value: inner }]),
            (name) => patch(name, [
                { op: "replace", path: "/1/x", value: "W" }, { op: "replace", path: "/0", value: 1 },
            ], "bob"),
            (name) => patch(name, [{ op: "replace", path: "/1", value: key }]),
            (name) => call("POST", `${name}/goto`, { to: "version:0" }),
        ]],
    "an undo of an edit in what was removed": (inner, key, more) => [
        [Array.isArray(inner) ? ["V", "W"] : { x: "V" }, ...more], 0, [
            (name) => patch(name, [
                { op: "replace", path: `/0/${key}`, value: 1 }, { op: "remove", path: "/0" },
            ]),
            (name) => call("POST", `${name}/undo`, {}),
        ]],
    "a merge that lets two moves meet": (inner, key, more) => [
        ["V", inner, "gone", ...more], 1, [
            (name) => patch(name, [{ op: "remove", path: "/2" }]),
            (name) => patch(`${name}?base=0&conflict=mine`, [move("/0", "/2"), move("/2", `/0/${key}`)]),
        ]],
    "a way over two changes": (inner, key, more) => [
        ["V", inner, ...more], 4, [
            (name) => patch(name, [move("/0", "/1")]),
            (name) => patch(name, [move("/1", `/0/${key}`)]),
            (name) => call("POST", `${name}/undo`, {}),
            (name) => call("POST", `${name}/undo`, {}),
            (name) => call("POST", `${name}/goto`, { to: "version:2" }),
        ]],
    "a condition between": (inner, key, more) => [
        ["V", inner, ...more], 0, [
            (name) => patch(name, [
                move("/0", "/1"), { op: "test", path: "/1", value: "V" }, move("/1", `/0/${key}`),
            ]),
        ]],
    "a move to where a value stands": (inner, key, more) => [
        [...more, "V", inner, "W"], 0, [
            (name) => patch(name, [
                move(`/${more.length + 2}`, "/-"),
                { op: "replace", path: `/${more.length}`, value: "X" },
            ]),
        ]],
};

for (const [way, others] of Object.entries(ways)) {
    test(`the daemon and a client merge alike: ${way}`, async () => {
        for (let seed = 1; seed <= runs; seed += 1) await merged(way, others, new Random(seed), seed);
    });
}

async function merged(way, others, random, seed) {
    const name = encodeURIComponent(`${way} ${seed}`);
    const inner = random.once(2) ? {} : [];
    const more = Array.from({ length: random.below(3) }, () => crowded(random, 1));
    const [start, base, calls] = others(inner, Array.isArray(inner) ? "0" : "x", more);
    await call("PUT", name, start);
    const trees = [start];
    for (const change of calls) {
        await change(name);
        trees.push(await call("GET", name));
    }
    const policy = random.of(["mine", "theirs"]);
    const replica = new Replica({ policy });
    replica.load(base, trees[base]);
    const mine = operations(random, trees[base], 1 + random.below(3), readOperations);
    replica.edit(readOperations(mine, replica.value).edits);
    const sent = replica.take();
    if (!sent?.edits.length) return;
    const { events } = await call("GET", `${name}/feed?cursor=${base}&patch=stored`);
    const met = events.filter(({ event }) => event === "change")
        .flatMap((item) => replica.receive(item).conflicts);
    const made = await patch(
        `${name}?base=${base}&conflict=${policy}`, writeOperations(sent.edits), "eve");
    const value = await call("GET", name);
    assert.ok(isSame(replica.value, value), `seed ${seed}: ${JSON.stringify([mine, replica.value, value])}`);
    // Edits that were undone as a whole conflict with nothing.
    const isMet = met.length > 0 && !isSame(trees.at(-1), trees[base]);
    assert.equal(isMet, made.conflicts !== undefined, `seed ${seed}: ${JSON.stringify(made)}`);
}
