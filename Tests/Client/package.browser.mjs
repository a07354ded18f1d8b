// The package for applications in a real browser: React and CodeMirror 6 as people have them.
// node --test Tests/Client/package.browser.mjs

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Application } from "./application.mjs";
import { Browser } from "./browser.mjs";
import { until } from "./waiting.mjs";

let [application, browser, daemon] = [];

before(async () => {
    application = await new Application().start();
    ({ daemon } = application);
    browser = new Browser();
});
after(async () => {
    await browser.close();
    await application.stop();
});

const open = (program, context) => application.open(browser, program, context);

// MARK: React

const form = (actor) => `
    const { connect } = await import("versiond");
    const { Versiond, useDocument, useOthers, useStatus, useUndo, useValue } = await import("versiond/react");
    const { createElement: e, StrictMode, Suspense, memo } = await import("react");
    const { createRoot } = await import("react-dom");
    window.connection = connect(${JSON.stringify(daemon.origin)}, { actor: ${JSON.stringify(actor)} });
    window.renders = { dish: 0, price: 0 };
    const Field = memo(({ menu, name }) => {
        const [value, set] = useValue(menu, "/" + name);
        renders[name] += 1;
        return e("input", { id: name, value: value ?? "", onChange: ({ target }) => set(target.value) });
    });
    const Menu = () => {
        const menu = window.menu = useDocument("react", { create: { dish: "soup", price: "4" } });
        const { undo, redo, canUndo } = useUndo(menu, { keys: window });
        const { isSaved } = useStatus(menu);
        return e("main", null, e(Field, { menu, name: "dish" }), e(Field, { menu, name: "price" }),
            e("button", { id: "undo", disabled: !canUndo, onClick: () => undo() }, "Undo"),
            e("output", { id: "saved" }, isSaved ? "saved" : "saving"));
    };
    window.rootOfPage = createRoot(document.getElementById("root"));
    rootOfPage.render(e(StrictMode, null, e(Versiond, { connection },
        e(Suspense, { fallback: e("p", { id: "waiting" }, "…") }, e(Menu)))));
`;
const value = (tab, id) => tab.evaluate(`document.getElementById("${id}").value`);

test("a React form: two edit different fields, each sees the other, and undo is one's own", async () => {
    const [ada, bob] = [await open(form("ada")), await open(form("bob"))];
    for (const tab of [ada, bob]) await tab.until("document.getElementById('dish')?.value === 'soup'");
    await ada.focus("#dish");
    await ada.type("s");
    await bob.until("document.getElementById('dish').value === 'soups'");
    await bob.focus("#price");
    await bob.type("2");
    await ada.until("document.getElementById('price').value === '42'");
    await ada.until("document.getElementById('saved').textContent === 'saved'");
    await ada.click("#undo");
    await bob.until("document.getElementById('dish').value === 'soup'");
    assert.equal(await value(bob, "price"), "42");
    await ada.focus("#dish");
    await ada.pressControl("Z");
    await bob.until("document.getElementById('dish').value === 'soups'");
    assert.deepEqual(await daemon.value("react"), { dish: "soups", price: "42" });
    for (const tab of [ada, bob]) await tab.close();
});

test("undo is a handler of clicks, and a document that is made later comes", async () => {
    const tab = await open(form("eve").replace('useDocument("react", ', 'useDocument("clicks", ')
        .replace("onClick: () => undo()", "onClick: undo"));
    await tab.until("document.getElementById('dish')?.value === 'soup'");
    await tab.focus("#dish");
    await tab.type("x");
    await tab.until("menu.isSaved");
    await tab.click("#undo");
    await tab.until("document.getElementById('dish').value === 'soup'");
    await tab.focus("#dish");
    await tab.type("y");
    await tab.until("menu.isSaved");
    assert.equal((await daemon.value("clicks")).dish, "soupy");
    await tab.close();
});

test("React: a component goes on with its document when that is renamed", async () => {
    const tab = await open(form("eve").replace('useDocument("react", ', 'useDocument("named", '));
    await tab.until("document.getElementById('dish')?.value === 'soup' && menu.state === 'live'");
    await tab.evaluate("window.first = menu, 0");
    const answer = await fetch(`${daemon.origin}/v1/documents/named/rename`, {
        method: "POST", body: JSON.stringify({ name: "renamed" }), headers: { "Content-Type": "application/json" },
    });
    assert.equal(answer.status, 201);
    await tab.until("menu.name === 'renamed'");
    await tab.focus("#dish");
    await tab.type("s");
    await tab.until("menu.isSaved && document.getElementById('saved').textContent === 'saved'");
    assert.equal((await daemon.value("renamed")).dish, "soups");
    assert.equal(await tab.evaluate("menu === first && menu.state === 'live'"), true);
    assert.equal((await fetch(`${daemon.origin}/v1/documents/named`)).status, 410);
    await tab.close();
});

