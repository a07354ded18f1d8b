// One case for each fault that users met: the codes are those of the reports, in the table of
// Documentation/Project/ClientTests.md. In the simulation, so that each run is the same.

import assert from "node:assert/strict";
import { test } from "node:test";
import { applyAll, MemoryStore, Replica } from "./source.mjs";
import { fate, Scene } from "./simulation/scene.mjs";

const menu = () => ({ text: "", state: "draft", price: 5, items: [] });
const operationsSent = (scene) => scene.calls.filter(({ method }) => method === "PATCH")
    .flatMap(({ body }) => JSON.parse(body));

test("A1, T3: a function that returns nothing, and what JSON cannot say, are errors that change nothing", async () => {
    const scene = new Scene({ d: menu() });
    const { document } = await scene.open("d");
    const before = document.value;
    const cycle = {};
    cycle.self = cycle;
    for (const bad of [
        (value) => { value.price = 6; }, () => undefined, (value) => ({ ...value, price: undefined }),
        (value) => ({ ...value, price: 6n }), (value) => ({ ...value, more: cycle }),
        (value) => ({ ...value, when: new Date(0) }), (value) => ({ ...value, price: NaN }),
        (value) => ({ ...value, text: "\ud800" }), (value) => ({ ...value, items: [, 1] }),
    ]) assert.throws(() => document.edit(bad), TypeError);
    assert.throws(() => document.edit([{ op: "add", path: "/price", value: undefined }]), TypeError);
    assert.throws(() => document.edit([{ op: "add", path: "price", value: 1 }]), Error);
    assert.throws(() => document.change((draft) => { draft.price = undefined; }), TypeError);
    assert.equal(document.value, before);
    document.edit((value) => ({ ...value, price: 6 }));
    await scene.pass(1_000);
    assert.equal(scene.stored("d").price, 6);
    assert.equal(document.isSaved, true);
});

test("A3: two who set a text have one of both, and letters merge where letters are edited", async () => {
    const scene = new Scene({ d: menu() });
    const [ada, bob] = [await scene.open("d", { actor: "ada" }), await scene.open("d", { actor: "bob" })];
    ada.document.edit((value) => ({ ...value, state: "deleted" }));
    bob.document.edit((value) => ({ ...value, state: "done" }));
    ada.document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "Soup" }]);
    bob.document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "Stew" }]);
    await scene.pass(3_000);
    assert.ok(["deleted", "done"].includes(scene.stored("d").state));
    assert.equal(scene.stored("d").text.length, 8);
    assert.ok([ada, bob].some(({ heard }) => heard.some(({ type }) => type === "conflict")), "T17: said so");
});

test("A4, T6: an expired token drops nothing; with another one all is sent", async () => {
    const scene = new Scene({ d: menu() });
    scene.daemon.tokens = new Map([["one", "ada"]]);
    let token = "one";
    const { document, heard, connection } = await scene.open("d", { token: async () => token });
    scene.daemon.tokens.delete("one");
    for (let word = 0; word < 5; word += 1) {
        document.edit([{ op: "str_ins", path: "/text", pos: 0, str: `word${word} ` }]);
        await scene.pass(1_000);
    }
    assert.equal(document.state, "refused");
    assert.equal(document.problem.status, 401);
    assert.equal(document.isSaved, false);
    assert.notEqual(document.pending.length, 0);
    assert.equal(heard.filter(({ type }) => type === "dropped").length, 0);
    token = "two";
    scene.daemon.tokens.set("two", "ada");
    connection.retry();
    await scene.pass(3_000);
    assert.equal(scene.stored("d").text, "word4 word3 word2 word1 word0 ");
    assert.equal(document.state, "live");
});

test("A4: a token that runs out is renewed without anybody noticing", async () => {
    const scene = new Scene({ d: menu() });
    scene.daemon.tokens = new Map([["t0", "ada"]]);
    let count = 0;
    const { document, heard } = await scene.open("d", { token: async () => `t${count}` });
    for (count = 1; count < 6; count += 1) {
        scene.daemon.tokens.clear();
        scene.daemon.tokens.set(`t${count}`, "ada");
        document.edit([{ op: "str_ins", path: "/text", pos: 0, str: `${count}` }]);
        await scene.pass(1_000);
        assert.equal(scene.stored("d").text[0], `${count}`);
    }
    assert.equal(heard.some(({ detail }) => detail?.state === "refused"), false);
});

