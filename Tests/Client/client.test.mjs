// client.js against the real daemon: node --test Tests/Client (RUNS and SEED for more)

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { connect, isSame, open, readOperations } from "./source.mjs";
import { Daemon } from "./daemon.mjs";
import { crowded, operations, Random } from "./random.mjs";
import { pause, until } from "./waiting.mjs";

const runs = Number(process.env.CLIENT_RUNS ?? 40);
const firstSeed = Number(process.env.SEED ?? 1);
/** All documents and connections that tests have opened: what they must close in the end. */
const everyone = new Set();
let daemon;

before(async () => { daemon = await new Daemon().start(); });
after(async () => {
    // A test that fails leaves what it opened, which would wait for the daemon for ever.
    await Promise.all([...everyone].map((client) => client.close({ timeout: 0 })));
    await daemon.stop();
});

const url = (name) => `${daemon.origin}/v1/documents/${name}`;

/** A client opened by a test: remembered, so that it is closed even if the test fails. */
function held(client) {
    everyone.add(client);
    return client;
}

/** A fetch that loses requests and answers, and sends some twice. */
function unreliable(random) {
    return async (target, options) => {
        const isStream = options.method === "GET";
        if (!isStream && random.once(6)) throw new TypeError("the request is lost");
        const answer = await fetch(target, options);
        if (!isStream && random.once(8)) await fetch(target, options);
        if (!isStream && random.once(6)) throw new TypeError("the answer is lost");
        return answer;
    };
}

/** A fetch on a long way, so that edits meet. */
function slow(random) {
    return async (target, options) => {
        await pause(random.below(12));
        const answer = await fetch(target, options);
        await pause(random.below(12));
        return answer;
    };
}

async function converged(clients, name) {
    for (const client of clients) await client.saved();
    const answer = await fetch(url(name));
    const revision = Number(answer.headers.get("etag").replaceAll('"', ""));
    const value = await answer.json();
    await until(() => clients.every((client) => client.revision >= revision),
        () => `${clients.map((client) => client.revision)} of ${revision}`);
    for (const client of clients) assert.deepEqual(client.value, value);
    return value;
}

async function opened(name, count, make) {
    const clients = Array.from({ length: count }, (_, index) =>
        held(open(url(name), { actor: `actor-${index}`, status: false, ...make?.(index) })));
    await Promise.all(clients.map((client) => client.ready));
    return clients;
}

for (const count of [2, 5]) {
    test(`${count} clients that edit anything come to one value, and it is what they showed`, async () => {
        for (let seed = firstSeed; seed < firstSeed + runs; seed += 1) {
            const random = new Random(seed);
            const name = `any-${count}-${seed}`;
            const start = crowded(random);
            await daemon.put(name, start);
            const clients = await opened(name, count, () => ({ fetch: slow(random) }));
            for (let step = 0; step < 12; step += 1) {
                const client = random.of(clients);
                const edit = operations(random, client.value, 1 + random.below(2), readOperations);
                if (edit.length > 0) client.edit(edit);
                if (random.once(3)) await pause(random.below(6));
            }
            await converged(clients, name);
            // The daemon and the client carry edits past each other alike.
            for (const client of clients) assert.equal(client.corrections, 0, `seed ${seed}`);
            for (const client of clients) client.close();
        }
    });
}

test("clients over a bad line lose no letter, and double none", async () => {
    const random = new Random(firstSeed);
    const name = "bad-line";
    const [first] = await opened(name, 1, () => ({ create: { text: "" } }));
    const clients = [first, ...await opened(name, 4, () => ({ fetch: unreliable(random) }))];
    for (let word = 0; word < 60; word += 1) {
        for (const [index, client] of clients.entries()) {
            const pos = random.below(client.value.text.length + 1);
            client.edit([{ op: "str_ins", path: "/text", pos, str: `<${index}.${word}>` }]);
        }
        await pause(random.below(8));
    }
    const { text } = await converged(clients, name);
    // Words may be inside words; each letter arrived once.
    assert.equal(text.length, clients.reduce((sum, _, index) => {
        for (let word = 0; word < 60; word += 1) sum += `<${index}.${word}>`.length;
        return sum;
    }, 0));
    for (const client of clients) client.close();
});

