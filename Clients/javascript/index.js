// A document of versiond that several people edit at once: in a page, a worker, or node.

export * from "./src/index.js";
