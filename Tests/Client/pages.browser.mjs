// The appearance of the pages, for every width, light and dark, by touch and with screen readers:
// node --test Tests/Client/pages.browser.mjs

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { request } from "node:http";
import { test } from "node:test";
import { audit } from "./audit.mjs";
import { Line } from "./line.mjs";
import { axeFaults } from "./axe.mjs";
import { ask, menu, opened, operate, patch, put, resize, row, sizes, tabAt, text } from "./scene.mjs";
import { daemon } from "./stage.mjs";

const pagesDirectory = new URL("../../Sources/VersiondWeb/Pages/", import.meta.url);
const pageFile = (name) => readFileSync(new URL(name, pagesDirectory), "utf8");

async function scene(name) {
    await menu(name);
    await ask("PUT", `/v1/documents/${name}/tags/printed`, {});
    await operate(name, [{ op: "replace", path: "/note", value: "Ask for the dessert of the day. We bake our bread every morning." }], "zoe");
    await ask("POST", `/v1/documents/${name}/scopes/push`, {}, { "Versiond-Actor": "zoe" });
    await patch(name, { open: true }, "zoe", "?label=Ready%20to%20print");
}

const isOverflowing = `(() => {
    const wide = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility()
        && !one.closest("svg, .vh, .wide, .skip, .sideways, pre, .end .grow, dialog:not([open])")
        && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.id || one.className || one.tagName);
    return JSON.stringify({ page: document.scrollingElement.scrollWidth > innerWidth, wide: wide.slice(0, 5) });
})()`;

test("nothing is wider than the window, from 320 to 2,560 pixels (39)", async () => {
    await scene("widths");
    for (const hash of ["", "#widths", "#widths@version:4", "#widths@0..head"]) {
        const tab = await opened(hash, { size: sizes.wide });
        for (const width of [320, 360, 640, 896, 1280, 1600, 2560]) {
            await resize(tab, [width, 800]);
            const found = JSON.parse(await tab.evaluate(isOverflowing));
            assert.deepEqual(found, { page: false, wide: [] }, `${hash} at ${width}`);
        }
        await tab.close();
    }
});

test("a version names who asked for it", async () => {
    await put("asked", { n: 0 }, "ada");
    await ask("PATCH", "/v1/documents/asked", { merge: { n: 1 } },
        { "Versiond-Actor": "agent", "Versiond-Prompt-By": "J%C3%BCrgen" });
    const tab = await opened("#asked@version:1");
    await tab.until(`${text("#detail")}.includes("asked by Jürgen")`);
    await tab.close();
});

test("on a phone a tap shows the version at once, Back works, and the list keeps its place (38, T13)", async () => {
    await put("tap", { n: 0 }, "ada");
    for (let number = 1; number <= 40; number += 1) await patch("tap", { n: number }, number % 2 ? "ada" : "bob");
    const tab = await opened("#tap", { size: sizes.phone });
    assert.equal(await tab.evaluate(`getComputedStyle(document.querySelector("#detail")).display`), "none");
    await tab.evaluate(`document.querySelector("#timeline").scrollTop = 600`);
    const top = await tab.evaluate(`document.querySelector("#timeline").scrollTop`);
    await tab.evaluate(`document.querySelector('${row(25)} a').click()`);
    await tab.until(`document.activeElement.id === "said" && ${text("#said")}.includes("from 24 to 25")`);
    const box = JSON.parse(await tab.evaluate(`JSON.stringify(document.querySelector("#changes").getBoundingClientRect())`));
    assert.ok(box.top > 0 && box.top < 740, `what changed stands at ${box.top}`);
    assert.equal(await tab.evaluate(text("#position")), "16 of 41");
    await tab.evaluate(`document.querySelector("#back-older").click()`);
    await tab.until(`location.hash === "#tap@version:24"`);
    await tab.evaluate("history.back()");
    await tab.until(`location.hash === "#tap" && getComputedStyle(document.querySelector("#timeline")).display !== "none"`);
    assert.ok(Math.abs(await tab.evaluate(`document.querySelector("#timeline").scrollTop`) - top) < 60, "the list keeps its place");
    await tab.close();
});

test("targets are 24 pixels, and 44 on touch", async () => {
    await scene("targets");
    await ask("PUT", "/v1/documents/targets~ada?copyOf=targets");
    await patch("targets~ada", { title: "Winter menu" }, "ada");
    for (const [size, least] of [[sizes.wide, 24], [sizes.phone, 44]]) {
        for (const hash of ["", "#targets", "#targets@version:4", "#targets~ada"]) {
            const tab = await opened(hash, { size });
            if (hash) await tab.until(`document.querySelector("#drafting a")`);
            const small = JSON.parse(await tab.evaluate(`JSON.stringify([...document.querySelectorAll("button, a[href], input:not([type=search])")]
                .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !one.closest(".vh, .skip, summary, .lately small"))
                .map((one) => [one.id || one.className || one.textContent.slice(0, 20), Math.round(one.getBoundingClientRect().height)])
                .filter(([, height]) => height > 1 && height < ${least}))`));
            // Inside a field the field is the target; a person's name in a sentence is a sentence.
            assert.deepEqual(small.filter(([name]) => !["who", "home"].includes(name)), [], `${hash || "documents"} at ${size[0]}`);
            await tab.close();
        }
    }
});

