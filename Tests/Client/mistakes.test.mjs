// Exceptions in the application's own code, and browsers that keep no data of the site:
// node --test Tests/Client/mistakes.test.mjs

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { MemoryStore, recorded } from "./source.mjs";
import { Random } from "./random.mjs";
import { fate, Scene } from "./simulation/scene.mjs";
import { TextArea } from "./simulation/people.mjs";

/** The error that a browser would have reported. */
let reported;
beforeEach(() => {
    reported = [];
    globalThis.reportError = (error) => reported.push(error.message);
});
afterEach(() => { delete globalThis.reportError; });

const fail = () => { throw new Error("a mistake"); };

// MARK: 21: an exception stops nothing else

for (const type of ["change", "state", "saved"]) {
    test(`21, F2, B11: a handler on${type} that throws is reported, and all is saved`, async () => {
        const scene = new Scene({ d: { n: 0, text: "" } });
        const ada = await scene.open("d", { actor: "ada" });
        ada.document[`on${type}`] = fail;
        const area = scene.area(ada.document);
        for (const letter of "soup") area.type(letter);
        ada.document.change((value) => { value.n = 1; });
        await scene.pass(3_000);
        assert.deepEqual(scene.stored("d"), { n: 1, text: "soup" });
        assert.equal(ada.document.state, "live");
        assert.equal(ada.document.isSaved, true);
        assert.deepEqual(ada.heard.filter(({ type: one }) => one === "dropped"), []);
        assert.ok(reported.length > 0 && reported.every((text) => text === "a mistake"));
        const bob = await scene.open("d", { actor: "bob" });
        bob.document.change((value) => { value.n = 2; });
        await scene.pass(3_000);
        assert.equal(ada.document.value.n, 2);
        assert.ok(ada.heard.filter(({ type: one }) => one === "state").length > 0);
    });
}

/** A part of a page, as far as a list needs it. */
class Element {
    children = [];

    insertBefore(element, next) {
        this.children = this.children.filter((one) => one !== element);
        const at = next === null ? this.children.length : this.children.indexOf(next);
        this.children.splice(at, 0, element);
        element.parent = this;
    }

    remove() {
        this.parent.children = this.parent.children.filter((one) => one !== this);
    }
}

test("21, F2: a row that throws is reported, and other rows, bindings and events go on", async () => {
    const scene = new Scene({ d: { rows: [{ name: "a" }], text: "the soup" } });
    const [ada, bob] = [await scene.open("d", { actor: "ada" }), await scene.open("d", { actor: "bob" })];
    const list = new Element();
    ada.document.bindList(list, "/rows", () => {
        const element = new Element();
        return { element, update: (place) => { element.text = place.value.name.toUpperCase(); } };
    });
    const area = scene.area(ada.document);
    let changes = 0;
    ada.document.addEventListener("change", () => { changes += 1; });
    bob.document.edit([{ op: "add", path: "/rows/-", value: {} }, { op: "add", path: "/rows/-", value: { name: "c" } }]);
    scene.area(bob.document).type("hot ");
    await scene.pass(2_000);
    assert.equal(area.value, "hot the soup");
    area.setSelectionRange(12, 12);
    area.type("s");
    await scene.pass(2_000);
    assert.equal(scene.stored("d").text, "hot the soups");
    assert.deepEqual(list.children.map(({ text }) => text), ["A", undefined, "C"]);
    assert.ok(changes >= 2);
    assert.ok(reported.length > 0);
});

test("21: a row that cannot be made is reported, and made when that can be done", async () => {
    const scene = new Scene({ d: { rows: [{ name: "a" }, {}] } });
    const ada = await scene.open("d", { actor: "ada" });
    const list = new Element();
    ada.document.bindList(list, "/rows", (place) =>
        Object.assign(new Element(), { text: place.value.name.toUpperCase() }));
    assert.deepEqual(list.children.map(({ text }) => text), ["A"]);
    ada.document.change(({ rows }) => { rows[1].name = "b"; });
    assert.deepEqual(list.children.map(({ text }) => text), ["A", "B"]);
});

