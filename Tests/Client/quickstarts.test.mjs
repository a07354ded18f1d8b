// Each quickstart of Documentation/Guide/Quickstarts, from a clean folder: its files, its commands
// and their output, and its pages in Chromium. Packages of the npm registry come from Debian and
// PyPI. node --test Tests/Client/quickstarts.test.mjs

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { jupyterlab } from "./application.mjs";
import { Browser } from "./browser.mjs";
import { codeMirror } from "./codemirror.mjs";
import { Daemon, binary } from "./daemon.mjs";
import { serve } from "./serving.mjs";

const root = path.join(import.meta.dirname, "../..");
const texts = path.join(root, "Documentation/Guide/Quickstarts");
const work = mkdtempSync(path.join(tmpdir(), "versiond-quickstarts-"));
const python = path.join(work, "python");

before(() => {
    execFileSync("python3", ["-m", "venv", python]);
    cpSync(path.join(root, "Clients/python"), path.join(work, "client"), { recursive: true });
    execFileSync(path.join(python, "bin/pip"), ["install", "-q", path.join(work, "client")], { stdio: "inherit" });
});
after(() => rmSync(work, { recursive: true, force: true }));

/** The blocks of a text: files, and commands. */
function blocksOf(name) {
    const text = readFileSync(path.join(texts, `${name}.md`), "utf8");
    return [...text.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)]
        .map(([, kind, more, body]) => ({ kind, more, body, file: /^file=(\S+)/.exec(more)?.[1] }));
}

/** A clean folder with the text's files, for this daemon. */
function unpacked(name, daemon) {
    const folder = path.join(work, name);
    mkdirSync(folder);
    const blocks = blocksOf(name).map((block) =>
        ({ ...block, body: block.body.replaceAll("http://localhost:8080", daemon.origin) }));
    for (const { file, body } of blocks) if (file) writeFileSync(path.join(folder, file), body);
    return { folder, commands: blocks.filter(({ kind, file }) => kind === "sh" && !file) };
}

