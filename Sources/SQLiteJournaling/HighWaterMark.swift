import Hashing
import Glibc
import Journaling
import Threading

/// A small file beside the journal that says how far the journal has reached.
///
/// A damaged write-ahead log makes SQLite open a shorter history without a word. The file tells
/// "lost" from "never written". It is written after each commit and never before, so it cannot run
/// ahead; it is synced now and then, so a power cut may leave it a little behind.
///
/// Two slots in one sector are written in turn: each has the number of an entry, its chain and a
/// checksum.
final class HighWaterMark: Sendable {
    /// The last entry of the journal.
    struct Mark: Sendable, Equatable {
        var sequence: Int
        /// Empty before the first entry.
        var chain: [UInt8]

        static let start = Mark(sequence: 0, chain: [])

        /// The number, least byte first, and the chain; zeros before the first entry.
        var bytes: [UInt8] {
            (0..<8).map { UInt8(truncatingIfNeeded: sequence >> ($0 * 8)) }
                + (chain.isEmpty ? [UInt8](repeating: 0, count: 32) : chain)
        }
    }

    private struct State {
        var slot = 0
        var commitsSinceSync = 0
    }

    /// Commits between two syncs: each costs as much as a commit.
    private static let commitsBetweenSyncs = 256

    private let descriptor: Int32
    private let state = Lock(State())

    /// Makes the file in a directory, in the place of what was there. It is durable when this
    /// returns, with its name: the journal will say that there must be one.
    init(directory: String, at mark: Mark) throws(JournalError) {
        let (draft, path) = (directory + "/high-water.new", HighWaterMark.path(in: directory))
        descriptor = unsafe open(draft, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw HighWaterMark.failure("cannot be made") }
        Ownership.adopt(descriptor, in: directory)
        try write(mark)
        try write(mark)
        // Through a second name: a crash leaves the old file or the new one.
        guard fdatasync(descriptor) == 0, unsafe rename(draft, path) == 0 else {
            throw HighWaterMark.failure("cannot be stored")
        }
        try HighWaterMark.syncNames(in: directory)
    }

    /// Where the mark of a journal is.
    static func path(in directory: String) -> String { directory + "/high-water" }

    private static func syncNames(in directory: String) throws(JournalError) {
        let names = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard names >= 0 else { throw failure("cannot be stored") }
        defer { close(names) }
        // Some file systems sync names by themselves and know no such call.
        guard fsync(names) == 0 || errno == EINVAL else { throw failure("cannot be stored") }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Notes that the journal has reached `mark`.
    func rise(to mark: Mark) throws(JournalError) {
        try write(mark)
        let isDue = state.withLock { state in
            state.commitsSinceSync += 1
            guard state.commitsSinceSync >= HighWaterMark.commitsBetweenSyncs else { return false }
            state.commitsSinceSync = 0
            return true
        }
        if isDue { try sync() }
    }

    func sync() throws(JournalError) {
        guard fdatasync(descriptor) == 0 else { throw HighWaterMark.failure("cannot be synced") }
    }

    private func write(_ mark: Mark) throws(JournalError) {
        let slot = state.withLock { state in
            state.slot = 1 - state.slot
            return state.slot
        }
        let bytes = MarkSlot.bytes(mark)
        let written = unsafe pwrite(descriptor, bytes, bytes.count, slot * MarkSlot.size)
        guard written == bytes.count else { throw HighWaterMark.failure("cannot be written") }
    }

    /// The mark in a directory; `nil` if there is none.
    static func read(in directory: String) throws(JournalError) -> Mark? {
        try read(inFile: path(in: directory))
    }

    static func read(inFile path: String) throws(JournalError) -> Mark? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("cannot be read")
        }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = unsafe Glibc.read(file, &buffer, buffer.count)
        guard count >= 0 else { throw failure("cannot be read") }
        let bytes = buffer.prefix(count)
        guard let mark = MarkSlot.mark(in: bytes) ?? olderMark(in: bytes) else {
            throw .corrupt(
                "the file high-water is damaged, so nobody knows whether the journal is whole: "
                    + advice)
        }
        return mark
    }

    static let advice =
        "restore a backup, or start with --accept-data-loss to go on with what is there"

    private static func failure(_ what: String) -> JournalError {
        unsafe .unavailable("the file high-water \(what): \(String(cString: strerror(errno)))")
    }
}

/// One of the two places in the file.
private enum MarkSlot {
    static let size = 64
    private static let checksumBytes = 24

    static func bytes(_ mark: HighWaterMark.Mark) -> [UInt8] {
        let content = mark.bytes
        return content + Array(SHA256.hash(content).prefix(checksumBytes))
    }

    /// The later one of both. Both must be whole: damage that hides the later one must not pass.
    static func mark(in bytes: ArraySlice<UInt8>) -> HighWaterMark.Mark? {
        guard bytes.count == 2 * size else { return nil }
        guard let first = mark(slot: Array(bytes.prefix(size))),
            let second = mark(slot: Array(bytes.suffix(size)))
        else { return nil }
        return first.sequence > second.sequence ? first : second
    }

    private static func mark(slot: [UInt8]) -> HighWaterMark.Mark? {
        let content = slot.prefix(size - checksumBytes)
        let checksum = SHA256.hash(Array(content)).prefix(checksumBytes)
        guard checksum.elementsEqual(slot.suffix(checksumBytes)) else { return nil }
        let sequence = content.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        return HighWaterMark.Mark(
            sequence: sequence, chain: sequence == 0 ? [] : Array(content.dropFirst(8)))
    }
}

// The format of versions before 0.2: number, chain and checksum in one line of text.
extension HighWaterMark {
    private static func olderMark(in bytes: ArraySlice<UInt8>) -> Mark? {
        let text = String(decoding: bytes, as: UTF8.self)
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, let sequence = Int(parts[0]) else { return nil }
        guard olderText(of: "\(parts[0]) \(parts[1])") == text else { return nil }
        let hex = Array(parts[1])
        let chain = stride(from: 0, to: hex.count - 1, by: 2).compactMap {
            UInt8(String(hex[$0...($0 + 1)]), radix: 16)
        }
        return Mark(sequence: sequence, chain: chain)
    }

    static func olderText(of content: String) -> String {
        let checksum = SHA256.hash(Array(content.utf8)).prefix(8)
        return "\(content) \(checksum.map { String($0, radix: 16) }.joined())"
    }
}
