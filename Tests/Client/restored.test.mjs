// Clients that are open while the daemon is restored from a backup:
// node --test Tests/Client/restored.test.mjs

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { renameSync } from "node:fs";
import { after, before, test } from "node:test";
import { connect } from "./source.mjs";
import { binary, Daemon } from "./daemon.mjs";
import { until } from "./waiting.mjs";

let daemon;
const open = new Set();

before(async () => { daemon = await new Daemon().start(); });
after(async () => {
    for (const connection of open) await connection.close({ timeout: 0 });
    await daemon.stop();
});

const run = (...words) => execFileSync(binary, words, { stdio: "pipe" });

/** A client with a document, and the events that it received. */
async function opened(name, actor) {
    const connection = connect(daemon.origin, { actor });
    open.add(connection);
    const document = connection.document(name);
    const heard = [];
    for (const type of ["dropped", "error", "conflict"]) {
        document.addEventListener(type, ({ detail }) => heard.push({ type, detail }));
    }
    await document.ready;
    return { document, heard };
}

async function edit(name, members) {
    const answer = await fetch(`${daemon.origin}/v1/documents/${name}`, {
        method: "PATCH", body: JSON.stringify(members),
        headers: { "Content-Type": "application/merge-patch+json", "Versiond-Actor": "script" },
    });
    assert.equal(answer.status, 200);
}

/** The daemon is back as it was, and a script has written more than was lost. */
async function restore(backup, name, edits) {
    await daemon.kill();
    renameSync(daemon.directory, `${daemon.directory}-lost-${name}`);
    run("restore", backup, "--directory", daemon.directory);
    await daemon.start();
    for (let n = 0; n < edits; n += 1) await edit(name, { [`script${n}`]: n });
}

const isAsStored = async ({ document }, name) =>
    JSON.stringify(document.value) === JSON.stringify(await daemon.value(name));

for (const edits of [0, 1, 40]) {
    test(`24, F1, B4: an open document is read again when the daemon was restored, ${edits} edits ahead`, async () => {
        const name = `restored-${edits}`;
        await daemon.put(name, { text: "" });
        const ada = await opened(name, "ada");
        const backup = `${daemon.directory}-backup-${name}`;
        run("backup", backup, "--directory", daemon.directory);
        for (let n = 0; n < 15; n += 1) {
            ada.document.change((value) => { value[`lost${n}`] = n; });
            await ada.document.saved();
        }
        await restore(backup, name, edits);
        await until(() => isAsStored(ada, name), () => JSON.stringify(ada.document.value), 30_000);
        assert.equal(Object.keys(ada.document.value).some((key) => key.startsWith("lost")), false);
        ada.document.change((value) => { value.after = true; });
        await ada.document.saved();
        assert.equal((await daemon.value(name)).after, true);
        await until(() => isAsStored(ada, name), () => JSON.stringify(ada.document.value), 30_000);
    });
}

test("24, F1, B4: what was typed away from a daemon that was restored is stored or handed back", async () => {
    const name = "restored-typed";
    await daemon.put(name, { text: "before. ", n: 0 });
    const ada = await opened(name, "ada");
    const backup = `${daemon.directory}-backup-${name}`;
    run("backup", backup, "--directory", daemon.directory);
    ada.document.change((value) => { value.text += "SINCE. "; });
    await ada.document.saved();
    await daemon.kill();
    ada.document.change((value) => { value.text += "AWAY. "; });
    ada.document.change((value) => { value.n = 7; });
    await daemon.start();
    await restore(backup, name, 40);
    await until(() => ada.document.isSaved, "saved", 30_000);
    await until(() => isAsStored(ada, name), () => JSON.stringify(ada.document.value), 30_000);
    const told = JSON.stringify([ada.heard, ada.document.stranded]);
    const { text, n } = await daemon.value(name);
    assert.ok(text.includes("AWAY. ") || told.includes("AWAY. "), `${text} ${told}`);
    assert.ok(n === 7 || told.includes("7"), `${n} ${told}`);
    assert.ok(text.startsWith("before. "), text);
});
