// Versions as rows: days, sessions, runs that fold, what was undone, scopes. Pure.

import { dayKey } from "./times.js";

const gapMax = 30 * 60_000;
const sessionMax = 4 * 3_600_000;
const sessionMin = 3;
const runMin = 4;
/** So many rows of a fold are opened at once. */
const openedMax = 40;

const time = (version) => new Date(version.ended).getTime();
const only = (version) => (version.actors?.length === 1 ? version.actors[0] : null);
/** Places without the positions in arrays: what is done to each of many looks alike. */
const pattern = (version) => [...new Set((version.paths ?? [])
    .map((path) => path.replace(/\/\d+(?=\/|$)/g, "/*")))].sort().join(" ");

/**
 * Rows for versions, the newest first. Options: `opened` has the keys of folds that are open;
 * `isShown` says which version is shown, `hasOlder` and `hasNewer` whether more can be read.
 * A row: { type, key, … }.
 */
export function rowsOf(versions, options = {}) {
    const { opened = new Set(), isShown = () => false, scopes = [] } = options;
    const ahead = versions.filter(({ standing }) => standing === "redo");
    const rows = [];
    if (ahead.length > 0) fold(rows, { type: "ahead", key: "ahead", versions: ahead }, opened,
        isShown);
    const rest = versions.filter(({ standing }) => standing !== "redo");
    const sessions = sessionsOf(rest);
    for (const session of sessions) {
        const lastDay = rows.findLast(({ type }) => type === "day")?.day;
        const day = dayKey(session[0].ended ?? Date.now());
        if (day !== lastDay) rows.push({ type: "day", key: `day ${day}`, day,
            ended: session[0].ended });
        if (isSession(session)) rows.push(
            sessionRow(session, options.hasOlder && session === sessions.at(-1),
                options.hasNewer && session === sessions[0]));
        for (const one of partsOf(session, isShown)) addPart(rows, one, opened, isShown);
    }
    return scoped(timed(rows), scopes);
}

/** Neighbours with short gaps, on one day. */
function sessionsOf(versions) {
    const sessions = [];
    for (const version of versions) {
        const last = sessions.at(-1);
        const previous = last?.at(-1);
        const fits = previous && time(previous) - time(version) < gapMax
            && time(last[0]) - time(version) <= sessionMax
            && dayKey(previous.ended) === dayKey(version.ended);
        // A forgotten version has no time: it stays with its neighbours.
        if (previous && (fits || version.ended === undefined
            || previous.ended === undefined)) last.push(version);
        else sessions.push([version]);
    }
    return sessions;
}

const peopleOf = (versions) => [...new Set(versions.flatMap(({ actors }) => actors ?? []))];

function isSession(versions) {
    return versions.length >= sessionMin || peopleOf(versions).length > 1;
}

/** `hasOlder` and `hasNewer`: more of it may be unread, so when it began or ended is unknown. */
const sessionRow = (versions, hasOlder, hasNewer) => ({
    type: "session", key: `session ${versions.at(-1).version}`, people: peopleOf(versions),
    began: hasOlder ? null : versions.at(-1).began ?? versions.at(-1).ended,
    ended: hasNewer ? null : versions[0].ended, count: versions.length,
});

/** A session in parts: what was undone, runs, and single versions. */
function partsOf(session, isShown) {
    const parts = [];
    for (const version of session) {
        const last = parts.at(-1);
        const type = version.standing === "aside" ? "fork" : mayFold(version, isShown) ? "run"
            : "version";
        const joins = last?.type === type
            && (type === "fork" || (type === "run" && isAlike(last.versions[0], version)));
        if (joins) last.versions.push(version);
        else parts.push({ type, key: `${type} ${version.version}`, versions: [version] });
    }
    return parts;
}

function mayFold(version, isShown) {
    return version.standing !== "current" && !version.label && version.tags.length === 0
        && version.snapshots.length === 0 && only(version) !== null && !isShown(version)
        && version.kind === "append";
}

const isAlike = (one, other) => only(one) === only(other) && pattern(one) === pattern(other)
    && one.scopeLevel === other.scopeLevel && one.inEffect === other.inEffect;

function addPart(rows, part, opened, isShown) {
    const isFolded = part.type === "fork"
        || (part.type === "run" && part.versions.length >= runMin);
    if (isFolded) fold(rows, part, opened, isShown);
    else rows.push(...part.versions.map((version) => versionRow(version, null)));
}

/** A fold that is named by its oldest version: so it stays the same when newer ones join it. */
function fold(rows, part, opened, isShown) {
    const key = `${part.type} ${part.versions.at(-1).version}`;
    const isOpen = opened.has(key) || part.versions.some(isShown);
    rows.push({ ...part, key, isOpen });
    if (!isOpen) return;
    let end = Math.max(openedMax, part.versions.findIndex(isShown) + 1);
    while (opened.has(`${key} ${end}`)) end += openedMax;
    rows.push(...part.versions.slice(0, end).map((version) => versionRow(version, part.type)));
    const count = part.versions.length - end;
    if (count > 0) rows.push({ type: "rest", key: `${key} ${end}`, count });
}

const versionRow = (version, inside) =>
    ({ type: "version", key: `version ${version.version}`, version, inside });

/** Equal minutes are blank. */
function timed(rows) {
    let last = null;
    for (const row of rows) {
        if (row.type === "day" || row.type === "session") last = null;
        const ended = row.type === "version" ? row.version.ended : row.type === "run"
            ? row.versions[0].ended : undefined;
        if (ended === undefined) continue;
        const shown = Math.floor(new Date(ended).getTime() / 60_000);
        row.isSameTime = shown === last;
        last = shown;
    }
    return rows;
}

/** A scope is named once, above the newest of its versions. */
function scoped(rows, scopes) {
    const result = [];
    let level = 0;
    for (const row of rows) {
        const own = row.version?.scopeLevel ?? row.versions?.[0].scopeLevel;
        if (own !== undefined && own !== level) {
            if (own > level) {
                const scope = scopes.find(({ scopeLevel }) => scopeLevel === own);
                const count = rows.reduce((sum, one) => sum + (one.version?.scopeLevel >= own ? 1
                    : 0), 0);
                result.push({ type: "scope", key: `scope ${own}`, level: own, scope, count });
            }
            level = own;
        }
        result.push(level > 0 ? { ...row, scopeLevel: level } : row);
    }
    return result;
}
