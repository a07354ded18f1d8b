import Compression
import Documents
import HTTPServing
import JSONTree
import Journaling

/// One entry point for bytes of foreign origin, and the property that must hold for all of them.
///
/// `Scripts/fuzz` searches with libFuzzer; what it kept is in `Tests/Corpora` and is run by the
/// tests.
public struct FuzzTarget: Sendable {
    public let name: String
    /// Returns what is wrong, or `nil`.
    public let run: @Sendable ([UInt8]) -> String?

    /// Texts: what is taken comes back.
    public static let text = FuzzTarget(name: "json", run: json)

    public static let all: [FuzzTarget] = [
        text,
        FuzzTarget(name: "patch", run: patch),
        FuzzTarget(name: "pointer", run: pointer),
        FuzzTarget(name: "target", run: target),
        FuzzTarget(name: "head", run: head),
        FuzzTarget(name: "change", run: change),
        FuzzTarget(name: "checkpoint", run: checkpoint),
        FuzzTarget(name: "gzip", run: gzip),
        FuzzTarget(name: "token", run: token),
    ]

    /// Accepted input is returned, with the stated length.
    @Sendable private static func json(_ bytes: [UInt8]) -> String? {
        do {
            let value = try JSON(parsing: bytes)
            let text = value.serialized()
            if text.count != value.byteCount { return "its length is \(text.count)" }
            let again = try JSON(parsing: text)
            if again != value || again.serialized() != text { return "it does not come back" }
            return nil
        } catch {
            return (0...bytes.count).contains(error.offset) ? nil : "at \(error.offset)"
        }
    }

    /// A value and a patch, with a zero between them: an applied patch can be reverted.
    @Sendable private static func patch(_ bytes: [UInt8]) -> String? {
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let value = try? JSON(parsing: Array(parts[0])),
            let operations = try? JSON(parsing: Array(parts[1])),
            let patch = try? JSONPatch(operations, limits: .standard)
        else { return nil }
        guard let (after, done) = try? value.applying(patch, limits: .standard) else { return nil }
        guard let again = try? value.applying(done), again == after else {
            return "what was noted leads elsewhere"
        }
        guard let back = try? after.applying(done.inverse), back == value else {
            return "it cannot be taken back"
        }
        let merged = value.merging(operations)
        let difference = value.diff(to: merged)
        guard let found = try? value.applying(difference), found == merged else {
            return "the difference leads elsewhere"
        }
        return nil
    }

    @Sendable private static func pointer(_ bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let pointer = JSONPointer(parsing: text) else { return nil }
        return Array(pointer.description.utf8) == Array(text.utf8) ? nil : "it became \(pointer)"
    }

    /// Segments never lead out of the tree of paths.
    @Sendable private static func target(_ bytes: [UInt8]) -> String? {
        guard let target = try? HTTPTarget(parsing: bytes) else { return nil }
        let isSafe = target.segments.allSatisfy { $0 != "." && $0 != ".." && !$0.contains("\0") }
        return isSafe ? nil : "\(target.segments)"
    }

    /// Fields in lines: whatever is taken has one length and one host.
    @Sendable private static func head(_ bytes: [UInt8]) -> String? {
        var checks = FieldChecks()
        var lengths = 0
        for line in bytes.split(separator: 10, omittingEmptySubsequences: true) {
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            let (name, value) = (Array(line[..<colon]), Array(line[colon...].dropFirst()))
            name.withUnsafeBytes { name in
                value.withUnsafeBytes { checks.add(name: name, value: $0) }
            }
            let isLength = String(decoding: name, as: UTF8.self).lowercased() == "content-length"
            lengths += isLength ? 1 : 0
        }
        if checks.framingFault(isHTTP10: false) != nil { return nil }
        if lengths > 1 { return "two lengths were taken" }
        let isNumber = checks.fields["content-length"].map { Int($0) != nil || $0.count > 18 }
        return isNumber == false ? "a length that is no number was taken" : nil
    }

    /// A change of the journal: what is read is what would be written.
    @Sendable private static func change(_ bytes: [UInt8]) -> String? {
        guard let change = try? Change(decoding: bytes, revision: 7) else { return nil }
        let written = change.encoded()
        guard let again = try? Change(decoding: written, revision: 7) else {
            return "what it writes cannot be read"
        }
        // Of older formats not everything has a meaning any more.
        let isOlder = bytes.first != written.first
        return isOlder || again == change ? nil : "it does not come back"
    }

    @Sendable private static func checkpoint(_ bytes: [UInt8]) -> String? {
        guard let id = DocumentID("d") else { return nil }
        var log = RequestLog()
        let stored = Checkpoint(document: id, revision: 7, chain: .start, body: bytes)
        guard let document = try? Document(stored, &log) else { return nil }
        var other = RequestLog()
        guard let again = try? Document(document.checkpoint(log), &other) else {
            return "what it writes cannot be read"
        }
        return again.tree == document.tree ? nil : "it does not come back"
    }

    /// The result is never larger than allowed, and survives a round trip.
    @Sendable private static func gzip(_ bytes: [UInt8]) -> String? {
        guard let text = try? Gzip.decode(bytes, bytesMax: 1 << 16) else { return nil }
        if text.count > 1 << 16 { return "\(text.count) bytes came out" }
        let again = try? Gzip.decode(Gzip.encode(text), bytesMax: 1 << 16)
        return again == text ? nil : "it does not come back"
    }
}
