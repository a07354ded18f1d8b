import Foundation
import JSONTree
import TestSupport
import Testing

/// A history of keystrokes through HTTP, with debounce, on its recorded times.
///
/// The history is generated. To run a recorded one (josephg/editing-traces, uncompressed), name its
/// file: `TEST_TRACE=sveltecomponent.json swift test --filter Keystroke`.
@Suite struct KeystrokeTests {
    struct Keystroke {
        /// Milliseconds since the first one.
        let time: Int
        let position: Int
        let deleted: Int
        let inserted: String
    }

    /// Bursts of typing with pauses between them, at changing places; some of it is deleted again.
    private func generated(seed: UInt64, bursts: Int) -> [Keystroke] {
        var random = SeededGenerator(seed: seed)
        let letters = Array("etaoin shrdlu\né😀")
        var keystrokes: [Keystroke] = []
        var (length, time) = (0, 0)
        for _ in 0..<bursts {
            var position = random.below(length + 1)
            for _ in 0...random.below(25) {
                if random.once(in: 5) && position > 0 {
                    position -= 1
                    length -= 1
                    keystrokes.append(
                        Keystroke(time: time, position: position, deleted: 1, inserted: ""))
                } else {
                    let letter = String(letters[random.below(letters.count)])
                    keystrokes.append(
                        Keystroke(time: time, position: position, deleted: 0, inserted: letter))
                    position += 1
                    length += 1
                }
                time += 30 + random.below(300)
            }
            time += 600 + random.below(5_000)
        }
        return keystrokes
    }

    private func recorded(_ path: String) throws -> [Keystroke] {
        let trace = try JSON(parsing: Array(Data(contentsOf: URL(filePath: path))))
        let parser = ISO8601DateFormatter()
        parser.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        var start: Date?
        var keystrokes: [Keystroke] = []
        for transaction in trace["txns"]?.elements ?? [] {
            let time =
                parser.date(from: transaction["time"]?.string ?? "")
                ?? Date(timeIntervalSince1970: 0)
            let first = start ?? time
            start = first
            for patch in transaction["patches"]?.elements ?? [] {
                keystrokes.append(
                    Keystroke(
                        time: Int(time.timeIntervalSince(first) * 1_000),
                        position: patch[0]?.int ?? 0, deleted: patch[1]?.int ?? 0,
                        inserted: patch[2]?.string ?? ""))
            }
        }
        return keystrokes
    }

    @Test func `bursts of typing are versions, and undo steps through them to the empty text`()
        throws
    {
        let file = ProcessInfo.processInfo.environment["TEST_TRACE"]
        let keystrokes = try file.map(recorded) ?? generated(seed: 7, bursts: 60)
        let daemon = try LocalDaemon()
        try daemon.put(#"{"text":""}"#)
        try daemon.succeed(
            "PATCH", "/settings", #"{"debounce":{"window":"500ms","max":"1h"}}"#)
        let start = daemon.time.now.milliseconds
        var text: [Unicode.Scalar] = []
        var bursts: [String] = []
        var last = Int.min / 2
        for keystroke in keystrokes {
            let end = keystroke.position + keystroke.deleted
            // Replacing text by itself is not an edit.
            if text[keystroke.position..<end].elementsEqual(keystroke.inserted.unicodeScalars) {
                continue
            }
            daemon.time.set(milliseconds: start + keystroke.time)
            if keystroke.time - last > 500 { bursts.append(String(scalars: text)) }
            last = keystroke.time
            try send(keystroke, after: text, to: daemon)
            text.replaceSubrange(keystroke.position..<end, with: keystroke.inserted.unicodeScalars)
        }
        let final = String(scalars: text)
        #expect(try daemon.value()["text"] == JSON(final))
        let status = try daemon.menu("GET", "/status").json
        #expect(status["undoCount"]?.int == bursts.count)
        for before in bursts.reversed() {
            try daemon.undo()
            #expect(try daemon.value()["text"] == JSON(before))
        }
        #expect(bursts.first == "")
        #expect(try daemon.menu("GET", "/status").json["hasUndo"] == false)
        try daemon.succeed("POST", "/redo", #"{"scope":true}"#)
        #expect(try daemon.value()["text"] == JSON(final))
    }

    /// Positions count scalars in the trace and UTF-16 code units in the patch.
    private func send(
        _ keystroke: Keystroke, after text: [Unicode.Scalar], to daemon: LocalDaemon
    ) throws {
        let position = String(scalars: Array(text[..<keystroke.position])).utf16.count
        let deleted = Array(text[keystroke.position..<(keystroke.position + keystroke.deleted)])
        var operations: [String] = []
        if !deleted.isEmpty {
            let count = String(scalars: deleted).utf16.count
            operations.append(
                #"{"op":"str_del","path":"/text","pos":\#(position),"len":\#(count)}"#)
        }
        if !keystroke.inserted.isEmpty {
            let inserted = JSON(keystroke.inserted)
            operations.append(
                #"{"op":"str_ins","path":"/text","pos":\#(position),"str":\#(inserted)}"#)
        }
        let answer = try daemon.menu(
            "PATCH", "", "[\(operations.joined(separator: ","))]",
            LocalDaemon.patch.merging(["Prefer": "return=minimal", "Versiond-Actor": "ada"]) { $1 })
        #expect(answer.status == 204)
    }
}

extension String {
    init(scalars: [Unicode.Scalar]) {
        self = String(String.UnicodeScalarView(scalars))
    }
}
