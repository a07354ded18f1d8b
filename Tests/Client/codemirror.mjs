// CodeMirror 6 as JupyterLab's wheel has it, from PyPI: chunks of a bundle, in which each module has its
// names. Makes modules of them that a page can import.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

/** By a name that only this module exports. */
const wanted = { state: "EditorState", view: "EditorView", style: "StyleModule" };
const exported = (text, id) => {
    const start = text.search(new RegExp(`[{,]${id}\\(`));
    const list = /\.d\(\w+,\{([^}]*)\}\)/.exec(text.slice(start))[1];
    return [...list.matchAll(/(\w+):\(\)=>/g)].map(([, name]) => name);
};

export function codeMirror(folder) {
    const files = readdirSync(folder).filter((name) => /^\d+\.\w+\.js$/.test(name))
        .map((name) => readFileSync(path.join(folder, name), "utf8"));
    const found = Object.entries(wanted).map(([part, name]) => {
        const text = files.find((one) => new RegExp(`\\.d\\(\\w+,\\{[^}]*\\b${name}:\\(\\)=>`).test(one));
        const before = text.slice(0, text.search(new RegExp(`\\b${name}:\\(\\)=>`)));
        const id = [...before.matchAll(/[{,](\d+)\(/g)].at(-1)[1];
        return [part, { text, id, names: exported(text, id) }];
    });
    const { state, view, style } = Object.fromEntries(found);
    // The imports of the view, in the order of its requests.
    const asked = [...view.text.matchAll(/=i\((\d+)\)/g)].map(([, id]) => id);
    const elsewhere = { [asked[0]]: state.id, [asked[1]]: style.id };
    const loader = `const modules = {}, made = {};
const elsewhere = ${JSON.stringify(elsewhere)};
self.rspackChunk_jupyterlab_application_top = { push: ([, more]) => Object.assign(modules, more) };
function load(id) {
    if (!(id in modules) && id in elsewhere) return load(elsewhere[id]);
    if (made[id]) return made[id];
    const exports = made[id] = {};
    modules[id]({ exports }, exports, load);
    return exports;
}
load.r = () => {};
load.d = (exports, names) => {
    for (const name in names) Object.defineProperty(exports, name, { enumerable: true, get: names[name] });
};
${[state, view, style].map(({ text }) => text).join("\n;")}
export default load;
`;
    const module = ({ id, names }) =>
        `import load from "./load.js";\nexport const { ${names.join(", ")} } = load(${id});\n`;
    return { "load.js": loader, "state.js": module(state), "view.js": module(view) };
}
