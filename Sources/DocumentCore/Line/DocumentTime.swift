/// The time of one document: it advances as fast as the clock does, and is never before the
/// document's last change.
///
/// Operators correct wrong clocks. A document that was changed while the clock was a year ahead has
/// times that the clock reaches in a year. Deadlines must not wait for that, so the document's time
/// continues from its last change, ahead of the clock, and a scope of two seconds takes two
/// seconds.
struct DocumentTime: Sendable, Equatable {
    /// How far the document is ahead of the clock, in milliseconds.
    private(set) var lead = 0

    /// The time of a document whose last change was made at `last`.
    init(last: Timestamp, now: Timestamp) {
        follow(last, now: now)
    }

    /// A change was made at `last`, or the clock was set back.
    mutating func follow(_ last: Timestamp, now: Timestamp) {
        lead = max(lead, last.milliseconds - now.milliseconds)
    }

    /// The document's time at a time of the clock.
    func time(at now: Timestamp) -> Timestamp {
        Timestamp(milliseconds: now.milliseconds + lead)
    }

    /// The clock's time when it is `time` for the document.
    func clock(at time: Timestamp) -> Timestamp {
        Timestamp(milliseconds: time.milliseconds - lead)
    }
}
