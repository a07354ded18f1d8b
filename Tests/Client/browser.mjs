// The browser that tests drive: Chromium, or Firefox if BROWSER says so.

export const { Browser } = await import(`./${process.env.BROWSER ?? "chromium"}.mjs`);
