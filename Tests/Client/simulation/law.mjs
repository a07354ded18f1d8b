// The law of the client, tested on people who edit over a bad connection: all typed text is in the
// document, or waits and is shown as waiting, or was returned with the reason; it is never lost
// without a report, and never there twice.

import { Random } from "../random.mjs";
import { Browser, Tab } from "./browser.mjs";
import { Daemon } from "./daemon.mjs";
import { Network } from "./network.mjs";
import { TextArea, Words } from "./people.mjs";
import { VirtualTime } from "./time.mjs";

const origin = "http://daemon";
const documents = ["d0", "d1", "d2", "d3", "d4", "d5", "d6"];
const start = () => ({ text: "", items: [], title: "" });

/** One run. Returns what broke the law. */
export async function simulate(seed, client, { steps = 60, inspect = () => {} } = {}) {
    const world = new World(seed, client);
    await world.begin();
    for (let step = 0; step < steps; step += 1) await world.step();
    await world.settle();
    inspect(world);
    return world.violations;
}

class World {
    violations = [];
    words = new Words();
    titles = new Map(documents.map((name) => [name, new Set([""])]));
    people = [];

    constructor(seed, client) {
        this.seed = seed;
        this.client = client;
        this.random = new Random(seed);
        this.time = new VirtualTime();
        this.daemon = new Daemon();
        this.network = new Network(this.time, this.random, this.daemon);
        for (const name of documents) this.daemon.make(name, start());
    }

    fault(text) {
        this.violations.push(`seed ${this.seed}: ${text}`);
    }

    async begin() {
        if (this.random.once(3)) this.daemon.tokens = new Map();
        for (const name of ["ada", "bob", "cyd"]) {
            const person = new Person(this, name);
            this.people.push(person);
            for (let tabs = 1 + this.random.below(2); tabs > 0; tabs -= 1) person.open();
        }
        await this.time.pass(3_000);
    }

    async step() {
        const person = this.random.of(this.people);
        const page = person.pages.length > 0 ? this.random.of(person.pages) : person.open();
        await page.act();
        await this.time.pass(this.random.below(this.random.once(8) ? 20_000 : 300));
    }

    /** Everything works again; who is gone comes back. */
    async settle() {
        this.network.losses = { there: 0, back: 0 };
        this.network.isDown = this.daemon.isReadOnly = false;
        this.network.offline.clear();
        for (const person of this.people) person.renewToken();
        await this.time.pass(90_000);
        for (const person of this.people) person.open(documents);
        await this.time.pass(240_000);
        this.#check();
    }

    #check() {
        for (const fault of this.daemon.faults) this.fault(fault);
        const stored = new Map(documents.map((name) => [name, this.daemon.documents.get(name).tree]));
        const found = new Map();
        for (const [name, tree] of stored) {
            for (const word of Words.in(JSON.stringify(tree))) found.set(word, (found.get(word) ?? 0) + 1);
            if (!this.titles.get(name).has(tree.title)) this.fault(`nobody set the title "${tree.title}"`);
        }
        for (const [word, count] of found) if (count > 1) this.fault(`${word} is there ${count} times`);
        const pages = this.people.flatMap((person) => person.pages);
        const waiting = new Set(pages.flatMap((page) => page.pendingWords()));
        for (const { word, place } of this.words.typed()) {
            if (!found.has(word) && !waiting.has(word)) this.fault(`${word}, typed in ${place}, is gone`);
        }
        for (const word of this.words.undone) if (found.has(word)) this.fault(`${word} was undone`);
        for (const page of pages) page.check(stored);
    }
}

class Person {
    pages = [];
    #tokens = 0;

    constructor(world, name) {
        this.world = world;
        this.name = name;
        this.browser = new Browser(world.time, world.random);
        this.renewToken();
    }

    renewToken() {
        const { tokens } = this.world.daemon;
        if (tokens === null) return;
        tokens.delete(this.token);
        this.#tokens += 1;
        this.token = `${this.name}-${this.#tokens}`;
        tokens.set(this.token, this.name);
    }

    open(names = null) {
        const { random } = this.world;
        const chosen = names ?? documents.slice(0, 1 + random.below(random.once(3) ? 7 : 2));
        const page = new Page(this, chosen);
        this.pages.push(page);
        return page;
    }
}

class Page {
    areas = new Map();
    documents = new Map();
    /** Documents that were edited and have not said "saved" since. */
    unsaved = new Set();

    constructor(person, names) {
        const { world, browser } = person;
        Object.assign(this, { person, world });
        this.tab = new Tab(browser, world.network);
        this.connection = world.client.connect(origin, {
            platform: this.tab.platform, store: this.tab.store, actor: person.name,
            token: world.daemon.tokens === null ? undefined : async () => person.token,
        });
        for (const name of names) this.#open(name);
    }

