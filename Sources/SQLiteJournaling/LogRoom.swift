/// Room in the write-ahead log that was written before it is needed.
///
/// A sync after which a file is longer also waits for what the file system notes of that: with it
/// a small commit takes half as long again. So the log is made longer in steps, and syncs in
/// between write over zeros, which is what they do in a log that begins anew. Decision 19.
struct LogRoom {
    /// Pages that a step adds: as many as there are, within these bounds. The first commits of a
    /// small journal must not take a megabyte; one step must not take long.
    private static let step = 64...1_024
    /// What stands before each page.
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

    /// The size that the log should have now that so many pages are in it; `nil` while it is long
    /// enough.
    mutating func wanted(used now: Int) -> Int? {
        // It began anew, or was emptied: how long it is has to be looked at.
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
