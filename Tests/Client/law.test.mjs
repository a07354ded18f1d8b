// The law of the client: all typed text is in the document, or waits and is shown as waiting, or
// was returned with the reason; it is never lost without a report. LAW_RUNS and SEED for more.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
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

/** Fixes that can be removed, one by one: the file, the present text, and the former one. */
const mends = {
    "A1: what JSON cannot say is refused": ["copying.js",
        // A value that cannot even be written would end the client, and the test as well.
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

function takeOut(file, wanted, other) {
    const text = readFileSync(file, "utf8");
    assert.equal(text.split(wanted).length, 2, `${file} has "${wanted}" once`);
    writeFileSync(file, text.replace(wanted, () => other));
}

/** The client with something taken out. */
async function mutant(file, wanted, other) {
    const folder = mkdtempSync(path.join(tmpdir(), "versiond-mutant-"));
    cpSync(room, folder, { recursive: true });
    takeOut(path.join(folder, file), wanted, other);
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

/** Mends that a test of `mistakes.test.mjs` is about: with the words of its name. */
const mistakes = {
    "listeners that come while others are called wait for the next change": ["rows that come while", "session.js",
        "for (const listener of [...this.#listeners]) {", "for (const listener of this.#listeners) {"],
    "where locks are refused, the lock is not asked for without end": ["there are no locks", "feed.js",
        "else this.#readAlone();", "else this.#lead(false);"],
    "an exception in a handler stops nothing": ["a handler onchange that throws", "document.js",
        "guarded(() => this[`on${type}`]?.(event));", "this[`on${type}`]?.(event);"],
    "an exception in a row stops no other row": ["a row that throws", "listbinding.js",
        "guarded(() => update?.(place));", "update?.(place);"],
    "a member that is called __proto__ leaves Object.prototype alone": ["called __proto__", "recipe.js",
        "const old = isThere ? freeze(this.value[step]) : undefined;", "const old = freeze(this.value[step]);"],
};

/** Whether tests pass with a client; one that is killed because it does not end has failed. */
async function passes(root, pattern) {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const file = path.join(root, "Tests/Client/mistakes.test.mjs");
    const given = ["--test", "--test-reporter", "tap", "--test-name-pattern", pattern, file];
    const { stdout, error } = await new Promise((resolve) => {
        execFile(process.execPath, given, { env, timeout: 60_000, killSignal: "SIGKILL" },
            (error, stdout) => resolve({ error, stdout }));
    });
    return !error && /^# pass [1-9]/m.test(stdout);
}

for (const [name, [pattern, file, wanted, other]] of Object.entries(mistakes)) {
    test(`a test finds it if this is taken out: ${name}`, async () => {
        const root = mkdtempSync(path.join(tmpdir(), "versiond-mutant-"));
        const here = fileURLToPath(new URL("../../", import.meta.url));
        for (const part of ["Clients/javascript", "Tests/Client"]) {
            cpSync(path.join(here, part), path.join(root, part), { recursive: true });
        }
        try {
            assert.equal(await passes(root, pattern), true);
            takeOut(path.join(root, "Clients/javascript/src", file), wanted, other);
            assert.equal(await passes(root, pattern), false, "nobody noticed");
        } finally {
            rmSync(root, { recursive: true });
        }
    });
}
