// A signal that ends when any of others does.

/** `forget` lets go of the others: call it when the signal is needed no more. */
export function anyOf(...signals) {
    const either = new AbortController();
    const abort = () => either.abort();
    const sources = signals.filter(Boolean);
    for (const source of sources) {
        if (source.aborted) abort();
        source.addEventListener("abort", abort);
    }
    const forget = () => {
        for (const source of sources) source.removeEventListener("abort", abort);
    };
    return { signal: either.signal, abort, forget };
}

/** A rest that can be cut short: [promise, wake]. */
export function rest(platform, milliseconds) {
    let wake;
    const over = new Promise((resolve) => {
        const timer = platform.setTimeout(resolve, milliseconds);
        wake = () => {
            platform.clearTimeout(timer);
            resolve();
        };
    });
    return [over, wake];
}
