// The package's entries, as an application in TypeScript uses them: `tsc --strict` reads this.

import { createElement, Suspense } from "react";
import { connect, Shown } from "versiond";
import { versiondText } from "versiond/codemirror";
import { indexedDBStore } from "versiond/indexeddb";
import {
    useConflicts, useDocument, useOthers, useStatus, useText, useUndo, useValue, Versiond,
} from "versiond/react";
import { conflicts, others, status, store } from "versiond/store";
import { bindText, Editor, TextBinding } from "versiond/text";

interface Menu {
    dish: string;
    items: { id: string; price: number }[];
}

const connection = connect("http://localhost:8080", { store: indexedDBStore({ name: "menus" }) });

export function Form() {
    const menu = useDocument<Menu>("menu", { create: () => ({ dish: "", items: [] }) });
    const [dish, setDish] = useValue<string>(menu, "/dish");
    const [items, setItems] = useValue<Menu["items"]>(menu, "/items");
    const { undo, canUndo } = useUndo(menu, { keys: window });
    const { isSaved, state } = useStatus(menu);
    const note = useText(menu, "/note");
    const { conflicts, dropped } = useConflicts(menu);
    conflicts[0]?.use("theirs");
    conflicts[0]?.dismiss();
    dropped[0]?.again();
    const names: string[] = useOthers(menu).map(({ actor }) => actor);
    setDish("soup", { label: "better" });
    setDish((last) => (last ?? "") + "!");
    setItems((list) => [...list ?? [], { id: "1", price: 2 }]);
    // @ts-expect-error: what is shown is read-only.
    items?.push({ id: "2", price: 3 });
    // @ts-expect-error: a number is not a dish.
    setDish(7);
    return createElement("form", null, dish, names.join(), isSaved ? state : "saving",
        createElement("textarea", { ref: note }), createElement("input", { ref: note }),
        createElement("button", { disabled: !canUndo, onClick: () => void undo() }, "Undo"));
}

export const page = createElement(Versiond, { connection },
    createElement(Suspense, { fallback: null }, createElement(Form)));

const menu = connection.document<Menu>("menu");
const end: () => void = store<string>(menu, "/dish").subscribe((dish: string | undefined) => dish);
status(menu).subscribe(({ canRedo, dropped }) => `${canRedo} ${dropped.toFixed()}`);
conflicts(menu).subscribe(({ conflicts: met }) => met.map(({ winner, values }) => [winner, values]));
others(menu).subscribe((list) => list.map(({ client }) => client));
store<Menu>(menu).update((value: Shown<Menu> | undefined) => ({ dish: "", items: [], ...value }));
end();

export const extensions = [versiondText(menu, "/note", { state: { name: "Ada", color: "#c33" } })];

const area = document.querySelector("textarea");
if (area) bindText(menu, area, menu.at("/dish"))();

class Monaco implements Editor {
    text = "";
    caret = 0;
    setReadOnly(isReadOnly: boolean) { this.caret = isReadOnly ? 0 : 1; }
    show(text: string, { changes, move }: Parameters<Editor["show"]>[1]) {
        for (const { at, removed, inserted } of changes()) this.caret = at + removed.length + inserted.length;
        [this.caret] = move(0, 0);
        this.text = text;
    }
}
const binding = new TextBinding(menu, new Monaco(), "/note");
binding.begin();
binding.typed([{ from: 0, to: 0, insert: "a" }]);
binding.end();
