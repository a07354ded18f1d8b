import Glibc

/// How fast a disk makes durable what was written: a confirmed change never takes less.
enum DiskSpeed {
    /// The bytes that a journal writes for a small change.
    private static let bytes = 4 << 10

    /// Appends to a file and waits for the disk, again and again.
    static func measure(_ path: String, for time: Duration) throws(CannotRun) -> Figures {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system("cannot write \(path)") }
        defer {
            close(file)
            unsafe unlink(path)
        }
        let block = [UInt8](repeating: 0x76, count: bytes)
        var times: [Duration] = []
        let start = ContinuousClock.now
        while ContinuousClock.now - start < time {
            let began = ContinuousClock.now
            guard unsafe write(file, block, block.count) == block.count, fdatasync(file) == 0
            else { throw .system("cannot write \(path)") }
            times.append(ContinuousClock.now - began)
        }
        guard let figures = Figures(times, within: ContinuousClock.now - start) else {
            throw .system("\(path) was never written")
        }
        return figures
    }
}
