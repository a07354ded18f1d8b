// Where what waits outlives the page. Browsers have it without being asked; by name here, so that
// two applications of one origin can have one each.

import { IndexedStore } from "./src/outbox.js";

export function indexedDBStore({ name = "versiond", factory = globalThis.indexedDB } = {}) {
    if (!factory) throw new TypeError("There is no IndexedDB here.");
    return new IndexedStore(factory, name);
}
