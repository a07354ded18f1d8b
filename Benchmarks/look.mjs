// How smooth the web UI is with much in it: the longest task of the page's thread in each of some
// situations, in a real Chromium. VERSIOND=.build/release/versiond node Benchmarks/look.mjs
// DOCUMENTS, VERSIONS and MEGABYTES make it larger or smaller.

import { Agent, request } from "node:http";
import { Browser } from "../Tests/Client/browser.mjs";
import { Daemon } from "../Tests/Client/daemon.mjs";

const documents = Number(process.env.DOCUMENTS ?? 100_000);
const versions = Number(process.env.VERSIONS ?? 10_000);
const megabytes = Number(process.env.MEGABYTES ?? 5);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

const daemon = await new Daemon().start();

function send(method, path, value, actor, type = "application/json") {
    return new Promise((resolve, reject) => {
        const body = value === undefined ? "" : JSON.stringify(value);
        const headers = { "Content-Type": type, "Content-Length": Buffer.byteLength(body),
            ...(actor && { "Versiond-Actor": actor }) };
        const sent = request({ port: daemon.port, host: "127.0.0.1", method, path, agent, headers }, (answer) => {
            answer.resume();
            answer.on("end", () => (answer.statusCode < 300 ? resolve() : reject(new Error(`${path}: ${answer.statusCode}`))));
        });
        sent.on("error", reject);
        sent.end(body);
    });
}

async function inParallel(count, work) {
    let next = 0;
    const run = async () => {
        while (next < count) await work(next++);
    };
    await Promise.all(Array.from({ length: 64 }, run));
}

const path = (name) => `/v1/documents/${encodeURIComponent(name)}`;
const people = ["ada", "bob", "cyd", "dan"];
const merge = (name, value, actor) => send("PATCH", path(name), value, actor, "application/merge-patch+json");

console.log("preparing …");
await send("PUT", path("long"), { n: 0, dishes: Array.from({ length: 40 }, (_, id) => ({ id, name: `Dish ${id}`, price: id })) });
for (let n = 1; n <= versions; n += 1) await merge("long", { n }, people[n % 4]);
await send("PUT", path("forks"), { n: 0 });
for (let n = 1; n <= 300; n += 1) {
    await merge("forks", { n }, people[n % 4]);
    await send("POST", `${path("forks")}/undo`, {});
}
const size = Math.round(megabytes * 1e6 / 110);
const large = { title: "large", note: "word ".repeat(2_000), lines: Array.from({ length: size }, (_, id) => ({
    id, name: `Line number ${id}`, text: "some words that are in it, not too many of them", price: id })) };
await send("PUT", path("large"), large);
for (let n = 0; n < 20; n += 1) await merge("large", { count: n }, people[n % 4]);
await inParallel(documents, (n) => send("PUT", path(`all/${String(n).padStart(6, "0")}`), { n }));

const browser = new Browser();

/** Longest task and what blocked beyond 50 ms while `work` is done in a page. */
async function measured(words, hash, ready, work) {
    const tab = await browser.tab("about:blank");
    await tab.resize([1280, 800]);
    await tab.navigate(`${daemon.origin}/ui/${hash}`);
    await tab.until(ready, 60_000);
    await pause(1_000);
    await tab.evaluate(`(() => { window.tasks = []; new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" }); })()`);
    await work(tab);
    await pause(500);
    const tasks = JSON.parse(await tab.evaluate("JSON.stringify(tasks)"));
    const elements = await tab.evaluate(`document.querySelectorAll("*").length`);
    const heap = await tab.evaluate("performance.memory.usedJSHeapSize / 1e6");
    console.log(`${words.padEnd(58)} ${String(tasks.length).padStart(3)} over 50 ms, longest ${String(Math.round(Math.max(0, ...tasks))).padStart(4)} ms, ${elements} elements, ${heap.toFixed(0)} MB`);
    await tab.close();
}

const scrolls = (selector, steps) => async (tab) => {
    for (let step = 0; step < steps; step += 1) {
        await tab.evaluate(`document.querySelector("${selector}").scrollBy(0, 1500)`);
        await pause(60);
    }
};
const shown = `document.querySelector(".v") && document.querySelector("#page > *")`;

await measured(`${versions} versions: scrolling back`, "#long", shown, scrolls("#timeline", 60));
await measured(`${versions} versions: j, 60 times`, "#long", shown, async (tab) => {
    for (let step = 0; step < 60; step += 1) {
        await tab.press("j");
        await pause(40);
    }
});
await measured(`${versions} versions: into the middle and on`, "#long", shown, async (tab) => {
    await tab.evaluate(`location.hash = "#long@version:${Math.round(versions / 2)}"`);
    await pause(600);
    await scrolls("#timeline", 20)(tab);
});
await measured(`${versions} versions: 30 live changes`, "#long", shown, async (tab) => {
    for (let n = 0; n < 30; n += 1) {
        await merge("long", { live: n }, people[n % 4]);
        await pause(80);
    }
});
await measured("300 forks: opening and closing them", "#forks", shown, async (tab) => {
    for (let n = 0; n < 10; n += 1) {
        await tab.evaluate(`document.querySelectorAll(".fork button")[${n}]?.click()`);
        await pause(80);
    }
});
await measured(`${megabytes} MB: as JSON, opening and scrolling`, "#large", shown, async (tab) => {
    await tab.evaluate(`document.querySelector("#as [value=json]").click()`);
    await tab.until(`document.querySelector('#tree [data-path="/lines"]')`);
    await tab.evaluate(`document.querySelector('#tree [data-path="/lines"] > summary').click()`);
    await tab.until(`document.querySelectorAll('#tree [data-path^="/lines/"]').length >= 200`);
    await scrolls("#detail", 20)(tab);
});
await measured(`${megabytes} MB: searching, and going to a far hit`, "#large", shown, async (tab) => {
    await tab.focus("#search");
    await tab.type(`number ${size - 1}`);
    await tab.until(`document.querySelector("#found button")`);
    await tab.press("Enter");
    await tab.until(`document.activeElement.dataset.path?.startsWith("/lines/${size - 1}")`, 30_000);
});
await measured(`${megabytes} MB: 10 live changes`, "#large", shown, async (tab) => {
    for (let n = 0; n < 10; n += 1) {
        await merge("large", { live: n }, people[n % 4]);
        await pause(500);
    }
});
await measured(`${documents} documents: the overview, scrolling`, "", `document.querySelectorAll("#documents .d").length > 50`, async (tab) => {
    await tab.evaluate(`document.querySelector("#which [value=name]").click()`);
    await pause(500);
    for (let step = 0; step < 30; step += 1) {
        await tab.evaluate(`scrollBy(0, 2000)`);
        await pause(80);
    }
});
await measured(`${documents} documents: 30 live changes, and finding one`, "", `document.querySelectorAll("#documents .d").length > 50`, async (tab) => {
    for (let n = 0; n < 30; n += 1) {
        await send("PUT", path(`all/${String(n).padStart(6, "0")}`), { n: n + 1 });
        await pause(60);
    }
    await tab.focus("#find");
    await tab.type(`all/0${documents - 1}`.slice(0, 9));
    await pause(600);
});
await browser.close();
await daemon.stop();
agent.destroy();
