// What the tab and the browser keep for the pages; in memory where the browser keeps no data of a
// site and throws an exception instead.

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
