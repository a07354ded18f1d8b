// The law of the client: whatever was typed is in the document, or waits and is shown as waiting, or
// was handed back with the reason; never gone without a word. LAW_RUNS and SEED for more.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import * as client from "./source.mjs";
import { simulate } from "./simulation/law.mjs";

const runs = Number(process.env.LAW_RUNS ?? 300);
const first = Number(process.env.SEED ?? 1);
const room = new URL("../../Clients/javascript/src/", import.meta.url);

test("whatever was typed is in the document, or waits, or was handed back", async () => {
    const violations = [];
    for (let seed = first; seed < first + runs; seed += 1) violations.push(...await simulate(seed, client));
    assert.deepEqual(violations, []);
});

/** Mends that can be taken out, one by one: the file, what stands there, and what stood there before. */
const mends = {
    "A1: what JSON cannot say is refused": ["copying.js",
        // What cannot even be written would end the client, and with it the test.
        "if (value === null) return null;", "if (typeof value !== \"bigint\") return value;"],
    "A2: what is composed is compared with what was shown": ["textbinding.js",
        "return shownText(this.#text, this.#lines);",
        "return shownText(this.#value ?? \"\", this.#lines);"],
    "A3: strings are replaced": ["difference.js",
        "if (ofTexts && typeof old", "ofTexts ??= textDifference;\n    if (typeof old"],
    "A4: edits wait for another token or right": ["requests.js",
        "return \"renew\";\n    if (status === 403) return \"wait\";", "return \"refused\";"],
    "A5: one stream for all documents": ["feed.js",
        "const documentsMax = 100;", "const documentsMax = 1;"],
    "A6: edits and commands are sent in their order": ["replica.js",
        "this.waiting.push(command);", "this.waiting.unshift(command);"],
    "A7: nothing is undone later, unasked": ["document.js",
        "if (sender.isStuck) throw this.problem", "if (false) throw this.problem"],
    "A8: undo is one's own": ["connection.js",
        "const given = this.#options.actor ?? null;\n        if (!this.#caller) return given;", "return null;"],
    "A9: it is said when all is saved": ["session.js",
        "if (hasSaved) this.tell(\"saved\"", "if (false) this.tell(\"saved\""],
    "A10: what is too much goes in parts": ["requests.js",
        "isMany ? \"halve\" : \"refused\"", "\"refused\""],
    "A20: what waits outlives the page": ["recoveries.js",
        "else void this.#recover(record);", ""],
};

/** The client with something taken out. */
async function mutant(file, wanted, other) {
    const folder = mkdtempSync(path.join(tmpdir(), "versiond-mutant-"));
    cpSync(room, folder, { recursive: true });
    const target = path.join(folder, file);
    const text = readFileSync(target, "utf8");
    assert.equal(text.split(wanted).length, 2, `${file} has "${wanted}" once`);
    writeFileSync(target, text.replace(wanted, other));
    const loaded = await import(pathToFileURL(path.join(folder, "index.js")));
    return { loaded, end: () => rmSync(folder, { recursive: true }) };
}

for (const [name, mend] of Object.entries(mends)) {
    test(`the law finds it if this is taken out: ${name}`, async () => {
        const { loaded, end } = await mutant(...mend);
        try {
            let found = [];
            for (let seed = 1; seed <= 200 && found.length === 0; seed += 1) {
                found = await simulate(seed, loaded).catch((error) => [String(error)]);
            }
            assert.notDeepEqual(found, [], "nobody noticed");
        } finally {
            end();
        }
    });
}
