// The client library's modules, as they stand in the room.

export { connect, open, DocumentError, MemoryStore } from "../../Sources/VersiondWeb/Client/index.js";
export { pass } from "../../Sources/VersiondWeb/Client/merging.js";
export { applyAll } from "../../Sources/VersiondWeb/Client/edits.js";
export { readOperations } from "../../Sources/VersiondWeb/Client/reading.js";
export { writeOperations } from "../../Sources/VersiondWeb/Client/writing.js";
export { difference } from "../../Sources/VersiondWeb/Client/difference.js";
export { textDifference } from "../../Sources/VersiondWeb/Client/textdifference.js";
export { isSame } from "../../Sources/VersiondWeb/Client/values.js";
export { recorded } from "../../Sources/VersiondWeb/Client/recipe.js";
export { Replica } from "../../Sources/VersiondWeb/Client/replica.js";