for (const scheme of ["light", "dark"]) {
    test(`everything has a name, a role and contrast (${scheme}; 22-24)`, async () => {
        const name = `audit-${scheme}`;
        await scene(name);
        const pages = [["", sizes.wide], [`#${name}`, sizes.wide], [`#${name}@version:6`, sizes.wide], [`#${name}@version:6`, sizes.phone],
            [`#${name}`, sizes.phone], [`#${name}@0..head`, sizes.wide], ["#not-there", sizes.wide]];
        for (const [hash, size] of pages) {
            const tab = hash === "#not-there" ? await tabAt(`${daemon.origin}/ui/${hash}`, { size, scheme }) : await opened(hash, { size, scheme });
            if (hash === "#not-there") await tab.until(`${text("#gone")}.includes("does not exist")`);
            else if (hash.includes("@") && !hash.includes("..")) {
                await tab.evaluate(`document.querySelector("#blame").click()`);
                await tab.until(`document.querySelector(".by[data-hue]")`);
                await tab.evaluate(`document.querySelector("#as [value=json]").click()`);
                await tab.until(`document.querySelector("#tree .author")`);
                await tab.evaluate(`document.querySelector("#as [value=page]").click()`);
            }
            assert.deepEqual(await tab.evaluate(`(${audit})()`), [], `${hash} ${size[0]}`);
            assert.deepEqual(await axeFaults(tab), [], `${hash} ${size[0]}`);
            if (hash === `#${name}` && size === sizes.wide) {
                for (const key of ["t", "m", "u", "e", "?"]) {
                    await tab.press(key);
                    await tab.until(`document.querySelector("#dialog").open || !document.querySelector("#toast").hidden`);
                    assert.deepEqual(await axeFaults(tab), [], `the dialog of ${key}`);
                    await tab.evaluate(`document.querySelector("#dialog").close(); document.querySelector("#toast").hidden = true`);
                    await tab.until("document.activeElement === document.body");
                }
                await tab.evaluate(`document.querySelector("#more").click()`);
                assert.deepEqual(await axeFaults(tab), [], "the menu");
                await tab.evaluate(`document.querySelector("#menu").hidePopover()`);
                await tab.pressControl("k");
                await tab.until(`document.querySelector("#palette [role=option]")`);
                assert.deepEqual(await axeFaults(tab), [], "the palette");
            }
            await tab.close();
        }
    });
}

test("one main button a view, at most four actions beside a title (18, 19)", async () => {
    await scene("main");
    for (const hash of ["", "#main", "#main@version:4", "#main@0..head"]) {
        const tab = await opened(hash);
        const [main, head, version] = JSON.parse(await tab.evaluate(`JSON.stringify([".b.main", ".head .acts > *", "#detail > .acts > .b:not(.wide)"].map((one) =>
            [...document.querySelectorAll(one)].filter((element) => element.checkVisibility()).length))`));
        assert.ok(main <= 1 && head <= 4 && version <= 4, `${hash}: ${main} ${head} ${version}`);
        await tab.close();
    }
});

test("the avatar stands on the rail and on the first line (21), figures are aligned (25)", async () => {
    await scene("rail");
    const tab = await opened("#rail");
    const found = JSON.parse(await tab.evaluate(`JSON.stringify([...document.querySelectorAll(".v")].slice(0, 4).map((one) => {
        const face = one.querySelector(".av").getBoundingClientRect();
        const line = one.querySelector(".say").firstElementChild.getClientRects()[0];
        return [face.x, Math.abs((face.top + face.bottom) / 2 - (line.top + line.bottom) / 2)];
    }))`));
    for (const [x, off] of found) assert.ok(x === found[0][0] && off <= 4, JSON.stringify(found));
    assert.equal(await tab.evaluate(`getComputedStyle(document.querySelector(".r, .num, time")).fontVariantNumeric`), "tabular-nums");
    await tab.close();
});

test("with reduced motion nothing slides, and Play steps on each press (40)", async () => {
    await menu("still");
    const tab = await opened("#still@version:1", { size: sizes.phone, still: true });
    const running = `document.getAnimations().filter((one) => one.playState === "running").length`;
    assert.equal(await tab.evaluate(running), 0);
    const wide = await opened("#still", { still: true });
    await wide.click("#play");
    await wide.until(`location.hash.startsWith("#still@version:")`);
    const first = await wide.evaluate("location.hash");
    assert.equal(await wide.evaluate(`document.querySelector("#play").getAttribute("aria-label")`), "Play");
    await wide.click("#play");
    await wide.until(`location.hash !== ${JSON.stringify(first)}`);
});

