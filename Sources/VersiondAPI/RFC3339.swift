import Documents

/// Times as RFC 3339 writes them, in UTC with milliseconds.
enum RFC3339 {
    static func text(_ time: Timestamp) -> String {
        let days = Int((Double(time.milliseconds) / 86_400_000).rounded(.down))
        let rest = time.milliseconds - days * 86_400_000
        let (year, month, day) = date(days)
        let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60)
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T"
            + "\(pad(hour, 2)):\(pad(minute, 2)):\(pad(rest / 1_000 % 60, 2)).\(pad(rest % 1_000, 3))Z"
    }

    /// The Gregorian date of a day counted from 1970-01-01 (Howard Hinnant, "chrono-compatible
    /// low-level date algorithms", civil_from_days).
    private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func pad(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
