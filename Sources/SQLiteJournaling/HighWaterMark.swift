import Hashing
import Glibc
import Journaling
import Threading

/// A small file next to the journal with the end that the journal has reached.
///
/// SQLite opens a damaged write-ahead log as a shorter history, without an error. The file
/// distinguishes "lost" from "never written". It is written after each commit and never before, so
/// it cannot be ahead; it is synced now and then, so a power cut may leave it a little behind.
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

    /// Opens the file in a directory, and makes it if there is none that is whole. When this
    /// returns it says `mark`, and is durable with its name: the journal will say that there must
    /// be one.
    ///
    /// Overwrites the existing bytes, which needs no room on most file systems.
    init(directory: String, at mark: Mark) throws(JournalError) {
        let path = HighWaterMark.path(in: directory)
        let file = unsafe open(path, O_RDWR | O_CLOEXEC)
        if file >= 0, let known = MarkSlot.mark(in: try HighWaterMark.content(of: file)) {
            descriptor = file
            if known != mark { for _ in 0..<2 { try write(mark) } }
            try sync()
            return
        }
        if file >= 0 { close(file) }
        descriptor = try HighWaterMark.make(path, in: directory)
        for _ in 0..<2 { try write(mark) }
        // Through a second name: a crash leaves the old file or the new one.
        guard fdatasync(descriptor) == 0, unsafe rename(path + ".new", path) == 0 else {
            throw HighWaterMark.failure("cannot be stored")
        }
        try HighWaterMark.syncNames(in: directory)
    }

    private static func make(
        _ path: String, in directory: String
    ) throws(JournalError) -> Int32 {
        let file = unsafe open(path + ".new", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("cannot be made") }
        Ownership.adopt(file, in: directory)
        return file
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
        if fdatasync(descriptor) == 0 { return }
        let failure = HighWaterMark.failure("cannot be synced")
        // The next one writes before it syncs, so what it confirms was written.
        state.withLock { $0.commitsSinceSync = HighWaterMark.commitsBetweenSyncs }
        throw failure
    }

    private func write(_ mark: Mark) throws(JournalError) {
        let slot = state.withLock { state in
            state.slot = 1 - state.slot
            return state.slot
        }
        let bytes = MarkSlot.bytes(mark)
        // The system writes a part if the room does not suffice for all.
        errno = ENOSPC
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
        let bytes = try content(of: file)
        guard let mark = MarkSlot.mark(in: bytes) ?? olderMark(in: bytes) else {
            throw .corrupt(
                "the file high-water is damaged, so the end of the journal is unknown: " + advice)
        }
        return mark
    }

    private static func content(of file: Int32) throws(JournalError) -> ArraySlice<UInt8> {
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = unsafe pread(file, &buffer, buffer.count, 0)
        guard count >= 0 else { throw failure("cannot be read") }
        return buffer.prefix(count)
    }

    static let advice =
        "restore a backup, or use the remaining data with --accept-data-loss"

    private static func failure(_ what: String) -> JournalError {
        let code = errno
        let reason = "the file high-water \(what): \(DiskRoom.reason(code))"
        return DiskRoom.isLack(code) ? .full(reason) : .unavailable(reason)
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