test("A4: a token function that fails is tried again, and nothing is lost", async () => {
    const scene = new Scene({ d: menu() });
    scene.daemon.tokens = new Map([["good", "ada"]]);
    let isDown = false;
    const { document } = await scene.open("d", {
        token: async () => { if (isDown) throw new Error("no login"); return "good"; },
    });
    isDown = true;
    scene.daemon.tokens.delete("good");
    document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "kept" }]);
    await scene.pass(5_000);
    assert.equal(document.state, "refused");
    isDown = false;
    scene.daemon.tokens.set("good", "ada");
    await scene.pass(120_000);
    assert.equal(scene.stored("d").text, "kept");
});

test("A4: a right that is taken away keeps what waits, and the state says so", async () => {
    const scene = new Scene({ d: menu() });
    const { document, heard } = await scene.open("d");
    scene.daemon.isReadOnly = true;
    document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "kept" }]);
    await scene.pass(3_000);
    assert.equal(document.state, "refused");
    assert.equal(document.value.text, "kept");
    assert.equal(heard.filter(({ type }) => type === "dropped").length, 0);
    scene.daemon.isReadOnly = false;
    document.retry();
    await scene.pass(3_000);
    assert.equal(scene.stored("d").text, "kept");
});

test("A4, T6: one edit that cannot be stored takes no other along, and comes back as operations", async () => {
    const scene = new Scene({ d: menu() });
    const { document, heard } = await scene.open("d");
    document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "innocent" }]);
    document.edit([{ op: "add", path: "/name", value: "poison" }]);
    document.edit([{ op: "add", path: "/items/-", value: "also" }]);
    await scene.pass(5_000);
    assert.deepEqual(scene.stored("d"), { ...menu(), text: "innocent", items: ["also"] });
    const [{ detail }, ...more] = heard.filter(({ type }) => type === "dropped");
    assert.equal(more.length, 0);
    assert.deepEqual(detail.operations, [{ op: "add", path: "/name", value: "poison" }]);
    assert.equal(detail.problem.code, "unprocessable");
    assert.equal(document.stranded.length, 1);
    detail.forget();
    assert.equal(document.stranded.length, 0);
});

test("A5, T2: seven documents of six tabs need one stream, and all are saved", async () => {
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const scene = new Scene(Object.fromEntries(names.map((name) => [name, menu()])));
    const browser = scene.browser();
    const pages = Array.from({ length: 6 }, () => scene.page({ actor: "ada" }, browser));
    const documents = pages.flatMap(({ connection }) => names.map((name) => connection.document(name)));
    await scene.pass(5_000);
    assert.equal(scene.network.streams, 1);
    for (const document of documents) document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "x" }]);
    await scene.pass(10_000);
    for (const name of names) assert.equal(scene.stored(name).text, "xxxxxx");
    assert.ok(documents.every(({ isSaved, value }) => isSaved && value.text === "xxxxxx"));
});

test("A6: what is typed behind an undo is not what is undone", async () => {
    const scene = new Scene({ d: menu() });
    const { document } = await scene.open("d", { actor: "ada", debounce: 0 });
    document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "first" }]);
    await scene.pass(1_000);
    scene.network.latencyMax = 400;
    for (let round = 0; round < 10; round += 1) {
        const undo = document.undo();
        document.edit([{ op: "replace", path: "/price", value: 100 + round }]);
        await scene.pass(5_000);
        assert.equal((await undo).change.kind, "undo");
        assert.equal(scene.stored("d").price, 100 + round);
        assert.equal(scene.stored("d").text, "");
        document.edit([{ op: "str_ins", path: "/text", pos: 0, str: `${round}` }]);
        await scene.pass(5_000);
    }
});

test("A7: presses of undo while the daemon is away take back what waits, and no more", async () => {
    const scene = new Scene({ d: menu() });
    const { document, tab } = await scene.open("d", { actor: "ada", debounce: 0 });
    for (const word of ["one ", "two ", "three "]) {
        document.edit([{ op: "str_ins", path: "/text", pos: 0, str: word }]);
        await scene.pass(1_000);
    }
    scene.network.offline.add(tab);
    document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "offline " }]);
    await scene.pass(1_000);
    assert.equal(document.state, "offline");
    const presses = [];
    for (let press = 0; press < 5; press += 1) presses.push(fate(document.undo()));
    const ends = await Promise.all(presses);
    assert.equal(document.value.text, "three two one ");
    assert.ok(ends.slice(1).every((end) => end?.code === "offline"), "said at once, not kept for later");
    scene.network.offline.delete(tab);
    tab.wake();
    await scene.pass(30_000);
    assert.equal(scene.stored("d").text, "three two one ");
    assert.equal(document.state, "live");
});

