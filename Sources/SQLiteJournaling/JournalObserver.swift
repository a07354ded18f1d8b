/// An observer of the time that the disk takes.
public protocol JournalObserver: Sendable {
    /// Time that only goes forward.
    func now() -> Duration

    /// A commit was written to the log, and the disk has confirmed it.
    func synced(in time: Duration)

    /// The log was moved into the database.
    func checkpointed(in time: Duration)

    /// The log cannot be moved into the database for lack of room; it grows until that works.
    func checkpointFailed(_ reason: String)
}
