// The states of a document and its events, step by step in the simulation. node --test
// Tests/Client/states.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { DocumentError } from "./source.mjs";
import { TextArea } from "./simulation/people.mjs";
import { fate, Scene } from "./simulation/scene.mjs";

const statesOf = (heard) => heard.filter(({ type }) => type === "state").map(({ detail }) => detail.state);

/** Opens a document and listens to it from the beginning. */
function opening(scene, name, options = {}) {
    const { connection } = scene.page({ actor: "ada", ...options });
    const document = connection.document(name, options);
    const heard = [];
    for (const type of ["saved", "dropped", "conflict", "error", "state"]) {
        document.addEventListener(type, ({ detail }) => heard.push({ type, detail }));
    }
    return { connection, document, heard };
}

// MARK: Opening

test("a document that opens goes from loading to live, and is never offline", async () => {
    const scene = new Scene({ d: { n: 0 } });
    const { document, heard } = opening(scene, "d");
    assert.equal(document.state, "loading");
    await scene.pass(2_000);
    assert.equal(document.state, "live");
    assert.ok(!statesOf(heard).includes("offline"), `${statesOf(heard)}`);
});

test("what is edited before the changes of others come is saving, then loading, and saved() waits for it", async () => {
    const scene = new Scene({ d: { n: 0 } });
    // The stream takes its time.
    scene.network.detour = ({ url }) => (url.includes("/v1/feed?") ? 5_000 : 0);
    const { document, heard } = opening(scene, "d");
    await scene.pass(500);
    document.change((draft) => { draft.n = 1; });
    const saved = document.saved();
    assert.deepEqual([document.state, await fate(saved)], ["saving", "pending"]);
    await scene.pass(1_000);
    assert.equal(await fate(saved), undefined);
    assert.deepEqual([document.isSaved, document.state, scene.stored("d").n], [true, "loading", 1]);
    await scene.pass(10_000);
    assert.equal(document.state, "live");
    assert.ok(!statesOf(heard).includes("offline"), `${statesOf(heard)}`);
});

test("a document whose stream does not begin is offline", async () => {
    const scene = new Scene({ d: { n: 0 } });
    scene.answer = (method, url) => (new URL(url).pathname === "/v1/feed" ? { status: 503, body: {} } : null);
    const { document } = opening(scene, "d");
    await scene.pass(2_000);
    assert.deepEqual([document.state, document.value], ["offline", { n: 0 }]);
    scene.answer = null;
    await scene.pass(20_000);
    assert.equal(document.state, "live");
});

// MARK: Conflicts

/** Two who have the same document open; what each does while the other one is away is said by `away`. */
async function two(scene) {
    const [ada, bob] = [await scene.open("d", { actor: "ada" }), await scene.open("d", { actor: "bob" })];
    const away = async (person, work) => {
        scene.network.offline.add(person.tab);
        scene.network.cut(person.tab);
        await work();
        await scene.pass(1_000);
    };
    const back = async (person) => {
        scene.network.offline.delete(person.tab);
        person.connection.retry();
        await scene.pass(20_000);
    };
    return { ada, bob, away, back };
}

const conflictsOf = ({ heard }) => heard.filter(({ type }) => type === "conflict").map(({ detail }) => detail);

test("a conflict says what is there: another actor's letters win over a text that was set", async () => {
    const scene = new Scene({ d: { text: "common text. " } });
    const { ada, bob, away, back } = await two(scene);
    const area = scene.area(ada.document);
    await away(ada, () => {
        area.setSelectionRange(13, 13);
        for (const letter of "ADA WORDS. ") area.type(letter);
    });
    bob.document.edit((value) => ({ ...value, text: "BOB TEXT." }));
    await scene.pass(1_000);
    await back(ada);
    assert.equal(scene.stored("d").text, "common text. ADA WORDS. ");
    const [conflict] = conflictsOf(bob);
    assert.deepEqual([conflict.winner, conflict.values.theirs, conflict.values.mine],
        ["theirs", "common text. ADA WORDS. ", "BOB TEXT."]);
    conflict.use("mine");
    await scene.pass(1_000);
    assert.equal(scene.stored("d").text, "BOB TEXT.");
});