test("A8, T23: undo is one's own: the token says whose, and another actor's name is not sent", async () => {
    const scene = new Scene({ d: menu() });
    scene.daemon.tokens = new Map([["t-ada", "ada"], ["t-bob", "bob"]]);
    for (const actor of [undefined, "Ada L"]) {
        const ada = await scene.open("d", { token: "t-ada", actor });
        const bob = await scene.open("d", { token: "t-bob" });
        assert.equal(ada.document.actor, "ada");
        ada.document.edit([{ op: "replace", path: "/price", value: 7 }]);
        await scene.pass(1_000);
        bob.document.edit([{ op: "replace", path: "/state", value: "done" }]);
        await scene.pass(1_000);
        assert.equal(ada.document.canUndo, true);
        await Promise.all([ada.document.undo(), scene.pass(1_000)]);
        assert.equal(scene.stored("d").price, 5);
        assert.equal(scene.stored("d").state, "done");
        assert.ok(scene.calls.every(({ headers }) => !headers["Versiond-Actor"]));
        await Promise.all([bob.document.undo(), scene.pass(1_000)]);
        for (const { connection } of [ada, bob]) await Promise.all([connection.close(), scene.pass(6_000)]);
    }
});

test("every change names who asked the actor for it", async () => {
    const scene = new Scene({ d: menu() });
    const { document } = await scene.open("d", { actor: "agent", promptBy: "Jürgen" });
    document.edit([{ op: "replace", path: "/price", value: 7 }]);
    await scene.pass(1_000);
    await Promise.all([document.undo(), scene.pass(1_000)]);
    const changes = scene.calls.filter(({ method }) => method !== "GET");
    assert.equal(changes.length, 2);
    for (const { headers } of changes) assert.equal(headers["Versiond-Prompt-By"], "J%C3%BCrgen");
});

test("what can be undone is what the newest revision says, however late an older answer comes", async () => {
    const scene = new Scene({ d: menu() });
    const isStatus = ({ url }) => new URL(url).pathname.endsWith("/status");
    scene.network.detour = (request) => (isStatus(request) ? 5_000 : 0);
    const { document } = await scene.open("d", { actor: "ada" });
    document.edit([{ op: "replace", path: "/price", value: 7 }]);
    await scene.pass(1_000);
    assert.equal(document.canUndo, true);
    await scene.pass(10_000);
    assert.equal(document.canUndo, true);
});

test("what can be undone is asked for again when it was not answered", async () => {
    const scene = new Scene({ d: menu() });
    const first = await scene.open("d", { actor: "ada" });
    first.document.edit([{ op: "replace", path: "/price", value: 7 }]);
    await scene.pass(1_000);
    let failures = 2;
    scene.answer = (method, url) => (new URL(url).pathname.endsWith("/status") && failures-- > 0
        ? { status: 503, body: {} } : null);
    const { document } = await scene.open("d", { actor: "ada" });
    assert.equal(document.canUndo, false);
    await scene.pass(5_000);
    assert.equal(document.canUndo, true);
    assert.equal(failures, -1);
});

test("what can be undone is asked for when a document was read anew", async () => {
    const scene = new Scene({ d: menu() });
    const { document, tab } = await scene.open("d", { actor: "ada" });
    scene.network.offline.add(tab);
    scene.network.cut(tab);
    const other = await scene.open("d", { actor: "ada" });
    other.document.edit([{ op: "replace", path: "/price", value: 7 }]);
    await scene.pass(1_000);
    scene.answer = (method, url) => {
        const { pathname, searchParams } = new URL(url);
        const isTrimmed = pathname.endsWith("/feed") && ![null, "now"].includes(searchParams.get("cursor"));
        return isTrimmed ? { status: 410, body: { code: "trimmed" } } : null;
    };
    scene.network.offline.delete(tab);
    tab.wake();
    await scene.pass(30_000);
    assert.equal(document.value.price, 7);
    assert.equal(document.canUndo, true);
});

