// Presence of client.js with the real daemon: node --test Tests/Client/presence.test.mjs

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connect } from "./source.mjs";
import { Daemon } from "./daemon.mjs";
import { until } from "./waiting.mjs";

const everyone = new Set();
let daemon;

before(async () => { daemon = await new Daemon().start(); });
after(async () => {
    await Promise.all([...everyone].map((client) => client.close({ timeout: 0 })));
    await daemon.stop();
});

/** A person with the document open. */
async function person(actor, name) {
    const connection = connect(daemon.origin, { actor, store: null, isRemembered: false });
    everyone.add(connection);
    const document = connection.document(name, { create: { text: "" } });
    await document.ready;
    return { connection, document };
}

const shown = ({ document }) => document.presence.others.map(({ actor, state }) => [actor, state]);

test("what one shows is seen by the others, and not by itself", async () => {
    const [ada, bob] = [await person("ada", "a"), await person("bob", "a")];
    const heard = [];
    bob.document.onpresence = ({ detail }) => heard.push(detail.others.length);
    assert.deepEqual(bob.document.presence.others, []);
    ada.document.presence.set({ color: "#c33" });
    await until(() => shown(bob).length === 1);
    assert.deepEqual(shown(bob), [["ada", { color: "#c33" }]]);
    assert.deepEqual(shown(ada), []);
    bob.document.presence.set({ color: "#33c" });
    await until(() => shown(ada).length === 1);
    for (let number = 0; number < 20; number += 1) ada.document.presence.set({ number });
    await until(() => shown(bob)[0]?.[1].number === 19);
    assert.ok(heard.length > 0);
    ada.document.presence.set(null);
    await until(() => shown(bob).length === 0);
});

test("who comes later sees who is there, and who closes has gone", async () => {
    const ada = await person("ada", "b");
    ada.document.presence.set({ here: true });
    const bob = await person("bob", "b");
    await until(() => shown(bob).length === 1);
    await ada.document.close();
    await until(() => shown(bob).length === 0);
});

test("a caret stays where it is while others type before it", async () => {
    const [ada, bob] = [await person("ada", "c"), await person("bob", "c")];
    ada.document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "good day" }]);
    await ada.document.saved();
    ada.document.presence.set({ at: { path: "/text", anchor: 5, head: 8 } });
    await until(() => shown(bob)[0]?.[1].at?.head === 8);
    bob.document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "a " }]);
    assert.deepEqual(shown(bob)[0][1].at, { path: "/text", anchor: 7, head: 10 });
    bob.document.edit([{ op: "str_del", path: "/text", pos: 2, len: 5 }]);
    assert.deepEqual(shown(bob)[0][1].at, { path: "/text", anchor: 2, head: 5 });
    await bob.document.saved();
});

test("a state waits until the document is where it holds", async () => {
    const bob = await person("bob", "d");
    const client = "client-by-hand";
    void bob.document.presence.others;
    const put = (revision, state) => fetch(
        `${daemon.origin}/v1/documents/d/presence/${client}?revision=${revision}`, {
            method: "PUT", body: JSON.stringify(state),
            headers: { "Content-Type": "application/json" },
        });
    assert.equal((await put(0, "now")).status, 204);
    await until(() => shown(bob)[0]?.[1] === "now");
    assert.equal((await put(1, "later")).status, 204);
    await new Promise((resolve) => { setTimeout(resolve, 300); });
    assert.equal(shown(bob)[0][1], "now");
    bob.document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "x" }]);
    await until(() => shown(bob)[0]?.[1] === "later");
});

test("whatever somebody shows, nobody's editing stops", async () => {
    const [ada, bob] = [await person("ada", "f"), await person("bob", "f")];
    void ada.document.presence.others;
    const states = [
        { at: { path: "x", anchor: 0, head: 0 } }, { at: { path: "/text", anchor: "1", head: {} } },
        { at: 7 }, [], "text", { at: { path: "/text/0/1", anchor: -1, head: 1e9 } },
    ];
    for (const [number, state] of states.entries()) {
        const answer = await fetch(`${daemon.origin}/v1/documents/f/presence/mallory-${number}`, {
            method: "PUT", body: JSON.stringify(state),
            headers: { "Content-Type": "application/json" },
        });
        assert.equal(answer.status, 204);
    }
    await until(() => shown(ada).length === states.length);
    ada.document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "a" }]);
    await ada.document.saved();
    bob.document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "b" }]);
    await until(() => ada.document.value.text.length === 2);
    assert.throws(() => ada.document.presence.set({ number: 1n }), TypeError);
    ada.document.presence.set({ number: 1 });
    await until(() => shown(bob).some(([actor]) => actor === "ada"));
});

test("what the daemon does not want is told once, and a wake tries again", async () => {
    const ada = await person("ada", "g");
    const problems = [];
    ada.document.onerror = ({ detail }) => problems.push(detail.problem.code);
    await fetch(`${daemon.origin}/v1/documents/g/settings`, {
        method: "PATCH", body: JSON.stringify({ presence: false }),
        headers: { "Content-Type": "application/json" },
    });
    for (let number = 0; number < 5; number += 1) {
        ada.document.presence.set({ number });
        await new Promise((resolve) => { setTimeout(resolve, 150); });
    }
    assert.deepEqual(problems, ["no-presence"]);
});

test("presence is heard within 200 ms, and comes back after the daemon started anew", async () => {
    const [ada, bob] = [await person("ada", "e"), await person("bob", "e")];
    void bob.document.presence.others;
    ada.document.presence.set(0);
    await until(() => shown(bob).length === 1);
    const times = [];
    for (let number = 1; number <= 20; number += 1) {
        const start = performance.now();
        ada.document.presence.set(number);
        await until(() => shown(bob)[0]?.[1] === number);
        times.push(performance.now() - start);
    }
    times.sort((one, other) => one - other);
    console.log(`heard after ${times[10].toFixed(0)} ms, the slowest ${times[19].toFixed(0)} ms`);
    assert.ok(times[10] < 1_000);
    await daemon.kill();
    await daemon.start();
    ada.document.presence.set("again");
    await until(() => shown(bob)[0]?.[1] === "again");
});
