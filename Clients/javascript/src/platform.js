// The platform: clocks, the connection, other tabs. All other modules take it from here, so that a
// simulation can replace it.

export const pause = (milliseconds, platform = hereAndNow) =>
    new Promise((resolve) => platform.setTimeout(resolve, milliseconds));

/** A random text of hexadecimal digits. */
function randomName(bytes = 12) {
    const chosen = new Uint8Array(bytes);
    if (globalThis.crypto) globalThis.crypto.getRandomValues(chosen);
    else chosen.forEach((_, index) => { chosen[index] = Math.floor(Math.random() * 256); });
    return Array.from(chosen, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A value stored with the tab, or for all tabs; none without storage. */
function stored(storage, name, fresh) {
    try {
        const known = globalThis[storage].getItem(name);
        if (known) return known;
        const value = fresh();
        globalThis[storage].setItem(name, value);
        return value;
    } catch {
        return fresh();
    }
}

/** Calls when the page comes back to life: the line is there again, the tab is seen again. */
function onWake(listener) {
    if (typeof globalThis.addEventListener !== "function") return () => {};
    const whenSeen = () => { if (!globalThis.document?.hidden) listener(); };
    const heard = [["online", listener], ["pageshow", listener], ["visibilitychange", whenSeen]];
    for (const [name, call] of heard) globalThis.addEventListener(name, call, true);
    return () => {
        for (const [name, call] of heard) globalThis.removeEventListener(name, call, true);
    };
}

/**
 * Calls when the page may be about to end, twice when it ends. Firefox stops one of the scripts
 * that a closed tab runs: mostly the first, at the first loop of it, which `stopped` has; now and
 * then the listener or what it awaits, and then the second call does what the first one did not.
 */
function onHide(listener) {
    if (typeof globalThis.addEventListener !== "function") return () => {};
    const stopped = () => { for (let count = 0; count < 1; count += 1); };
    const whenHidden = () => { if (globalThis.document?.hidden) listener(); };
    const again = (event) => listener(event);
    const heard = [["pagehide", stopped], ["pagehide", listener], ["pagehide", again],
        ["visibilitychange", whenHidden]];
    for (const [name, call] of heard) globalThis.addEventListener(name, call, true);
    return () => {
        for (const [name, call] of heard) globalThis.removeEventListener(name, call, true);
    };
}

/** A channel to the other tabs; none if there are no tabs. */
function channel(name) {
    const hasTabs = typeof globalThis.document === "object" && locks();
    if (!hasTabs || typeof globalThis.BroadcastChannel !== "function") return null;
    return permitted(() => new BroadcastChannel(name)) ?? null;
}

const locks = () => permitted(() => globalThis.navigator?.locks);

/** The value read, or `undefined` where a browser that keeps no data of a site throws. */
function permitted(read) {
    try {
        return read();
    } catch {
        return undefined;
    }
}

export const hereAndNow = {
    fetch: (...parts) => globalThis.fetch(...parts),
    now: () => Date.now(),
    setTimeout: (...parts) => globalThis.setTimeout(...parts),
    clearTimeout: (timer) => globalThis.clearTimeout(timer),
    random: () => Math.random(),
    randomName,
    stored,
    channel,
    get locks() { return locks(); },
    get indexedDB() { return permitted(() => globalThis.indexedDB); },
    onWake,
    onHide,
};
