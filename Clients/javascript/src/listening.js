// Events, by their names.

/**
 * Listens to events of a target, before its descendants if it captures them. Returns what ends
 * that.
 */
export function listen(target, listeners, captures = false) {
    const named = Object.entries(listeners);
    for (const [name, listener] of named) target.addEventListener(name, listener, captures);
    return () => {
        for (const [name, listener] of named) target.removeEventListener(name, listener, captures);
    };
}
