// The client library's modules from their folder.

export { connect, open, DocumentError, MemoryStore } from "../../Clients/javascript/src/index.js";
export { pass } from "../../Clients/javascript/src/merging.js";
export { applyAll } from "../../Clients/javascript/src/edits.js";
export { readOperations } from "../../Clients/javascript/src/reading.js";
export { writeOperations } from "../../Clients/javascript/src/writing.js";
export { arranged, difference } from "../../Clients/javascript/src/difference.js";
export { textDifference } from "../../Clients/javascript/src/textdifference.js";
export { increasing } from "../../Clients/javascript/src/lcs.js";
export { isSame } from "../../Clients/javascript/src/values.js";
export { recorded } from "../../Clients/javascript/src/recipe.js";
export { Replica } from "../../Clients/javascript/src/replica.js";
export * as returns from "../../Clients/javascript/src/returns.js";
export { hereAndNow } from "../../Clients/javascript/src/platform.js";
