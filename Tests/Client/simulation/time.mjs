// A clock that advances with events, so that they occur in the order for which the client waits.

export class VirtualTime {
    now = 1_700_000_000_000;
    #queue = [];
    #count = 0;

    setTimeout(call, milliseconds = 0, ...parts) {
        this.#count += 1;
        const timer = { at: this.now + Math.max(0, milliseconds), order: this.#count, call, parts };
        this.#queue.push(timer);
        return timer;
    }

    clearTimeout(timer) {
        const index = this.#queue.indexOf(timer);
        if (index >= 0) this.#queue.splice(index, 1);
    }

    sleep(milliseconds) {
        return new Promise((resolve) => this.setTimeout(resolve, milliseconds));
    }

    /** Lets time pass: everything that is to happen until then happens. */
    async pass(milliseconds) {
        const end = this.now + milliseconds;
        for (;;) {
            // Promises first: they take no time.
            await new Promise((resolve) => setImmediate(resolve));
            let next = null;
            for (const timer of this.#queue) {
                const isEarlier = next === null || timer.at < next.at
                    || (timer.at === next.at && timer.order < next.order);
                if (isEarlier) next = timer;
            }
            if (next === null || next.at > end) break;
            this.clearTimeout(next);
            this.now = Math.max(this.now, next.at);
            next.call(...next.parts);
        }
        this.now = end;
    }
}
