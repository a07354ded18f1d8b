import { Store } from "./index.js";

/**
 * Keeps what waits in a database of the browser: `connect(url, { store: indexedDBStore() })`.
 * Without a `store`, browsers do so in the database `versiond`; with a name of its own, an
 * application that shares its origin with others keeps its edits apart.
 */
export function indexedDBStore(options?: { name?: string; factory?: IDBFactory }): Store;
