/// Room in the write-ahead log that was written before it is needed.
///
/// A sync after the file has grown also waits for the file system's metadata, so a small commit
/// takes half as long again. The journal therefore extends the log in steps; syncs in between write
/// over zeros, as in a log that restarts at its beginning. Decision 19.
struct LogRoom {
    /// Pages that a step adds: as many as there are, within these bounds. The first commits of a
    /// small journal must not take a megabyte; one step must not take long.
    private static let step = 64...1_024
    /// The header of each page in the log.
    private static let frameHeadBytes = 24

    private let pageBytes: Int
    /// No room is made for more pages than that.
    private let pagesMax: Int
    /// Pages that the log has room for, as far as is known.
    private var pages = 0
    /// Pages that were in it after the last commit.
    private var used = 0

    init(pageBytes: Int, pagesMax: Int) {
        self.pageBytes = pageBytes
        self.pagesMax = pagesMax
    }

    /// The size that the log should have with this number of pages in use; `nil` while it is long
    /// enough.
    mutating func wanted(used now: Int) -> Int? {
        // The log restarted or was emptied: its length has to be read again.
        if now < used { pages = 0 }
        used = now
        let step = min(max(now, LogRoom.step.lowerBound), LogRoom.step.upperBound)
        guard pages < min(now + step / 2, pagesMax) else { return nil }
        return min(now + step, pagesMax) * (pageBytes + LogRoom.frameHeadBytes)
    }

    /// The log was emptied.
    mutating func emptied() {
        (pages, used) = (0, 0)
    }

    /// The log has this size, whether or not that is what was wanted: what finds no room is not
    /// tried again with each commit.
    mutating func found(bytes: Int, wanted: Int) {
        pages = max(bytes, wanted) / (pageBytes + LogRoom.frameHeadBytes)
    }
}