test("A9: saved is an event, once for all that waited, also without status", async () => {
    const scene = new Scene({ d: menu() });
    const { document, heard } = await scene.open("d", { status: false });
    for (const letter of "letters") {
        document.edit([{ op: "str_ins", path: "/text", pos: document.value.text.length, str: letter }]);
    }
    assert.equal(document.state, "saving");
    assert.equal(document.isSaved, false);
    await scene.pass(2_000);
    const saved = heard.filter(({ type }) => type === "saved");
    assert.equal(saved.length, 1);
    assert.equal(saved[0].detail.revision, document.revision);
    assert.equal(document.state, "live");
    assert.equal(scene.count("GET", "/status"), 0);
});

test("A10, T6: ten thousand edits made offline are sent in parts, and all are stored", async () => {
    const lists = Array.from({ length: 101 }, () => Array.from({ length: 100 }, () => 0));
    const scene = new Scene({ d: { lists } });
    const { document, tab, heard } = await scene.open("d");
    scene.network.offline.add(tab);
    for (const [row, list] of lists.entries()) {
        for (const column of list.keys()) {
            document.edit([{ op: "replace", path: `/lists/${row}/${column}`, value: row + 1 }]);
        }
    }
    await scene.pass(1_000);
    scene.daemon.operationsMax = 6_000;
    scene.network.offline.delete(tab);
    tab.wake();
    await scene.pass(60_000);
    assert.equal(heard.filter(({ type }) => type === "dropped").length, 0);
    assert.deepEqual(scene.stored("d").lists, lists.map((list, row) => list.map(() => row + 1)));
    assert.ok(scene.calls.every(({ status }) => status < 400));
    assert.equal(scene.calls.filter(({ method }) => method === "PATCH").length, 3);
});

test("A10: a filter of a list of twenty thousand is few requests, and quick to find", async () => {
    const list = Array.from({ length: 20_000 }, (_, index) => ({ id: `i${index}`, n: index }));
    const scene = new Scene({ d: { list } });
    const { document } = await scene.open("d");
    const begun = performance.now();
    document.edit((value) => ({ ...value, list: value.list.filter(({ n }) => n % 4 === 0) }));
    const filtered = performance.now() - begun;
    const again = performance.now();
    JSON.stringify(document.value);
    JSON.parse(JSON.stringify({ list }));
    const plain = performance.now() - again;
    assert.ok(filtered < 40 * plain + 400, `${filtered} ms beside ${plain} ms for the text`);
    await scene.pass(60_000);
    assert.equal(scene.stored("d").list.length, 5_000);
    assert.ok(scene.calls.filter(({ method }) => method === "PATCH").length <= 4);
});

test("A11, T12: a document opened while the daemon is away opens when it is back", async () => {
    const scene = new Scene({ d: menu() });
    scene.network.isDown = true;
    const { document, heard } = await scene.open("d");
    await scene.pass(30_000);
    assert.equal(document.value, undefined);
    assert.equal(document.state, "offline");
    assert.equal(heard.filter(({ type }) => type === "error").length, 0);
    assert.throws(() => document.edit((value) => value), (error) => error.code === "not-ready");
    scene.network.isDown = false;
    await scene.pass(30_000);
    assert.equal(await fate(document.ready), document);
    assert.equal(document.state, "live");
});

test("A12: what is shown cannot be changed in place", async () => {
    const scene = new Scene({ d: { a: { b: [1] } } });
    const { document } = await scene.open("d");
    assert.throws(() => { document.value.a.b.push(2); }, TypeError);
    assert.throws(() => { document.value.a = 1; }, TypeError);
    const mine = { c: [1] };
    document.edit((value) => ({ ...value, mine }));
    mine.c.push(2);
    assert.throws(() => { document.value.mine.c.push(3); }, TypeError);
    await scene.pass(1_000);
    assert.deepEqual(scene.stored("d").mine, { c: [1] });
});

