// Events, by their names.

/** Listens to events of a target. Returns what ends that. */
export function listen(target, listeners) {
    const named = Object.entries(listeners);
    for (const [name, listener] of named) target.addEventListener(name, listener);
    return () => {
        for (const [name, listener] of named) target.removeEventListener(name, listener);
    };
}
