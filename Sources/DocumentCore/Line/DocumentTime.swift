/// The time of one document: it goes on as fast as the clock does, and never before the document's
/// last change.
///
/// Clocks are set wrong and put right. A document that was changed while the clock was a year ahead
/// has times that the clock reaches in a year. Its deadlines must not wait for that: so its time
/// goes on from its last change, ahead of the clock, and a scope of two seconds takes two seconds.
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

    /// What time it is for the document.
    func time(at now: Timestamp) -> Timestamp {
        Timestamp(milliseconds: now.milliseconds + lead)
    }

    /// What the clock shows when it is `time` for the document.
    func clock(at time: Timestamp) -> Timestamp {
        Timestamp(milliseconds: time.milliseconds - lead)
    }
}
