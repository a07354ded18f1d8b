// Documents in React components.

import {
    createContext, createElement, useCallback, useContext, useEffect, useMemo, useState,
    useSyncExternalStore,
} from "react";
import { valueIn } from "./places.js";
import { conflicts, others, status, store } from "./store.js";
import { TextField } from "./textfield.js";

const Connected = createContext(null);

/** Components below it use this connection. */
export function Versiond({ connection, children }) {
    return createElement(Connected.Provider, { value: connection }, children);
}

export function useConnection() {
    const connection = useContext(Connected);
    if (!connection) throw new TypeError("There is no <Versiond connection={…}> above.");
    return connection;
}

/** The time after which a document without components is closed. */
const restMax = 5_000;

/** The open documents of a connection, and how many components show each. */
const opened = new WeakMap();

function openedIn(connection, name, options) {
    const known = opened.get(connection) ?? new Map();
    opened.set(connection, known);
    let entry = known.get(name);
    // A document that the application has closed is opened again, and so is one that was renamed.
    if (!entry || entry.document.state === "closed" || entry.document.name !== name) {
        entry = { document: connection.document(name, options), users: 0, timer: null };
        known.set(name, entry);
        // A component that waits for it may never be shown.
        entry.document.ready.then(() => rest(known, name, entry), () => rest(known, name, entry));
    }
    return entry;
}

function rest(known, name, entry) {
    clearTimeout(entry.timer);
    if (entry.users > 0) return;
    entry.timer = setTimeout(() => {
        if (entry.users > 0) return;
        if (known.get(name) === entry) known.delete(name);
        void entry.document.close();
    }, restMax);
}

/** The reason why a document cannot be shown, for components that wait for it. */
const failures = new WeakMap();

/** Waits as components do: until then something else is shown. */
function suspend(document) {
    if (document.value !== undefined) return;
    if (failures.has(document)) throw failures.get(document);
    throw document.ready.catch((error) => { failures.set(document, error); });
}

export function useDocument(name, { isSuspending = true, ...options } = {}) {
    const connection = useConnection();
    // It stays this document when it is renamed.
    const first = useMemo(() => openedIn(connection, name, options), [connection, name]);
    const isClosed = first.document.state === "closed";
    const entry = isClosed ? openedIn(connection, name, options) : first;
    useEffect(() => {
        entry.users += 1;
        clearTimeout(entry.timer);
        return () => {
            entry.users -= 1;
            rest(opened.get(connection), name, entry);
        };
    }, [connection, name, entry]);
    if (isSuspending) suspend(entry.document);
    return entry.document;
}

/** The result of `read`, as long as a store reports no change. */
function useStore(made, read) {
    const subscribe = useCallback((tell) => made.subscribe(() => tell()), [made]);
    return useSyncExternalStore(subscribe, read, read);
}

export function useValue(document, pointer = "") {
    const made = useMemo(() => store(document, pointer), [document, pointer]);
    const read = useCallback(() => valueIn(document.value, pointer), [document, pointer]);
    const value = useStore(made, read);
    const set = useCallback((next, options) => {
        if (typeof next === "function") made.update(next, options);
        else made.set(next, options);
    }, [made]);
    return [value, set];
}

export function useText(document, pointer = "") {
    const [field] = useState(() => new TextField());
    const subscribe = useCallback((tell) => document.follow(tell), [document]);
    useSyncExternalStore(subscribe, () => field.pointer, () => null);
    const ref = useCallback((element) => {
        field.element = element;
        if (element) field.bind(document, pointer);
    }, [field, document, pointer]);
    useEffect(() => field.bind(document, pointer));
    useEffect(() => () => field.end(), [field]);
    return ref;
}

/** The newest value of a store that makes new values at each read. */
function useLatest(make, document) {
    const held = useMemo(() => {
        const made = make(document);
        const box = { value: undefined };
        made.subscribe((value) => { box.value = value; })();
        return {
            read: () => box.value,
            subscribe: (run) => made.subscribe((value) => { box.value = value; run(value); }),
        };
    }, [make, document]);
    return useStore(held, held.read);
}

export function useStatus(document) {
    return useLatest(status, document);
}

export function useOthers(document) {
    return useLatest(others, document);
}

export function useConflicts(document) {
    return useLatest(conflicts, document);
}

const isPlain = (value) => value !== null && typeof value === "object"
    && Object.getPrototypeOf(value) === Object.prototype;

export function useUndo(document, { keys = null } = {}) {
    const { canUndo, canRedo } = useStatus(document);
    useEffect(() => (keys ? document.bindKeys(keys) : undefined), [document, keys]);
    // `onClick={undo}` passes an event, which has no options.
    const perform = (name) => (options) =>
        document[name](isPlain(options) ? options : {}).catch((error) => {
            document.report(error);
            return null;
        });
    const undo = useCallback(perform("undo"), [document]);
    const redo = useCallback(perform("redo"), [document]);
    return { undo, redo, canUndo, canRedo };
}
