/// When quick edits become one version, measured by any clock.
///
/// An edit joins the version before it if it comes within `interval`, and if that version is
/// younger than ten intervals: so a version ends even while somebody keeps typing. No task waits
/// for anything; a tag, a scope, undo and redo end the version at once.
struct Debounce: Sendable {
    /// A sustained edit is one version for at most so many intervals.
    private static let intervalsMax = 10

    let grouping: Grouping
    /// The time since this was made.
    let now: @Sendable () -> Duration

    init<C: Clock>(clock: C, interval: Duration) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        grouping = Grouping(window: interval, max: interval * Debounce.intervalsMax)
    }
}
