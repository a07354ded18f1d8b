// A tab of a real browser: what is the same in each. chromium.mjs and firefox.mjs have the rest.

import { pause } from "./waiting.mjs";

const element = (selector) => `document.querySelector(${JSON.stringify(selector)})`;

export class Tab {
    /** The value of an expression in the page. */
    async evaluate(expression, milliseconds = 120_000) {
        let timer;
        const over = new Promise((_, reject) => {
            timer = setTimeout(() => reject(new Error(`no end: ${expression}`)), milliseconds);
        });
        return Promise.race([this.run(expression), over]).finally(() => clearTimeout(timer));
    }

    async until(expression, milliseconds = 20_000) {
        const end = Date.now() + milliseconds;
        while (!await this.evaluate(expression).catch(() => false)) {
            if (Date.now() > end) throw new Error(`in vain: ${expression}`);
            await pause(20);
        }
    }

    /** Brings it to the front and sets the focus, as a click does. */
    async focus(selector) {
        await this.front();
        await this.evaluate(`${element(selector)}.focus()`);
    }

    /** Clicks as people do: on what can be clicked. */
    async click(selector) {
        await this.front();
        await this.until(`${element(selector)}?.disabled !== true`);
        const { x, y } = await this.evaluate(`(() => {
            const box = ${element(selector)}.getBoundingClientRect();
            return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        })()`);
        await this.clickAt(x, y);
    }
}
