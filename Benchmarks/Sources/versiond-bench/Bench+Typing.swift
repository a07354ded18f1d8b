import CMeasure
import Foundation
import JSONTree

extension String {
    /// Whether a file is a recorded editing session and not a document.
    var isTrace: Bool { contains("paper") || contains("component") }
}

extension Bench {
    /// A recorded or generated editing session in one string: played, undone, and stored.
    static func typing(_ traces: [URL]) throws {
        print("typing: edits and undos a second, and bytes an edit, in zstd blocks")
        try type("generated", Keystrokes.generated(count: 100_000))
        for file in traces {
            let session = try JSON(parsing: Array(try Data(contentsOf: file)))
            try type(file.lastPathComponent, Keystrokes.recorded(session))
        }
    }

    private static func type(_ name: String, _ edits: [JSONPatch]) throws {
        let clock = ContinuousClock()
        var tree: JSON = ["text": ""]
        var patches: [ReversiblePatch] = []
        patches.reserveCapacity(edits.count)
        let start = tree.contentHash
        let played = try clock.measure {
            for edit in edits {
                let (next, patch) = try tree.applying(edit)
                tree = next
                patches.append(patch)
            }
        }
        let undone = try clock.measure {
            for patch in patches.reversed() { try tree.apply(patch.inverse) }
        }
        guard tree.contentHash == start else { return print("  \(name): NOT UNDONE") }
        let sizes = [64, 256, 1024, 4096].map { block in
            "\(text(storedBytes(patches, block: block) / Double(edits.count))) (\(block))"
        }
        print(
            "  \(name), \(edits.count) edits: \(perSecond(edits.count, played)) edits/s, "
                + "\(perSecond(edits.count, undone)) undos/s; \(sizes.joined(separator: ", "))")
    }

    private static func perSecond(_ count: Int, _ time: Duration) -> Int {
        Int(Double(count) / (time / .seconds(1)))
    }

    /// The history in blocks of a number of patches, each compressed on its own.
    private static func storedBytes(_ patches: [ReversiblePatch], block: Int) -> Double {
        var total = 0
        for start in stride(from: 0, to: patches.count, by: block) {
            var writer = ByteWriter()
            for patch in patches[start..<min(start + block, patches.count)] {
                patch.write(to: &writer)
            }
            total += compressed(writer.bytes)
        }
        return Double(total)
    }

    private static func compressed(_ bytes: [UInt8]) -> Int {
        var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
        return ZSTD_compress(&output, output.count, bytes, bytes.count, 3)
    }
}

/// Editing sessions as patches of `{"text": …}`.
enum Keystrokes {
    private static let place = JSONPointer(parsing: "/text") ?? .root

    /// A person types words, corrects letters, and jumps elsewhere at times.
    static func generated(count: Int) -> [JSONPatch] {
        var random = SplitMix(state: 11)
        let letters = Array("etaoin shrdlu cmfwyp")
        var (length, position) = (0, 0)
        return (0..<count).map { _ in
            let dice = random.next() % 100
            if dice == 0 { position = Int(random.next() % UInt64(length + 1)) }
            if dice < 12 && position > 0 {
                position -= 1
                length -= 1
                return JSONPatch([.deleteText(place, at: position, count: 1)])
            }
            let letter = letters[Int(random.next() % UInt64(letters.count))]
            position += 1
            length += 1
            return JSONPatch([.insertText(place, at: position - 1, String(letter))])
        }
    }

    /// A session in the form of josephg/editing-traces. Positions count code points there; these
    /// sessions hold nothing beyond the Basic Multilingual Plane, so they are UTF-16 positions.
    static func recorded(_ session: JSON) -> [JSONPatch] {
        (session["txns"]?.elements ?? []).flatMap { transaction in
            (transaction["patches"]?.elements ?? []).map { edit in
                let position = edit[0]?.int ?? 0
                let deleted = edit[1]?.int ?? 0
                let inserted = edit[2]?.string ?? ""
                var operations: [JSONOperation] = []
                if deleted > 0 {
                    operations.append(.deleteText(place, at: position, count: deleted))
                }
                if !inserted.isEmpty {
                    operations.append(.insertText(place, at: position, inserted))
                }
                return JSONPatch(operations)
            }
        }
    }
}
