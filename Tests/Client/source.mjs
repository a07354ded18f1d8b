// What the daemon serves as /client.js. By its text, since older nodes take a file of this name for
// CommonJS unless a package says otherwise.

import { readFileSync } from "node:fs";

const file = new URL("../../Sources/VersiondAPI/Page/client.js", import.meta.url);
const text = readFileSync(file, "utf8");
export const { internals, open, pass } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