test("a component is rendered again only if its own value is another one", async () => {
    const [ada, bob] = [await open(form("ada")), await open(form("bob"))];
    for (const tab of [ada, bob]) await tab.until("!!document.getElementById('dish')");
    await ada.evaluate("new Promise((done) => setTimeout(done, 100))");
    const before = await ada.evaluate("({ ...renders })");
    await bob.focus("#price");
    await bob.type("123");
    await ada.until("document.getElementById('price').value.endsWith('123')");
    const then = await ada.evaluate("({ ...renders })");
    assert.equal(then.dish, before.dish);
    assert.ok(then.price > before.price);
    for (const tab of [ada, bob]) await tab.close();
});

test("a document is closed when no component shows it any more, and saved before", async () => {
    const tab = await open(form("ada"));
    await tab.until("!!document.getElementById('dish')");
    await tab.focus("#dish");
    await tab.type("X");
    await tab.evaluate("rootOfPage.render(null)");
    await tab.until("menu.state === 'closed'", 15_000);
    await until(async () => (await daemon.value("react")).dish.includes("X"), "the last letter");
    await tab.close();
});

test("what keeps a document from coming is thrown to the component's boundary", async () => {
    const tab = await open(`
        const { connect } = await import("versiond");
        const { Versiond, useDocument } = await import("versiond/react");
        const { Component, createElement: e, Suspense } = await import("react");
        const { createRoot } = await import("react-dom");
        class Boundary extends Component {
            state = { error: null };
            static getDerivedStateFromError(error) { return { error }; }
            render() {
                return this.state.error ? e("p", { id: "error" }, this.state.error.code) : this.props.children;
            }
        }
        const Missing = () => e("p", null, useDocument("missing").name);
        createRoot(document.getElementById("root")).render(
            e(Versiond, { connection: connect(${JSON.stringify(daemon.origin)}) },
                e(Boundary, null, e(Suspense, { fallback: null }, e(Missing)))));
    `);
    await tab.until("document.getElementById('error')?.textContent === 'unknown-document'");
    await tab.close();
});

const texts = (name, actor, start, keys = "item.id") => `
    const { connect } = await import("versiond");
    const { Versiond, useConflicts, useDocument, useText, useValue } = await import("versiond/react");
    const { createElement: e, StrictMode, Suspense } = await import("react");
    const { createRoot } = await import("react-dom");
    window.connection = connect(${JSON.stringify(daemon.origin)}, { actor: ${JSON.stringify(actor)} });
    const Text = ({ menu, name, at = "/" + name }) => e("input", { id: name, ref: useText(menu, at) });
    const Rows = ({ menu }) => useValue(menu, "/items")[0].map((item, index) =>
        e("p", { key: ${keys} }, e(Text, { menu, name: "row" + index, at: "/items/" + index + "/text" })));
    const Open = ({ menu }) => {
        const { conflicts, dropped } = useConflicts(menu);
        return e("aside", null,
            conflicts.map(({ pointer, values, use, dismiss }) => e("p", { key: pointer },
                e("b", null, pointer + " " + values.mine + " " + values.theirs),
                e("button", { id: "mine", onClick: () => use("mine") }, "Mine"),
                e("button", { id: "dismiss", onClick: dismiss }, "As it is"))),
            dropped.map(({ problem, forget }, index) =>
                e("button", { key: index, id: "forget", onClick: forget }, problem.code)));
    };
    const Menu = () => {
        const menu = window.menu = useDocument(${JSON.stringify(name)}, { create: ${JSON.stringify(start)} });
        return e("main", null, e(Text, { menu, name: "note" }), e(Rows, { menu }), e(Open, { menu }));
    };
    createRoot(document.getElementById("root")).render(e(StrictMode, null,
        e(Versiond, { connection }, e(Suspense, { fallback: "…" }, e(Menu)))));
`;
const two = async (name, start, keys) => {
    const tabs = [];
    for (const actor of ["ada", "bob"]) tabs.push(await open(texts(name, actor, start, keys)));
    for (const tab of tabs) await tab.until("document.getElementById('note') && menu.state === 'live'");
    return tabs;
};
const count = (text, letter) => [...text].filter((one) => one === letter).length;