test("a conflict says what was there: a text that was set wins over another actor's letters", async () => {
    const scene = new Scene({ d: { text: "common text. " } });
    const { ada, bob, away, back } = await two(scene);
    const area = scene.area(bob.document);
    await away(ada, () => ada.document.edit((value) => ({ ...value, text: "ADA TEXT." })));
    area.setSelectionRange(0, 0);
    for (const letter of "BOB ") area.type(letter);
    area.setSelectionRange(17, 17);
    for (const letter of "WORDS") area.type(letter);
    await scene.pass(1_000);
    await back(ada);
    assert.equal(scene.stored("d").text, "ADA TEXT.");
    const conflict = conflictsOf(ada).at(-1);
    assert.deepEqual([conflict.winner, conflict.values.mine, conflict.values.theirs],
        ["mine", "ADA TEXT.", "BOB common text. WORDS"]);
    conflict.use("theirs");
    await scene.pass(1_000);
    assert.equal(scene.stored("d").text, "BOB common text. WORDS");
});

test("a conflict inside an object says what the whole object is on the other side", async () => {
    const scene = new Scene({ d: { list: [{ id: 0 }, { id: 1, at: { x: 1, y: 1 } }] } });
    const { ada, bob, away, back } = await two(scene);
    await away(ada, () => ada.document.edit([{ op: "replace", path: "/list/1/at", value: "gone" }]));
    bob.document.change(({ list }) => {
        list.unshift({ id: 2 });
        list[2].at.x = 2;
        list[2].at.y = 3;
    });
    await scene.pass(1_000);
    await back(ada);
    const conflict = conflictsOf(ada)[0];
    assert.deepEqual([conflict.winner, conflict.values.mine, conflict.values.theirs],
        ["mine", "gone", { x: 2, y: 3 }]);
});

test("what was set away from the daemon and sent after a reload meets another actor's edit in a conflict event", async () => {
    const scene = new Scene({ d: { dish: "soup" } });
    const browser = scene.browser();
    const first = await scene.open("d", { actor: "ada" }, browser);
    scene.network.offline.add(first.tab);
    first.document.change((draft) => { draft.dish = "ada's dish"; });
    await scene.pass(1_000);
    first.tab.end({ isTold: true });
    const bob = await scene.open("d", { actor: "bob" });
    bob.document.change((draft) => { draft.dish = "bob's dish"; });
    await scene.pass(1_000);
    const ada = await scene.open("d", { actor: "ada" }, browser);
    await scene.pass(5_000);
    assert.equal(scene.stored("d").dish, "ada's dish");
    const [conflict, ...more] = conflictsOf(ada);
    assert.deepEqual([conflict.winner, conflict.by, conflict.values.mine, conflict.values.theirs, more.length],
        ["mine", "bob", "ada's dish", "bob's dish", 0]);
    conflict.use("theirs");
    await scene.pass(2_000);
    assert.deepEqual([scene.stored("d").dish, ada.document.isSaved], ["bob's dish", true]);
});

const rows = (...names) => ({ list: names.map((name) => ({ name })) });

/** Ada and bob have set the name of the second row at once; ada's page has the conflict. */
async function named(options = {}) {
    const scene = new Scene({ d: rows("a", "b", "c") });
    const { bob, away, back } = await two(scene);
    const ada = await scene.open("d", { actor: "ada", ...options });
    await away(ada, () => ada.document.change(({ list }) => { list[1].name = "ada's"; }));
    bob.document.change(({ list }) => { list[1].name = "bob's"; });
    await scene.pass(1_000);
    await back(ada);
    const [conflict] = conflictsOf(ada);
    const use = async (side) => {
        conflict.use(side);
        await scene.pass(1_000);
    };
    return { scene, ada, bob, conflict, use };
}

test("a choice in a conflict is made on its element, where that has moved to", async () => {
    const { scene, bob, use } = await named();
    bob.document.change(({ list }) => { list.unshift({ name: "new" }); });
    await scene.pass(1_000);
    await use("theirs");
    assert.deepEqual(scene.stored("d"), rows("new", "a", "bob's", "c"));
    await use("mine");
    assert.deepEqual(scene.stored("d"), rows("new", "a", "ada's", "c"));
    await use("theirs");
    assert.deepEqual(scene.stored("d"), rows("new", "a", "bob's", "c"));
});