test("a daemon that is killed and started again is found again, and nothing is lost", async () => {
    const own = await new Daemon().start();
    try {
        const target = `${own.origin}/v1/documents/killed`;
        const clients = [0, 1].map((index) =>
            held(open(target, { actor: `a${index}`, status: false, create: [] })));
        await Promise.all(clients.map((client) => client.ready));
        for (let number = 0; number < 40; number += 1) {
            for (const [index, client] of clients.entries()) {
                client.edit([{ op: "add", path: "/-", value: `${index}.${number}` }]);
            }
            await pause(10);
            if (number % 13 === 12) {
                await own.kill();
                await own.start();
            }
        }
        for (const client of clients) await client.saved();
        const value = await (await fetch(target)).json();
        assert.equal(value.length, 80);
        assert.equal(new Set(value).size, 80);
        for (const index of [0, 1]) {
            const mine = value.filter((item) => item.startsWith(`${index}.`));
            assert.equal(mine.length, 40);
        }
        await until(() => clients.every((client) => isSame(client.value, value)), () => "values");
        for (const client of clients) client.close();
    } finally {
        await own.stop();
    }
});

test("undo takes back one's own, and says whether there is more", async () => {
    const name = "own-undo";
    const [ada] = await opened(name, 1, () => ({ create: { a: 1, b: 1 }, actor: "ada", status: true }));
    const [bob] = await opened(name, 1, () => ({ actor: "bob", status: true }));
    ada.edit((value) => ({ ...value, a: 2 }));
    await ada.saved();
    bob.edit([{ op: "replace", path: "/b", value: 2 }]);
    await bob.saved();
    await until(() => ada.canUndo && bob.canUndo, () => "canUndo");
    await ada.undo();
    assert.deepEqual(ada.value, { a: 1, b: 2 });
    await until(() => ada.canRedo && !ada.canUndo, () => "canRedo");
    await ada.redo();
    assert.deepEqual(ada.value, { a: 2, b: 2 });
    await until(() => isSame(bob.value, ada.value), () => "bob");
    ada.close();
    bob.close();
});

test("a draft is a document like any other: updates come in, and a merge leaves it alone", async () => {
    const name = "carte";
    const post = async (path, body = {}) => {
        const answer = await fetch(url(path), { method: "POST", body: JSON.stringify(body),
            headers: { "Content-Type": "application/json", "Versiond-Actor": "cyd" } });
        assert.equal(answer.status, 200, path);
        return answer.json();
    };
    const [bob] = await opened(name, 1, () => ({ create: { a: 1, t: "soup" }, actor: "bob" }));
    await fetch(url(`${name}~ada?copyOf=${name}`), { method: "PUT" });
    const [ada] = await opened(`${name}~ada`, 1, () => ({ actor: "ada", status: true }));
    ada.edit([{ op: "str_ins", path: "/t", pos: 0, str: "hot " }]);
    bob.edit((value) => ({ ...value, a: 2 }));
    await Promise.all([ada.saved(), bob.saved()]);
    await post(`${name}~ada/update`);
    await until(() => ada.value.a === 2, () => "the update");
    assert.deepEqual(ada.value, { a: 2, t: "hot soup" });
    const merged = await post(`${name}~ada/merge`);
    await until(() => ada.revision === merged.revision, () => "the mark");
    await until(() => bob.value.t === "hot soup", () => "the merge");
    // Text typed meanwhile is neither lost nor doubled.
    ada.edit([{ op: "str_ins", path: "/t", pos: 8, str: "!" }]);
    await ada.saved();
    await post(`${name}~ada/merge`);
    await until(() => bob.value.t === "hot soup!", () => "the second merge");
    await ada.undo();
    assert.equal(ada.value.t, "hot soup");
    ada.close();
    bob.close();
});

