// The browser that tests drive.

export { Browser } from "./chromium.mjs";
