import Documents

/// Durations as people write them: `500ms`, `2s`, `1.5s`, `3m`, `1h`, `30d`, `0`.
enum HumanDuration {
    private static let units: [(suffix: String, milliseconds: Double)] = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    static func parse(_ text: String) -> Duration? {
        if text == "0" { return .zero }
        for (suffix, milliseconds) in units where text.hasSuffix(suffix) {
            let digits = text.dropLast(suffix.count)
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e }),
                let number = Double(digits), number < 1e9
            else { continue }
            return .milliseconds(Int(number * milliseconds))
        }
        return nil
    }

    static func text(_ duration: Duration) -> String {
        let milliseconds = duration.milliseconds
        for (suffix, unit) in units.reversed()
        where milliseconds > 0 && milliseconds % Int(unit) == 0 {
            return "\(milliseconds / Int(unit))\(suffix)"
        }
        return "0"
    }
}