test("a choice in a conflict brings its element back, if another actor has removed that since", async () => {
    for (const side of ["mine", "theirs"]) {
        const { scene, bob, use } = await named();
        bob.document.change(({ list }) => { list.splice(1, 1); });
        await scene.pass(1_000);
        assert.deepEqual(scene.stored("d"), rows("a", "c"));
        await use(side);
        assert.deepEqual(scene.stored("d"), rows("a", side === "mine" ? "ada's" : "bob's", "c"));
    }
});

test("a choice in a conflict brings back all that its value was in", async () => {
    const { scene, bob, use } = await named();
    bob.document.edit([{ op: "remove", path: "/list" }]);
    await scene.pass(1_000);
    await use("theirs");
    assert.deepEqual(scene.stored("d"), rows("a", "bob's", "c"));
});

test("a choice for what another actor has removed puts it back beside its neighbours, and for the removal takes it again", async () => {
    const scene = new Scene({ d: rows("a", "b", "c") });
    const { ada, bob, away, back } = await two(scene);
    const gives = await scene.open("d", { actor: "cyd", conflict: "theirs" });
    await away(gives, () => gives.document.change(({ list }) => { list[1].name = "cyd's"; }));
    bob.document.change(({ list }) => { list.splice(1, 1); });
    await scene.pass(1_000);
    await back(gives);
    const [conflict] = conflictsOf(gives);
    assert.deepEqual([conflict.winner, conflict.values.mine, conflict.values.theirs],
        ["theirs", { name: "cyd's" }, undefined]);
    for (const [side, names] of [["mine", ["a", "cyd's", "c"]], ["theirs", ["a", "c"]], ["mine", ["a", "cyd's", "c"]]]) {
        conflict.use(side);
        await scene.pass(1_000);
        assert.deepEqual(scene.stored("d"), rows(...names));
    }
    assert.deepEqual(ada.document.value, scene.stored("d"));
});

test("one who has not seen a stored value and removes its element meets one conflict, about the element", async () => {
    const scene = new Scene({ d: rows("a", "b", "c") });
    const { ada, bob, away, back } = await two(scene);
    await away(bob, () => bob.document.change(({ list }) => { list.splice(1, 1); }));
    ada.document.change(({ list }) => { list[1].name = "ada's"; });
    ada.document.change(({ list }) => { list[1].more = 1; });
    await scene.pass(1_000);
    await back(bob);
    assert.deepEqual(scene.stored("d"), rows("a", "c"));
    const [conflict, ...more] = conflictsOf(ada);
    assert.deepEqual([conflict.winner, conflict.pointer, conflict.values, more.length],
        ["theirs", "/list/1", { mine: { name: "ada's", more: 1 }, theirs: undefined }, 0]);
    conflict.use("mine");
    await scene.pass(1_000);
    assert.deepEqual(scene.stored("d").list, [{ name: "a" }, { name: "ada's", more: 1 }, { name: "c" }]);
});

// MARK: Other actors in one browser

test("edits of another actor that wait in this browser are reported until that actor opens the document", async () => {
    const scene = new Scene({ d: { text: "" } });
    const browser = scene.browser();
    const first = await scene.open("d", { actor: "ada" }, browser);
    scene.network.offline.add(first.tab);
    first.document.edit([{ op: "str_ins", path: "/text", pos: 0, str: "ada's words" }]);
    await scene.pass(1_000);
    const bob = await scene.open("d", { actor: "bob" }, browser);
    await scene.pass(1_000);
    assert.deepEqual(bob.document.waitingActors, [], "ada's page is open, and sends them itself");
    first.tab.end({ isTold: true });
    await scene.pass(25_000);
    assert.deepEqual(bob.document.waitingActors, ["ada"]);
    assert.ok(bob.heard.some(({ type }) => type === "state"));
    assert.equal(scene.stored("d").text, "");
    const ada = await scene.open("d", { actor: "ada" }, browser);
    await scene.pass(25_000);
    assert.equal(scene.stored("d").text, "ada's words");
    assert.deepEqual([ada.document.waitingActors, bob.document.waitingActors], [[], []]);
});

// MARK: Text that was typed before the script was there

/** A text area of a page that a server made with a text, in which a person has typed before the script was there. */
const typedIn = (made, typed) => Object.assign(new TextArea(), { defaultValue: made, value: typed });

