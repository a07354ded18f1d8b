// A document of versiond that several people edit at once. One file, no dependency, no build step:
//
//     import { open } from "/client.js";
//     const note = open("/v1/documents/note", { actor: "ada", create: { text: "" } });
//     note.onchange = () => show(note.value);
//     note.change((value) => { value.items.push({ text: "bread" }); });
//     note.bindTextarea(document.querySelector("textarea"), "/text");
//
// The daemon's build makes the served client from the modules in Clients/javascript/src.

export { connect, open, Connection } from "./connection.js";
export { SharedDocument } from "./document.js";
export { DocumentError } from "./problems.js";
export { Place } from "./places.js";
export { MemoryStore } from "./outbox.js";