test("what takes a while is a skeleton of the right height (31)", async () => {
    await menu("slow");
    const line = await new Line(daemon.origin).start();
    const tab = await opened("", { origin: line.origin });
    line.delay = 1_200;
    await tab.evaluate(`location.hash = "#slow"`);
    await tab.until(`document.querySelector("#versions .sk")`);
    const height = await tab.evaluate(`document.querySelector("#versions .skr").getBoundingClientRect().height`);
    assert.equal(height, 40);
    line.delay = 0;
    await tab.until(`document.querySelector('${row(4)}') && !document.querySelector(".sk")`);
    await tab.close();
    line.stop();
});

test("colours are tokens, markup has no styles, and all of it is small (22)", () => {
    const files = readdirSync(pagesDirectory);
    for (const name of files.filter((one) => one.endsWith(".css") && one !== "tokens.css")) {
        const literals = pageFile(name).replace(/dialog::backdrop \{[^}]*\}/, "").match(/#[0-9a-f]{3,8}\b|rgba?\(|hsl\(|oklch\(/gi)
            ?.filter((one) => !/^#(tree|page|doc|diff|how|sum|now|text|new|adding|items|words)/.test(one)) ?? [];
        const colours = literals.filter((one) => /^#([0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(one) || one.endsWith("("));
        assert.deepEqual(colours, [], name);
    }
    for (const name of files.filter((one) => /\.(html|js)$/.test(one))) {
        assert.doesNotMatch(pageFile(name), / style="|innerHTML|insertAdjacentHTML|document\.write/, name);
    }
});

/** How many bytes a browser gets for it. */
const sent = (address) => new Promise((resolve, reject) => {
    request(address, { headers: { "Accept-Encoding": "gzip" } }, (response) => {
        let size = 0;
        response.on("data", (bytes) => { size += bytes.length; });
        response.on("end", () => resolve(size));
        assert.equal(response.statusCode, 200, address);
    }).on("error", reject).end();
});

test("all that the web UI loads is at most 60 KB, and comes in four files", async () => {
    let size = 0;
    for (const name of ["", "look.css", "look.js", "valuestore.js"]) {
        size += await sent(`${daemon.origin}/ui/${name}`);
    }
    assert.ok(size <= 60 * 1024, `${size} bytes`);
});

test("what others do is told to those who hear the page, and what one does oneself is not", async () => {
    await put("heard", { n: 0 }, "ada");
    const tab = await opened("#heard", { actor: "ada" });
    await patch("heard", { n: 1 }, "ada");
    await patch("heard", { n: 2 }, "bob");
    await patch("heard", { n: 3 }, "bob");
    await tab.until(`${text("#heard")} === "bob made 2 changes"`);
});

test("each page has an icon, and its policy lets the browser show it", async () => {
    for (const page of ["/ui/", "/ui/together"]) {
        const tab = await tabAt(`${daemon.origin}${page}`);
        await tab.until(`document.querySelector("link[rel=icon]")`);
        assert.equal(await tab.evaluate(`new Promise((resolve) => {
            const image = new Image();
            image.onload = () => resolve("shown");
            image.onerror = () => resolve("refused");
            image.src = document.querySelector("link[rel=icon]").href;
        })`), "shown", page);
        await tab.close();
    }
});

test("what a field asks for is not cut, from a phone to a desk", async () => {
    await menu("fields");
    for (const size of [sizes.phone, sizes.wide, [900, 700]]) {
        const tab = await opened("#fields", { size });
        const cut = JSON.parse(await tab.evaluate(`JSON.stringify(["#filter", "#search"].flatMap((one) => {
            const field = document.querySelector(one);
            if (!field.checkVisibility()) return [];
            const canvas = document.createElement("canvas").getContext("2d");
            canvas.font = getComputedStyle(field).font;
            const wide = canvas.measureText(field.placeholder).width;
            // A browser keeps room for the button that empties the field.
            return wide + 20 > field.clientWidth ? [[one, wide, field.clientWidth]] : [];
        }))`));
        assert.deepEqual(cut, [], `at ${size[0]}`);
        await tab.close();
    }
});

test("on a phone the search in a document has the width of the page", async () => {
    await menu("seek");
    const tab = await opened("#seek@version:4", { size: sizes.phone });
    const width = await tab.evaluate(`document.querySelector("#search").getBoundingClientRect().width`);
    assert.ok(width > 200, `${width} px`);
    await tab.close();
});

test("a laptop at 200 % has room for versions", async () => {
    await menu("low");
    const tab = await opened("#low", { size: [640, 400] });
    const [top, bottom] = JSON.parse(await tab.evaluate(`JSON.stringify([
        document.querySelector("#versions").getBoundingClientRect().top, document.querySelector(".head .acts").getBoundingClientRect().top])`));
    assert.ok(bottom - top > 120, `${bottom - top} px`);
    await tab.close();
});
