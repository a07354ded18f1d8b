export * from "./src/client.js";
