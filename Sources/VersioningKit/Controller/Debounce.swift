/// When quick edits become one version, measured by any clock.
///
/// An edit joins the version before it if it comes within `interval`, and if that version is not
/// too old (`Grouping.windowsMax`): so a version ends even while typing continues. No task waits; a
/// tag, a scope, undo and redo end the version at once.
struct Debounce: Sendable {
    let grouping: Grouping
    /// The time since this was made.
    let now: @Sendable () -> Duration

    /// `nil` without an interval: then every edit is a version.
    init?<C: Clock>(clock: C, interval: Duration?) where C.Duration == Duration {
        guard let interval else { return nil }
        let start = clock.now
        now = { start.duration(to: clock.now) }
        grouping = Grouping(window: interval)
    }
}
