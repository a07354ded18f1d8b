// Records what a program does to a value that looks like its own: `change(d => { d.items.push(x)
// })`. Elements that are taken out and put back somewhere have moved. Nothing is compared.

import { copied } from "./copying.js";
import { arranged, difference, keyOf } from "./difference.js";
import { Draft } from "./edits.js";
import { valueAt } from "./pointers.js";
import { freeze, isArray, isContainer, isSame } from "./values.js";
import { originOf, viewOf } from "./views.js";

/** The edits that a recipe makes of a value. If it throws, there are none. */
export function recorded(value, recipe) {
    if (!isContainer(value)) throw new TypeError("The value is not an object or an array.");
    const root = new Root(value, { isOver: false, tree: value });
    try {
        const result = recipe(root.node.proxy);
        if (typeof result?.then === "function") {
            throw new TypeError("A recipe cannot wait: read first, and then change.");
        }
        return root.edits;
    } finally {
        root.run.isOver = true;
    }
}

/** A value that is being changed: the document's, or one that was taken out of it. */
class Root {
    edits = [];
    /** Whether its place in the document has another value now. */
    isReplaced = false;

    /** `run`: whether the recipe is over, and the tree that it has begun with. */
    constructor(value, run) {
        this.draft = new Draft(value);
        this.run = run;
        this.node = new Node(null, null, isArray(value));
        this.node.root = this;
    }

    perform(edit) {
        if (this.isReplaced) {
            throw new TypeError("This was replaced in the document: read it again to change it.");
        }
        this.draft.apply(edit);
        this.edits.push(edit);
    }
}

const nodes = new WeakMap();

/** A container in the value: it knows its place, whatever edits come before it. */
class Node {
    root = null;
    children = new Map();

    constructor(parent, step, isList) {
        this.parent = parent;
        this.step = step;
        this.proxy = new Proxy(isList ? [] : {}, isList ? listTraps(this) : objectTraps(this));
        nodes.set(this.proxy, this);
    }

    get top() {
        let node = this;
        while (node.parent) node = node.parent;
        if (node.root.run.isOver) throw new TypeError("The recipe is over.");
        return node.root;
    }

    get place() {
        const place = [];
        for (let node = this; node.parent; node = node.parent) place.unshift(node.step);
        return place;
    }

    get value() {
        return valueAt(this.top.draft.tree, this.place);
    }

    /** The value at a step, in the program's form. */
    read(step) {
        const value = this.value;
        const child = isArray(value) || Object.hasOwn(value, step) ? value[step] : undefined;
        if (!isContainer(child)) return viewOf(child);
        let node = this.children.get(step);
        if (!node) this.children.set(step, node = new Node(this, step, isArray(child)));
        return node.proxy;
    }

    set(step, given) {
        const isThere = Object.hasOwn(this.value, step);
        // A name like __proto__ would read what is not the document's, and freeze it.
        const old = isThere ? freeze(this.value[step]) : undefined;
        const node = nodes.get(given);
        if (node && node === this.children.get(step)) return;
        const value = this.#copied(given, old);
        if (isThere && isSame(old, value)) return;
        const place = [...this.place, step];
        this.#forget(step);
        if (isThere && isSameKind(old, value)) {
            for (const edit of difference(old, value, undefined, place)) this.top.perform(edit);
        } else this.top.perform({ kind: "set", place, old, value });
    }

    remove(step) {
        if (!Object.hasOwn(this.value, step)) return;
        const old = freeze(this.value[step]);
        this.#forget(step);
        this.top.perform({ kind: "set", place: [...this.place, step], old });
    }

    insert(index, given) {
        const taken = nodes.get(given);
        const isBack = taken && taken.parent === null && taken.root.origin?.top === this.top;
        if (isBack && taken.root.origin.edit === this.top.edits[this.top.edits.length - 1]) {
            return this.#putBack(index, taken);
        }
        const value = this.#copied(given);
        this.#shift(index, 1);
        return this.top.perform({ kind: "insert", place: [...this.place, index], value });
    }

