import Foundation
import JSONTree

/// Times in process. Every line names what it is compared with, measured in the same run; trust the
/// ratios, not the times.
@main
struct Bench {
    static func main() throws {
        switch CommandLine.arguments.dropFirst().first {
        case "undo": return try ownUndo()
        case "edits": return try editing()
        case "typing": return try typing([])
        case let option? where option.hasPrefix("-"):
            return print(
                "usage: versiond-bench [undo | edits | typing | FILE…]; files: JSON, or traces")
        default: break
        }
        let files = CommandLine.arguments.dropFirst().map { URL(filePath: $0) }
        try parsing(files.filter { !$0.lastPathComponent.isTrace })
        try memory()
        try editing()
        try diffing()
        values()
        try ownUndo()
        try typing(files.filter { $0.lastPathComponent.isTrace })
    }

    /// Parse and hash, against Foundation, and against node where there is one.
    private static func parsing(_ files: [URL]) throws {
        print(
            "parse to a hashed tree, and free it; MB/s, and the ratios to JSONSerialization, node")
        var inputs = [("generated, 1 MB", Generated.catalogue(megabytes: 1).serialized())]
        for file in files {
            inputs.append((file.lastPathComponent, Array(try Data(contentsOf: file))))
        }
        for (name, bytes) in inputs {
            let data = Data(bytes)
            let ours = best { _ = try? JSON(parsing: bytes) }
            let theirs = best { _ = try? JSONSerialization.jsonObject(with: data) }
            let text = try JSON(parsing: bytes)
            let serialized = best { _ = text.serialized() }
            let node = Node.parseSeconds(bytes).map { ratio($0, ours) } ?? "no node"
            print(
                "  \(name): \(rate(bytes.count, ours)), \(ratio(theirs, ours)), \(node); "
                    + "serialize \(rate(bytes.count, serialized))")
        }
    }

    /// One leaf of a small and of a large document, and an insertion: PATCH (text to operations,
    /// applied, inverse, new hash, answer as text) and undo.
    private static func editing() throws {
        print("one edit in a document, µs: PATCH from text to text, its application, and undo")
        for (name, tree, operation) in Generated.edits {
            let text = Array(operation.utf8)
            let patch = best(1_000) {
                for _ in 0..<1_000 {
                    guard let operations = try? JSONPatch(JSON(parsing: text)),
                        let (_, change) = try? tree.applying(operations),
                        let strict = try? change.operations(on: tree)
                    else { return }
                    _ = strict.serialized()
                }
            }
            let operations = try JSONPatch(JSON(parsing: text))
            let (after, change) = try tree.applying(operations)
            let inverse = change.inverse
            let apply = best(1_000) {
                for _ in 0..<1_000 { _ = try? tree.applying(operations) }
            }
            let undo = best(1_000) {
                for _ in 0..<1_000 { _ = try? after.applying(inverse) }
            }
            var single = try JSON(parsing: after.serialized())
            let inPlace = best(1_000) {
                for _ in 0..<500 {
                    try? single.apply(inverse)
                    try? single.apply(change)
                }
            }
            print(
                "  \(name): PATCH \(micro(patch)), apply \(micro(apply)), undo \(micro(undo)), "
                    + "in place \(micro(inPlace))")
        }
    }

    /// PUT of a changed document: diff against the parse that comes before it.
    private static func diffing() throws {
        print("diff of a changed document; ms, the ratio of parse + diff to parse, and patch bytes")
        for (name, old, new) in Generated.pairs {
            let bytes = new.serialized()
            let parse = best { _ = try? JSON(parsing: bytes) }
            let fresh = try JSON(parsing: bytes)
            let diff = best { _ = old.diff(to: fresh) }
            let patch = old.diff(to: fresh).textOperations.serialized().count
            let share = (parse + diff) / parse
            print("  \(name): \(milli(diff)), \(text(share)) ×, \(patch) bytes")
        }
    }
}

extension Bench {
    /// The best of several runs, in seconds for one.
    static func best(_ divisor: Double = 1, _ body: () -> Void) -> Double {
        let clock = ContinuousClock()
        body()
        var best = Double.infinity
        let end = clock.now + .milliseconds(400)
        repeat {
            let time = clock.measure(body)
            let (seconds, attoseconds) = time.components
            best = min(best, Double(seconds) + Double(attoseconds) * 1e-18)
        } while clock.now < end
        return best / divisor
    }

    static func text(_ value: Double) -> String { String(format: "%.2f", value) }
    static func micro(_ seconds: Double) -> String { text(seconds * 1e6) }
    static func milli(_ seconds: Double) -> String { text(seconds * 1e3) }
    static func rate(_ bytes: Int, _ seconds: Double) -> String {
        String(format: "%.0f", Double(bytes) / seconds / 1e6)
    }
    static func ratio(_ theirs: Double, _ ours: Double) -> String { text(theirs / ours) + " ×" }
}