test("A13, T20: twenty who watch cost no request for each edit", async () => {
    const scene = new Scene({ d: menu() });
    const pages = [];
    for (let index = 0; index < 20; index += 1) pages.push(await scene.open("d", { actor: `a${index}` }));
    const before = scene.count("GET", "/status");
    const changes = pages[19].heard.length;
    for (let index = 0; index < 20; index += 1) {
        pages[0].document.edit([{ op: "replace", path: "/price", value: index }]);
        await scene.pass(500);
    }
    assert.ok(scene.count("GET", "/status") - before <= 2, `${scene.count("GET", "/status") - before}`);
    assert.ok(pages[19].heard.length - changes <= 1, "nothing is said that is not new");
    assert.equal(pages[0].document.canUndo, true);
    assert.equal(pages[19].document.canUndo, false);
});

test("A14: a place stays with its element, and bindings with the place", async () => {
    const scene = new Scene({ d: { items: ["APPLES", "BREAD", "CHEESE"].map((text) => ({ text })) } });
    const [ada, bob] = [await scene.open("d", { actor: "ada" }), await scene.open("d", { actor: "bob" })];
    const place = ada.document.at("/items/1");
    const area = scene.area(ada.document, place.at("text"));
    bob.document.change(({ items }) => { items.splice(0, 1); });
    await scene.pass(1_000);
    assert.equal(place.pointer, "/items/0");
    area.setSelectionRange(5, 5);
    area.type(" rolls");
    bob.document.change(({ items }) => { items.unshift({ text: "OIL" }, { text: "ALE" }); });
    await scene.pass(1_000);
    assert.equal(place.pointer, "/items/2");
    place.moveTo("/items/0");
    assert.equal(place.pointer, "/items/0");
    await scene.pass(1_000);
    assert.deepEqual(scene.stored("d").items.map(({ text }) => text), ["BREAD rolls", "OIL", "ALE", "CHEESE"]);
    bob.document.at("/items/0").remove();
    await scene.pass(1_000);
    assert.equal(place.isGone, true);
    assert.equal(area.readOnly, true);
    assert.throws(() => place.set(1), TypeError);
});

test("A14: what is typed into what somebody removes comes back as operations", async () => {
    const scene = new Scene({ d: { items: [{ text: "BREAD" }] } });
    const [ada, bob] = [await scene.open("d", { actor: "ada" }), await scene.open("d", { actor: "bob" })];
    const area = scene.area(ada.document, ada.document.at("/items/0").at("text"));
    area.setSelectionRange(5, 5);
    area.beginComposing("にほ");
    bob.document.change(({ items }) => { items.splice(0, 1); });
    await scene.pass(1_000);
    area.endComposing("日本");
    await scene.pass(1_000);
    const dropped = ada.heard.filter(({ type }) => type === "dropped");
    assert.equal(dropped.length, 1);
    assert.ok(JSON.stringify(dropped[0].detail.operations).includes("日本"));
});

test("A14: what is half entered where somebody removes the place comes back as operations", async () => {
    const scene = new Scene({ d: { items: [{ name: "BREAD" }] } });
    const [ada, bob] = [await scene.open("d", { actor: "ada" }), await scene.open("d", { actor: "bob" })];
    const input = Object.assign(new EventTarget(), { type: "text", value: "" });
    input.ownerDocument = { activeElement: null };
    ada.document.bindInput(input, ada.document.at("/items/0").at("name"));
    assert.equal(input.value, "BREAD");
    input.ownerDocument.activeElement = input;
    input.value = "BREAD, dark";
    bob.document.change(({ items }) => { items.splice(0, 1); });
    await scene.pass(1_000);
    const dropped = ada.heard.filter(({ type }) => type === "dropped");
    assert.equal(dropped.length, 1);
    assert.deepEqual(dropped[0].detail.operations,
        [{ op: "add", path: "/items/0/name", value: "BREAD, dark" }]);
    assert.equal(input.disabled, true);
});

test("A15, T8: a text that is not there is made; where none can be, the element is read-only", async () => {
    const scene = new Scene({ d: { items: [] }, list: [1, 2] });
    const { document, heard } = await scene.open("d", { actor: "ada" });
    const other = await scene.open("d", { actor: "bob" });
    const [area, second] = [scene.area(document), scene.area(other.document)];
    assert.equal(area.readOnly, false);
    area.type("precious");
    second.type("words");
    await scene.pass(3_000);
    assert.equal(scene.stored("d").text.length, "preciouswords".length);
    assert.equal(area.value, scene.stored("d").text);
    assert.equal(heard.filter(({ type }) => type === "error").length, 0);
    const list = await scene.open("list");
    assert.equal(scene.area(list.document, "/text").readOnly, true);
    assert.equal(scene.area(document, "/items").readOnly, true);
    assert.equal(scene.area(document, "/nobody/text").readOnly, true);
});