    /** An element that was just removed is inserted: it has moved. */
    #putBack(index, taken) {
        const top = this.top;
        const { edit } = taken.root.origin;
        const { edits } = taken.root;
        top.edits.pop();
        top.draft.apply({ ...edit, kind: "insert" });
        const to = [...this.place, index];
        const isElsewhere = edit.place.join("/") !== to.join("/");
        if (isElsewhere) top.perform({ kind: "move", place: edit.place, to });
        this.#shift(index, 1);
        [taken.root, taken.parent, taken.step] = [null, this, index];
        this.children.set(index, taken);
        for (const inner of edits) top.perform(under(inner, to));
    }

    /** Takes an element out. Returns what a program sees of it from then on. */
    take(index) {
        const value = freeze(this.value[index]);
        const edit = { kind: "delete", place: [...this.place, index], value };
        const child = this.children.get(index);
        const seen = isContainer(value) ? this.read(index) : viewOf(value);
        const node = nodes.get(seen) ?? child;
        const top = this.top;
        this.children.delete(index);
        this.#shift(index, -1);
        top.perform(edit);
        if (node) {
            node.parent = null;
            node.root = new Root(value, top.run);
            node.root.node = node;
            node.root.origin = { top, edit };
        }
        return seen;
    }

    /** Brings the elements into another order; `order` has their indexes. */
    arrange(order) {
        const pairs = order.map((from, to) => [from, to]);
        for (const edit of arranged(this.value, pairs, this.place)) {
            const [from, to] = [edit.place, edit.to].map((place) => place[place.length - 1]);
            const child = this.children.get(from);
            this.children.delete(from);
            this.#shift(from, -1);
            this.#shift(to, 1);
            if (child) {
                child.step = to;
                this.children.set(to, child);
            }
            this.top.perform(edit);
        }
    }

    /** A copy of a value from the program; parts that it read from the draft keep their digits. */
    #copied(given, known) {
        const { tree } = this.top.run;
        return copied(given, { known, tree, sourceOf: originalOf });
    }

    /** A step has another value now, or none. */
    #forget(step) {
        const node = this.children.get(step);
        this.children.delete(step);
        if (!node) return;
        const value = freeze(node.value);
        const { run } = this.top;
        node.parent = null;
        node.root = new Root(value, run);
        node.root.node = node;
        node.root.isReplaced = true;
    }

    /** Makes room before an index, or closes it. */
    #shift(index, by) {
        const later = [...this.children].filter(([step]) => step >= index);
        for (const [step] of later) this.children.delete(step);
        for (const [step, node] of later) {
            node.step = step + by;
            this.children.set(node.step, node);
        }
    }
}

/** The library's own value of a container that a program sees. */
function originalOf(container) {
    const node = nodes.get(container);
    return node ? freeze(node.value) : originOf(container);
}

/** Whether one container is an edited form of the other. */
function isSameKind(old, value) {
    return isContainer(old) && isContainer(value) && isArray(old) === isArray(value)
        && keyOf(old) === keyOf(value);
}

function under(edit, place) {
    const inner = { ...edit, place: [...place, ...edit.place] };
    return edit.to ? { ...inner, to: [...place, ...edit.to] } : inner;
}

// MARK: The program's view

function objectTraps(node) {
    return {
        get: (target, name) => (typeof name === "symbol" || (name in Object.prototype
            && !Object.hasOwn(node.value, name)) ? Reflect.get(target, name) : node.read(name)),
        has: (_, name) => Object.hasOwn(node.value, name) || name in Object.prototype,
        ownKeys: () => Object.keys(node.value),
        getOwnPropertyDescriptor: (_, name) => (Object.hasOwn(node.value, name)
            ? { value: node.read(name), writable: true, enumerable: true, configurable: true }
            : undefined),
        set: (_, name, value) => {
            if (typeof name === "symbol") throw new TypeError("JSON has no symbols.");
            node.set(name, value);
            return true;
        },
        defineProperty: (_, name, { value }) => {
            node.set(name, value);
            return true;
        },
        deleteProperty: (_, name) => {
            node.remove(name);
            return true;
        },
        setPrototypeOf: () => false,
        preventExtensions: () => false,
    };
}

