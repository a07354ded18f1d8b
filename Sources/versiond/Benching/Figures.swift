/// How long something took, many times.
struct Figures {
    let count: Int
    let seconds: Double
    let median: Duration
    /// 99 of 100 took no longer.
    let tail: Duration
    /// The daemon's CPU time for each request, if it was measured.
    var cpu: Duration?

    /// `nil` if there was none.
    init?(_ times: [Duration], within elapsed: Duration) {
        let sorted = times.sorted()
        guard let last = sorted.last else { return nil }
        count = sorted.count
        seconds = elapsed / .seconds(1)
        median = sorted[count / 2]
        tail = count >= 100 ? sorted[count * 99 / 100] : last
    }

    var perSecond: Double { Double(count) / seconds }
}