test("25, B1: rows that come while the page is open write into their own elements", async () => {
    const scene = new Scene({ d: { rows: [] } });
    const [ada, bob] = [await scene.open("d", { actor: "ada" }), await scene.open("d", { actor: "bob" })];
    const list = new Element();
    ada.document.bindList(list, "/rows", (place) => {
        const [element, area] = [new Element(), new TextArea()];
        element.area = area;
        return { element, end: ada.document.bindTextarea(area, place.at("text")) };
    });
    const shown = () => list.children.map(({ area }) => [area.value, area.readOnly]);
    for (const text of ["first", "second"]) ada.document.change(({ rows }) => { rows.push({ text }); });
    assert.deepEqual(shown(), [["first", false], ["second", false]]);
    await scene.pass(1_000);
    bob.document.change(({ rows }) => { rows.unshift({ text: "by bob" }); });
    await scene.pass(1_000);
    assert.deepEqual(shown(), [["by bob", false], ["first", false], ["second", false]]);
    const [row] = list.children;
    row.area.setSelectionRange(0, 0);
    row.area.type("typed ");
    await scene.pass(1_000);
    assert.deepEqual(scene.stored("d").rows.map(({ text }) => text), ["typed by bob", "first", "second"]);
});

test("21, F3: an input without a selection shows others' edits while it has the focus", async () => {
    const scene = new Scene({ d: { mail: "a@b", text: "the soup" } });
    const [ada, bob] = [await scene.open("d", { actor: "ada" }), await scene.open("d", { actor: "bob" })];
    const mail = Object.assign(new TextArea(), { selectionStart: null, selectionEnd: null });
    mail.setSelectionRange = () => { throw new DOMException("no selection", "InvalidStateError"); };
    ada.document.bindTextarea(mail, "/mail");
    const second = scene.area(ada.document);
    bob.document.edit([{ op: "replace", path: "/mail", value: "ada@b" },
        { op: "replace", path: "/text", value: "hot and very the soup" }]);
    await scene.pass(1_000);
    assert.deepEqual([mail.value, second.value], ["ada@b", "hot and very the soup"]);
    assert.deepEqual(reported, []);
});

test("21, F14, B9: what is no number stays in the field, and the stored number stays", async () => {
    const scene = new Scene({ d: { n: 5 } });
    const ada = await scene.open("d", { actor: "ada" });
    const input = Object.assign(new EventTarget(), { type: "number", value: "", validity: { badInput: false } });
    input.ownerDocument = { activeElement: null };
    Object.defineProperty(input, "valueAsNumber", { get: () => Number(input.value) });
    ada.document.bindInput(input, "/n");
    Object.assign(input, { value: "", validity: { badInput: true } });
    for (const type of ["change", "blur"]) input.dispatchEvent(new Event(type));
    await scene.pass(1_000);
    assert.deepEqual([scene.stored("d").n, input.value], [5, ""]);
    Object.assign(input, { value: "7", validity: { badInput: false } });
    input.dispatchEvent(new Event("change"));
    await scene.pass(1_000);
    assert.equal(scene.stored("d").n, 7);
});

// MARK: Browsers that keep no data of the site

test("21, B2: where there are no locks, each tab reads for itself, and none spins", async () => {
    const scene = new Scene({ d: { n: 0 } });
    let asked = 0;
    const open = async (actor) => {
        const browser = scene.browser();
        const page = scene.page({ actor }, browser);
        const { platform } = page.tab;
        Object.assign(platform, { locks: { request: () => {
            asked += 1;
            assert.ok(asked < 10, "it spins");
            return Promise.reject(new DOMException("no", "SecurityError"));
        } } });
        const made = scene.page({ actor, platform }, browser);
        const document = made.connection.document("d");
        await scene.pass(1_000);
        return document;
    };
    const [ada, bob] = [await open("ada"), await open("bob")];
    bob.change((value) => { value.n = 1; });
    await scene.pass(2_000);
    assert.deepEqual([ada.value.n, ada.state], [1, "live"]);
});

// MARK: Recipes