test("a transaction is one step in all its documents, and undo in any of them takes all", async () => {
    const daemonOf = (actor) => held(connect(daemon.origin, { actor, debounce: 0 }));
    const [ada, bob] = [daemonOf("ada"), daemonOf("bob")];
    const names = ["both-a", "both-b"];
    const create = { n: 0, l: [{ id: 1, v: 1 }] };
    const mine = names.map((name) => ada.document(name, { create, status: true }));
    await Promise.all(mine.map(({ ready }) => ready));
    const his = names.map((name) => bob.document(name, { status: true }));
    await Promise.all(his.map(({ ready }) => ready));
    mine[0].edit([{ op: "replace", path: "/n", value: 1 }]);
    const outcome = await ada.transact([
        [mine[0], [{ op: "replace", path: "/l/0/v", value: 2 }]],
        [mine[1], (value) => ({ ...value, n: 5 })],
    ], { label: "both" });
    assert.equal(outcome.transaction, "both-a@2");
    assert.deepEqual(outcome.changes.map(({ document, change }) => [document, change.label]),
        [["both-a", "both"], ["both-b", "both"]]);
    assert.deepEqual(mine.map(({ value }) => [value.n, value.l[0].v]), [[1, 2], [5, 1]]);
    his[1].edit((value) => ({ ...value, bob: true }));
    await his[1].saved();
    await mine[1].undo();
    await until(() => mine[0].value.l[0].v === 1, () => "the other document");
    assert.deepEqual(mine[1].value, { ...create, bob: true });
    await mine[0].redo();
    await until(() => mine[1].value.n === 5, () => "redo in the other document");
    await until(() => his[0].value.l[0].v === 2, () => "bob heard of it all");
    await assert.rejects(bob.transact([
        [his[0], [{ op: "replace", path: "/n", value: 9 }]],
        [his[1], [{ op: "test", path: "/n", value: 7 }]],
    ]), /another/);
    assert.equal(his[0].value.n, 1);
    await bob.undoAll({ transaction: outcome.transaction });
    await until(() => mine[1].value.n === 0, () => "undo of the transaction");
    await bob.redoAll({ transaction: outcome.transaction });
    await until(() => mine[1].value.n === 5, () => "redo of the transaction");
    const { transaction, unchanged } = await ada.mergeDrafts({ prefix: "no-drafts~/" });
    assert.deepEqual([transaction, unchanged], [null, []]);
    await Promise.all([ada.close(), bob.close()]);
});

test("many edits are undone and redone as one step, over a bad line once", async () => {
    const daemonOf = (actor, options) => held(connect(daemon.origin, { actor, debounce: 0, ...options }));
    const agent = daemonOf("agent/many");
    const ada = daemonOf("ada", { fetch: unreliable(new Random(36)) });
    const names = ["many-a", "many-b"];
    const made = names.map((name) => ada.document(name, { create: { n: 0 } }));
    await Promise.all(made.map(({ ready }) => ready));
    const run = names.map((name) => agent.document(name));
    await Promise.all(run.map(({ ready }) => ready));
    for (const one of run) one.edit([{ op: "replace", path: "/n", value: 6 }]);
    await Promise.all(run.map((one) => one.saved()));
    const all = { actor: "agent/many" };
    const numbers = () => run.map(({ value }) => value.n).join();
    const opened = await agent.openRun("agent/many", { ttl: "1m", label: "many" });
    assert.equal(opened.open, true);
    await assert.rejects(ada.undoAll({ all }), ({ code }) => code === "run-open");
    assert.deepEqual(await agent.closeRun("agent/many"), { run: "agent/many", open: false });
    const dry = await ada.undoAll({ all, dryRun: true });
    assert.deepEqual(dry.changes.map(({ document }) => document), names);
    const { changes } = await ada.undoAll({ all, documents: names, label: "too bold" });
    assert.equal(changes[0].change.label, "too bold");
    await until(() => numbers() === "0,0", () => "the undo");
    await ada.redoAll({ all });
    await until(() => numbers() === "6,6", () => "the redo");
    await ada.undoAll({ all, documents: ["many-a"] });
    await until(() => numbers() === "0,6", () => "the undo in one document");
    const again = run[0].revision;
    const refused = ada.undoAll({ all, match: { "many-a": again - 1 } });
    await assert.rejects(refused, ({ code }) => code === "stale-revision");
    await assert.rejects(ada.undoAll({ all, documents: ["many-a"] }), ({ code }) => code === "nothing-to-undo");
    await Promise.all([ada.close(), agent.close()]);
});

test("29: all documents return to a restore point as one step", async () => {
    const ada = held(connect(daemon.origin, { actor: "ada", debounce: 0 }));
    const names = ["point/a", "point/b"];
    const made = names.map((name) => ada.document(name, { create: { n: 0 } }));
    await Promise.all(made.map(({ ready }) => ready));
    const put = await fetch(`${daemon.origin}/v1/restore-points/before`, {
        method: "PUT", body: '{"prefix":"point/"}', headers: { "Content-Type": "application/json" },
    });
    assert.equal(put.status, 201);
    for (const one of made) one.edit([{ op: "replace", path: "/n", value: 6 }]);
    await Promise.all(made.map((one) => one.saved()));
    const to = "restore-point:before";
    const dry = await ada.restoreAll({ to, dryRun: true });
    assert.deepEqual(dry.changes.map(({ document }) => document), names);
    const { changes, madeSince } = await ada.restoreAll({ to, label: "back" });
    assert.deepEqual([changes.length, changes[0].change.label, madeSince], [2, "back", []]);
    await until(() => made.every(({ value }) => value.n === 0), () => "the restore");
    await assert.rejects(ada.restoreAll({ to: "restore-point:none" }),
        ({ code }) => code === "unknown-restore-point");
    await ada.close();
});