test("A16, T17: elements are known by their id: what is sorted moves, and keeps others' edits", async () => {
    const items = ["c", "a", "b"].map((id) => ({ id, name: id.repeat(3), price: 1 }));
    const scene = new Scene({ d: { items } });
    const [ada, bob] = [await scene.open("d", { actor: "ada" }), await scene.open("d", { actor: "bob" })];
    ada.document.edit((value) => ({
        ...value, items: [...value.items].sort((one, other) => (one.id < other.id ? -1 : 1)),
    }));
    bob.document.edit([{ op: "replace", path: "/items/0/price", value: 100 }]);
    await scene.pass(2_000);
    assert.ok(operationsSent(scene).every(({ op, path }) => op === "move" || path.endsWith("price")));
    assert.deepEqual(scene.stored("d").items.map(({ id, price }) => [id, price]), [["a", 1], ["b", 1], ["c", 100]]);
    ada.document.change((draft) => { draft.items.reverse(); });
    await scene.pass(1_000);
    assert.deepEqual(scene.stored("d").items.map(({ id }) => id), ["c", "b", "a"]);
    assert.ok(operationsSent(scene).every(({ op, path }) => op === "move" || path.endsWith("price")));
});

test("A18: a document that may not be made says why", async () => {
    const scene = new Scene();
    scene.answer = (method) => (method === "PUT"
        ? { status: 403, body: { code: "forbidden", status: 403, detail: "no" } } : undefined);
    const { document } = await scene.open("new", { create: {} });
    const end = await fate(document.ready);
    if (end !== "pending") assert.equal(end.code, "forbidden");
    assert.notEqual(document.problem?.code, "unknown-document");
    assert.equal(document.problem?.code ?? end.code, "forbidden");
});

test("A19: an end is said once: no error each time the stream is tried, a deleted document once", async () => {
    const scene = new Scene({ d: menu(), e: menu() });
    scene.daemon.tokens = new Map([["one", "ada"]]);
    const { document, heard, connection } = await scene.open("d", { token: "one" });
    const other = connection.document("e");
    const errors = [];
    other.onerror = ({ detail }) => errors.push(detail.code);
    await scene.pass(1_000);
    scene.daemon.delete("e");
    await scene.pass(60_000);
    assert.deepEqual(errors, ["document-deleted"]);
    assert.equal(other.state, "deleted");
    scene.daemon.tokens.clear();
    scene.network.cut();
    await scene.pass(300_000);
    assert.equal(document.state, "refused");
    assert.equal(heard.filter(({ type }) => type === "error").length, 0);
    assert.ok(scene.calls.length < 120, `${scene.calls.length} calls in five minutes`);
});

test("A19, T21: when the line is back, the page knows at once", async () => {
    const scene = new Scene({ d: menu() });
    const { document, tab } = await scene.open("d");
    scene.network.offline.add(tab);
    scene.network.cut();
    document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "train" }]);
    await scene.pass(120_000);
    assert.equal(document.state, "offline");
    scene.network.offline.delete(tab);
    tab.wake();
    await scene.pass(500);
    assert.equal(scene.stored("d").text, "train");
    assert.equal(document.state, "live");
});

test("A20, T5: a page that is closed sends what waits; what it cannot, the next one does", async () => {
    const scene = new Scene({ d: menu() });
    const browser = scene.browser();
    let expected = "";
    for (let word = 0; word < 10; word += 1) {
        const { document, tab } = await scene.open("d", { actor: "ada" }, browser);
        document.edit([{ op: "str_ins", path: "/text", pos: document.value.text.length, str: `w${word}.` }]);
        expected += `w${word}.`;
        tab.end({ isTold: true });
        await scene.pass(1_000);
        assert.equal(scene.stored("d").text, expected);
    }
    const offline = await scene.open("d", { actor: "ada" }, browser);
    scene.network.offline.add(offline.tab);
    offline.document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "offline words " }]);
    await scene.pass(1_000);
    offline.tab.end({ isTold: true });
    const next = await scene.open("d", { actor: "ada" }, browser);
    await scene.pass(5_000);
    assert.equal(scene.stored("d").text, `offline words ${expected}`);
    assert.equal(next.document.value.text, `offline words ${expected}`);
});