    #open(name) {
        const { world } = this;
        const document = this.connection.document(name, { create: start });
        document.ondropped = ({ detail: { operations, problem } }) => {
            // The returned edits must be those that the daemon cannot accept, and no others.
            for (const word of Words.in(JSON.stringify(operations))) {
                world.fault(`${word} was handed back: ${problem.code}`);
            }
        };
        document.onsaved = () => { this.unsaved.delete(document); };
        document.onerror = () => {};
        this.documents.set(name, document);
        const area = new TextArea();
        this.areas.set(name, area);
        document.bindTextarea(area, "/text");
    }

    pendingWords() {
        return [...this.documents.values()].flatMap((document) => Words.in(JSON.stringify(document.pending)));
    }

    check(stored) {
        for (const [name, document] of this.documents) {
            const { state, value } = document;
            if (document.pending.length > 0) this.world.fault(`${name} of ${this.person.name} still waits`);
            if (state !== "live") this.world.fault(`${name} of ${this.person.name} is ${state} (${this.connection.tab})`);
            if (JSON.stringify(sorted(value)) !== JSON.stringify(sorted(stored.get(name)))) {
                const news = `${document.revision} of ${this.world.daemon.documents.get(name).changes.length - 1}`;
                this.world.fault(`${name} of ${this.person.name} shows something else (${news})`);
            }
            if (value && this.areas.get(name).value !== value.text) {
                this.world.fault(`the text area of ${name} shows something else`);
            }
        }
        if (this.unsaved.size > 0) this.world.fault(`${this.person.name} never heard "saved"`);
    }

    async act() {
        const { random, time } = this.world;
        const name = random.of([...this.documents.keys()]);
        const [document, area] = [this.documents.get(name), this.areas.get(name)];
        switch (random.below(24)) {
            case 0: case 1: case 2: case 3: case 4: case 5: case 6: return this.#type(name, area);
            case 7: case 8: return this.#compose(name, area);
            case 9: case 10: return this.#push(name, document);
            case 11: return this.#setTitle(name, document);
            case 12: return this.#editBadly(document);
            case 13: return this.#addMany(name, document);
            case 14: return this.#undo(name, document, area);
            case 15: return this.#bad(name, document);
            case 16: return this.#tick(document);
            case 17: return this.#leave(name);
            case 18: {
                this.world.network.offline[random.once(2) ? "add" : "delete"](this.tab);
                return this.tab.wake();
            }
            default: return this.#trouble(time);
        }
    }

    /** A place between words. */
    #between(text) {
        const places = [0, ...[...text.matchAll(/>/g)].map(({ index }) => index + 1)];
        return this.world.random.of(places);
    }

    #type(name, area = this.areas.get(name)) {
        const at = this.#between(area.value);
        area.setSelectionRange(at, at);
        const word = this.world.words.next(this.person.name, `${name} by ${this.person.name}`);
        if (area.type(word)) this.#edited(name);
        else this.world.words.note(word, "refused");
    }

    async #compose(name, area) {
        const at = this.#between(area.value);
        area.setSelectionRange(at, at);
        if (!area.beginComposing("にほ")) return;
        await this.world.time.pass(this.world.random.below(3_000));
        if (this.tab.isDead) return;
        const word = this.world.words.next(this.person.name, `${name} by ${this.person.name}, composed`);
        if (this.areas.get(name) !== area) return void this.world.words.note(word, "refused");
        area.endComposing(word);
        this.#edited(name);
    }

    #edited(name) {
        const document = this.documents.get(name);
        if (!document.isSaved) this.unsaved.add(document);
    }

    /** Does something that may be refused at once, with an error. */
    #try(document, word, work) {
        try {
            work();
            if (!document.isSaved) this.unsaved.add(document);
        } catch {
            if (word) this.world.words.note(word, "refused");
        }
    }

    #push(name, document) {
        const word = this.world.words.next(this.person.name, `the items of ${name} by ${this.person.name}`);
        this.#try(document, word, () => document.change(({ items }) => {
            items.splice(this.world.random.below(items.length + 1), 0, { id: word, done: false });
        }));
    }

    #setTitle(name, document) {
        const letters = Array.from({ length: 8 }, () => this.world.random.of([..."abcdefgh"])).join("");
        this.#try(document, null, () => {
            document.edit((value) => ({ ...value, title: letters }));
            this.world.titles.get(name).add(letters);
        });
    }

    /** A value outside JSON is refused at once, and changes nothing. */
    #editBadly(document) {
        if (document.value === undefined || document.obstacle) return;
        const before = document.value;
        const bad = this.world.random.of([
            () => document.edit(() => {}), () => document.edit((value) => ({ ...value, title: undefined })),
            () => document.edit((value) => ({ ...value, title: 12n })),
            () => document.change((draft) => { draft.title = Number.NaN; }),
            () => document.edit((value) => { value.title = "in place"; return value; }),
        ]);
        try {
            bad();
            this.world.fault("what JSON cannot say was taken");
        } catch (error) {
            if (!(error instanceof TypeError)) this.world.fault(`a bad edit throws ${error}`);
        }
        if (document.value !== before) this.world.fault("a bad edit changed something");
    }

    /** More than goes in one request. */
    #addMany(name, document) {
        const added = Array.from({ length: 30 + this.world.random.below(60) }, () =>
            this.world.words.next(this.person.name, `many items of ${name} by ${this.person.name}`));
        this.#try(document, null, () => document.change(({ items }) => {
            items.push(...added.map((id) => ({ id, done: false })));
        }));
        const shown = new Set(Words.in(JSON.stringify(document.value ?? null)));
        for (const word of added) if (!shown.has(word)) this.world.words.note(word, "refused");
    }

    /** A refused edit affects no other one. */
    #bad(name, document) {
        const good = this.world.words.next(this.person.name, `${name}, beside what is refused`);
        this.#try(document, good, () => {
            document.edit([{ op: "add", path: "/poison", value: "poison" }]);
            document.change(({ items }) => { items.push({ id: good, done: false }); });
        });
    }

    #tick(document) {
        const { items } = document.value ?? { items: [] };
        if (items.length === 0) return;
        const index = this.world.random.below(items.length);
        this.#try(document, null, () => document.edit([{ op: "replace", path: `/items/${index}/done`, value: true }]));
    }

    /** Types a word, undoes it, and types another one, all at once. */
    async #undo(name, document, area) {
        const { words, time } = this.world;
        if (this.person.pages.length > 1 || document.obstacle || area.readOnly) return;
        await time.pass(1_500);
        // Edits that another page of this person has left may arrive in between.
        const isAlone = this.person.browser.records.size === 0 && document.pending.length === 0;
        if (this.tab.isDead || document.obstacle || area.readOnly || !isAlone) return;
        const word = words.next(this.person.name, `${name}, to be undone by ${this.person.name}`);
        area.setSelectionRange(0, 0);
        if (!area.type(word)) return void words.note(word, "refused");
        // Another person may also type; and the client may know by now that the connection is down.
        this.#askAnother(name);
        if (this.world.random.once(2)) await time.pass(20_000);
        if (this.tab.isDead || document.obstacle || area.readOnly) return void words.note(word, "perhaps");
        const isDown = document.state === "offline" && document.pending.length > 0;
        let fate = null;
        document.undo().then(() => { fate = "undone"; }, () => { fate = "typed"; });
        // An undo here removes all that was waiting: a further one would be carried out later,
        // without a request.
        let isSecondOver = false;
        if (isDown) document.undo().catch(() => { isSecondOver = true; });
        words.note(word, "perhaps");
        area.setSelectionRange(0, 0);
        const next = words.next(this.person.name, `${name}, behind an undo by ${this.person.name}`);
        if (!area.type(next)) words.note(next, "refused");
        await time.pass(1);
        if (isDown && !isSecondOver) this.world.fault(`an undo in ${name} is kept for later`);
        await time.pass(60_000);
        if (this.tab.isDead) return;
        const { network, daemon } = this.world;
        const isBad = network.isDown || daemon.isReadOnly || network.offline.has(this.tab)
            || network.losses.there + network.losses.back > 0;
        if (fate === null && !isBad) this.world.fault(`an undo in ${name} never ends`);
        if (fate !== null) words.note(word, fate);
    }

    /** Another person, who has the document open, types into it. */
    #askAnother(name) {
        const others = this.world.people.filter((person) => person !== this.person)
            .flatMap(({ pages }) => pages).filter((page) => page.areas.has(name));
        if (others.length > 0) this.world.random.of(others).#type(name);
    }

    /** A document is closed, with whatever waits, and opened again by the same page. */
    #reopen(name) {
        const document = this.documents.get(name);
        const isOver = document.close({ timeout: this.world.random.below(2) });
        this.unsaved.delete(document);
        this.#open(name);
        return void isOver;
    }

    /** The tab ends: closed, reloaded, crashed. */
    async #leave(name) {
        const { random, time } = this.world;
        if (random.once(3)) return this.#reopen(name);
        // A page that ends unawares needs a moment to store the last key.
        await time.pass(10);
        const { pages } = this.person;
        pages.splice(pages.indexOf(this), 1);
        if (random.once(4)) {
            void this.connection.close({ timeout: 0 });
            return undefined;
        }
        this.tab.end({ isTold: random.once(2) });
        return void this.person.open([...this.documents.keys()]);
    }

    #trouble(time) {
        const { network, daemon, random, people } = this.world;
        switch (random.below(8)) {
            case 0: network.losses = { there: random.below(40), back: random.below(40) }; break;
            case 1: network.losses = { there: 0, back: 0 }; break;
            case 2: network.cut(); break;
            case 3: network.cut(this.tab); break;
            case 4: {
                network.isDown = true;
                network.cut();
                time.setTimeout(() => { network.isDown = false; }, 1_000 + random.below(20_000));
                break;
            }
            case 5: random.of(people).renewToken(); break;
            case 6: {
                daemon.isReadOnly = true;
                time.setTimeout(() => { daemon.isReadOnly = false; }, random.below(10_000));
                break;
            }
            default: network.latencyMax = 2 + random.below(400);
        }
    }
}

/** With the members in one order. */
function sorted(value) {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
}