test("an undo of many edits keeps places, and decides conflicts by place", async () => {
    const daemonOf = (actor) => held(connect(daemon.origin, { actor, debounce: 0 }));
    const [ada, agent, bob] = ["ada", "agent/keep", "bob"].map(daemonOf);
    const opened = async (connection, options) => {
        const document = connection.document("keep", options);
        await document.ready;
        return document;
    };
    const mine = await opened(ada, { create: { n: 5, m: 1 } });
    const run = await opened(agent);
    run.change((value) => Object.assign(value, { n: 6, m: 2, o: { v: 1 } }));
    await run.saved();
    const his = await opened(bob);
    his.change((value) => { value.o.v = 2; });
    await his.saved();
    const what = { all: { actor: "agent/keep" }, keep: { keep: ["/n"] }, match: { keep: 2 } };
    await assert.rejects(ada.undoAll(what), ({ problem }) => problem.skipped[0].document === "keep");
    const { changes } = await ada.undoAll({ ...what, resolve: { keep: { "/o": "theirs" } } });
    assert.deepEqual(changes[0].change.kept, ["/n"]);
    await until(() => mine.value.o?.v === 2 && mine.value.m === 1, () => "the undo");
    assert.deepEqual(mine.value, { n: 6, m: 1, o: { v: 2 } });
    await Promise.all([ada, agent, bob].map((one) => one.close()));
});

test("transactions over a bad line happen once, and in both documents", async () => {
    const line = held(connect(daemon.origin, { actor: "ada", fetch: unreliable(new Random(35)) }));
    const counters = ["once-a", "once-b"].map((name) => line.document(name, { create: { n: 0 } }));
    await Promise.all(counters.map(({ ready }) => ready));
    const more = ({ n }) => ({ n: n + 1 });
    for (let count = 1; count <= 20; count += 1) {
        await line.transact(counters.map((counter) => [counter, more]));
        assert.deepEqual(counters.map(({ value }) => value.n), [count, count]);
    }
    await line.close();
});

test("an edit that the daemon refuses is taken out of what is shown, and reported", async () => {
    const name = "refused";
    const [client] = await opened(name, 1, () => ({ create: { a: 1 } }));
    const errors = [];
    client.ondropped = ({ detail }) => errors.push(detail.problem.code);
    let deep = 0;
    for (let level = 0; level < 200; level += 1) deep = [deep];
    client.edit([{ op: "add", path: "/deep", value: deep }]);
    client.edit([{ op: "replace", path: "/a", value: 2 }]);
    await client.saved();
    await until(() => errors.length > 0, () => "no error");
    assert.deepEqual(client.value, { a: 2 }, "though both were sent in one request");
    client.edit([{ op: "replace", path: "/a", value: 3 }]);
    await client.saved();
    assert.deepEqual(client.value, { a: 3 });
    client.close();
});

test("without a right nothing is opened, and the problem is the daemon's", async () => {
    const client = held(open(url("nobody"), {}));
    await assert.rejects(client.ready, (error) => error.problem.code === "unknown-document");
    client.close();
});

test("a program that has closed its documents ends", () => {
    const program = `
        import { open } from ${JSON.stringify(new URL("./source.mjs", import.meta.url).href)};
        const document = open(${JSON.stringify(url("ends"))}, { create: { text: "" } });
        await document.ready;
        document.change((draft) => { draft.text = "written"; });
        await document.close();`;
    const begun = Date.now();
    execFileSync(process.execPath, ["--input-type=module", "--eval", program], { timeout: 60_000 });
    // The shortest thing that it could wait for is a pause of the stream: 15 seconds.
    assert.ok(Date.now() - begun < 14_000);
});

test("N5: an actor below the token's name is sent, also with the first request; another one is not", async () => {
    const tokens = path.join(mkdtempSync(path.join(tmpdir(), "versiond-tokens-")), "tokens.json");
    const token = Daemon.token(tokens, "--name", "agent", "--allow", "read,write");
    const own = await new Daemon({ VERSIOND_TOKENS: tokens }).start();
    try {
        for (const [actor, stored] of [["agent/run-1", "agent/run-1"], ["eve", "agent"]]) {
            const name = `of-${actor.replace("/", "-")}`;
            const connection = held(connect(own.origin, { token: async () => token, actor }));
            const document = connection.document(name, { create: { n: 0 } });
            await document.ready;
            document.change((draft) => { draft.n = 1; });
            await document.saved();
            assert.equal(document.problem, null);
            const fields = { Authorization: `Bearer ${token}` };
            const { changes } = await own.value(`${name}/history`, fields);
            assert.deepEqual(changes.map((change) => change.actor), [stored, stored]);
            await document.undo();
            assert.deepEqual(document.value, { n: 0 });
            await connection.close();
        }
    } finally {
        await own.stop();
    }
});

