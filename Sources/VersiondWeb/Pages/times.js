// Times as people say them. Pure: the present is given.

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const two = { hour: "2-digit", minute: "2-digit" };
export const clock = (text) => new Date(text).toLocaleTimeString([], two);
export const seconds = (text) => new Date(text).toLocaleTimeString([],
    { ...two, second: "2-digit" });

const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());
/** Days between two dates, as calendars have them. */
const daysBetween = (then, now) => Math.round((midnight(now) - midnight(then)) / day);

export const dayKey = (text) => midnight(new Date(text)).getTime();

function dateName(date, now) {
    const isThisYear = date.getFullYear() === now.getFullYear();
    return date.toLocaleDateString([], {
        day: "numeric", month: "long", year: isThisYear ? undefined : "numeric",
    });
}

/** A day as a title and, if that is not the date, the date. */
export function dayName(text, now = new Date()) {
    const date = new Date(text);
    const days = daysBetween(date, now);
    const full = `${date.toLocaleDateString([], { weekday: "long" })} ${dateName(date, now)}`;
    if (days === 0) return ["Today", full];
    if (days === 1) return ["Yesterday", full];
    if (days > 1 && days < 7) {
        return [date.toLocaleDateString([], { weekday: "long" }), dateName(date, now)];
    }
    return [dateName(date, now), date.toLocaleDateString([], { weekday: "long" })];
}

/** A moment inside a sentence: "2 minutes ago", "today 14:27", "20 November 14:27". */
export function moment(text, now = new Date()) {
    const date = new Date(text);
    const past = now - date;
    if (past < minute) return "just now";
    if (past < hour) {
        const minutes = Math.floor(past / minute);
        return minutes === 1 ? "1 minute ago" : `${minutes} minutes ago`;
    }
    const [name] = dayName(text, now);
    return `${["Today", "Yesterday"].includes(name) ? name.toLowerCase() : name} ${clock(text)}`;
}

/** The shortest that says it, for a narrow column: "2 min ago", "5 h ago", "Mon", "20 Nov". */
export function brief(text, now = new Date()) {
    const date = new Date(text);
    const past = now - date;
    if (past < minute) return "now";
    if (past < hour) return `${Math.floor(past / minute)} min ago`;
    if (past < 12 * hour) return `${Math.floor(past / hour)} h ago`;
    const days = daysBetween(date, now);
    if (days < 7) return date.toLocaleDateString([], { weekday: "short" });
    const isThisYear = date.getFullYear() === now.getFullYear();
    return date.toLocaleDateString([], {
        day: "numeric", month: "short", year: isThisYear ? undefined : "numeric",
    });
}

/** How long something is, in one unit: "3 weeks". */
export function length(milliseconds) {
    const units = [["week", 7 * day], ["day", day], ["hour", hour], ["minute", minute]];
    for (const [name, size] of units) {
        const count = Math.floor(milliseconds / size);
        if (count >= (name === "week" ? 2 : 1)) return count === 1 ? `1 ${name}`
            : `${count} ${name}s`;
    }
    return "a moment";
}
