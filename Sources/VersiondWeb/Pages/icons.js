// Icons of our own: 16 pixels, strokes of 1.5.

import { drawing } from "./build.js";

const paths = {
    undo: "M6 3.5 2.5 7 6 10.5M2.5 7h7a4 4 0 0 1 0 8H7",
    redo: "M10 3.5 13.5 7 10 10.5M13.5 7h-7a4 4 0 0 0 0 8H9",
    mine: "M6 4 2.5 7.5 6 11M2.5 7.5H8"
        + "M11.5 8.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8.5 14c0-2 1.3-3 3-3s3 1 3 3",
    back: "M9.5 3.5 5 8l4.5 4.5",
    right: "M6.5 3.5 11 8l-4.5 4.5",
    down: "M3.5 6 8 10.5 12.5 6",
    up: "M3.5 10 8 5.5l4.5 4.5",
    search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.5 10.5 14 14",
    more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
    flag: "M3.5 14.5V2.5M3.5 3h8l-2 3 2 3h-8",
    pin: "M8 14.5s4.5-4.2 4.5-7.7"
        + "a4.5 4.5 0 0 0-9 0C3.5 10.3 8 14.5 8 14.5Z"
        + "M8 8.3a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2Z",
    compare: "M2.5 3h4v10h-4ZM9.5 3h4v10h-4Z",
    draft: "M4.5 5v6M4.5 5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z"
        + "M4.5 14a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z"
        + "M11.5 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.5 6c0 3-3.5 2.5-7 3.5",
    restore: "M3 8a5 5 0 1 0 1.6-3.7M3 2.5v3h3M8 5.5V8l2 1.3",
    edit: "M10.5 3 13 5.5 5.5 13l-3 .5.5-3Z",
    plus: "M8 3v10M3 8h10",
    close: "M4 4l8 8M12 4l-8 8",
    play: "M5 3v10l8-5Z",
    pause: "M5 3v10M11 3v10",
    doc: "M4 2h5l3 3v9H4ZM9 2v3h3",
    copy: "M5.5 5.5h8v8h-8ZM10.5 5.5v-3h-8v8h3",
    trash: "M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9",
    rename: "M2.5 5h7v6h-7ZM12 3v10M10.5 3h3M10.5 13h3",
    arrow: "M2.5 8h11M9.5 4l4 4-4 4",
    swap: "M3 5.5h10L10.5 3M13 10.5H3L5.5 13",
    move: "M8 2.5v11M5 5.5l3-3 3 3M5 10.5l3 3 3-3",
    key: "M5.5 10.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8.5 7.5h5v2.5M11.5 7.5v2",
    off: "M2 2l12 12M6 5a3.8 3.8 0 0 1 6 2.3 2.6 2.6 0 0 1 1.5 4M10.5 12.5H5a3 3 0 0 1-.3-6",
    eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 9.8"
        + "a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6Z",
    warn: "M8 2.5 14.5 13.5h-13ZM8 6.5v3M8 11.5h.01",
    keys: "M1.5 4.5h13v7h-13ZM4 7h.01M6.7 7h.01M9.3 7h.01M12 7h.01M5 9.5h6",
    together: "M5.5 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z"
        + "M2 13c0-2.2 1.5-3.5 3.5-3.5S9 10.8 9 13"
        + "M10.5 8a1.8 1.8 0 1 0 0-3.6M11 9.5c1.8 0 3 1.3 3 3.5",
};
const dots = ["more"];

export const icon = (name) => drawing("svg",
    { class: "i", viewBox: "0 0 16 16", "aria-hidden": "true" },
    drawing("path", { d: paths[name], class: dots.includes(name) ? "dots" : null }));

/** The mark: a line of time that turns back on itself. */
export const mark = () => drawing("svg",
    { class: "sign", viewBox: "0 0 20 20", "aria-hidden": "true" },
    drawing("path", { d: "M5 2.5v15", class: "line" }),
    drawing("path", { d: "M5 14c7 0 10-2.5 10-6.5S11 2.5 8.5 4.5", class: "turn" }),
    drawing("circle", { cx: 5, cy: 14, r: 2.5 }));
