// Drafts: what each would change, what is in conflict, and merging it, whole or in part. A part of
// the web UI that is loaded when it is needed.

import { addressOf } from "./address.js";
import { caller, documentPath, get, send } from "./api.js";
import { button, chip, fill, make } from "./build.js";
import { placeWords } from "./conflict.js";
import { question, toast } from "./dialog.js";
import { valueAt } from "./json.js";
import { counted, releaseOf, said, titled, visible } from "./names.js";
import { me, named } from "./people.js";
import { note, trouble } from "./states.js";

const listedMax = 100;
const editsMax = 200;
const namedMax = 3;

const look = (name) => { location.hash = addressOf(name); };
const link = (name) => make("a", { href: addressOf(name), dir: "auto" }, visible(name));

/** Of a draft, the differences from its origin; of another document, its drafts. */
export async function drafts(name) {
    const found = await get(`${documentPath(name)}/origin`).catch((error) => {
        if (error.problem?.code !== "no-origin") throw error;
        return null;
    });
    return found ? review(name, found) : list(name);
}

// MARK: On the page of a document

/** A note on the page of a draft, with its differences from the origin. */
export function draftNote(name, found, attempt) {
    const origin = visible(found.origin);
    if (found.isGone) {
        return note("", "draft", `Draft of ${origin}`,
            `${origin} was deleted, or another document has its name. The draft stays.`);
    }
    const [ahead, behind] = [found.ahead.edits, found.behind.edits];
    const release = releaseOf(name);
    const words = [ahead > 0 && `${counted(ahead, "edit")} ahead`,
        behind > 0 && `${counted(behind, "edit")} behind`].filter(Boolean).join(", ");
    return note("", "draft", ["Draft of ", link(found.origin)],
        [words || `The same as ${origin}.`, " ", conflictChip(found)],
        make("span", { class: "acts" },
            behind > 0 && mayUpdate() && button("small line",
                () => attempt(() => updateOrReview(name, found)), {}, `Update from ${origin}`),
            ahead > 0 && button("small main", () => attempt(() => drafts(name)), {},
                mayMerge() ? "Merge …" : "Review …"),
            release && mayMerge() && button("small line", () => attempt(async () =>
                (await import("./release.js")).mergeAll(release)), {},
            `Merge all of ${visible(release)} …`)));
}

/** Says on the page of a document which drafts wait to be merged into it. */
export function waitingNote(name, waiting, hasMore, attempt) {
    const count = `${waiting.length}${hasMore ? " or more" : ""}`;
    const rest = waiting.length - namedMax;
    const rows = waiting.slice(0, namedMax).map((draft) => make("li", {}, link(draft.document),
        ` ${describe(draft)} `, conflictChip(draft)));
    return note("", "draft", waiting.length === 1 ? "1 draft waits to be merged"
        : `${count} drafts wait to be merged`,
        make("ul", {}, ...rows, rest > 0 && make("li", {}, `and ${rest} more`)),
        button("small line", () => attempt(() =>
            (waiting.length === 1 ? drafts(waiting[0].document) : list(name))), {}, "Review …"));
}

const conflictChip = ({ conflicts }) =>
    conflicts.length > 0 && chip("warn", counted(conflicts.length, "conflict"));
const mayMerge = () => caller.rights.has("write");
const mayUpdate = () => mayMerge() || caller.rights.has("propose");

/** Conflicts are decided on the page that shows them. */
async function updateOrReview(name, { origin, conflicts }) {
    if (conflicts.length > 0) return drafts(name);
    return update(documentPath(name), origin, {});
}

// MARK: The drafts of a document

async function list(name) {
    const page = await get(`${documentPath(name)}/drafts?limit=${listedMax}`);
    const rows = page.drafts.map((draft) => make("p", {},
        button("line small", () => drafts(draft.document), {},
            visible(draft.document)), " ",
        draft.ahead.edits === 0 ? "nothing to merge" : describe(draft), " ", conflictChip(draft)));
    await question(`Drafts of ${name}`, {
        text: make("div", {}, ...(rows.length ? rows : [make("p", {}, "No drafts yet.")]),
            make("p", {}, "A draft is a copy that you can edit, review and merge.")),
        fields: [{ name: "name", label: "Name of a new one",
            value: freeName(`${name}~${me() || "draft"}`, page.drafts) }],
        verb: "Make a draft", cancel: "Close",
        isReady: ({ name: given }) => Boolean(given),
        act: async ({ name: given }) => {
            const path = `${documentPath(given)}?copyOf=${encodeURIComponent(name)}`;
            await send("PUT", path, undefined, { isNew: true });
            look(given);
        },
    });
}

