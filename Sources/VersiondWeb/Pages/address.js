// The state of the page in its address: #name, #name@version:7, #name@3..version:7. Pure.

const encoded = (text) => encodeURIComponent(text).replaceAll("%3A", ":")
    .replaceAll("%2F", "/").replaceAll("..", "%2E%2E");
const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };

export function addressOf(name, at = null, from = null) {
    const range = from === null ? "" : `${encoded(from)}..`;
    return `#${encoded(name)}${at === null ? "" : `@${range}${encoded(at)}`}`;
}

export function readAddress(hash) {
    const [, name, rest] = hash.match(/^#([^@]*)(?:@(.*))?$/) ?? [];
    const [one, other] = rest === undefined ? [] : rest.split("..");
    return {
        name: name ? decoded(name) : null,
        at: one === undefined ? null : decoded(other ?? one),
        from: other === undefined ? null : decoded(one),
    };
}

/** The version that an address names; `null` if it names something else. */
export const versionOf = (at) => (/^version:\d+$/.test(at ?? "") ? Number(at.slice(8)) : null);
