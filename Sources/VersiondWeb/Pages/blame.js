// The authors of places: the nearest named place above decides. Pure.

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
            if (found) return this.#told(this.#newest(found, place === path));
            if (place === "") return undefined;
        }
    }

    /**
     * The authors of the parts of a text: { text, change }, or `null` if one actor wrote all of it.
     */
    runs(path, text) {
        const found = this.#places.get(path);
        if (!found?.text || found.text.length < 2) return null;
        let start = 0;
        return found.text.map((made) => {
            const run = { text: text.slice(start, start + made.count), change: this.#told(made) };
            start += made.count;
            return run;
        });
    }

    /** The change; of a merge, with who made the edit in the draft. */
    #told({ revision, author }) {
        const change = this.#changes.get(revision);
        return change && author ? { ...change, actor: author } : change;
    }

    /** Of a text that several wrote, the last one. */
    #newest(place, isItself) {
        if (!place.text || !isItself) return place;
        return place.text.reduce((last, run) =>
            ((run.revision ?? -1) > (last.revision ?? -1) ? run : last));
    }
}
