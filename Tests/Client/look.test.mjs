// The values of the web UI, without a browser: node --test Tests/Client/look.test.mjs

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Random, crowded } from "./random.mjs";

const pages = (name) => import(new URL(`../../Sources/VersiondWeb/Pages/${name}.js`, import.meta.url));
const { addressOf, readAddress, versionOf } = await pages("address");
const { paired, sections } = await pages("delta");
const { rowsOf } = await pages("grouping");
const { asTitle, elementName, keyName, keyWords, said, singular, visible } = await pages("names");
const { moreRows, pageModel } = await pages("pagemodel");
const { RibbonLayout } = await pages("ribbonlayout");
const times = await pages("times");
const { kept, wordDifference } = await pages("worddiff");
const { Blame } = await pages("blame");
const { isEqual, parse, valueAt } = await pages("json");

const table = JSON.parse(readFileSync(new URL("../SentencesTests/names.json", import.meta.url)));
const runs = Number(process.env.RUNS ?? 500);

test("fields, elements and values are called as the daemon calls them", () => {
    for (const [key, words] of table.keys) assert.equal(keyWords(key), words);
    for (const [many, one] of table.singulars) assert.equal(singular(many), one);
    for (const { element, index, array, name } of table.elements) {
        assert.equal(elementName(element, index, array), name);
    }
    for (const [value, words] of table.values) assert.equal(said(value), words);
});

test("an address is what it was made of, and can be read", () => {
    assert.equal(addressOf("menus/summer", "version:7"), "#menus/summer@version:7");
    for (const name of ["menu", "menus/summer", "a@b", "50 %", "ü#ä", "a..b"]) {
        for (const [at, from] of [[null, null], ["version:7", null], ["head", "tag:a@b"], ["3", "snapshot:x"]]) {
            assert.deepEqual(readAddress(addressOf(name, at, from)), { name, at, from });
        }
    }
    assert.deepEqual(readAddress(""), { name: null, at: null, from: null });
    assert.equal(versionOf("version:12"), 12);
    assert.equal(versionOf("tag:12"), null);
});

test("words that were kept are plain, and both texts can be read from the runs", () => {
    const random = new Random(7);
    const some = ["the", "dish", "of", "day", ",", ".", "bread", "Ulm"];
    const text = () => Array.from({ length: random.below(12) }, () => random.of(some)).join(random.once(2) ? " " : "  ");
    for (let run = 0; run < runs; run += 1) {
        const [old, now] = [text(), text()];
        const found = wordDifference(old, now);
        const only = (kinds) => found.filter(({ kind }) => kinds.includes(kind)).map(({ text: one }) => one).join("");
        assert.equal(only(["same", "gone"]), old);
        assert.equal(only(["same", "come"]), now);
    }
    const found = wordDifference("Ask for the pudding of the day. We bake.", "Ask for the dessert of the day. Our soup is hot. We bake.");
    assert.deepEqual(found.map(({ kind, text: one }) => `${kind} ${one}`), [
        "same Ask for the ", "gone pudding", "come dessert", "same  of the day. ", "come Our soup is hot. ", "same We bake."]);
    assert.deepEqual(kept(found), { kept: 8, of: 9 });
});

test("a small edit in a long text marks the edit alone", () => {
    const told = (old, now) => wordDifference(old, now)
        .map(({ kind, text }) => (kind === "same" ? text.length : `${kind} ${text}`));
    const words = "We bake our bread every morning. ".repeat(30_000);
    const run = "x".repeat(1_000_000);
    assert.deepEqual(told(run, `${run.slice(0, 400_000)}letters${run.slice(400_000)}`),
        [400_000, "come letters", 600_000]);
    assert.deepEqual(told(words, `Today: ${words}Thanks.`), ["come Today: ", words.length, "come Thanks."]);
    const letters = "a".repeat(90);
    assert.deepEqual(told(`${letters}👩‍👩‍👧${letters}`, `${letters}👩‍👩‍👦${letters}`),
        [90, "gone 👩‍👩‍👧", "come 👩‍👩‍👦", 90], "no letter is cut");
    assert.deepEqual(told("a foo bar", "a foo barn"), [6, "gone bar", "come barn"], "words are whole");
});

test("a name shows the characters that turn the direction of others, and a key beside its value is as it is", () => {
    assert.equal(visible("photo\u202Egnp.exe"), "photo‹U+202E›gnp.exe");
    assert.equal(visible("תפריט"), "תפריט");
    assert.deepEqual(["toString", "display_name", "k49", ""].map(keyName), ["toString", "display_name", "k49", "“”"]);
    assert.deepEqual(["dishes", "toString"].map(asTitle), ["Dishes", "toString"]);
    const [section] = sections({ toString: ["a"] }, { toString: ["b"] });
    assert.equal(section.name, "toString");
    assert.equal(pageModel({ firstName: "Ada" })[0].fields[0].name, "firstName");
});

