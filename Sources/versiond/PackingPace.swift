import Journaling

/// The pause of packing after each step, so that it takes a small part of the machine.
struct PackingPace {
    /// The time that visiting all documents has taken in this round.
    private var looking = Duration.zero

    /// After a step, this many times as long nothing: so a fifth of one core at most.
    private static let pauseFactor = 4
    private static let pauseMin = Duration.milliseconds(5)
    /// The pause between two rounds: the least, and a factor of the time of visiting.
    private static let roundPause = (least: Duration.seconds(10), factor: 20)
    /// After a fault.
    static let faultPause = roundPause.least * roundPause.factor

    /// The pause after a step. A step that packed has a pause of its own and does not extend the
    /// one between rounds: while much is written, there is much to pack.
    mutating func pause(after step: PackingStep, taking time: Duration) -> Duration {
        if case .packed = step {} else { looking += time }
        guard case .finished = step else {
            return max(PackingPace.pauseMin, time * PackingPace.pauseFactor)
        }
        defer { looking = .zero }
        return max(PackingPace.roundPause.least, looking * PackingPace.roundPause.factor)
    }
}