test("F9: a member that is called __proto__ is a member, and the page's objects stay as they are", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
        const edits = recorded({ votes: {} }, (value) => { value.votes[name] = 1; });
        assert.deepEqual(edits.map(({ kind, place, value }) => ({ kind, place, value })),
            [{ kind: "set", place: ["votes", name], value: 1 }]);
    }
    for (const shared of [Object.prototype, Array.prototype, Function.prototype, Object]) {
        assert.equal(Object.isFrozen(shared), false);
    }
});

/** Odd arguments: of every kind that people pass by mistake. */
const odd = [undefined, null, NaN, -1, -2, -99, 0, 1, 2, 99, 1.7, -1.2, "1", "x", true, Infinity, -Infinity];

/** Calls of arrays that change them, with arguments from `one`. */
const calls = [
    ["fill", (one) => [7, ...one(2)]], ["splice", (one) => one(2)],
    ["splice", (one) => [one(1)[0], one(1)[0], 8, 9]], ["push", (one) => one(2).map(String)],
    ["unshift", (one) => one(2).map(String)], ["pop", () => []], ["shift", () => []],
    ["copyWithin", (one) => [0, ...one(2)]], ["reverse", () => []], ["sort", () => []],
    ["slice", (one) => one(2)], ["at", (one) => one(1)], ["includes", (one) => one(1)],
    ["indexOf", (one) => one(2)], ["lastIndexOf", (one) => [3, ...one(1)]], ["join", () => []],
    ["concat", (one) => [one(1).map(String)]], ["toSpliced", (one) => one(2)], ["toSorted", () => []],
    ["with", (one) => [one(1)[0], 1]], ["flat", () => []],
];

test("F10: each call of an array with each odd argument does what it does to a plain array", () => {
    const random = new Random(4);
    for (let round = 0; round < 4_000; round += 1) {
        const [name, argumentsOf] = calls[random.below(calls.length)];
        const given = argumentsOf((most) =>
            Array.from({ length: random.below(most + 1) }, () => odd[random.below(odd.length)]));
        const start = [5, 3, 9, 1].slice(random.below(5));
        const plain = [...start];
        const [theirs, ours] = [{}, {}];
        try { theirs.value = plain[name](...given); } catch (error) { theirs.error = error.name; }
        let now;
        recorded({ list: start }, ({ list }) => {
            try { ours.value = list[name](...given); } catch (error) { ours.error = error.name; }
            if (ours.value === list) ours.value = plain;
            now = [...list];
        });
        const about = `${JSON.stringify(start)}.${name}(${given.map(String)})`;
        assert.deepEqual(now, plain, about);
        assert.deepEqual(ours, theirs, about);
    }
});

// MARK: Another server on the way

/** Responses of proxies that cannot reach the daemon, and others that are not versiond's. */
const foreignAnswers = {
    "404 of a proxy": { status: 404, text: "<h1>404 page not found</h1>" },
    "410 of a proxy": { status: 410, text: "gone" },
    "400 of a proxy": { status: 400, text: "bad request" },
    "405 of a proxy": { status: 405, text: "" },
    "404 with JSON": { status: 404, body: { message: "no route" } },
    "200 with JSON": { status: 200, body: { ok: true } },
};

for (const [what, foreign] of Object.entries(foreignAnswers)) {
    test(`21, B7, B14: a ${what} is no word of versiond's: the same is sent again, and stored once`, async () => {
        const scene = new Scene({ d: { text: "" } });
        const ada = await scene.open("d", { actor: "ada", status: false });
        const area = scene.area(ada.document);
        let left = 3;
        const isOn = (method) => (method === "PATCH" || method === "GET") && left-- > 0;
        scene.answer = (method) => (isOn(method) ? foreign : null);
        area.type("words");
        await scene.pass(500);
        assert.equal(ada.document.isSaved, false);
        assert.notEqual(ada.document.state, "deleted");
        await scene.pass(30_000);
        assert.equal(scene.stored("d").text, "words");
        assert.equal(ada.document.state, "live");
        assert.deepEqual(ada.heard.filter(({ type }) => type === "dropped" || type === "error"), []);
    });
}