test("documents whose names are long in an address are followed (F6)", async () => {
    const conn = held(connect(daemon.origin, { actor: "ada" }));
    const start = "Проекты/x/Очень длинное название документа про всё на свете";
    const names = Array.from({ length: 50 }, (_, number) => `${start}/${number}`);
    const documents = names.map((name) => conn.document(name, { create: { n: 0 } }));
    await until(() => documents.every((document) => document.state === "live"));
    const last = encodeURIComponent(names.at(-1));
    const answer = await fetch(url(last), {
        method: "PATCH", headers: { "Content-Type": "application/merge-patch+json" },
        body: '{"n":7}',
    });
    assert.equal(answer.status, 200);
    await until(() => documents.at(-1).value.n === 7);
});

/** A daemon whose token "ada" gets other rights while it runs. */
async function withRights(body) {
    const file = path.join(mkdtempSync(path.join(tmpdir(), "versiond-tokens-")), "tokens.json");
    const admin = Daemon.token(file, "--name", "admin", "--allow", "read,write,admin");
    const token = Daemon.token(file, "--name", "ada", "--allow", "read,write");
    const own = await new Daemon({ VERSIOND_TOKENS: file }).start();
    const headers = { Authorization: `Bearer ${token}` };
    async function allow(rights) {
        const list = JSON.parse(readFileSync(file, "utf8"));
        list.tokens.find(({ name }) => name === "ada").rights = rights;
        writeFileSync(file, JSON.stringify(list));
        own.process.kill("SIGHUP");
        await until(async () => (await (await fetch(`${own.origin}/v1/whoami`, { headers })).json())
            .rights.length === rights.length);
    }
    try {
        await own.put("menu", { n: 0 }, { Authorization: `Bearer ${admin}` });
        await body({ own, allow, open: (options) => held(connect(own.origin, { token: async () => token, ...options })) });
    } finally {
        await own.stop();
    }
}

test("B10: a right that comes back is noticed by retry, without a reload", async () => {
    await withRights(async ({ allow, open }) => {
        await allow(["read"]);
        const conn = open();
        const menu = conn.document("menu");
        await menu.ready;
        await until(() => menu.state === "read-only");
        await allow(["read", "write"]);
        menu.retry();
        await until(() => menu.state === "live");
        menu.change((draft) => { draft.n = 1; });
        await menu.saved();
        assert.equal(menu.problem, null);
    });
});

test("B10: an edit that is sent when the right is back makes the document live", async () => {
    await withRights(async ({ allow, open }) => {
        let rights;
        let lost = 0;
        const conn = open({
            fetch: async (target, options) => {
                const isWho = String(target).endsWith("/whoami");
                if (isWho && lost-- > 0) throw new TypeError("the request is lost");
                const answer = await fetch(target, options);
                if (!isWho) return answer;
                ({ rights } = await answer.clone().json());
                return answer;
            },
        });
        const menu = conn.document("menu");
        await menu.ready;
        await until(() => rights?.length === 2, "2");
        await allow(["read"]);
        menu.change((draft) => { draft.n = 2; });
        await until(() => menu.state === "refused");
        conn.retry();
        await until(() => rights.length === 1, "1");
        await allow(["read", "write"]);
        // It sends the edit again, and does not hear that it may.
        lost = 1;
        conn.retry();
        await until(() => menu.state === "live", () => menu.state);
        assert.deepEqual([menu.value, menu.problem], [{ n: 2 }, null]);
    });
});

test("B10: a retry during the request that is then refused is not lost", async () => {
    await withRights(async ({ allow, open }) => {
        const answers = [];
        const conn = open({
            fetch: async (target, options) => {
                const answer = await fetch(target, options);
                if (options?.method !== "PATCH" || answer.status !== 403) return answer;
                await new Promise((resolve) => { answers.push(resolve); });
                return answer;
            },
        });
        const menu = conn.document("menu");
        await menu.ready;
        await allow(["read"]);
        menu.change((draft) => { draft.n = 2; });
        await until(() => answers.length === 1);
        await allow(["read", "write"]);
        conn.retry();
        answers[0]();
        await until(() => menu.state === "live", () => menu.state);
        assert.deepEqual([menu.value, menu.problem], [{ n: 2 }, null]);
    });
});