test("elements are known by their identity: what moved is a move, and equal ones are counted", () => {
    const dish = (id, price) => ({ id, name: `Dish ${id}`, price });
    const before = { dishes: [1, 2, 3, 4, 5, 6].map((id) => dish(id, id)) };
    const after = { dishes: [dish(1, 1), dish(5, 5), dish(2, 9), dish(3, 3), dish(6, 6), dish(7, 7)] };
    const [section] = sections(before, after);
    assert.equal(section.name, "Dishes");
    assert.deepEqual(section.entries.map(({ state, label, count }) => [state, count ?? label]), [
        ["same", 1], ["move", "Dish 5"], ["change", "Dish 2"], ["same", 1], ["remove", "Dish 4"], ["same", 1], ["add", "Dish 7"]]);
    assert.deepEqual(section.entries[2].changes.map(({ label, old, new: now }) => [label, old, now]), [["price", "2", "9"]]);
    assert.equal(section.note, "6 elements, 3 unchanged");
});

test("numbers are as they are written, and long ones keep their digits", () => {
    // Only for engines that report how a number was written, such as Chromium.
    if (!JSON.rawJSON) return;
    const before = parse(`{"n": 12345678901234567890, "price": 4.50}`);
    const after = parse(`{"n": 12345678901234567891, "price": 4.50}`);
    const found = sections(before, after);
    assert.equal(found.length, 1);
    assert.equal(found[0].entries[0].old, "12345678901234567890");
    assert.equal(found[0].entries[0].undo, `[{"op":"replace","path":"/n","value":12345678901234567890}]`);
    assert.equal(said(valueAt(after, "/price")), "4.50");
});

/** Applies one operation, for the laws. */
function apply(value, { op, path, from, value: put }) {
    const copy = structuredClone({ root: value });
    const tokens = (pointer) => ["root", ...pointer.split("/").slice(1).map((one) => one.replaceAll("~1", "/").replaceAll("~0", "~"))];
    const parentOf = (pointer) => {
        const way = tokens(pointer);
        const last = way.pop();
        return [way.reduce((at, token) => at[token], copy), last];
    };
    let moved = put;
    if (op === "move" || op === "remove") {
        const [parent, key] = parentOf(from ?? path);
        moved = op === "move" ? parent[key] : undefined;
        if (Array.isArray(parent)) parent.splice(Number(key), 1);
        else delete parent[key];
        if (op === "remove") return copy.root;
    }
    const [parent, key] = parentOf(path);
    if (Array.isArray(parent) && op !== "replace") parent.splice(Number(key), 0, moved);
    else parent[key] = moved;
    return copy.root;
}

test("each change can be put back, and then one change less is left", () => {
    for (let seed = 1; seed <= runs; seed += 1) {
        const random = new Random(seed);
        const [before, after] = [crowded(random), crowded(random)];
        const count = (value) => sections(before, value).reduce((sum, one) => sum + one.changeCount, 0);
        const all = sections(before, after).flatMap(({ entries }) => entries
            .flatMap((entry) => (entry.changes?.length > 0 ? entry.changes : [entry])))
            .filter(({ state, undo }) => state !== "same" && undo);
        for (const change of all) {
            const left = JSON.parse(change.undo).reduce(apply, after);
            assert.ok(!isEqual(left, after), `seed ${seed}`);
        }
        if (count(after) === 1 && all.length === 1) {
            assert.ok(isEqual(JSON.parse(all[0].undo).reduce(apply, after), before), `seed ${seed}`);
        }
    }
});

test("pairs name every element of both arrays once, in order", () => {
    for (let seed = 1; seed <= runs; seed += 1) {
        const random = new Random(seed);
        const list = () => Array.from({ length: random.below(8) }, () => random.below(6));
        const [before, after] = [list(), list()];
        const pairs = paired(before, after, ["id"]);
        const numbers = (key) => pairs.map((pair) => pair[key]).filter((one) => one !== null).sort((a, b) => a - b);
        assert.deepEqual(numbers("from"), before.map((_, index) => index), `seed ${seed}`);
        assert.deepEqual(numbers("to"), after.map((_, index) => index), `seed ${seed}`);
        const to = pairs.map((pair) => pair.to).filter((one) => one !== null);
        assert.deepEqual(to, [...to].sort((a, b) => a - b), `seed ${seed}`);
    }
});

