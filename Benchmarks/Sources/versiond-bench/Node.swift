import Foundation

/// A well-known peer: V8's `JSON.parse`, where node is installed.
enum Node {
    /// Seconds for one parse, the best of a run like ours.
    static func parseSeconds(_ bytes: [UInt8]) -> Double? {
        let script = """
            const text = require('fs').readFileSync(0, 'utf8');
            let best = Infinity;
            for (const end = Date.now() + 400; Date.now() < end;) {
              const start = process.hrtime.bigint();
              JSON.parse(text);
              best = Math.min(best, Number(process.hrtime.bigint() - start));
            }
            console.log(best / 1e9);
            """
        let file = FileManager.default.temporaryDirectory.appending(path: "versiond-bench.json")
        guard (try? Data(bytes).write(to: file)) != nil,
            let input = try? FileHandle(forReadingFrom: file)
        else { return nil }
        let node = Process()
        node.executableURL = URL(filePath: "/usr/bin/env")
        node.arguments = ["node", "-e", script]
        node.standardInput = input
        node.standardError = FileHandle.nullDevice
        let output = Pipe()
        node.standardOutput = output
        guard (try? node.run()) != nil else { return nil }
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        node.waitUntilExit()
        return Double(
            String(decoding: answer, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
