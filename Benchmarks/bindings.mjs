// What a keystroke costs through each binding, in Chromium: the time of script until it is shown and on its way,
// beside the same editor without versiond. Usage: node Benchmarks/bindings.mjs (VERSIOND, RUNS)

import { Application } from "../Tests/Client/application.mjs";
import { Browser } from "../Tests/Client/browser.mjs";

const runs = Number(process.env.RUNS ?? 400);
const application = await new Application().start();
const browser = new Browser();
const tab = await browser.tab(`${application.origin}/`);
await tab.until("document.readyState === 'complete' && !!document.getElementById('root')");

const measured = (name, size) => `(async () => {
    const { connect } = await import("versiond");
    const { versiondText } = await import("versiond/codemirror");
    const { EditorState } = await import("@codemirror/state");
    const { EditorView } = await import("@codemirror/view");
    const { Versiond, useDocument, useValue } = await import("versiond/react");
    const { createElement: e, Suspense, useState } = await import("react");
    const { createRoot, flushSync } = await import("react-dom");
    const words = "a line of text that people have\\n";
    const text = words.repeat(Math.ceil(${size} / words.length)).slice(0, ${size});
    const root = document.getElementById("root");
    root.replaceChildren();
    const connection = connect(${JSON.stringify(application.daemon.origin)}, { actor: "ada" });
    const shared = connection.document("${name}-${size}", { create: { text } });
    await shared.ready;
    const area = () => root.appendChild(document.createElement("textarea"));
    const typeInto = (element) => (letter) => {
        element.setRangeText(letter, element.selectionEnd, element.selectionEnd, "end");
        element.dispatchEvent(new Event("input", { bubbles: true }));
    };
    const editor = (extensions) => {
        const view = new EditorView({ parent: root, state: EditorState.create({ doc: extensions.length ? "" : text, extensions }) });
        return (letter) => view.dispatch({ changes: { from: view.state.doc.length >> 1, insert: letter } });
    };
    const rendered = async (make) => {
        let set;
        const Field = () => { const pair = make(); set = pair[1]; return e("input", { value: pair[0] ?? "", onChange() {} }); };
        const place = root.appendChild(document.createElement("div"));
        createRoot(place).render(e(Versiond, { connection }, e(Suspense, { fallback: null }, e(Field))));
        while (!place.firstChild) await new Promise((done) => setTimeout(done, 10));
        let value = text;
        return (letter) => flushSync(() => set(value += letter));
    };
    const make = {
        "textarea alone": () => { const one = area(); one.value = text; return typeInto(one); },
        "textarea": () => { const one = area(); shared.bindTextarea(one, "/text"); return typeInto(one); },
        "CodeMirror alone": () => editor([]),
        "CodeMirror": () => editor([versiondText(shared, "/text")]),
        "React state alone": () => rendered(() => useState(text)),
        "React useValue": () => rendered(() => useValue(useDocument("${name}-${size}"), "/text")),
    }[${JSON.stringify(name)}];
    const type = await make();
    await new Promise((done) => setTimeout(done, 200));
    const times = [];
    for (let run = 0; run < ${runs}; run += 1) {
        const began = performance.now();
        type("x");
        times.push(performance.now() - began);
        if (run % 10 === 9) await new Promise((done) => setTimeout(done, 10));
    }
    await shared.saved();
    await connection.close();
    times.sort((one, other) => one - other);
    return [0.5, 0.95].map((part) => times[Math.floor(part * times.length)]);
})()`;

console.log("binding".padEnd(20), "letters".padStart(9), "p50 ms".padStart(8), "p95 ms".padStart(8));
for (const size of [100, 10_000, 1_000_000]) {
    for (const name of ["textarea alone", "textarea", "CodeMirror alone", "CodeMirror", "React state alone",
        "React useValue"]) {
        const [half, most] = await tab.evaluate(measured(name, size));
        console.log(name.padEnd(20), String(size).padStart(9), half.toFixed(2).padStart(8), most.toFixed(2).padStart(8));
    }
}
await browser.close();
await application.stop();