test("React: of ten letters that each of two people types in one text at once, all twenty are kept", async () => {
    const tabs = await two("react-text", { note: "", items: [] });
    for (let round = 0; round < 10; round += 1) {
        for (const [index, tab] of tabs.entries()) {
            await tab.focus("#note");
            await tab.type("ab"[index]);
        }
    }
    for (const tab of tabs) await tab.evaluate("menu.saved()");
    const { note } = await daemon.value("react-text");
    assert.deepEqual([count(note, "a"), count(note, "b"), note.length], [10, 10, 20], note);
    for (const tab of tabs) await tab.until(`document.getElementById("note").value === "${note}"`);
    for (const tab of tabs) await tab.close();
});

test("React: letters that two people type away from the daemon are all kept", async () => {
    const tabs = await two("react-away", { note: "", items: [] });
    for (const [index, tab] of tabs.entries()) {
        await tab.offline(true);
        await tab.focus("#note");
        await tab.type("ab"[index].repeat(10));
    }
    for (const tab of tabs) await tab.offline(false);
    for (const tab of tabs) await tab.evaluate("menu.retry(), menu.saved()");
    const { note } = await daemon.value("react-away");
    assert.deepEqual([count(note, "a"), count(note, "b"), note.length], [10, 10, 20], note);
    for (const tab of tabs) await tab.close();
});

test("React: while an input method composes, what another person types stays, and so does the word", async () => {
    const [ada, bob] = await two("react-word", { note: "ab", items: [] });
    await ada.focus("#note");
    await ada.evaluate("document.getElementById('note').setSelectionRange(1, 1)");
    await ada.compose("に");
    await bob.evaluate("menu.at('/note').insertText(2, 'XYZ')");
    await ada.until("menu.value.note.includes('XYZ')");
    await ada.compose("にほ");
    await ada.insert("日本");
    for (const tab of [ada, bob]) await tab.until("document.getElementById('note').value === 'a日本bXYZ'");
    assert.equal((await daemon.value("react-word")).note, "a日本bXYZ");
    for (const tab of [ada, bob]) await tab.close();
});

for (const [keys, how] of [["item.id", "their elements"], ["index", "their indexes"]]) {
    test(`React: rows that are keyed by ${how} show and edit their own text when a row comes before them`, async () => {
        const name = `react-rows-${keys}`;
        const start = { note: "", items: [{ id: "x", text: "one" }, { id: "y", text: "two" }] };
        const [ada, bob] = await two(name, start, keys);
        const shown = "[...document.querySelectorAll('p > input')].map(({ value }) => value).join()";
        await ada.until(`${shown} === "one,two"`);
        await bob.evaluate(`menu.change(({ items }) => { items.unshift({ id: "z", text: "new" }); })`);
        await ada.until(`${shown} === "new,one,two"`);
        for (const index of [0, 1, 2]) {
            await ada.focus(`#row${index}`);
            await ada.evaluate("document.activeElement.setSelectionRange(9, 9)");
            await ada.type(String(index));
        }
        await bob.until(`${shown} === "new0,one1,two2"`);
        const { items } = await daemon.value(name);
        assert.deepEqual(items.map(({ id, text }) => id + text), ["znew0", "xone1", "ytwo2"]);
        for (const tab of [ada, bob]) await tab.close();
    });
}

test("React: an input method goes on composing in a row that moves", async () => {
    const start = { note: "", items: [{ id: "x", text: "ab" }] };
    const [ada, bob] = await two("react-moving", start);
    await ada.focus("#row0");
    await ada.evaluate("document.activeElement.setSelectionRange(1, 1)");
    await ada.compose("に");
    await bob.evaluate(`menu.change(({ items }) => {
        items[0].text = "ab!";
        items.unshift({ id: "z", text: "new" });
    })`);
    await ada.until("document.activeElement.id === 'row1'");
    await ada.compose("にほ");
    await ada.insert("日本");
    await bob.until("menu.value.items[1].text.includes('日本')");
    assert.equal((await daemon.value("react-moving")).items[0].text, "new");
    for (const tab of [ada, bob]) await tab.close();
});