/** A name that no draft of the list has. */
function freeName(name, drafts) {
    const isTaken = (one) => drafts.some(({ document }) => document === one);
    let [free, number] = [name, 1];
    while (isTaken(free)) {
        number += 1;
        free = `${name}-${number}`;
    }
    return free;
}

function describe({ ahead, actors }) {
    const by = actors.length ? ` by ${named(actors, true)}` : "";
    return `${counted(ahead.edits, "edit")}${by}`;
}

// MARK: One draft

async function review(name, found) {
    const path = documentPath(name);
    const [draft, common] = await Promise.all([get(path), get(`${path}?at=origin`)]);
    const origin = visible(found.origin);
    const conflicts = found.places;
    const isOpen = (place) => conflicts.some((one) => one.path === place);
    const edits = editsOf(found.ahead).filter(({ place }) => !isOpen(place));
    if (edits.length > editsMax) edits.length = editsMax;
    const groups = grouped(edits);
    const plan = (given) => planned(given, conflicts, groups, found);
    const text = make("div", { class: "review" },
        make("p", { class: "summary" }, found.ahead.edits === 0
            ? `${visible(name)} has no edits that ${origin} lacks.`
            : `${counted(found.ahead.edits, "edit")} to merge into ${origin}.`),
        found.behind.edits > 0 && behind(path, { ...found, origin }, plan),
        section(`${counted(conflicts.length, "conflict")} to decide`,
            `The draft and ${origin} have both changed these places.`,
            conflicts.map((one, index) => choice(one, index, draft, origin))),
        section(conflicts.length > 0 ? "Other edits" : "Edits",
            "An edit that is not chosen stays in the draft.",
            options(groups, draft, common)));
    await question(`Merge ${name} into ${origin}`, {
        text, verb: (given) => mergeWords(plan(given).paths, found.ahead.paths),
        cancel: "Not now",
        isReady: (given) => mayMerge() && isDecided(given, conflicts)
            && plan(given).paths?.length !== 0 && found.ahead.edits > 0,
        act: async (given) => merge(path, found, plan(given)),
    });
}

function section(title, words, children) {
    return children.length > 0 && make("section", {}, make("h3", {}, title),
        make("p", {}, words), ...children);
}

/** The origin's changes that the draft lacks, with a button to update the draft. */
function behind(path, { origin, behind: news }, plan) {
    const work = async ({ target }) => {
        const form = target.closest("form");
        const { resolve } = plan(Object.fromEntries([...new FormData(form)]));
        try {
            await update(path, origin, resolve);
            form.closest("dialog").close();
        } catch (error) {
            fill(form.querySelector(".problem"), error.problem?.code === "conflict"
                ? "The draft cannot be updated before the conflicts are decided." : trouble(error));
        }
    };
    return make("p", { class: "behind" },
        make("span", {}, `${origin} has ${counted(news.edits, "edit")} that the draft has not.`),
        mayUpdate() && button("line small", work, {}, `Update from ${origin}`));
}

function mergeWords(paths, all) {
    const count = paths?.length ?? all.length;
    if (all.length === 0) return "Merge";
    return count === all.length ? `Merge ${counted(count, "edit")}`
        : `Merge ${count} of ${counted(all.length, "edit")}`;
}

/** A place in conflict: both values, and a choice of the result. */
function choice(place, index, draft, origin) {
    const shown = (value) => (value === undefined ? "nothing" : said(value));
    const option = (value, words, side, more) => make("label", { class: "option" },
        make("input", { type: "radio", name: `c${index}`, value, required: true }),
        make("span", {}, make("b", { dir: "auto" }, words), ` ${side}`,
            more && make("small", {}, more)));
    return make("fieldset", { class: "options" },
        make("legend", {}, titled(placeWords(draft, place.path))),
        make("p", {}, `It was ${shown(place.common)}.`),
        option("draft", shown(place.draft), "in the draft"),
        option("origin", shown(place.origin), `in ${origin}`),
        option("later", "Decide later", "",
            `${origin} keeps ${shown(place.origin)}; the edit stays in the draft.`));
}