/** The output of a block equals the text after `#>`. Installations are done already. */
function run({ body }, folder, daemon) {
    if (/^(npm|npx|pip) /m.test(body)) return;
    const expected = [...body.matchAll(/^#> (.*)$/gm)].map(([, line]) => `${line}\n`).join("");
    const { stdout, stderr, status } = spawnSync("bash", ["-e", "-c", body], {
        cwd: folder, encoding: "utf8", timeout: 60_000,
        env: {
            ...process.env, HOME: folder, VERSIOND_URL: daemon.origin,
            PATH: `${path.dirname(binary)}:${python}/bin:${process.env.PATH}`,
        },
    });
    assert.equal(status, 0, `${body}\n${stdout}${stderr}`);
    if (expected !== "") assert.equal(stdout, expected, body);
}

test("every quickstart is run here, and ends with undo", () => {
    const names = readdirSync(texts).filter((name) => name !== "README.md").map((name) => name.slice(0, -3));
    assert.deepEqual(names.sort(), ["agent", "codemirror", "configuration", "react", "script", "users"]);
    for (const name of names) {
        assert.match(readFileSync(path.join(texts, `${name}.md`), "utf8"), /\*\*[^*]*undo[^*]*\*\*|\*\*[^*]*Ctrl\+Z[^*]*\*\*|\*\*[^*]*take back[^*]*\*\*/i, name);
    }
});

for (const name of ["script", "agent", "configuration"]) {
    test(`${name}: what stands there works, and prints what it says`, async () => {
        const daemon = await new Daemon().start();
        const { folder, commands } = unpacked(name, daemon);
        for (const block of commands) run(block, folder, daemon);
        await daemon.stop();
    });
}

test("users: an application's tokens, from an empty folder", async () => {
    const daemon = new Daemon();
    const folder = path.join(work, "users");
    const first = unpacked("users", { origin: "http://localhost:8080" });
    for (const block of first.commands.filter(({ more }) => more === "")) run(block, first.folder, { origin: "" });
    daemon.options = ["--tokens", path.join(folder, "tokens.json")];
    await daemon.start();
    for (const block of first.commands.filter(({ more }) => more === "tokens")) {
        run({ body: block.body.replaceAll("http://localhost:8080", daemon.origin) }, folder, daemon);
    }
    await daemon.stop();
});

// MARK: Pages

/** The text of a page's file, as `npx esbuild --servedir` has it. */
function textIn(folder, name) {
    const file = path.join(folder, name.replace(/\/$/, "/index.html"));
    return existsSync(file) ? readFileSync(file, "utf8") : null;
}

/** The packages of `npm install`. */
function install(folder) {
    const modules = path.join(folder, "node_modules");
    for (const name of ["react", "react-dom", "scheduler"]) {
        cpSync(`/usr/share/nodejs/${name}`, path.join(modules, name), { recursive: true });
    }
    cpSync(path.join(root, "Clients/javascript"), path.join(modules, "versiond"), { recursive: true });
    for (const [name, text] of Object.entries(codeMirror(jupyterlab))) {
        for (const part of ["state", "view"]) {
            const place = path.join(modules, "@codemirror", part);
            mkdirSync(place, { recursive: true });
            writeFileSync(path.join(place, "package.json"), '{"type":"module","main":"index.js"}');
            if (name === `${part}.js`) {
                writeFileSync(path.join(place, "index.js"), text.replace("./load.js", "../load.js"));
            }
        }
        if (name === "load.js") writeFileSync(path.join(modules, "@codemirror/load.js"), text);
    }
}

async function opened(name) {
    const { origin, stop } = await serve((file) => textIn(path.join(work, name), file));
    const daemon = await new Daemon({ VERSIOND_ORIGINS: origin }).start();
    const made = unpacked(name, daemon);
    install(made.folder);
    const build = made.commands.map(({ body }) => /^npx (esbuild .*--outfile.*)$/m.exec(body)?.[1]).find(Boolean);
    execFileSync("bash", ["-c", `NODE_ENV=production ${build} --log-level=error --define:process.env.NODE_ENV='"production"'`],
        { cwd: made.folder, stdio: "inherit" });
    const browser = new Browser();
    const open = async (person) => browser.tab(`${origin}/#${person}`, await browser.context());
    const end = async () => {
        await browser.close();
        stop();
        await daemon.stop();
    };
    return { daemon, open, end };
}

test("react: two in one form, a reload, and undo", async () => {
    const { daemon, open, end } = await opened("react");
    const [ada, bob] = [await open("ada"), await open("bob")];
    for (const tab of [ada, bob]) await tab.until("document.getElementById('dish')?.value === 'soup'");
    await ada.focus("#dish");
    await ada.type("s of the day");
    await bob.focus("#price");
    await bob.type("2");
    await ada.until("document.getElementById('price').value === '42'");
    await ada.until("document.querySelector('output').textContent === 'saved'");
    await ada.reload();
    await ada.until("document.getElementById('undo')?.disabled === false");
    await ada.click("#undo");
    await bob.until("document.getElementById('dish').value === 'soup'");
    assert.deepEqual(await daemon.value("menu"), { dish: "soup", price: "42", course: "main" });
    for (const tab of [ada, bob]) await tab.offline(true);
    const chosen = (course) => `(() => {
        const list = document.getElementById("course");
        list.value = "${course}";
        list.dispatchEvent(new Event("change", { bubbles: true }));
    })()`;
    await ada.evaluate(chosen("starter"));
    await bob.evaluate(chosen("dessert"));
    await ada.offline(false);
    await ada.until("document.querySelector('output').textContent === 'saved'");
    await bob.offline(false);
    const theirs = "[...document.querySelectorAll('p > button')].find((one) => one.textContent === 'Use theirs')";
    await bob.until(`!!${theirs}`);
    await bob.evaluate(`${theirs}.click()`);
    await ada.until("document.getElementById('course').value === 'starter'");
    await bob.until("document.querySelectorAll('p').length === 0");
    await end();
});

test("codemirror: three in one text, and Ctrl+Z", async () => {
    const { daemon, open, end } = await opened("codemirror");
    const tabs = [];
    for (const person of ["ada", "bob", "eve"]) tabs.push(await open(person));
    for (const tab of tabs) await tab.until("document.getElementById('state')?.textContent === 'live'");
    for (const [index, tab] of tabs.entries()) {
        await tab.focus(".cm-content");
        await tab.type(["one ", "two ", "three "][index]);
        await tab.until("document.getElementById('state').textContent === 'live'");
    }
    const [ada] = tabs;
    await ada.until("document.querySelector('.cm-content').textContent.includes('three')");
    await ada.focus(".cm-content");
    await ada.pressControl("z");
    for (const tab of tabs) await tab.until("!document.querySelector('.cm-content').textContent.includes('one')");
    const { text } = await daemon.value("note");
    assert.ok(text.includes("two") && text.includes("three") && !text.includes("one"), text);
    await end();
});
