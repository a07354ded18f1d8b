import Documents

/// Times as RFC 3339 writes them, in UTC with milliseconds.
enum RFC3339 {
    static func text(_ time: Timestamp) -> String {
        let days = Int((Double(time.milliseconds) / 86_400_000).rounded(.down))
        let rest = time.milliseconds - days * 86_400_000
        let (year, month, day) = date(days)
        let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        append(year, 4, "-", &text)
        append(month, 2, "-", &text)
        append(day, 2, "T", &text)
        append(hour, 2, ":", &text)
        append(minute, 2, ":", &text)
        append(rest / 1_000 % 60, 2, ".", &text)
        append(rest % 1_000, 3, "Z", &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends a number with so many digits, and what stands behind it.
    private static func append(
        _ number: Int, _ width: Int, _ mark: Unicode.Scalar, _ text: inout [UInt8]
    ) {
        var divisor = [1, 10, 100, 1_000][width - 1]
        while divisor > 0 {
            text.append(UInt8(0x30 + number / divisor % 10))
            divisor /= 10
        }
        text.append(UInt8(ascii: mark))
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
}
