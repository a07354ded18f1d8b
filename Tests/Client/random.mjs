// Random trees and edits that come back for the same seed.

export class Random {
    constructor(seed) {
        this.state = BigInt(seed);
    }

    below(bound) {
        this.state = (this.state + 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn;
        let word = this.state;
        word = ((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n) & 0xffffffffffffffffn;
        word = ((word ^ (word >> 27n)) * 0x94d049bb133111ebn) & 0xffffffffffffffffn;
        return Number((word ^ (word >> 31n)) % BigInt(bound));
    }

    once(times) {
        return this.below(times) === 0;
    }

    of(list) {
        return list[this.below(list.length)];
    }
}

export function letters(random, count, alphabet = "abcdeé名😀") {
    let text = "";
    for (let length = random.below(count + 1); length > 0; length -= 1) text += random.of([...alphabet]);
    return text;
}

/**
 * A small tree in which edits meet often. Its texts are short, so that a replaced one is never
 * stored as an edit inside it: the daemon then knows more about it than a client.
 */
export function crowded(random, depth = 3) {
    switch (random.below(depth === 0 ? 2 : 5)) {
        case 0: return random.below(10);
        case 1: return letters(random, 5, "abcdé");
        case 2:
        case 3: return Array.from({ length: random.below(5) }, () => crowded(random, depth - 1));
        default: {
            const names = ["a", "b", "0", "1"].filter(() => random.once(2));
            return Object.fromEntries(names.map((name) => [name, crowded(random, depth - 1)]));
        }
    }
}

function addresses(tree, address = "") {
    const entries = typeof tree === "object" && tree !== null ? Object.entries(tree) : [];
    return [address, ...entries.flatMap(([name, value]) => addresses(value, `${address}/${name}`))];
}

/** Operations that fit a tree: up to `count` of them. */
export function operations(random, tree, count, read) {
    const found = [];
    for (let tries = 0; tries < count * 20 && found.length < count; tries += 1) {
        const operation = one(random, tree);
        try {
            const { tree: next } = read([operation], tree);
            tree = next;
            found.push(operation);
        } catch {
            // It does not fit; another one may.
        }
    }
    return found;
}

function one(random, tree) {
    const places = addresses(tree);
    const place = () => random.of(places);
    const target = () => `${place()}/${random.of(["0", "1", "2", "3", "a", "b", "-"])}`;
    switch (random.below(8)) {
        case 0:
        case 1: return { op: "add", path: target(), value: crowded(random, 1) };
        case 2: return { op: "remove", path: place() };
        case 3: return { op: "replace", path: place(), value: crowded(random, 1) };
        case 4:
        case 5: return { op: "move", from: place(), path: target() };
        case 6: return { op: "str_ins", path: place(), pos: random.below(6), str: letters(random, 3) };
        default: return { op: "str_del", path: place(), pos: random.below(5), len: 1 + random.below(4) };
    }
}
