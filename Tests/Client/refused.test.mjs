// Edits that the daemon refuses while a person continues to type after them, in the simulation.
// node --test Tests/Client/refused.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { crowded, operations, Random } from "./random.mjs";
import { TextArea } from "./simulation/people.mjs";
import { Scene } from "./simulation/scene.mjs";
import { applyAll, isSame, readOperations, Replica, writeOperations } from "./source.mjs";

const runs = Number(process.env.RUNS ?? 3_000);

/** A document whose schema refuses some values, and a line that needs a second for an answer. */
async function refusing(value, isValid) {
    const scene = new Scene({ d: value });
    scene.daemon.isValid = isValid;
    scene.network.detour = ({ method }) => (method === "PATCH" ? 1_000 : 0);
    const { document, heard } = await scene.open("d", { actor: "ada" });
    const dropped = () => heard.filter(({ type }) => type === "dropped").map(({ detail }) => detail);
    return { scene, document, dropped };
}

const lettersMax = (count) => ({ text }) => text.length <= count;

/** Types a text at a place, letter by letter. */
async function type(scene, area, at, text) {
    area.setSelectionRange(at, at);
    for (const letter of text) {
        area.type(letter);
        await scene.pass(100);
    }
}

const inserted = ({ operations }) => operations.map(({ op, pos, str }) => [op, pos, str]);

test("letters typed right behind a refused insertion are handed back with it, as one text", async () => {
    const { scene, document, dropped } = await refusing({ text: "hello." }, lettersMax(9));
    const area = scene.area(document);
    await type(scene, area, 5, " world and more");
    assert.equal(area.value, "hello world and more.", "what is typed is shown while it waits");
    await scene.pass(20_000);
    assert.deepEqual(dropped().map(inserted), [[["str_ins", 6, "world and more"]]]);
    for (const text of [area.value, document.value.text, scene.stored("d").text]) assert.equal(text, "hello .");
    assert.equal(area.selectionStart, 6);
    scene.daemon.isValid = () => true;
    dropped()[0].again();
    await scene.pass(5_000);
    assert.equal(scene.stored("d").text, "hello world and more.");
});

test("what is typed elsewhere in the text stays, at its letters, where letters repeat", async () => {
    const { scene, document, dropped } = await refusing({ text: "aaaa" }, ({ text }) => !text.includes("aaaaa"));
    document.edit([{ op: "str_ins", path: "/text", pos: 1, str: "a" }], { isAlone: true });
    await scene.pass(200);
    document.edit([{ op: "str_ins", path: "/text", pos: 4, str: "X" }]);
    assert.equal(document.value.text, "aaaaXa");
    await scene.pass(20_000);
    assert.deepEqual([document.value.text, scene.stored("d").text], ["aaaXa", "aaaXa"]);
    assert.deepEqual(dropped().map(inserted), [[["str_ins", 1, "a"]]]);
});

test("what is handed back goes where it was, past what was typed before it", async () => {
    const { scene, document, dropped } = await refusing({ text: "soup" }, ({ text }) => !text.includes("!"));
    document.edit([{ op: "str_ins", path: "/text", pos: 4, str: "!" }]);
    await scene.pass(200);
    document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "hot " }]);
    await scene.pass(20_000);
    assert.equal(scene.stored("d").text, "hot soup");
    assert.deepEqual(dropped().map(inserted), [[["str_ins", 8, "!"]]]);
});

test("a person who takes back enough of what is refused loses nothing", async () => {
    const { scene, document, dropped } = await refusing({ text: "" }, lettersMax(5));
    const area = scene.area(document);
    area.type("too long");
    await scene.pass(200);
    area.erase(5);
    await scene.pass(20_000);
    assert.deepEqual([scene.stored("d").text, area.value, dropped()], ["too", "too", []]);
});

test("a text that is valid at its end only is stored, though its beginning was refused", async () => {
    const isDate = ({ text }) => text === "" || /^\d{4}-\d{2}-\d{2}$/.test(text);
    const { scene, document, dropped } = await refusing({ text: "" }, isDate);
    await type(scene, scene.area(document), 0, "2026-11-29");
    await scene.pass(20_000);
    assert.deepEqual([scene.stored("d").text, dropped()], ["2026-11-29", []]);
});

