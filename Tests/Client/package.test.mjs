// The package as npm would install it, in node, against the real daemon.
// node --test Tests/Client/package.test.mjs

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { Daemon } from "./daemon.mjs";
import { Random } from "./random.mjs";
import { until } from "./waiting.mjs";

const source = path.join(import.meta.dirname, "../../Clients/javascript");
const work = mkdtempSync(path.join(tmpdir(), "versiond-package-"));
const installed = path.join(work, "node_modules/versiond");
let daemon;
let listed;

/** Loads an entry by its name, as an application does. */
async function load(entry) {
    const file = path.join(work, `${entry.replace(/\W/g, "-")}.mjs`);
    writeFileSync(file, `export * from "${entry}";\nimport * as all from "${entry}";\nexport default all.default;\n`);
    return import(pathToFileURL(file));
}

before(async () => {
    listed = JSON.parse(execFileSync("npm", ["pack", "--json", "--pack-destination", work],
        { cwd: source, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))[0];
    mkdirSync(installed, { recursive: true });
    execFileSync("tar", ["xzf", path.join(work, listed.filename), "--strip-components=1", "-C", installed]);
    for (const name of ["react", "react-dom", "scheduler", "object-assign", "loose-envify"]) {
        const file = `/usr/share/nodejs/${name}`;
        if (existsSync(file)) cpSync(file, path.join(work, `node_modules/${name}`), { recursive: true });
    }
    daemon = await new Daemon().start();
});
after(async () => {
    await daemon.stop();
    rmSync(work, { recursive: true });
});

const connected = async (name, options) => {
    const { connect } = await load("versiond");
    const document = connect(daemon.origin, { actor: "ada" }).document(name, options);
    await document.ready;
    return document;
};

test("every entry is there with its types, and nothing is needed at run time", () => {
    const { exports, dependencies } = JSON.parse(readFileSync(path.join(installed, "package.json")));
    assert.equal(dependencies, undefined);
    for (const entry of Object.values(exports)) {
        for (const file of typeof entry === "string" ? [entry] : Object.values(entry)) {
            assert.ok(existsSync(path.join(installed, file)), file);
        }
    }
    const names = listed.files.map(({ path: name }) => name);
    assert.ok(names.every((name) => /^(src\/)?[\w.]+\.(js|d\.ts|json|md)$/.test(name)), `${names}`);
});

test("its version is the daemon's", async () => {
    const { version } = JSON.parse(readFileSync(path.join(source, "package.json")));
    const { version: served } = await (await fetch(`${daemon.origin}/v1`)).json();
    assert.ok(served === version || served.startsWith(`${version}+`), `${served} is not ${version}`);
});

test("what applications load is small", () => {
    const script = readFileSync(path.join(source, "codemirror.js"));
    assert.ok(gzipSync(script).length < 4_096);
    assert.ok(gzipSync(readFileSync(path.join(source, "react.js"))).length < 2_048);
});

test("a store calls with what is there, and then only with what is another value", async () => {
    const { store, status, others } = await load("versiond/store");
    const menu = await connected("store", { create: { dish: "soup", items: [{ id: 1 }] } });
    const [dishes, items, states] = [[], [], []];
    const ends = [
        store(menu, "/dish").subscribe((dish) => dishes.push(dish)),
        store(menu, "/items").subscribe((list) => items.push(list)),
        status(menu).subscribe((one) => states.push(one)),
        others(menu).subscribe(() => {}),
    ];
    store(menu, "/dish").set("stew", { label: "better" });
    store(menu, "/new/deep").set(true);
    store(menu, "/items").update((list) => [...list, { id: 2 }]);
    await menu.saved();
    assert.deepEqual(dishes, ["soup", "stew"]);
    assert.deepEqual(items, [[{ id: 1 }], [{ id: 1 }, { id: 2 }]]);
    assert.equal(items[1][0], items[0][0], "what is the same stays the same object");
    assert.deepEqual(await daemon.value("store"),
        { dish: "stew", items: [{ id: 1 }, { id: 2 }], new: { deep: true } });
    await until(() => states.at(-1).isSaved && states.at(-1).canUndo, "the status");
    await menu.undo();
    for (const end of ends) end();
    assert.throws(() => store(menu, "/dish/inside").set(1), TypeError);
    assert.throws(() => store(menu, "dish").set(1), /JSON Pointer/);
    await menu.close();
    assert.throws(() => store(menu, "/dish").set("late"), { code: "closed" });
});

test("pointers with escapes, members of the prototype and indices are what they are", async () => {
    const { store } = await load("versiond/store");
    const menu = await connected("pointers", { create: { "a/b~c": 1, list: ["x"] } });
    const read = (pointer) => {
        let found;
        store(menu, pointer).subscribe((value) => { found = value; })();
        return found;
    };
    assert.equal(read("/a~1b~0c"), 1);
    assert.equal(read("/constructor"), undefined);
    assert.equal(read("/list/length"), undefined);
    assert.equal(read("/list/0"), "x");
    assert.equal(read("/list/00"), undefined);
    store(menu, "/list/-").set("y");
    store(menu, "/__proto__").set(1);
    await menu.saved();
    assert.deepEqual((await daemon.value("pointers")).list, ["x", "y"]);
    for (const index of ["7", "", "01", "1e0", " 1"]) {
        assert.throws(() => store(menu, `/list/${index}`).set("z"), TypeError, index);
    }
    await assert.rejects(menu.undo({ count: 1n }), TypeError);
    await menu.close();
});

test("React renders on the server what is there", async () => {
    const { default: React } = await load("react");
    const { renderToString } = await load("react-dom/server");
    const { Versiond, useValue } = await load("versiond/react");
    const menu = await connected("react-server", { create: { dish: "soup" } });
    const Dish = () => React.createElement("b", null, useValue(menu, "/dish")[0]);
    assert.equal(renderToString(React.createElement(Versiond, { connection: null },
        React.createElement(Dish))), "<b>soup</b>");
    await menu.close();
});

test("an editor that knows what was typed: many edits of three at random end in one text", async () => {
    const { TextBinding } = await load("versiond/text");
    const { connect } = await load("versiond");
    const people = [];
    for (const actor of ["ada", "bob", "eve"]) {
        const document = connect(daemon.origin, { actor })
            .document("binding", { create: { text: "x".repeat(40) + "\r\n" } });
        await document.ready;
        const editor = {
            text: "", caret: 0, setReadOnly() {},
            show(text) { this.text = text; },
        };
        const binding = new TextBinding(document, editor, "/text");
        binding.begin();
        people.push({ document, editor, binding });
    }
    const seeded = new Random(11);
    const chance = (below) => seeded.below(below);
    for (let round = 0; round < 200; round += 1) {
        const { editor, binding } = people[chance(3)];
        const from = chance(editor.text.length);
        const to = Math.min(from + chance(3), editor.text.length);
        const insert = ["", "\n", String(round)][chance(3)];
        editor.text = editor.text.slice(0, from) + insert + editor.text.slice(to);
        binding.typed([{ from, to, insert }]);
        if (chance(2) === 0) await new Promise((done) => { setTimeout(done, chance(4)); });
    }
    for (const { document } of people) await document.saved();
    const { text } = await daemon.value("binding");
    await until(() => people.every(({ document }) => document.value.text === text), "one text");
    for (const { document, editor } of people) {
        assert.equal(editor.text, text.replaceAll("\r\n", "\n"));
        assert.equal(document.stranded.length, 0);
        await document.close();
    }
});

test("without IndexedDB its store says so", async () => {
    const { indexedDBStore } = await load("versiond/indexeddb");
    assert.throws(() => indexedDBStore(), /no IndexedDB/);
});
