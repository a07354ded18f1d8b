// The storage of the tab and the browser for the pages; in memory if the browser stores no data of
// a site and throws an exception instead.

function storage(name) {
    try {
        globalThis[name].getItem("");
        return globalThis[name];
    } catch {
        const kept = new Map();
        return {
            getItem: (key) => kept.get(key) ?? null,
            setItem: (key, value) => kept.set(key, value),
        };
    }
}

export const tabStorage = storage("sessionStorage");
export const browserStorage = storage("localStorage");

/** Whether single letters are keys: users of speech input can turn them off. */
export const areKeysOn = () => browserStorage.getItem("keys") !== "off";