test("21, B7: a document opens when the proxy reaches the daemon again", async () => {
    const scene = new Scene({ d: { text: "words" } });
    let left = 4;
    scene.answer = () => (left-- > 0 ? foreignAnswers["404 of a proxy"] : null);
    const { document } = await scene.open("d", { actor: "ada" });
    await scene.pass(20_000);
    assert.deepEqual([document.value, document.state], [{ text: "words" }, "live"]);
});

// MARK: Documents that cannot be opened

test("21, F13: a document that is missing says so, and opens when another client makes it", async () => {
    const scene = new Scene();
    const ada = await scene.open("later", { actor: "ada" });
    assert.equal((await fate(ada.document.ready)).code, "unknown-document");
    assert.deepEqual([ada.document.state, ada.document.problem.code], ["missing", "unknown-document"]);
    assert.throws(() => ada.document.edit([]), { code: "unknown-document" });
    const bob = await scene.open("later", { actor: "bob", create: { text: "by bob" } });
    await scene.pass(2_000);
    assert.deepEqual([ada.document.state, ada.document.problem, ada.document.value],
        ["live", null, { text: "by bob" }]);
    scene.area(ada.document).type("and ada ");
    await scene.pass(2_000);
    assert.equal(bob.document.value.text, "and ada by bob");
});

test("21, F13: a document that is deleted says so, and opens when another client brings it back", async () => {
    const scene = new Scene({ d: { text: "words" } });
    scene.daemon.delete("d");
    const ada = await scene.open("d", { actor: "ada" });
    assert.deepEqual([ada.document.state, ada.document.problem.code], ["deleted", "document-deleted"]);
    scene.daemon.undelete("d");
    await scene.pass(2_000);
    assert.deepEqual([ada.document.state, ada.document.problem, ada.document.value],
        ["live", null, { text: "words" }]);
});

test("21, B5: words that wait for a document that was deleted are handed back", async () => {
    const scene = new Scene({ d: { text: "" } });
    const browser = scene.browser();
    const store = new MemoryStore();
    const first = await scene.open("d", { actor: "ada", store }, browser);
    const area = scene.area(first.document);
    scene.network.offline.add(first.tab);
    area.type("precious");
    await scene.pass(1_000);
    first.tab.end({ isTold: true });
    scene.daemon.delete("d");
    const second = await scene.open("d", { actor: "ada", store }, browser);
    await scene.pass(5_000);
    assert.equal(second.document.state, "deleted");
    const dropped = second.heard.filter(({ type }) => type === "dropped");
    assert.equal(dropped.length, 1);
    assert.ok(JSON.stringify(dropped[0].detail.operations).includes("precious"));
    assert.equal(second.document.stranded.length, 1);
});

// MARK: Tabs that are busy

test("21, B12: where the tab that reads is busy, another one says so and reads within 25 seconds", async () => {
    const scene = new Scene({ d: { n: 0 } });
    const browser = scene.browser();
    const leading = await scene.open("d", { actor: "ada" }, browser);
    const waiting = await scene.open("d", { actor: "ada" }, browser);
    const eve = await scene.open("d", { actor: "eve" });
    assert.equal(scene.network.streams, 2);
    // As behind an alert: it has the lock, and does nothing.
    leading.tab.isDead = true;
    eve.document.change((value) => { value.n = 1; });
    await scene.pass(25_000);
    assert.equal(waiting.document.value.n, 1);
    assert.equal(waiting.document.state, "live");
    assert.ok(waiting.heard.some(({ type, detail }) => type === "state" && detail.state === "offline"));
    eve.document.change((value) => { value.n = 2; });
    await scene.pass(1_000);
    assert.equal(waiting.document.value.n, 2);
});

test("21, B12: a line that is silent shows within 20 seconds", async () => {
    const scene = new Scene({ d: { n: 0 } });
    const { document, tab, heard } = await scene.open("d", { actor: "ada" });
    assert.equal(document.state, "live");
    scene.network.frozen.add(tab);
    await scene.pass(20_500);
    assert.equal(document.state, "offline");
    assert.ok(heard.some(({ type, detail }) => type === "state" && detail.state === "offline"));
});
