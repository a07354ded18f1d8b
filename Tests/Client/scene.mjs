// The common parts of tests of the web UI: documents with a past, and a tab that shows them.

import assert from "node:assert/strict";
import { browser, daemon } from "./stage.mjs";

export const json = { "Content-Type": "application/json" };
const mergePatch = { "Content-Type": "application/merge-patch+json" };
const jsonPatch = { "Content-Type": "application/json-patch+json" };

export async function ask(method, path, body, fields = {}, origin = daemon.origin) {
    const response = await fetch(`${origin}${path}`, {
        method, headers: { ...(body === undefined ? {} : json), ...fields },
        body: body === undefined ? undefined : JSON.stringify(body),
    });
    assert(response.ok, `${method} ${path}: ${response.status} ${await response.clone().text()}`);
    return response.status === 204 ? null : response.json();
}

const by = (actor) => (actor ? { "Versiond-Actor": encodeURIComponent(actor) } : {});
export const put = (name, value, actor) => ask("PUT", `/v1/documents/${name}`, value, by(actor));
export const patch = (name, value, actor, query = "") =>
    ask("PATCH", `/v1/documents/${name}${query}`, value, { ...mergePatch, ...by(actor) });
export const operate = (name, operations, actor, query = "") =>
    ask("PATCH", `/v1/documents/${name}${query}`, operations, { ...jsonPatch, ...by(actor) });
export const value = (name) => ask("GET", `/v1/documents/${name}`);
export const undo = (name, body = {}, actor) => ask("POST", `/v1/documents/${name}/undo`, body, by(actor));

const dish = (id, name, price) => ({ id, name, price });

/** A document with a fork: versions 0 to 4, of which version 2 is undone. */
export async function menu(name) {
    await put(name, { title: "Summer menu", note: "Ask for the pudding of the day. We bake our bread every morning.",
        dishes: [dish("d1", "Soup", 4), dish("d2", "Salad", 8), dish("d3", "Trout", 18)] }, "ada");
    await operate(name, [{ op: "replace", path: "/dishes/0/price", value: 5 }], "ada", "?label=dearer");
    await operate(name, [{ op: "replace", path: "/dishes/1/name", value: "Green salad" }], "bob");
    await undo(name);
    await operate(name, [{ op: "replace", path: "/dishes/0/price", value: 6 }], "bob");
}

export const text = (selector) => `(document.querySelector(${JSON.stringify(selector)})?.textContent ?? "")`;
export const row = (version) => `[data-version="${version}"]`;
export const versions = `[...document.querySelectorAll("#versions [data-version]")].map((one) => Number(one.dataset.version)).join()`;

export const sizes = { wide: [1280, 800], phone: [360, 740], desk: [2560, 1300] };

export async function resize(tab, size) {
    await tab.resize(size);
    await tab.until(`innerWidth === ${size[0]}`);
}

export async function tabAt(url, { size = sizes.wide, scheme = "light", actor = "", still = false } = {}) {
    const tab = await browser.tab("about:blank");
    await tab.prefer({ scheme, still });
    await tab.resize(size);
    if (actor) {
        await tab.beforePages(`if (location.protocol === "http:") sessionStorage.setItem("actor", ${JSON.stringify(actor)})`);
    }
    await tab.navigate(url);
    return tab;
}

/** A tab of the web UI, once it shows its document. */
export async function opened(hash, options = {}) {
    const tab = await tabAt(`${options.origin ?? daemon.origin}/ui/${hash}`, options);
    await tab.until(`${text("#live")} === "live"`);
    if (hash.includes("..")) await tab.until(`document.querySelector("#diff > *")`);
    else if (hash) await tab.until(`document.querySelector(".v") && document.querySelector("#page > *") && ${text("#said")} !== ""`);
    return tab;
}

/** Fills in the dialog and sends it. */
export async function answer(tab, fields = {}) {
    await tab.until(`document.querySelector("#dialog").open`);
    await tab.evaluate(`(() => {
        const fields = ${JSON.stringify(fields)};
        for (const [name, value] of Object.entries(fields)) {
            const field = document.querySelector("#dialog [name=" + name + "]");
            if (field.type === "radio") document.querySelector("#dialog [name=" + name + "][value='" + value + "']").checked = true;
            else field.value = value;
        }
        document.querySelector("#dialog form").dispatchEvent(new Event("input", { bubbles: true }));
        document.querySelector("#dialog [type=submit]").click();
    })()`);
    await tab.until(`!document.querySelector("#dialog").open`);
}

/** Chooses from a menu that is opened by a button. */
export async function choose(tab, opener, words) {
    await tab.evaluate(`document.querySelector(${JSON.stringify(opener)}).click()`);
    await tab.until(`document.querySelector("#menu").matches(":popover-open")`);
    await tab.evaluate(`[...document.querySelectorAll("#menu [role=menuitem]")].find((one) => one.textContent.includes(${JSON.stringify(words)})).click()`);
}
