/// A bucket of requests that fills as time goes by.
struct Budget {
    private var rate: Grant.Rate
    /// In thousandths of a request.
    private var level: Int
    private var time: Int

    init(_ rate: Grant.Rate, at now: Int) {
        self.rate = rate
        level = rate.requests * 1_000
        time = now
    }

    private var full: Int { rate.requests * 1_000 }
    private var span: Int { rate.seconds * 1_000 }

    private func gained(at now: Int) -> Int {
        min(max(0, now - time), span) * full / span
    }

    /// Whether all is there again.
    func isFull(at now: Int) -> Bool {
        level + gained(at: now) >= full
    }

    mutating func take(
        _ rate: Grant.Rate, at now: Int
    ) -> (isAllowed: Bool, AccessControl.Allowance) {
        self.rate = rate
        let gained = gained(at: now)
        // A gain too small to count is not lost: its time stays.
        if gained > 0 || now < time { time = now }
        level = min(full, level + gained)
        let isAllowed = level >= 1_000
        if isAllowed { level -= 1_000 }
        let missing = isAllowed ? full - level : 1_000 - level
        let seconds = (missing * span / full + 999) / 1_000
        return (
            isAllowed, .init(rate: rate, remaining: level / 1_000, seconds: max(1, seconds))
        )
    }
}
