// The real daemon, for tests in node.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export const binary = process.env.VERSIOND
    ?? path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), "../../.build/debug/versiond");

export class Daemon {
    constructor(environment = {}, options = []) {
        this.options = options;
        this.directory = mkdtempSync(path.join(tmpdir(), "versiond-client-"));
        this.environment = environment;
        this.port = 0;
    }

    async start() {
        this.process = spawn(binary, ["serve", "--port", String(this.port), "--directory", this.directory,
            ...this.options],
            { env: { ...process.env, ...this.environment }, stdio: ["ignore", "ignore", "pipe"] });
        let said = "";
        const port = await new Promise((resolve, reject) => {
            this.process.stderr.on("data", (data) => {
                said += data;
                const found = said.match(/listens on http:\/\/127\.0\.0\.1:(\d+)/);
                if (found) resolve(Number(found[1]));
            });
            this.process.on("exit", () => reject(new Error(said)));
        });
        this.port = port;
        return this;
    }

    get origin() {
        return `http://127.0.0.1:${this.port}`;
    }

    /** Makes a token, which the daemon accepts after a reload. */
    static token(file, ...options) {
        return execFileSync(binary, ["token", "create", "--file", file, ...options],
            { encoding: "utf8" }).match(/vd_\S+/)[0];
    }

    /** Makes a document, or replaces it. */
    put(name, value, headers = {}) {
        return fetch(`${this.origin}/v1/documents/${name}`, {
            method: "PUT", body: JSON.stringify(value),
            headers: { "Content-Type": "application/json", ...headers },
        });
    }

    async value(name, headers = {}) {
        return (await fetch(`${this.origin}/v1/documents/${name}`, { headers })).json();
    }

    /** How many streams there are. A heartbeat may pass before it notices that one is gone. */
    async streams() {
        return Number((await (await fetch(`${this.origin}/metrics`)).text())
            .match(/^versiond_streams_active (\d+)/m)[1]);
    }

    async kill(signal = "SIGKILL") {
        const ended = new Promise((resolve) => this.process.once("exit", resolve));
        this.process.kill(signal);
        await ended;
    }

    async stop() {
        await this.kill("SIGTERM");
        rmSync(this.directory, { recursive: true, force: true });
    }
}
