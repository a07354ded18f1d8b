/// Pauses between attempts: each is twice as long as the one before, up to a limit.
struct Pause {
    private static let first = Duration.milliseconds(250)
    private static let longest = Duration.seconds(15)
    /// The longest pause that a response may ask for.
    static let askedMax = Duration.seconds(60)

    private var next = Pause.first

    /// After a success the next pause is short again.
    mutating func reset() {
        next = Pause.first
    }

    /// The next pause. `chance`, from 0 to 1, keeps clients apart that lost one daemon together.
    mutating func take(_ chance: Double) -> Duration {
        defer { next = min(Pause.longest, next * 2) }
        return next * (0.5 + chance)
    }
}
