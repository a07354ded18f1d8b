// What the client library costs in a real Chromium, and how long a letter takes to another screen.
// node Benchmarks/client.mjs (VERSIOND=.build/release/versiond for the release build)

import { Browser } from "../Tests/Client/chromium.mjs";
import { Daemon } from "../Tests/Client/daemon.mjs";
import { Page } from "../Tests/Client/page.mjs";

const keys = Number(process.env.KEYS ?? 10_000);
const daemon = await new Daemon().start();
const browser = new Browser();

const open = (name, actor) => Page.open(browser, daemon.origin, { name, connection: { actor } });
const share = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
const line = (what, times, unit = "ms") => {
    const sorted = [...times].sort((one, other) => one - other);
    const [p50, p95, max] = [share(sorted, 0.5), share(sorted, 0.95), share(sorted, 1)];
    console.log(`${what.padEnd(52)} p50 ${p50.toFixed(2)}  p95 ${p95.toFixed(2)}  max ${max.toFixed(2)} ${unit}`);
};

/** Types in the page, one letter a turn of its loop, and says how long each took. */
const typing = (count, at) => `(async () => {
    const area = document.getElementById("text");
    const times = [];
    for (let index = 0; index < ${count}; index += 1) {
        const start = ${at === "end" ? "area.value.length" : `${at} + index`};
        area.setRangeText("x", start, start, "end");
        const begun = performance.now();
        area.dispatchEvent(new InputEvent("input"));
        times.push(performance.now() - begun);
        await new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = resolve; port2.postMessage(0); });
    }
    return times;
})()`;

async function metrics({ tab }) {
    await tab.send("Performance.enable");
    await tab.send("HeapProfiler.collectGarbage");
    const { metrics: all } = await tab.send("Performance.getMetrics");
    const value = (name) => all.find((one) => one.name === name).value;
    return { heap: value("JSHeapUsedSize") / 1e6, script: value("ScriptDuration") * 1e3 };
}

async function keystrokes(name, size, count) {
    await daemon.put(name, { text: "y".repeat(size) });
    const page = await open(name, "ada");
    await page.get(typing(200, "end"));
    await page.saved(60_000);
    const before = await metrics(page);
    line(`a key in ${size} letters, while it is typed`, await page.get(typing(count, Math.floor(size / 2))));
    await page.saved(120_000);
    const after = await metrics(page);
    console.log(`  with all that follows ${((after.script - before.script) / count).toFixed(3)} ms of script a key; `
        + `heap ${before.heap.toFixed(1)} → ${after.heap.toFixed(1)} MB`);
    await page.close();
}

async function heap() {
    await daemon.put("heap", { price: 0, items: [] });
    const page = await open("heap", "ada");
    const edit = (count) => page.get(`(async () => {
        for (let index = 0; index < ${count}; index += 1) {
            shared.change((draft) => { draft.price += 1; }, { group: "g" + index });
            if (index % 20 === 0) await shared.saved();
        }
        await shared.saved();
    })()`);
    await edit(500);
    const before = await metrics(page);
    await edit(keys);
    const after = await metrics(page);
    console.log(`heap after ${keys} edits, each a version: `
        + `${before.heap.toFixed(2)} → ${after.heap.toFixed(2)} MB`);
    await page.close();
}

async function screens() {
    await daemon.put("screens", { text: "" });
    const [ada, bob] = [await open("screens", "ada"), await open("screens", "bob")];
    const clock = "(performance.timeOrigin + performance.now())";
    await bob.get(`(() => {
        window.seen = [];
        shared.addEventListener("change", () => {
            const { length } = document.getElementById("text").value;
            while (seen.length < length) seen.push(${clock});
        });
    })()`);
    const typed = await ada.get(`(async () => {
        const area = document.getElementById("text");
        const times = [];
        for (let index = 0; index < 300; index += 1) {
            area.setRangeText("x", index, index, "end");
            times.push(${clock});
            area.dispatchEvent(new InputEvent("input"));
            await new Promise((resolve) => setTimeout(resolve, 60 + (index * 37) % 80));
        }
        return times;
    })()`);
    await bob.tab.until("seen.length === 300");
    const seen = await bob.get("seen");
    line("a letter to another screen, 10 a second", typed.map((at, index) => seen[index] - at));
    for (const page of [ada, bob]) await page.close();
}

try {
    await keystrokes("small", 100, keys);
    await keystrokes("large", 1_000_000, keys);
    await heap();
    await screens();
} finally {
    await browser.close();
    await daemon.stop();
}
