// An example of a typed program; `tsc --strict` must accept it.

import { connect, open, DocumentError } from "versiond";
import type { DroppedDetail, Operation, Place, SharedDocument, State } from "versiond";

interface Item { id: string; text: string; done: boolean }
interface Menu { dish: string; price: number; items: Item[]; note?: string }

const connection = connect("https://docs.example", {
    token: async () => (await fetch("/my-token")).text(), actor: "Jürgen",
});
const menu: SharedDocument<Menu> = connection.document<Menu>("menu", {
    create: () => ({ dish: "", price: 0, items: [] }), debounce: "2s", conflict: "theirs",
});

export async function use(): Promise<void> {
    await menu.ready;
    const price: number = menu.value?.price ?? 0;
    menu.change((draft) => {
        draft.items.push({ id: "a", text: "bread", done: false });
        draft.items.sort((one, other) => one.text.localeCompare(other.text));
        delete draft.note;
    }, { label: "add bread" });
    menu.edit((value) => ({ ...value, price: price + 1 }));
    menu.edit([{ op: "str_ins", path: "/dish", pos: 0, str: "hot " }]);
    menu.edit([{ op: "str_replace", path: "/dish", find: "hot", str: "cold" }]);
    menu.presence.set({ at: { path: "/dish", anchor: 0, head: 1 } });
    menu.onpresence = ({ detail }) => { console.log(detail.others[0]?.actor); };
    const place: Place = menu.at("/items/0");
    place.at("done").set(true);
    place.moveTo("/items/1");
    const outcome = await menu.undo({ conflict: "theirs" });
    const undone: number[] = outcome?.change?.undone ?? [];
    console.log(undone.length, place.pointer?.length);
    const { changes } = await connection.undoAll({
        all: { actor: "agent/run-17" }, keep: { menu: ["/price"], list: true }, match: { menu: 9 },
        resolve: { menu: { "/dish": "theirs" } }, conflict: "theirs",
    });
    const kept: string[] = changes.flatMap((one) => one.kept ?? []);
    await connection.redoAll({ transaction: "menu@8", label: String(kept) });
}

export function listen(show: (state: State) => void, offer: (lost: Operation[]) => void): void {
    menu.onstate = ({ detail }) => show(detail.state);
    menu.addEventListener("dropped", ({ detail }: CustomEvent<DroppedDetail>) => {
        offer(detail.operations);
        detail.forget();
    });
    menu.addEventListener("conflict", ({ detail }) => {
        if (detail.winner === "mine") detail.use("theirs");
    });
    menu.onerror = ({ detail }) => console.error(detail.code, detail.isRetryable);
}

export function show(list: HTMLElement, area: HTMLTextAreaElement): () => void {
    const ends = [
        menu.bindTextarea(area, "/note"),
        menu.bindKeys(document),
        menu.bindList(list, "/items", (place) => {
            const row = document.createElement("li");
            const done = document.createElement("input");
            done.type = "checkbox";
            const end = menu.bindInput(done, place.at("done"));
            row.append(done);
            return { element: row, end };
        }),
    ];
    return () => ends.forEach((end) => end());
}

export async function end(): Promise<void> {
    const left: Operation[] = await menu.close({ timeout: 1_000 });
    if (left.length > 0) throw new DocumentError();
    await connection.close();
}

const note = open("/v1/documents/note", { create: { text: "" } });
// @ts-expect-error what is shown is read-only
menu.value!.dish = "soup";
// @ts-expect-error this event does not exist
menu.addEventListener("sometimes", () => {});
// @ts-expect-error an operation needs a path
note.edit([{ op: "remove" }]);
