import Journaling

/// How long packing rests after each step, so that it takes little of what a machine can do.
struct PackingPace {
    /// What looking at all documents has taken in this round.
    private var looking = Duration.zero

    /// After a step, this many times as long nothing: so a fifth of one core at most.
    private static let pauseFactor = 4
    private static let pauseMin = Duration.milliseconds(5)
    /// Between two looks at all documents, and how many times as long as they took.
    private static let roundPause = (least: Duration.seconds(10), factor: 20)
    /// After a fault.
    static let faultPause = roundPause.least * roundPause.factor

    /// The pause after a step. What packing took is paid for at once, and makes the pause between
    /// two rounds no longer: while much is written there is much to pack.
    mutating func pause(after step: PackingStep, taking time: Duration) -> Duration {
        if case .packed = step {} else { looking += time }
        guard case .finished = step else {
            return max(PackingPace.pauseMin, time * PackingPace.pauseFactor)
        }
        defer { looking = .zero }
        return max(PackingPace.roundPause.least, looking * PackingPace.roundPause.factor)
    }
}
