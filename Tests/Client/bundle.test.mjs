// The file /client.js of the daemon contains the modules. node --test Tests/Client/bundle.test.mjs

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as index from "../../Clients/javascript/src/index.js";
import { Daemon } from "./daemon.mjs";

const folder = fileURLToPath(new URL("../../Clients/javascript/src/", import.meta.url));
let daemon;
let served;

before(async () => {
    daemon = await new Daemon().start();
    served = await (await fetch(`${daemon.origin}/client.js`)).text();
});
after(() => daemon.stop());

/** The lines of a module that do something: not what it says, what it imports and that it exports. */
function linesOf(text) {
    return text.replace(/(?:import|export) \{[^}]*\} from "[^"]*";\n/g, "")
        .replace(/^ *\/\*\*[\s\S]*?\*\/\n|^ *\/\/.*\n/gm, "")
        .split("\n").map((line) => line.replace(/^export /, "").trim())
        .filter((line) => line !== "");
}

test("every line of every module is in what is served, in its order, and nothing else", () => {
    const parts = new Map(served.split(/^\/\/ (?=\w+\.js\n)/m).slice(1)
        .map((part) => [part.split("\n", 1)[0], part.split("\n").slice(1).join("\n")]));
    const modules = readdirSync(folder).filter((name) => name.endsWith(".js") && name !== "index.js");
    assert.deepEqual([...parts.keys()].sort(), modules.sort());
    for (const name of modules) {
        const [, body] = /^const \w+Module = \(\(\) => \{\n([\s\S]*)\nreturn \{[^}]*\};\n\}\)\(\);/
            .exec(parts.get(name)) ?? [];
        const taken = body.replace(/^const \{[^}]*\} = \w+Module;\n/gm, "").split("\n")
            .map((line) => line.trim()).filter((line) => line !== "");
        assert.deepEqual(taken, linesOf(readFileSync(path.join(folder, name), "utf8")), name);
    }
});

test("what is served exports what the modules export, and works", async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "versiond-bundle-"));
    const file = path.join(directory, "client.mjs");
    writeFileSync(file, served);
    const bundle = await import(pathToFileURL(file));
    rmSync(directory, { recursive: true });
    assert.deepEqual(Object.keys(bundle).sort(), Object.keys(index).sort());
    const document = bundle.open(`${daemon.origin}/v1/documents/served`,
        { actor: "Jürgen", create: { items: [] } });
    await document.ready;
    document.change(({ items }) => { items.push({ text: "bread" }); });
    await document.saved();
    assert.deepEqual(await daemon.value("served"),
        { items: [{ text: "bread" }] });
    await document.close();
});

test("the types are served, and name what is exported", async () => {
    const types = await (await fetch(`${daemon.origin}/client.d.ts`)).text();
    for (const name of Object.keys(index)) {
        assert.match(types, new RegExp(`^export (declare )?(class|function) ${name}\\b`, "m"));
    }
});
