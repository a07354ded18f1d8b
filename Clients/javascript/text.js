// A text in a document, and editors of it.

export { bindText } from "./src/textarea.js";
export { TextBinding } from "./src/textbinding.js";