test("A20: closing a document waits for what is under way, and returns what is left", async () => {
    const scene = new Scene({ d: menu() });
    const { document, tab } = await scene.open("d", { store: new MemoryStore() });
    document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "sent" }]);
    const first = document.close();
    await scene.pass(1_000);
    assert.deepEqual(await fate(first), []);
    assert.equal(scene.stored("d").text, "sent");
    const again = await scene.open("d");
    scene.network.offline.add(again.tab);
    again.document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "left " }]);
    const second = again.document.close();
    await scene.pass(6_000);
    assert.deepEqual(await fate(second), [{ op: "str_ins", path: "/text", pos: 0, str: "left " }]);
    assert.ok(tab);
});

test("A20: a page of another person does not send what somebody has left", async () => {
    const scene = new Scene({ d: menu() });
    scene.daemon.tokens = new Map([["a", "ada"], ["b", "bob"]]);
    const browser = scene.browser();
    const ada = await scene.open("d", { token: "a" }, browser);
    scene.network.offline.add(ada.tab);
    ada.document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "ada's" }]);
    await scene.pass(1_000);
    ada.tab.end({ isTold: false });
    const bob = await scene.open("d", { token: "b" }, browser);
    await scene.pass(30_000);
    assert.equal(scene.stored("d").text, "");
    bob.tab.end({ isTold: true });
    await scene.open("d", { token: "a" }, browser);
    await scene.pass(30_000);
    assert.equal(scene.stored("d").text, "ada's");
    assert.deepEqual(new Set(scene.daemon.documents.get("d").changes.map(({ actor }) => actor)), new Set([undefined, "ada"]));
});

test("A23: labels, groups and the options of undo reach the daemon", async () => {
    const scene = new Scene({ d: menu() });
    const { document } = await scene.open("d", {
        actor: "ada", headers: () => ({ "X-Trace": "7" }), credentials: "include",
    });
    document.change((draft) => { draft.price = 6; }, { label: "dearer", group: "drag" });
    await scene.pass(5_000);
    document.change((draft) => { draft.price = 7; }, { label: "dearer", group: "drag" });
    await scene.pass(1_000);
    const patches = scene.calls.filter(({ method }) => method === "PATCH");
    const groups = patches.map(({ search }) => new URLSearchParams(search).get("group"));
    assert.equal(groups[0], groups[1]);
    assert.equal(new URLSearchParams(patches[0].search).get("label"), "dearer");
    assert.equal(patches[0].headers["X-Trace"], "7");
    const undo = document.undo({ conflict: "theirs", revision: 1 });
    await scene.pass(1_000);
    assert.equal((await fate(undo))?.message ?? "", "");
    const sent = scene.calls.find(({ path }) => path.endsWith("/undo"));
    assert.deepEqual(JSON.parse(sent.body), { revision: 1 });
    assert.equal(sent.search, "?conflict=theirs");
});

test("A24, T26: nothing that a script of the origin can list has the token", async () => {
    const scene = new Scene({ d: menu() });
    scene.daemon.tokens = new Map([["vd_secret", "ada"]]);
    const browser = scene.browser();
    const names = [];
    const of = browser.locks.of.bind(browser.locks);
    browser.locks.of = (tab) => {
        const locks = of(tab);
        return { request: (name, ...more) => { names.push(name); return locks.request(name, ...more); } };
    };
    const { document, tab } = await scene.open("d", { token: "vd_secret" }, browser);
    scene.network.offline.add(tab);
    document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "x" }]);
    await scene.pass(1_000);
    assert.ok(names.length > 0 && browser.records.size > 0);
    const seen = JSON.stringify([names, browser.channels.map(({ name }) => name),
        [...browser.records.values()], [...browser.storage]]);
    assert.equal(seen.includes("secret"), false);
});

test("T7: an actor has any letters", async () => {
    const scene = new Scene({ d: menu() });
    for (const actor of ["Jürgen", "李雷", "a/b c"]) {
        const { document } = await scene.open("d", { actor });
        document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "x" }]);
        await scene.pass(1_000);
        const { changes } = scene.daemon.documents.get("d");
        assert.equal(changes[changes.length - 1].actor, actor);
    }
});