const version = (number, minutes, more = {}) => {
    const ended = new Date(Date.UTC(2026, 10, 24, 12) - minutes * 60_000).toISOString();
    return { version: number, parent: number - 1, standing: "undo", scopeLevel: 0, tags: [], snapshots: [],
        kind: "append", actors: ["ada"], paths: [`/n${number}`], began: ended, ended, ...more };
};
const types = (rows) => rows.map(({ type }) => type).join(" ");

test("versions are days and sessions; runs fold, what is named or shown does not", () => {
    const run = [1, 2, 3, 4].map((number) => version(10 - number, number, { paths: [`/dishes/${number}/price`], actors: ["bot"] }));
    assert.equal(types(rowsOf([version(10, 0, { standing: "current" }), ...run])), "day session version run");
    const [first, ...rest] = run;
    const tagged = [{ ...first, tags: ["a"] }, ...rest];
    assert.equal(types(rowsOf([version(10, 0, { standing: "current" }), ...tagged])), "day session version version version version version");
    const open = rowsOf([version(10, 0, { standing: "current" }), ...run], { opened: new Set(["run 6"]) });
    assert.equal(types(open), "day session version run version version version version");
    assert.equal(types(rowsOf([version(2, 0), version(1, 40)])), "day version version", "two alone are no session");
    assert.equal(types(rowsOf([version(2, 0), version(1, 26 * 60)])), "day version day version");
    assert.equal(types(rowsOf([version(3, 0), version(2, 10, { actors: ["bob"] })])), "day session version version");
});

test("a session that is not read to its end says only what is known of it", () => {
    const list = [version(3, 0), version(2, 1), version(1, 2)];
    const session = (options) => rowsOf(list, options).find(({ type }) => type === "session");
    assert.ok(session({}).began && session({}).ended);
    assert.deepEqual([session({ hasOlder: true }).began, session({ hasNewer: true }).ended], [null, null]);
    assert.equal(session({ hasOlder: true }).count, 3);
});

test("what was undone is one row, closed; what is ahead is one row on top", () => {
    const rows = rowsOf([version(5, 0, { standing: "redo" }), version(4, 1, { standing: "current" }),
        version(3, 2, { standing: "aside" }), version(2, 3, { standing: "aside" }), version(1, 4)]);
    assert.equal(types(rows), "ahead day session version fork version");
    assert.deepEqual(rows.find(({ type }) => type === "fork").versions.map((one) => one.version), [3, 2]);
});

test("of a large fold some rows are opened at once", () => {
    const many = Array.from({ length: 100 }, (_, index) => version(100 - index, 0, { standing: "aside" }));
    const list = [version(101, 0, { standing: "current" }), ...many];
    const count = (opened, isShown) => rowsOf(list, { opened: new Set(opened), isShown }).filter(({ inside }) => inside === "fork").length;
    assert.equal(count([]), 0);
    assert.equal(count(["fork 1"]), 40);
    assert.equal(count(["fork 1", "fork 1 40"]), 80);
    assert.equal(count(["fork 1", "fork 1 40", "fork 1 80"]), 100);
    assert.equal(count([], ({ version: one }) => one === 30), 71, "up to what is shown");
});

test("a scope is named once, and equal minutes are blank", () => {
    const rows = rowsOf([version(4, 0, { scopeLevel: 1 }), version(3, 0, { scopeLevel: 1 }), version(2, 0)],
        { scopes: [{ scopeLevel: 1, owner: "zoe", version: 2 }] });
    assert.equal(rows.filter(({ type }) => type === "scope").length, 1);
    assert.deepEqual(rows.filter(({ type }) => type === "version").map(({ isSameTime }) => isSameTime), [false, true, true]);
});

test("300 forks and 10,000 versions are grouped quickly", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => version(10_000 - index, index,
        index % 30 === 0 ? { standing: "aside" } : {}));
    const begun = performance.now();
    assert.ok(rowsOf(many).length > 100);
    assert.ok(performance.now() - begun < 2_000);
});