test("what was typed before the script was there is an edit, where the page had the document's text", async () => {
    for (const made of ["", "soup"]) {
        const scene = new Scene({ d: { text: made } });
        const { connection } = scene.page({ actor: "ada" });
        const document = connection.document("d");
        const area = typedIn(made, `${made} early`);
        document.bindTextarea(area, "/text");
        assert.equal(area.readOnly, true);
        await scene.pass(2_000);
        assert.deepEqual([scene.stored("d").text, area.value, area.readOnly], [`${made} early`, `${made} early`, false]);
    }
});

test("what was typed before the script was there is handed back, where the document has another text", async () => {
    const scene = new Scene({ d: { text: "soup" } });
    const { document, heard } = await scene.open("d", { actor: "ada" });
    const area = typedIn("", "early words");
    document.bindTextarea(area, "/text");
    await scene.pass(1_000);
    assert.deepEqual([scene.stored("d").text, area.value], ["soup", "soup"]);
    const [dropped] = heard.filter(({ type }) => type === "dropped").map(({ detail }) => detail);
    assert.deepEqual([dropped.problem.code, dropped.operations],
        ["typed-early", [{ op: "str_ins", path: "/text", pos: 4, str: "early words" }]]);
    dropped.again();
    await scene.pass(1_000);
    assert.equal(scene.stored("d").text, "soupearly words");
});

test("a text area that has the focus and is bound to another text shows that, and changes neither", async () => {
    const scene = new Scene({ d: { text: "", other: "" } });
    const { document, heard } = await scene.open("d", { actor: "ada" });
    const area = typedIn("", "");
    const end = document.bindTextarea(area, "/text");
    area.type("soup");
    end();
    document.bindTextarea(area, "/other");
    await scene.pass(1_000);
    assert.deepEqual([scene.stored("d"), area.value], [{ text: "soup", other: "" }, ""]);
    assert.deepEqual(heard.filter(({ type }) => type === "dropped"), []);
});

test("what a browser has put back into a text area is not typed, and gives way", async () => {
    const scene = new Scene({ d: { text: "soup" } });
    const { document, heard } = await scene.open("d", { actor: "ada" });
    const area = typedIn("", "what was there before the reload");
    area.ownerDocument = { activeElement: null, defaultView: null };
    document.bindTextarea(area, "/text");
    await scene.pass(1_000);
    assert.deepEqual([scene.stored("d").text, area.value], ["soup", "soup"]);
    assert.deepEqual(heard.filter(({ type }) => type === "dropped"), []);
});

/** A control of a page that a server made, as far as a binding needs it. */
class Control extends TextArea {
    constructor(type, made, entered) {
        super();
        Object.assign(this, { type, defaultValue: made, value: entered });
    }

    get valueAsNumber() {
        return Number(this.value);
    }

    cloneNode() {
        return new Control(this.type, this.defaultValue, this.value);
    }
}

for (const [type, made, entered, before, after] of [
    ["text", "soup", "hot soup", "soup", "hot soup"], ["number", "", "7", null, 7], ["text", "", "new", undefined, "new"],
]) {
    test(`what was entered in a control of type ${type} before the script was there is set, over ${before}`, async () => {
        const scene = new Scene({ d: before === undefined ? {} : { dish: before } });
        const { connection } = scene.page({ actor: "ada" });
        const document = connection.document("d");
        const control = new Control(type, made, entered);
        document.bindInput(control, "/dish");
        assert.equal(control.value, entered);
        await scene.pass(2_000);
        assert.deepEqual([scene.stored("d").dish, control.value], [after, entered]);
    });
}

test("what is entered in a control after it was bound and before the document is there is set", async () => {
    const scene = new Scene({ d: { dish: "soup" } });
    const { connection } = scene.page({ actor: "ada" });
    const control = new Control("text", "soup", "soup");
    connection.document("d").bindInput(control, "/dish");
    control.value = "soups";
    control.dispatchEvent(new Event("input"));
    await scene.pass(2_000);
    assert.deepEqual([scene.stored("d").dish, control.value], ["soups", "soups"]);
});