/** Edits by their places, of which that of a removal is one in the common state. */
function editsOf({ paths, patch = [] }) {
    const isEach = patch.length === paths.length;
    return paths.map((place, index) =>
        ({ place, isRemoval: isEach && patch[index].op === "remove" }));
}

/** Edits of which one's place is in another's: the daemon takes them together. */
function grouped(edits) {
    let groups = [];
    for (const edit of edits) {
        const met = groups.filter((group) => group.some((one) => isMet(one, edit)));
        groups = [...groups.filter((group) => !met.includes(group)), [...met.flat(), edit]];
    }
    return groups;
}

const isMet = (one, other) => !takesAlong(one, other) && !takesAlong(other, one)
    && (isIn(one.place, other.place) || isIn(other.place, one.place));

const isIn = (place, other) => `${place}/`.startsWith(`${other}/`);

/**
 * Whether a removal can only be merged with another edit, which can be merged alone. The place of
 * the removal is one in the common state: in the draft its neighbour is there.
 */
const takesAlong = (removal, edit) => removal.isRemoval && !edit.isRemoval
    && removal.place !== edit.place && isIn(edit.place, removal.place);

/** Edits that can be done, or left for another time. */
function options(groups, draft, common) {
    const boxes = groups.map((_, index) =>
        make("input", { type: "checkbox", name: `e${index}`, checked: true }));
    return groups.map((group, index) => {
        const along = groups.flatMap((other, at) => other.filter((edit) =>
            group.some((one) => takesAlong(one, edit))).map((edit) => ({ edit, at })));
        for (const { at } of along) couple(boxes[index], boxes[at]);
        const words = group.flatMap((edit, at) =>
            [at > 0 && make("br"), ...editWords(edit, draft, common)]);
        const names = along.map(({ edit }) => placeWords(draft, edit.place));
        return make("label", { class: "option" }, boxes[index], make("span", {}, ...words,
            names.length > 0 && make("small", {}, `Only together with ${names.join(", ")}`)));
    });
}

/** Of two choices the one is not made without the other. */
function couple(box, needed) {
    box.addEventListener("input", () => { needed.checked ||= box.checked; });
    needed.addEventListener("input", () => { box.checked &&= needed.checked; });
}

function editWords({ place, isRemoval }, draft, common) {
    const [now, before] = [isRemoval ? undefined : valueAt(draft, place), valueAt(common, place)];
    const words = now === undefined ? `removed: ${said(before)}` : said(now);
    const was = now !== undefined && before !== undefined && !/\/\d+(\/|$)/.test(place)
        ? `${said(before)} → ` : "";
    return [`${titled(placeWords(now === undefined ? common : draft, place))}: `, was,
        make("b", { dir: "auto" }, words)];
}

const isDecided = (given, conflicts) => conflicts.every((_, index) => given[`c${index}`]);

/** The choices in the daemon's form. */
function planned(given, conflicts, groups, found) {
    const resolve = {};
    const paths = groups.filter((_, index) => given[`e${index}`]).flat().map(({ place }) => place);
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
    const done = await send("POST", `${path}/merge`, { ...plan, match: found.head },
        { revision: found.revision });
    const { document, revision, change } = done.origin;
    if (!change) return toast(`Decided. ${document} stays as it is.`);
    const are = done.left === 1 ? "is" : "are";
    const rest = done.left ? ` ${counted(done.left, "edit")} ${are} left.` : "";
    return toast(`Merged into ${document}.${rest}`, "Undo it",
        () => send("POST", `${documentPath(document)}/undo`, {}, { revision }));
}

/** Updates the draft from its origin, with the chosen resolutions of conflicts. */
async function update(path, origin, resolve) {
    const { revision } = await send("POST", `${path}/update`, { resolve });
    toast(`The draft has what is new in ${origin}.`, "Undo it",
        () => send("POST", `${path}/undo`, {}, { revision }));
}
