// The list of versions: rows of a timeline, which keep focus and place when something changes.

import { button, chip, make, Rows, spoken } from "./build.js";
import { icon } from "./icons.js";
import { counted } from "./names.js";
import { avatar, hueOf, isMe, named, who } from "./people.js";
import { headline, phrase, told, values } from "./sentences.js";
import { clock, dayName, seconds } from "./times.js";

export class Timeline {
    #rows;
    #address;
    #unfold;

    /** `address` gives the link of a version; `unfold` opens or closes a fold by its key. */
    constructor(list, { address, unfold }) {
        this.#rows = new Rows(list);
        this.#address = address;
        this.#unfold = unfold;
    }

    show(rows, isShown, now = new Date()) {
        this.#rows.show(rows.map((row) => {
            const shown = row.type === "version" && isShown(row.version);
            const today = row.type === "day" ? now.toDateString() : null;
            return { key: row.key, state: [row, shown, today],
                make: () => this.#row(row, shown, now) };
        }));
    }

    /** Brings a version into view, and the focus to it if that is wanted. */
    reveal(version, hasFocus) {
        const row = this.#rows.element(`version ${version}`);
        row?.scrollIntoView({ block: "nearest" });
        if (hasFocus) this.#rows.focus(`version ${version}`, { preventScroll: true });
        return row !== null;
    }

    #row(row, isShown, now) {
        const element = this[`_${row.type}`](row, isShown, now);
        if (row.scopeLevel) {
            element.classList.add("scoped");
            element.dataset.level = row.scopeLevel;
        }
        return element;
    }

    _day({ ended }, _, now) {
        const [title, more] = ended === undefined ? ["Before", ""] : dayName(ended, now);
        return make("li", { class: "day" }, make("h2", {}, title),
            make("span", { class: "quiet" }, more));
    }

    /** Of a session that is not read to its end, only what is known. */
    _session({ people, began, ended, count }) {
        const [from, to] = [began, ended].map((time) => time && clock(time));
        const span = from && to ? (from === to ? to : `${from} – ${to}`)
            : from ? `since ${from}` : to && `until ${to}`;
        const words = from && to ? counted(count, "version") : `${count} or more versions`;
        return make("li", { class: "session" },
            [named(people), span, words].filter(Boolean).join(" · "));
    }

    _scope({ scope, count, level }) {
        const owner = scope?.owner ?? "";
        const versions = counted(count, "version");
        const whose = owner === "" ? "A scope" : isMe(owner) ? "Your scope" : `${owner}’s scope`;
        return make("li", { class: "scope-name", "data-hue": owner ? hueOf(owner) : null },
            make("b", {}, whose), ` ${level > 1 ? "inside it, " : ""}open, ${versions}`);
    }

    _ahead({ key, versions, isOpen }) {
        const words = versions.length === 1 ? "1 version ahead"
            : `${versions.length} versions ahead`;
        return this.#fold("ahead", key, isOpen, versions,
            `${words}: redo puts ${versions.length === 1 ? "it" : "them"} back`);
    }

    _fork({ key, versions, isOpen }) {
        const people = [...new Set(versions.flatMap(({ actors }) => actors ?? []))];
        const count = counted(versions.length, "undone version");
        const objects = [...new Set(versions.flatMap(objectsOf))];
        const what = objects.slice(0, 3).join(", ") || phrase(versions[0]);
        return this.#fold("fork", key, isOpen, versions,
            `${count} of ${named(people, true)}: ${what}`);
    }

    _run({ key, versions, isOpen, isSameTime }) {
        const [actor] = versions[0].actors;
        const row = make("li", { class: "v run" }, avatar(actor),
            button("row", () => this.#unfold(key), { "aria-expanded": String(isOpen) },
                make("span", { class: "say" }, who(actor), " ", ...runWords(versions), " ",
                    chip("", `${versions.length} versions`, icon("down"))),
                time(versions[0], isSameTime)));
        return row;
    }

    _rest({ key, count }) {
        return make("li", { class: "fold" }, button("small", () => this.#unfold(key), {},
            `${count} more of them`, icon("down")));
    }

    #fold(kind, key, isOpen, versions, words) {
        return make("li", { class: `fold ${kind}` },
            button("small", () => this.#unfold(key), { "aria-expanded": String(isOpen) }, words,
                icon("down")));
    }

    _version({ version, inside, isSameTime }, isShown) {
        const { standing } = version;
        const isNow = standing === "current";
        const isOff = version.inEffect === false;
        const classes = ["v", isNow && "now", isOff && "off", standing === "redo" && "redo",
            standing === "aside" && "aside", inside
                && `inside ${inside}`].filter(Boolean).join(" ");
        const second = version.label ? told(version) : values(version);
        return make("li", { class: classes, "data-version": version.version },
            avatar(version.actors?.[0] ?? ""),
            make("a", { href: this.#address(version), "aria-current": isShown ? "true" : null },
                make("span", { class: "say" }, ...headline(version), flags(version, isNow, isOff)),
                time(version, isSameTime),
                second.length > 0 && make("span", { class: "sub" }, second)));
    }
}

function flags(version, isNow, isOff) {
    const all = [
        isNow && chip("flag", "now"),
        isOff && chip("", "not in effect"),
        version.standing === "aside" && spoken(", undone"),
        ...version.tags.map((tag) => chip("flag", icon("flag"), spoken("tag "), tag)),
        ...version.snapshots.map((key) => chip("pin", icon("pin"), spoken("snapshot "), key)),
        version.edits > 1 && chip("", `${version.edits} edits`),
    ].filter(Boolean);
    return all.length > 0 && make("span", { class: "chips" }, all);
}

function time(version, isSame) {
    if (version.ended === undefined) return null;
    return make("time", { datetime: version.ended, class: isSame ? "same" : null,
        title: `${seconds(version.ended)}, id ${version.version}` }, clock(version.ended));
}

const objectsOf = (version) => version.summary?.parts.flatMap((part) => part.object ?? []) ?? [];

/** A summary of a run: its objects together, if all sentences begin with the same words. */
function runWords(versions) {
    const first = versions[0].summary?.parts[0]?.words;
    const isAlike = first && versions.every((one) => one.summary?.parts[0]?.words === first);
    const objects = [...new Set(versions.flatMap(objectsOf))];
    if (!isAlike || objects.length === 0) return [phrase(versions[0])];
    const shown = objects.slice(0, 2).flatMap((one, index) => [index > 0 ? ", " : "",
        make("b", { dir: "auto" }, one)]);
    const rest = objects.length - 2;
    return [first, ...shown, rest > 0 ? ` and ${rest} more` : ""];
}