const indexOf = (name) =>
    (typeof name === "string" && /^(0|[1-9]\d*)$/.test(name) ? Number(name) : -1);

function listTraps(node) {
    const calls = listCalls(node);
    return {
        get: (target, name) => {
            if (name === "length") return node.value.length;
            const index = indexOf(name);
            if (index >= 0) return node.read(index);
            return Object.hasOwn(calls, name) ? calls[name] : Reflect.get(target, name);
        },
        has: (target, name) => (indexOf(name) >= 0
            ? indexOf(name) < node.value.length : Reflect.has(target, name)),
        ownKeys: () => [...node.value.keys()].map(String).concat("length"),
        getOwnPropertyDescriptor: (target, name) => {
            if (name === "length") {
                const { length } = node.value;
                return { value: length, writable: true, enumerable: false, configurable: false };
            }
            const index = indexOf(name);
            return index >= 0 && index < node.value.length
                ? { value: node.read(index), writable: true, enumerable: true, configurable: true }
                : undefined;
        },
        set: (_, name, value) => setElement(node, name, value),
        defineProperty: (_, name, { value }) => setElement(node, name, value),
        deleteProperty: (_, name) => {
            throw new TypeError(`delete leaves a hole at ${String(name)}: use splice.`);
        },
        setPrototypeOf: () => false,
        preventExtensions: () => false,
    };
}

function setElement(node, name, value) {
    const { length } = node.value;
    if (name === "length") {
        if (!(value <= length)) throw new TypeError("An array cannot have holes.");
        for (let index = length - 1; index >= value; index -= 1) node.take(index);
        return true;
    }
    const index = indexOf(name);
    if (index < 0) throw new TypeError(`An array has no member ${String(name)}.`);
    if (index > length) throw new TypeError("An array cannot have holes.");
    if (index === length) node.insert(index, value);
    else node.set(index, value);
    return true;
}

/** A whole number as arrays accept it: another value is 0. */
const whole = (given) => Math.trunc(Number(given)) || 0;

/** A place in a list as arrays take it: a negative one counts from the end. */
function relative(given, length) {
    const at = whole(given);
    return at < 0 ? Math.max(0, length + at) : Math.min(at, length);
}

/** The calls that change a list, element by element. */
function listCalls(node) {
    const insertAll = (at, values) => {
        values.forEach((value, offset) => node.insert(at + offset, value));
        return node.value.length;
    };
    const splice = (start, count, values) => {
        const { length } = node.value;
        const at = relative(start, length);
        const gone = [];
        for (let left = Math.min(Math.max(0, whole(count)), length - at); left > 0; left -= 1) {
            gone.push(node.take(at));
        }
        insertAll(at, values);
        return gone;
    };
    const arrange = (compare) => {
        const order = [...node.value.keys()];
        node.arrange(compare ? order.sort(compare) : order.reverse());
        return node.proxy;
    };
    return {
        push: (...values) => insertAll(node.value.length, values),
        unshift: (...values) => insertAll(0, values),
        pop: () => (node.value.length > 0 ? node.take(node.value.length - 1) : undefined),
        shift: () => (node.value.length > 0 ? node.take(0) : undefined),
        splice: (...given) => (given.length === 0 ? []
            : splice(given[0], given.length === 1 ? Infinity : given[1], given.slice(2))),
        reverse: () => arrange(null),
        sort: (compare = byText) =>
            arrange((one, other) => compare(node.read(one), node.read(other))),
        fill: (value, start = 0, end = node.value.length) => {
            const { length } = node.value;
            const last = relative(end, length);
            for (let index = relative(start, length); index < last; index += 1) {
                node.set(index, value);
            }
            return node.proxy;
        },
    };
}

function byText(one, other) {
    const [left, right] = [String(one), String(other)];
    return left < right ? -1 : left > right ? 1 : 0;
}