test("long silences on the ribbon are cut short, and every place leads to a revision", () => {
    const span = (index, first, last) => ({ index, first, last, changeCount: last - first + 1, shares: [] });
    const layout = new RibbonLayout({ began: "2026-01-01T00:00:00Z", ended: "2026-04-11T00:00:00Z", spanCount: 100,
        spans: [span(0, 0, 9), span(1, 10, 19), span(60, 20, 29), span(99, 30, 39)] });
    assert.equal(layout.gaps.length, 2);
    assert.equal(layout.gaps[0].words, "8 weeks");
    assert.ok(layout.units < 15);
    assert.equal(layout.revisionAt(0), 0);
    assert.equal(layout.revisionAt(1), 39);
    const seen = new Set();
    for (let place = 0; place <= 1; place += 0.001) seen.add(layout.revisionAt(place));
    assert.ok(seen.size >= 20, `${seen.size}`);
    const places = ["2026-01-01T00:00:00Z", "2026-03-02T00:00:00Z", "2026-04-11T00:00:00Z"].map((time) => layout.placeOf(time));
    assert.deepEqual([...places].sort((a, b) => a - b), places);
    assert.deepEqual(layout.stops(2), [19, 39]);
    for (const { at, first, last } of layout.bars) {
        for (const revision of [first, last]) assert.equal(layout.placeOfRevision(revision), (at + 0.5) / layout.units);
    }
    assert.deepEqual(layout.stops(60), [9, 19, 29, 39]);
});

test("times are said as people say them", () => {
    const now = new Date(2026, 10, 24, 15, 0);
    const ago = (minutes) => new Date(now - minutes * 60_000).toISOString();
    assert.equal(times.moment(ago(0), now), "just now");
    assert.equal(times.moment(ago(1), now), "1 minute ago");
    assert.equal(times.moment(ago(42), now), "42 minutes ago");
    assert.match(times.moment(ago(90), now), /^today \d/);
    assert.match(times.moment(ago(60 * 24), now), /^yesterday \d/);
    assert.equal(times.dayName(ago(60 * 24), now)[0], "Yesterday");
    assert.equal(times.dayName(ago(60 * 48), now)[0], new Date(2026, 10, 22).toLocaleDateString([], { weekday: "long" }));
    assert.equal(times.brief(ago(5), now), "5 min ago");
    assert.equal(times.brief(ago(300), now), "5 h ago");
    assert.equal(times.length(21 * 24 * 3_600_000), "3 weeks");
    assert.equal(times.length(9 * 24 * 3_600_000), "9 days");
});

test("a value is a page: title, fields, texts, tables; of many rows the first", () => {
    const value = { title: "Menu", open: true, price: 4, note: "a long text ".repeat(10), empty: {},
        dishes: Array.from({ length: 250 }, (_, id) => ({ id, name: `Dish ${id}`, price: id })), tags: ["a", "b"], address: { city: "Ulm" } };
    const blocks = pageModel(value);
    assert.deepEqual(blocks.map(({ type }) => type), ["title", "fields", "text", "table", "list", "group"]);
    const table_ = blocks[3];
    assert.deepEqual([table_.count, table_.rows.length, table_.columns.map(({ key }) => key)], [250, 100, ["name", "price"]]);
    assert.equal(moreRows(value.dishes, "/dishes", table_.columns, 200).length, 50);
    assert.equal(pageModel("a text")[0].type, "text");
    assert.equal(pageModel(null)[0].text, "empty");
    for (let seed = 1; seed <= runs; seed += 1) pageModel(crowded(new Random(seed)));
});

test("blame is that of the nearest place above, and of a text by its parts", () => {
    const change = (revision, actor) => ({ revision, actor });
    const blame = new Blame({
        places: [{ path: "", revision: 1 }, { path: "/a", revision: 2 },
            { path: "/t", revision: 1, text: [{ count: 2, revision: 1 }, { count: 3, revision: 3 }] }],
        changes: [change(1, "ada"), change(2, "bob"), change(3, "cyd")],
    });
    assert.equal(blame.of("/a/b/c").actor, "bob");
    assert.equal(blame.of("/x").actor, "ada");
    assert.equal(blame.of("/t").actor, "cyd");
    assert.deepEqual(blame.runs("/t", "abcde").map(({ text, change: one }) => [text, one.actor]), [["ab", "ada"], ["cde", "cyd"]]);
    assert.equal(blame.runs("/a", "x"), null);
    const merged = new Blame({
        places: [{ path: "", revision: 1 }, { path: "/a", revision: 1, author: "eve" },
            { path: "/t", revision: 1, text: [{ count: 1, revision: 1, author: "ada" },
                { count: 1, revision: 1, author: "eve" }] }],
        changes: [change(1, "cyd")],
    });
    assert.equal(merged.of("").actor, "cyd");
    assert.equal(merged.of("/a/b").actor, "eve");
    assert.deepEqual(merged.runs("/t", "ab").map((run) => run.change.actor), ["ada", "eve"]);
});