test("what was entered in a control before the script was there is handed back, where the document has another value", async () => {
    const scene = new Scene({ d: { list: ["soup"] } });
    const { document, heard } = await scene.open("d", { actor: "ada" });
    const control = new Control("text", "", "early");
    document.bindInput(control, "/list/0");
    await scene.pass(1_000);
    assert.deepEqual([scene.stored("d").list, control.value], [["soup"], "soup"]);
    const [{ detail }] = heard.filter(({ type }) => type === "dropped");
    assert.equal(detail.problem.code, "typed-early");
    detail.again();
    await scene.pass(1_000);
    assert.deepEqual([scene.stored("d").list, control.value], [["early"], "early"]);
});

test("what a browser has put back into a control is not entered, and gives way", async () => {
    const scene = new Scene({ d: { dish: "soup" } });
    const { document, heard } = await scene.open("d", { actor: "ada" });
    const control = new Control("text", "", "what was there before the reload");
    control.ownerDocument = { activeElement: null, defaultView: null };
    document.bindInput(control, "/dish");
    await scene.pass(1_000);
    assert.deepEqual([scene.stored("d").dish, control.value], ["soup", "soup"]);
    assert.deepEqual(heard.filter(({ type }) => type === "dropped"), []);
});

// MARK: Errors

test("operations that do not apply are a DocumentError, and change nothing", async () => {
    const scene = new Scene({ d: { text: "soup", items: ["a"] } });
    const { document, heard } = await scene.open("d", { actor: "ada" });
    for (const operation of [
        { op: "remove", path: "/nix" }, { op: "replace", path: "/items/7", value: 1 },
        { op: "add", path: "/items/7", value: 1 }, { op: "add", path: "/nix/inside", value: 1 },
        { op: "move", from: "/nix", path: "/a" }, { op: "copy", from: "/nix", path: "/a" },
        { op: "move", from: "/items", path: "/items/0" }, { op: "test", path: "/text", value: "stew" },
        { op: "str_ins", path: "/text", pos: 99, str: "x" }, { op: "str_del", path: "/items", pos: 0, len: 1 },
        { op: "remove", path: "" }, { op: "add", path: "/items/x", value: 1 },
    ]) {
        const operations = [{ op: "add", path: "/first", value: 1 }, operation];
        assert.throws(() => document.edit(operations), (error) => error instanceof DocumentError
            && error.code === "patch-does-not-apply" && error.operations.length === 2, JSON.stringify(operation));
    }
    for (const operation of [{ op: "nix", path: "/text" }, { op: "remove", path: "text" }, { op: "add", path: "/a" }]) {
        assert.throws(() => document.edit([operation]), TypeError, JSON.stringify(operation));
    }
    const place = document.at("/items/0");
    assert.throws(() => place.moveTo("/nix/inside"), { code: "patch-does-not-apply" });
    assert.deepEqual([document.value, document.isSaved], [{ text: "soup", items: ["a"] }, true]);
    assert.deepEqual(heard.filter(({ type }) => type === "error"), []);
});

// MARK: Tokens

test("another token that the function gives later is used within 25 seconds", async () => {
    const scene = new Scene({ d: { n: 0 } });
    scene.daemon.tokens = new Map([["old", "ada"]]);
    let current = "old";
    const { document, heard } = await scene.open("d", { actor: undefined, token: async () => current });
    scene.daemon.tokens = new Map([["new", "ada"]]);
    scene.network.cut();
    document.change((draft) => { draft.n = 1; });
    await scene.pass(90_000);
    assert.deepEqual([document.state, document.isSaved, scene.stored("d").n], ["refused", false, 0]);
    const refusals = scene.calls.filter(({ status }) => status === 401).length;
    assert.ok(refusals < 60, `${refusals} requests that are refused in 90 seconds`);
    current = "new";
    await scene.pass(25_000);
    assert.deepEqual([document.state, document.isSaved, scene.stored("d").n], ["live", true, 1]);
    assert.deepEqual(heard.filter(({ type }) => type === "dropped"), []);
});

test("a page that only reads goes on within 25 seconds with another token", async () => {
    const scene = new Scene({ d: { n: 0 } });
    scene.daemon.tokens = new Map([["old", "ada"]]);
    let current = "old";
    const { document } = await scene.open("d", { actor: undefined, token: async () => current });
    scene.daemon.tokens = new Map([["new", "ada"]]);
    scene.network.cut();
    await scene.pass(90_000);
    assert.equal(document.state, "refused");
    current = "new";
    await scene.pass(25_000);
    assert.equal(document.state, "live");
});