test("letters that are deleted next to a refused deletion come back with its letters", async () => {
    const { scene, document, dropped } = await refusing({ text: "hello" }, ({ text }) => text.length >= 5);
    const area = scene.area(document);
    area.setSelectionRange(5, 5);
    for (let count = 0; count < 3; count += 1) {
        area.erase(1);
        await scene.pass(100);
    }
    assert.equal(area.value, "he");
    await scene.pass(20_000);
    assert.deepEqual([area.value, scene.stored("d").text, dropped().length], ["hello", "hello", 1]);
});

test("an element that is refused until it is filled in is stored when it is", async () => {
    const isFilled = ({ items }) => items.every(({ name }) => name !== "");
    const { scene, document, dropped } = await refusing({ items: [{ name: "a" }] }, isFilled);
    document.change(({ items }) => { items.push({ name: "" }); });
    await scene.pass(200);
    document.change(({ items }) => { items[0].name = "b"; });
    document.change(({ items }) => { items[1].name = "c"; });
    await scene.pass(20_000);
    assert.deepEqual([scene.stored("d").items, dropped()], [[{ name: "b" }, { name: "c" }], []]);
});

test("a value that is set over a refused one is stored", async () => {
    const { scene, document, dropped } = await refusing({ n: 20 }, ({ n }) => n >= 10);
    for (const n of [1, 15]) {
        document.change((value) => { value.n = n; });
        await scene.pass(200);
    }
    await scene.pass(20_000);
    assert.deepEqual([scene.stored("d").n, document.value.n, dropped()], [15, 15, []]);
});

test("who types on without a pause hears of the refusal after a few answers", async () => {
    const { scene, document, dropped } = await refusing({ text: "" }, lettersMax(3));
    await type(scene, scene.area(document), 0, "x".repeat(150));
    const typed = dropped().flatMap(({ operations }) => operations).map(({ str }) => str).join("");
    assert.ok(typed.length >= 40, `${typed.length} letters are handed back after 15 seconds`);
    await scene.pass(20_000);
    const all = dropped().flatMap(({ operations }) => operations).map(({ str }) => str).join("");
    assert.equal(all.length + scene.stored("d").text.length, 150, "each letter is somewhere");
});

test("what others do meanwhile stays, and what is refused goes around it", async () => {
    const { scene, document, dropped } = await refusing({ text: "ab" }, ({ text }) => !text.includes("!"));
    const bob = await scene.open("d", { actor: "bob" });
    const area = scene.area(document);
    area.setSelectionRange(1, 1);
    area.type("!");
    await scene.pass(200);
    area.type("?");
    bob.document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "bob " }]);
    await scene.pass(20_000);
    assert.deepEqual([scene.stored("d").text, area.value], ["bob ab", "bob ab"]);
    assert.deepEqual(dropped().map(inserted), [[["str_ins", 5, "!?"]]]);
});

test("an edit that gives way to another actor's does not come again with what was made on it", async () => {
    const scene = new Scene({ d: { n: 0 } });
    scene.network.detour = ({ method }) => (method === "PATCH" ? 1_000 : 0);
    const ada = await scene.open("d", { actor: "ada", conflict: "reject" });
    const bob = await scene.open("d", { actor: "bob" });
    bob.document.change((value) => { value.n = 1; });
    for (const n of [2, 3]) {
        ada.document.change((value) => { value.n = n; });
        await scene.pass(10);
    }
    await scene.pass(20_000);
    assert.deepEqual([scene.stored("d").n, ada.document.value.n], [1, 1]);
    const dropped = ada.heard.filter(({ type }) => type === "dropped").map(({ detail }) => detail.operations);
    assert.deepEqual(dropped, [[{ op: "replace", path: "/n", value: 3 }]]);
});

