// Waiting for other processes.

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until a condition holds; `what` says, or finds out, what was waited for in vain. */
export async function until(condition, what, milliseconds = 20_000) {
    const end = Date.now() + milliseconds;
    while (!await condition()) {
        if (Date.now() > end) throw new Error(`in vain: ${typeof what === "function" ? what() : what}`);
        await pause(5);
    }
}
