/// Decides when a new checkpoint is worth its bytes: when replay would take about as long as
/// reading it.
package struct CheckpointNeed {
    private static let entriesMin = 1_000
    /// Bytes are compressed and written about as fast as entries are replayed at this size.
    private static let bytesForOneEntry = 64

    private var entriesSince: Int
    private var size = 0

    init(entriesSince: Int) {
        self.entriesSince = entriesSince
    }

    /// Counts an entry. Returns `true`, once, when a checkpoint is due.
    mutating func countEntry() -> Bool {
        entriesSince += 1
        let limit = max(CheckpointNeed.entriesMin, size / CheckpointNeed.bytesForOneEntry)
        guard entriesSince >= limit else { return false }
        entriesSince = 0
        return true
    }

    /// Notes what a checkpoint takes in the journal.
    package mutating func written(_ bytes: Int) {
        size = bytes
    }
}
