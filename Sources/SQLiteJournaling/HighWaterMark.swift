import Crypto
import Glibc
import Journaling
import Threading

/// A small file beside the journal that says how far the journal once reached.
///
/// A damaged write-ahead log makes SQLite open a shorter history without a word. The file tells
/// "lost" from "never written": it never runs ahead of what is committed.
final class HighWaterMark: Sendable {
    /// The last entry of the journal.
    struct Mark: Sendable, Equatable {
        var sequence: Int
        var chain: [UInt8]
    }

    /// Commits between two writes of the file: it costs an fsync of its own.
    private static let commitsBetweenWrites = 256

    private let path: String
    private let commitsSinceWrite = Lock(0)

    init(path: String) {
        self.path = path
    }

    /// Compares the file with the journal.
    func check(against writer: SQLiteWriter) throws {
        guard let known = read(), known.sequence > 0 else { return }
        guard try writer.chain(at: known.sequence) == known.chain else {
            throw JournalError.corrupt(
                "the journal once held entry \(known.sequence), and now ends at "
                    + "\(writer.mark.sequence) or holds another one: restore a backup, "
                    + "or start with --accept-data-loss to go on with what is there")
        }
    }

    /// Notes that the journal has reached `mark`, now and then.
    func rise(to mark: Mark) {
        let isDue = commitsSinceWrite.withLock { count in
            count += 1
            guard count >= HighWaterMark.commitsBetweenWrites else { return false }
            count = 0
            return true
        }
        if isDue { write(mark) }
    }

    /// Notes where the journal was closed.
    func settle(at mark: Mark) {
        write(mark)
    }

    private func text(_ mark: Mark) -> String {
        let hex = mark.chain.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "\(mark.sequence) \(hex)"
    }

    private func read() -> Mark? {
        let file = unsafe open(path, O_RDONLY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = unsafe Glibc.read(file, &buffer, buffer.count)
        let parts = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(
            separator: " ")
        // Before the first entry there is no chain, and then there are only two parts.
        guard parts.count == 3, let sequence = Int(parts[0]) else { return nil }
        let hex = Array(parts[1])
        let chain = stride(from: 0, to: hex.count - 1, by: 2).compactMap {
            UInt8(String(hex[$0...($0 + 1)]), radix: 16)
        }
        let mark = Mark(sequence: sequence, chain: chain)
        return checksum(mark) == parts[2] ? mark : nil
    }

    private func checksum(_ mark: Mark) -> String {
        SHA256.hash(data: Array(text(mark).utf8)).prefix(8).map { String($0, radix: 16) }.joined()
    }

    /// Through a second file and a rename: a crash leaves the old mark or the new one.
    private func write(_ mark: Mark) {
        let draft = path + ".new"
        let file = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { return }
        let bytes = Array("\(text(mark)) \(checksum(mark))".utf8)
        let written = unsafe Glibc.write(file, bytes, bytes.count)
        let isSafe = written == bytes.count && fdatasync(file) == 0
        close(file)
        if isSafe { _ = unsafe rename(draft, path) }
    }
}
