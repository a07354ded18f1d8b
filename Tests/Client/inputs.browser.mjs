// Every kind of control, bound to a value, in a real browser:
// node --test Tests/Client/inputs.browser.mjs

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Application } from "./application.mjs";
import { Browser } from "./browser.mjs";
import { until } from "./waiting.mjs";

let [application, browser, daemon] = [];

before(async () => {
    application = await new Application().start();
    ({ daemon } = application);
    browser = new Browser();
});
after(async () => {
    await browser.close();
    await application.stop();
});

const controls = `
    <form>
    <input id="text"> <input id="email" type="email"> <input id="number" type="number">
    <input id="range" type="range" min="0" max="10"> <input id="date" type="date">
    <input id="done" type="checkbox">
    <input id="red" type="radio" name="color" value="red"> <input id="blue" type="radio" name="color" value="blue">
    <select id="size"><option>1</option><option>2</option></select>
    <select id="likes" multiple><option>a</option><option>b</option><option>c</option></select>
    </form>`;

const start = {
    text: "soup", email: "a@b.c", number: 5, range: 3, date: "2026-11-28", done: true, color: "blue", size: 2,
    likes: ["a", "c"],
};

/** A page with each control bound to the member of its name. */
async function opened(name, actor) {
    const tab = await application.open(browser, `
        const { connect } = await import("versiond");
        document.getElementById("root").innerHTML = ${JSON.stringify(controls)};
        const shared = window.shared = connect(${JSON.stringify(daemon.origin)}, { actor: "${actor}" }).document("${name}");
        await shared.ready;
        for (const element of document.querySelectorAll("input, select")) {
            shared.bindInput(element, "/" + (element.name || element.id));
        }
        shared.bindKeys(window);`);
    await tab.until("window.shared.state === 'live'");
    return tab;
}

const shows = (tab) => tab.evaluate(`({
    text: text.value, email: email.value, number: number.value, range: range.value, date: date.value,
    done: done.checked, red: red.checked, blue: blue.checked, size: size.value,
    likes: [...likes.selectedOptions].map(({ value }) => value),
})`);

async function stores(name, member, value) {
    let last;
    await until(async () => {
        last = (await daemon.value(name))[member];
        return JSON.stringify(last) === JSON.stringify(value);
    }, () => `${member}: ${JSON.stringify(last)}`);
}

test("21, F15: each control shows what is stored, and stores what it shows, with its type", async () => {
    await daemon.put("kinds", start);
    const ada = await opened("kinds", "ada");
    assert.deepEqual(await shows(ada), {
        text: "soup", email: "a@b.c", number: "5", range: "3", date: "2026-11-28", done: true, red: false,
        blue: true, size: "2", likes: ["a", "c"],
    });
    const changed = (id) => `${id}.dispatchEvent(new Event("input", { bubbles: true }));
        ${id}.dispatchEvent(new Event("change", { bubbles: true }));`;
    await ada.evaluate("red.click()");
    await stores("kinds", "color", "red");
    await ada.evaluate(`size.value = "1"; ${changed("size")}`);
    await stores("kinds", "size", 1);
    await ada.evaluate(`likes.options[1].selected = true; likes.options[2].selected = false; ${changed("likes")}`);
    await stores("kinds", "likes", ["a", "b"]);
    await ada.evaluate(`date.value = "2026-12-24"; ${changed("date")}`);
    await stores("kinds", "date", "2026-12-24");
    await ada.evaluate(`range.value = "7"; ${changed("range")}`);
    await stores("kinds", "range", 7);
    await ada.evaluate("done.click()");
    await stores("kinds", "done", false);
    await daemon.put("kinds", { ...start, color: "red", likes: ["b"], size: 1 });
    await ada.until("red.checked && size.value === '1' && likes.selectedOptions.length === 1");
    await ada.close();
});

test("21, B8, B16: what is typed is pending at once, and one step of undo", async () => {
    await daemon.put("typed", start);
    const ada = await opened("typed", "ada");
    await ada.focus("#text");
    await ada.evaluate("text.setSelectionRange(4, 4)");
    await ada.type("s of the day");
    // The field is not left.
    await stores("typed", "text", "soups of the day");
    await ada.focus("#number");
    await ada.evaluate("number.select()");
    await ada.type("12.5");
    await stores("typed", "number", 12.5);
    assert.equal((await shows(ada)).number, "12.5");
    await ada.until("shared.isSaved");
    await ada.pressControl("z");
    await stores("typed", "number", 5);
    await ada.pressControl("z");
    await stores("typed", "text", "soup");
    assert.equal((await shows(ada)).text, "soup");
    await ada.close();
});

test("21, F5: what another one sets is shown while somebody is in the field", async () => {
    await daemon.put("focus", start);
    const [ada, bob] = [await opened("focus", "ada"), await opened("focus", "bob")];
    await ada.focus("#text");
    await bob.evaluate(`shared.change((value) => { value.text = "stew"; })`);
    await ada.until("text.value === 'stew'");
    await ada.evaluate("text.setSelectionRange(4, 4)");
    await ada.type("!");
    await stores("focus", "text", "stew!");
    await bob.until("text.value === 'stew!'");
    for (const tab of [ada, bob]) await tab.close();
});

test("21, F14: what is no number is not stored, and a form that is reset shows what is stored", async () => {
    await daemon.put("invalid", start);
    const ada = await opened("invalid", "ada");
    await ada.focus("#number");
    await ada.evaluate("number.select()");
    await ada.type("--");
    await ada.evaluate("number.blur()");
    await ada.evaluate("new Promise((done) => setTimeout(done, 200))");
    assert.equal((await daemon.value("invalid")).number, 5);
    await ada.evaluate("document.querySelector('form').reset()");
    await ada.until("number.value === '5' && text.value === 'soup' && blue.checked && done.checked");
    assert.deepEqual(await daemon.value("invalid"), start);
    await ada.close();
});
