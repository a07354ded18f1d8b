// An application with a page of its own, which has the package, React and CodeMirror: for tests in a browser.

import { readFileSync } from "node:fs";
import path from "node:path";
import { codeMirror } from "./codemirror.mjs";
import { Daemon } from "./daemon.mjs";
import { serve } from "./serving.mjs";

const root = path.join(import.meta.dirname, "../../Clients/javascript");
const modules = "/usr/share/nodejs";
export const jupyterlab = process.env.JUPYTERLAB
    ?? path.join(import.meta.dirname, "../../.build/jupyterlab/jupyterlab/static");
const reactNames = ["Component", "Fragment", "StrictMode", "Suspense", "createContext", "createElement",
    "memo", "useCallback", "useContext", "useEffect", "useMemo", "useRef", "useState",
    "useSyncExternalStore"];

const imports = {
    versiond: "/package/index.js", react: "/react.js", "react-dom": "/react-dom.js",
    "@codemirror/state": "/codemirror/state.js", "@codemirror/view": "/codemirror/view.js",
    ...Object.fromEntries(["react", "store", "text", "codemirror", "indexeddb"]
        .map((name) => [`versiond/${name}`, `/package/${name}.js`])),
};
const page = `<!doctype html><meta charset="utf-8"><title>Application</title>
<script type="importmap">${JSON.stringify({ imports })}</script>
<script src="/umd/react/umd/react.development.js"></script>
<script src="/umd/react-dom/umd/react-dom.development.js"></script>
<body><div id="root"></div></body>`;
const shims = {
    "/react.js": `export const { ${reactNames.join(", ")} } = window.React;\nexport default window.React;\n`,
    "/react-dom.js": "export const { createRoot, flushSync } = window.ReactDOM;\n",
};

export class Application {
    constructor() {
        this.editor = Object.fromEntries(Object.entries(codeMirror(jupyterlab))
            .map(([name, text]) => [`/codemirror/${name}`, text]));
    }

    async start() {
        this.server = await serve((name) => this.#text(name));
        this.origin = this.server.origin;
        this.daemon = await new Daemon({ VERSIOND_ORIGINS: this.origin }).start();
        return this;
    }

    /** Its page in a browser, in which a program runs. */
    async open(browser, program, context) {
        const tab = await browser.tab(`${this.origin}/`, context ?? await browser.context());
        await tab.until("document.readyState === 'complete' && !!document.getElementById('root')");
        await tab.evaluate(`(async () => { ${program} })()`);
        return tab;
    }

    #text(name) {
        if (name === "/") return page;
        const made = shims[name] ?? this.editor[name];
        if (made !== undefined) return made;
        const [, kind, rest] = /^\/(package|umd)\/([\w./-]+\.js)$/.exec(name) ?? [];
        const folder = { package: root, umd: modules }[kind];
        return folder ? readFileSync(path.join(folder, rest), "utf8") : null;
    }

    async stop() {
        this.server.stop();
        await this.daemon.stop();
    }
}