test("T10: a letter in a text of a megabyte costs little more than reading it", async () => {
    const scene = new Scene({ d: { text: "y".repeat(1_000_000) } });
    const { document } = await scene.open("d");
    const area = scene.area(document);
    const count = 200;
    area.setSelectionRange(500_000, 500_000);
    const begun = performance.now();
    for (let key = 0; key < count; key += 1) area.type("x");
    const typed = performance.now() - begun;
    const again = performance.now();
    let [text, letters] = [document.value.text, 0];
    for (let key = 0; key < count; key += 1) {
        text = `${text.slice(0, 500_000)}x${text.slice(500_000)}`;
        for (let at = 0; at < text.length; at += 1) letters += text.charCodeAt(at) & 1;
    }
    const plain = performance.now() - again;
    assert.ok(letters > 0 && typed < 4 * plain + 200, `${typed} ms beside ${plain} ms`);
    await scene.pass(10_000);
    assert.equal(scene.stored("d").text.length, 1_000_000 + count);
});

test("T11: undo works after a reload, and redo by keyboard", async () => {
    const scene = new Scene({ d: menu() });
    const browser = scene.browser();
    const { document, tab } = await scene.open("d", { actor: "ada" }, browser);
    const area = scene.area(document);
    area.type("before");
    await scene.pass(2_000);
    tab.end({ isTold: true });
    const next = await scene.open("d", { actor: "ada" }, browser);
    const other = scene.area(next.document);
    await scene.pass(2_000);
    assert.equal(next.document.canUndo, true);
    other.press("z");
    await scene.pass(1_000);
    assert.equal(scene.stored("d").text, "");
    assert.equal(other.value, "");
});

test("T19: the caret says which of equal letters are new, and stays where it was", async () => {
    const scene = new Scene({ d: { text: "aaa" } });
    const [ada, bob] = [await scene.open("d", { actor: "ada" }), await scene.open("d", { actor: "bob" })];
    const [area, other] = [scene.area(ada.document), scene.area(bob.document)];
    area.setSelectionRange(0, 0);
    area.type("a");
    assert.deepEqual(ada.document.pending, [{ op: "str_ins", path: "/text", pos: 0, str: "a" }]);
    await scene.pass(1_000);
    // Insertion at a selection's start stays outside of it.
    area.setSelectionRange(1, 3);
    other.setSelectionRange(1, 1);
    other.type("word");
    await scene.pass(1_000);
    assert.deepEqual([area.selectionStart, area.selectionEnd], [5, 7]);
    // After a replacement of the whole text, the caret also stays at its letter.
    area.setSelectionRange(8, 8);
    bob.document.edit((value) => ({ ...value, text: `--${value.text}` }));
    await scene.pass(1_000);
    assert.deepEqual([area.selectionStart, area.selectionEnd], [10, 10]);
});

test("T10: a large request has the time that a slow line needs", async () => {
    const scene = new Scene({ d: menu() });
    const { document } = await scene.open("d");
    // A line of 8 KB a second.
    let arrived = 0;
    const { fetch } = scene.network;
    scene.network.fetch = async function slow(tab, url, options) {
        const size = options.body?.length ?? 0;
        let isAborted = false;
        options.signal?.addEventListener("abort", () => { isAborted = true; });
        await scene.time.sleep(size / 8);
        if (isAborted) throw new TypeError("aborted");
        if (size > 100_000) arrived += 1;
        return fetch.call(this, tab, url, options);
    };
    document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "x".repeat(1_000_000) }]);
    await scene.pass(200_000);
    assert.equal(arrived, 1);
    assert.equal(document.isSaved, true);
});

test("other people's edits while an edit waits are what the daemon makes of both", () => {
    const replica = new Replica();
    replica.load(0, { text: "ab" });
    replica.edit([{ kind: "text", place: ["text"], at: 1, removed: "", inserted: "X" }]);
    replica.take();
    const item = { revision: 1, patch: [{ op: "str_ins", path: "/text", pos: 0, str: "Y" }], change: { kind: "append" } };
    const { before, edits } = replica.receive(item);
    assert.deepEqual(applyAll(before, edits), { text: "YaXb" });
    assert.deepEqual(replica.value, { text: "YaXb" });
});