test("what goes again after a refusal outlives the page, and is stored once", async () => {
    const { scene } = await refusing({ text: "" }, lettersMax(5));
    const browser = scene.browser();
    const first = await scene.open("d", { actor: "ada" }, browser);
    const area = scene.area(first.document);
    area.type("too long");
    await scene.pass(200);
    area.erase(5);
    await scene.pass(900);
    first.tab.end({ isTold: false });
    const { document, heard } = await scene.open("d", { actor: "ada" }, browser);
    await scene.pass(60_000);
    assert.deepEqual([scene.stored("d").text, document.value.text, document.isSaved], ["too", "too", true]);
    assert.deepEqual(heard.filter(({ type }) => type === "dropped"), []);
});

test("an insertion that is refused and was undone meanwhile is neither stored nor handed back", async () => {
    const { scene, document, dropped } = await refusing({ items: [] }, ({ items }) => items.length === 0);
    document.change(({ items }) => { items.push("a"); });
    await scene.pass(200);
    document.change(({ items }) => { items.pop(); });
    await scene.pass(20_000);
    assert.deepEqual([scene.stored("d").items, document.value.items, dropped()], [[], [], []]);
});

test("a value that is refused while it is typed stays in its control, until the person leaves that", async () => {
    const { scene, document, dropped } = await refusing({ code: "ab" }, ({ code }) => code.length >= 2);
    scene.network.detour = () => 0;
    const control = Object.assign(new TextArea(), { type: "text" });
    document.bindInput(control, "/code");
    const enter = async (value) => {
        control.value = value;
        control.dispatchEvent(new Event("input"));
        await scene.pass(1_000);
    };
    await enter("x");
    assert.deepEqual([control.value, scene.stored("d").code], ["x", "ab"]);
    await enter("xyz");
    assert.deepEqual([control.value, scene.stored("d").code], ["xyz", "xyz"]);
    assert.deepEqual(dropped().map(({ operations }) => operations[0].value), ["x"]);
    await enter("x");
    assert.equal(control.value, "x");
    control.ownerDocument = { activeElement: null, defaultView: null };
    control.dispatchEvent(new Event("blur"));
    assert.equal(control.value, "xyz");
    const bob = await scene.open("d", { actor: "bob" });
    bob.document.change((value) => { value.code = "bob's"; });
    await scene.pass(1_000);
    assert.equal(control.value, "bob's");
});

/** A replica with an edit under way, others behind it, and another actor's edits since. */
function underWay(random) {
    const replica = new Replica();
    replica.load(0, crowded(random));
    const some = (count) => readOperations(operations(random, replica.value, count, readOperations), replica.value);
    for (let count = 2 + random.below(4); count > 0; count -= 1) {
        replica.edit(some(1 + random.below(3)).edits, { isAlone: true, key: `${count}` });
    }
    replica.take();
    if (random.once(2)) {
        const patch = operations(random, replica.tree, 2, readOperations);
        replica.receive({ revision: 1, patch, change: { kind: "append" } });
    }
    return replica;
}

const pendingOn = ({ tree, pending }) => applyAll(tree, pending.flatMap(({ carried }) => carried));

test("what is handed back after a refusal makes what was shown of what is left, for random edits", () => {
    for (let seed = 1; seed <= runs; seed += 1) {
        const replica = underWay(new Random(seed));
        const before = replica.value;
        const { edits, lost } = replica.refuse();
        const { value } = replica;
        assert.ok(isSame(applyAll(before, edits), value), `seed ${seed}: what is shown`);
        assert.ok(isSame(pendingOn(replica), value), `seed ${seed}: what waits`);
        const { tree } = readOperations(writeOperations(lost), value);
        assert.ok(isSame(tree, before), `seed ${seed}: what is handed back`);
    }
});

test("what goes again after a refusal is shown as before, for random edits", () => {
    let count = 0;
    for (let seed = 1; seed <= runs; seed += 1) {
        const replica = underWay(new Random(seed));
        const before = replica.value;
        if (!replica.retry()) continue;
        count += 1;
        assert.ok(isSame(replica.value, before) && isSame(pendingOn(replica), before), `seed ${seed}`);
    }
    assert.ok(count > runs / 20, `${count} of ${runs}`);
});
