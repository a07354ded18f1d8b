// Makes elements. Words are always text, never markup.

export const $ = (id) => document.getElementById(id);

/** An element with attributes and children; `null` and `false` are left out. */
export function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== false && child !== undefined));
    return element;
}

export function drawing(name, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
}

export const chip = (text, kind) => make("span", { class: `chip ${kind}` }, text);

/** A time as people say it: near ones short. */
export function timeText(text, now = new Date()) {
    const time = new Date(text);
    const isToday = time.toDateString() === now.toDateString();
    return isToday
        ? time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
        : time.toLocaleDateString([], { day: "numeric", month: "short", year: time.getFullYear() === now.getFullYear() ? undefined : "numeric" });
}

/** Puts children in place without touching those that stay: focus and scrolling stay, too. */
export function patchChildren(parent, wanted) {
    const kept = new Set(wanted);
    for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
    wanted.forEach((child, index) => {
        if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
    });
}
