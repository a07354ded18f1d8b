// Who made each place what it is: the nearest place above that is named says it. Pure.

export class Blame {
    #places;
    #changes;

    constructor({ places, changes }) {
        this.#places = new Map(places.map((place) => [place.path, place]));
        this.#changes = new Map(changes.map((change) => [change.revision, change]));
    }

    of(path) {
        for (let place = path; ; place = place.slice(0, place.lastIndexOf("/"))) {
            const found = this.#places.get(place);
            if (found) return this.#changes.get(this.#newest(found, place === path));
            if (place === "") return undefined;
        }
    }

    /** Who wrote the parts of a text: { text, change }, or `null` if one wrote all of it. */
    runs(path, text) {
        const found = this.#places.get(path);
        if (!found?.text || found.text.length < 2) return null;
        let start = 0;
        return found.text.map(({ count, revision }) => {
            const run = { text: text.slice(start, start + count),
                change: this.#changes.get(revision) };
            start += count;
            return run;
        });
    }

    /** Of a text that several wrote, the last one. */
    #newest(place, isItself) {
        if (!place.text || !isItself) return place.revision;
        return Math.max(...place.text.map((run) => run.revision ?? -1));
    }
}
