// Drafts: what each would change, what is in conflict, and merging it, whole or in part. A file of
// its own, which is loaded when somebody asks for it.

import { addressOf } from "./address.js";
import { caller, documentPath, get, learnCaller, send } from "./api.js";
import { button, fill, make } from "./build.js";
import { placeWords } from "./conflict.js";
import { question, toast } from "./dialog.js";
import { valueAt } from "./json.js";
import { counted, said, titled } from "./names.js";
import { me, named } from "./people.js";
import { trouble } from "./states.js";

const listedMax = 100;
const editsMax = 200;

const look = (name) => { location.hash = addressOf(name); };

/** Of a draft, what stands between it and its origin; of another document, its drafts. */
export async function drafts(name) {
    if (caller.rights.size === 0) await learnCaller();
    const found = await get(`${documentPath(name)}/origin`).catch((error) => {
        if (error.problem?.code !== "no-origin") throw error;
        return null;
    });
    return found ? review(name, found) : list(name);
}

// MARK: The drafts of a document

async function list(name) {
    const page = await get(`${documentPath(name)}/drafts?limit=${listedMax}`);
    const rows = page.drafts.map((draft) => make("p", {},
        button("line small", () => drafts(draft.document), {}, draft.document), " ",
        draft.ahead.edits === 0 ? "has nothing new" : describe(draft)));
    await question(`Drafts of ${name}`, {
        text: make("div", {}, ...(rows.length ? rows : [make("p", {}, "There is none yet.")]),
            make("p", {}, "A draft is a copy that can be edited, looked at, and merged.")),
        fields: [{ name: "name", label: "Name of a new one",
            value: `${name}~${me() || "draft"}` }],
        verb: "Make a draft", cancel: "Close",
        isReady: ({ name: given }) => Boolean(given),
        act: async ({ name: given }) => {
            const path = `${documentPath(given)}?copyOf=${encodeURIComponent(name)}`;
            await send("PUT", path, undefined, { isNew: true });
            look(given);
        },
    });
}

function describe({ ahead, actors, conflicts }) {
    const by = actors.length ? ` by ${named(actors, true)}` : "";
    const rest = conflicts.length ? `, ${counted(conflicts.length, "conflict")}` : "";
    return `${counted(ahead.edits, "edit")}${by}${rest}`;
}

// MARK: One draft

async function review(name, found) {
    const path = documentPath(name);
    const [draft, common] = await Promise.all([get(path), get(`${path}?at=origin`)]);
    const conflicts = found.places;
    const isOpen = (place) => conflicts.some((one) => one.path === place);
    const places = found.ahead.paths.filter((place) => !isOpen(place));
    if (places.length > editsMax) places.length = editsMax;
    const plan = (given) => planned(given, conflicts, places, found);
    const { origin } = found;
    const news = found.behind.edits > 0 && make("p", {},
        `${origin} has had ${counted(found.behind.edits, "edit")} since. `,
        button("line small", (event) => update(event, path, plan), {}, "Take over"));
    const text = make("div", { class: "options" },
        make("p", { class: "told" }, found.ahead.edits === 0
            ? `${name} has nothing that ${origin} has not.`
            : `${counted(found.ahead.edits, "edit")} would come into ${origin}.`), news,
        ...conflicts.map((one, index) => choice(one, index, draft, origin)),
        ...places.map((place, index) => edit(place, index, draft, common)));
    await question(`Merge ${name} into ${origin}`, {
        text, verb: "Merge", cancel: "Not now",
        isReady: (given) => found.ahead.edits > 0 && isDecided(given, conflicts),
        act: async (given) => merge(path, found, plan(given)),
    });
}

/** A place in conflict: what both had, and a choice of what there is now. */
function choice(place, index, draft, origin) {
    const shown = (value) => (value === undefined ? "nothing" : said(value));
    const option = (value, words, side) => make("label", { class: "option" },
        make("input", { type: "radio", name: `c${index}`, value, required: true }),
        make("span", {}, make("b", { dir: "auto" }, words), ` ${side}`));
    return make("fieldset", { class: "options" },
        make("legend", {}, titled(placeWords(draft, place.path))),
        make("p", {}, `It was ${shown(place.common)}.`),
        option("draft", shown(place.draft), "in the draft"),
        option("origin", shown(place.origin), `in ${origin}`),
        option("later", "Neither yet", ""));
}

/** An edit that can be done, or left for another time. */
function edit(place, index, draft, common) {
    const [now, before] = [valueAt(draft, place), valueAt(common, place)];
    const words = now === undefined ? `removed: ${said(before)}` : said(now);
    const was = now !== undefined && before !== undefined && !/\/\d+(\/|$)/.test(place)
        ? `${said(before)} → ` : "";
    return make("label", { class: "option" },
        make("input", { type: "checkbox", name: `e${index}`, checked: true }),
        make("span", {}, `${titled(placeWords(now === undefined ? common : draft, place))}: `,
            was, make("b", { dir: "auto" }, words)));
}

const isDecided = (given, conflicts) => conflicts.every((_, index) => given[`c${index}`]);

/** What was chosen, as the daemon takes it. */
function planned(given, conflicts, places, found) {
    const resolve = {};
    const paths = places.filter((_, index) => given[`e${index}`]);
    conflicts.forEach(({ path }, index) => {
        const side = given[`c${index}`];
        if (!side || side === "later") return;
        resolve[path] = side;
        paths.push(path);
    });
    const isAll = paths.length === found.ahead.paths.length;
    return { resolve, ...(isAll ? {} : { paths }) };
}

async function merge(path, found, plan) {
    if (plan.paths?.length === 0) throw new Error("Nothing is chosen.");
    const done = await send("POST", `${path}/merge`, { ...plan, match: found.head },
        { revision: found.revision });
    const { document, revision, change } = done.origin;
    if (!change) return toast(`Settled. ${document} stays as it is.`);
    const are = done.left === 1 ? "is" : "are";
    const rest = done.left ? ` ${counted(done.left, "edit")} ${are} left.` : "";
    return toast(`Merged into ${document}.${rest}`, "Undo it",
        () => send("POST", `${documentPath(document)}/undo`, {}, { revision }));
}

/** The draft takes over what is new; what is in conflict by what was chosen. */
async function update(event, path, plan) {
    const form = event.target.closest("form");
    const { resolve } = plan(Object.fromEntries([...new FormData(form)]));
    try {
        await send("POST", `${path}/update`, { resolve });
        form.closest("dialog").close();
        toast("The draft is up to date.", "Undo it", () => send("POST", `${path}/undo`, {}));
    } catch (error) {
        fill(form.querySelector(".problem"), trouble(error));
    }
}
