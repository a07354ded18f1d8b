// One daemon and one browser for all tests of a file.

import { after, before } from "node:test";
import { Browser } from "./browser.mjs";
import { Daemon } from "./daemon.mjs";

export let daemon;
export let browser;

before(async () => {
    daemon = await new Daemon().start();
    browser = new Browser();
});
after(async () => {
    await browser.close();
    await daemon.stop();
});