test("React: what met another person's edit is shown until it is decided, and so is what was refused", async () => {
    const start = { note: "", items: [], price: 1 };
    const [ada, bob] = await two("react-conflicts", start);
    const open = "document.querySelector('aside').textContent";
    await ada.offline(true);
    await ada.evaluate("menu.edit((value) => ({ ...value, price: 2 }))");
    await bob.evaluate("menu.edit((value) => ({ ...value, price: 3 }))");
    await bob.evaluate("menu.saved()");
    await ada.offline(false);
    await ada.evaluate("menu.retry(), menu.saved()");
    await bob.until(`${open}.startsWith("/price 3 2")`);
    await bob.click("#mine");
    await bob.until(`${open} === ""`);
    await ada.until("menu.value.price === 3");
    await fetch(`${daemon.origin}/v1/documents/react-conflicts`, { method: "DELETE" });
    await bob.until("menu.state === 'deleted'");
    await bob.evaluate("menu.handBack('/note', 'typed')");
    await bob.until(`${open} === "place-gone"`);
    await bob.click("#forget");
    await bob.until(`${open} === ""`);
    for (const tab of [ada, bob]) await tab.close();
});

// MARK: Text areas

test("what a person types before the script is there is stored, where the page has the document's text", async () => {
    await daemon.put("early", { text: "soup" });
    const tab = await open(`
        document.getElementById("root").innerHTML = "<textarea id=text>soup</textarea>";
    `);
    await tab.focus("#text");
    await tab.evaluate("document.getElementById('text').setSelectionRange(4, 4)");
    await tab.type(" of the day");
    await tab.evaluate(`(async () => {
        const { connect } = await import("versiond");
        window.menu = connect(${JSON.stringify(daemon.origin)}, { actor: "ada" }).document("early");
        menu.bindTextarea(document.getElementById("text"), "/text");
        await menu.ready;
        await menu.saved();
    })()`);
    assert.deepEqual(await daemon.value("early"), { text: "soup of the day" });
    await tab.type("!");
    await tab.until("document.getElementById('text').value === 'soup of the day!' && menu.isSaved");
    assert.deepEqual(await daemon.value("early"), { text: "soup of the day!" });
    await tab.close();
});

// MARK: CodeMirror

const editor = (name, actor, text = "") => `
    const { connect } = await import("versiond");
    const { versiondText } = await import("versiond/codemirror");
    const { EditorState } = await import("@codemirror/state");
    const { EditorView } = await import("@codemirror/view");
    window.note = connect(${JSON.stringify(daemon.origin)}, { actor: ${JSON.stringify(actor)} })
        .document(${JSON.stringify(name)}, { create: { text: ${JSON.stringify(text)} } });
    window.view = new EditorView({
        parent: document.getElementById("root"),
        state: EditorState.create({
            extensions: [versiondText(note, "/text", { state: { name: ${JSON.stringify(actor)} } })],
        }),
    });
    window.text = () => view.state.sliceDoc();
    await note.ready;
`;
const three = async (name, text) => {
    const tabs = [];
    for (const actor of ["ada", "bob", "eve"]) tabs.push(await open(editor(name, actor, text)));
    for (const tab of tabs) await tab.until(`text() === ${JSON.stringify(text)}`);
    return tabs;
};
const caret = async (tab, anchor, head = anchor) => {
    await tab.front();
    await tab.evaluate(`view.focus(); view.dispatch({ selection: { anchor: ${anchor}, head: ${head} } })`);
};
const typeIn = async (tab, text) => {
    await tab.front();
    await tab.type(text);
};
const shows = (tab, text) => tab.until(`text() === ${JSON.stringify(text)}`);
const closeAll = async (tabs) => { for (const tab of tabs) await tab.close(); };

test("three people in one text of CodeMirror: letters merge, carets stay, undo is one's own", async () => {
    const [ada, bob, eve] = await three("three", "one two three");
    await caret(ada, 3);
    await caret(bob, 13);
    await typeIn(ada, "ONE");
    await typeIn(bob, "THREE");
    for (const tab of [ada, bob, eve]) await shows(tab, "oneONE two threeTHREE");
    assert.equal(await bob.evaluate("view.state.selection.main.head"), 21);
    assert.equal(await ada.evaluate("view.state.selection.main.head"), 6);
    await ada.evaluate("note.saved()");
    await ada.front();
    await ada.pressControl("z");
    for (const tab of [ada, bob, eve]) await shows(tab, "one two threeTHREE");
    await ada.pressControl("Z");
    for (const tab of [ada, bob, eve]) await shows(tab, "oneONE two threeTHREE");
    await closeAll([ada, bob, eve]);
});

test("others' carets are shown where they are, and move with the letters", async () => {
    const [ada, bob, eve] = await three("carets", "hello world");
    await caret(ada, 5);
    // Where bob sees it: behind how many letters, or nowhere.
    const seen = `(() => {
        const mark = [...document.querySelectorAll(".cm-versiond-caret")]
            .find((one) => one.textContent === "ada");
        return mark ? view.posAtDOM(mark) : null;
    })()`;
    await bob.until(`${seen} === 5`);
    // By the program: ada's tab, which is in front, keeps the focus.
    await bob.evaluate("note.at('/text').insertText(0, 'oh ')");
    await shows(eve, "oh hello world");
    for (const tab of [bob, eve]) await tab.until(`${seen} === 8`);
    await caret(ada, 3, 8);
    await eve.until("getComputedStyle(document.querySelector('.cm-line span[style*=background]'))"
        + ".backgroundColor !== ''");
    await ada.evaluate("note.close()");
    await eve.until(`${seen} === null`);
    await closeAll([ada, bob, eve]);
});

test("while an input method composes, what others type stays, and so does the word", async () => {
    const [ada, bob, eve] = await three("ime", "ab");
    await caret(ada, 1);
    await ada.front();
    await ada.compose("に");
    await ada.compose("にほ");
    // Bob types at the end meanwhile.
    await bob.evaluate("note.at('/text').insertText(2, 'XYZ')");
    await bob.evaluate("note.saved()");
    await ada.evaluate("new Promise((done) => setTimeout(done, 150))");
    assert.equal(await ada.evaluate("text()"), "aにほb");
    await ada.insert("日本");
    for (const tab of [ada, bob, eve]) await shows(tab, "a日本bXYZ");
    assert.deepEqual(await daemon.value("ime"), { text: "a日本bXYZ" });
    await closeAll([ada, bob, eve]);
});

test("a paste, a deletion and several cursors are what the document gets; ends of lines stay", async () => {
    const [ada, bob, eve] = await three("lines", "a\nb\nc");
    await daemon.put("lines", { text: "a\r\nb\r\nc" });
    await ada.until("note.value.text.includes('\\r')");
    await shows(ada, "a\nb\nc");
    await ada.evaluate(`view.dispatch({ changes: [{ from: 0, insert: "1" }, { from: 2, insert: "2" },
        { from: 4, to: 5, insert: "three" }] })`);
    await ada.evaluate("note.saved()");
    for (const tab of [ada, bob, eve]) await shows(tab, "1a\n2b\nthree");
    assert.deepEqual(await daemon.value("lines"), { text: "1a\r\n2b\r\nthree" });
    await closeAll([ada, bob, eve]);
});

test("many edits of three at random end in one text", async () => {
    const tabs = await three("random", "x".repeat(50));
    let seed = 7;
    const chance = (below) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        return seed % below;
    };
    for (let round = 0; round < 150; round += 1) {
        const [from, length, tab] = [chance(40), chance(3), tabs[chance(3)]];
        await tab.evaluate(`(() => {
            const from = Math.min(${from}, view.state.doc.length);
            const to = Math.min(from + ${length}, view.state.doc.length);
            view.dispatch({ changes: { from, to, insert: "${round}" }, userEvent: "input.type" });
        })()`);
    }
    for (const tab of tabs) await tab.evaluate("note.saved()");
    const { text } = await daemon.value("random");
    for (const tab of tabs) await shows(tab, text);
    await closeAll(tabs);
});

test("what an editor showed before gives way, and one press of a key is one undo", async () => {
    await daemon.put("first", { text: "price 42" });
    const tab = await open(editor("first", "ada").replace("EditorState.create({",
        "EditorState.create({ doc: 'price 37',"));
    await shows(tab, "price 42");
    await tab.evaluate("note.bindKeys(window)");
    for (const letter of "abc") {
        await tab.evaluate(`note.edit((value) => ({ ...value, ${letter}: 1 }), { group: "${letter}" })`);
        await tab.evaluate("note.saved()");
    }
    await caret(tab, 0);
    await tab.front();
    await tab.pressControl("z");
    await tab.until("note.value.c === undefined");
    await tab.evaluate("new Promise((done) => setTimeout(done, 200))");
    assert.deepEqual(await daemon.value("first"), { text: "price 42", a: 1, b: 1 });
    await tab.close();
});

test("who may not edit cannot type, and the editor is read-only until the document is there", async () => {
    const tab = await open(editor("late", "ada", "text").replace("await note.ready;",
        "window.wasReadOnly = view.state.readOnly; await note.ready;"));
    assert.equal(await tab.evaluate("wasReadOnly"), true);
    await tab.until("view.state.readOnly === false");
    await fetch(`${daemon.origin}/v1/documents/late`, { method: "DELETE" });
    await tab.until("view.state.readOnly === true");
    await tab.close();
});
