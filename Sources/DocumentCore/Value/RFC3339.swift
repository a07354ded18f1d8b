/// Times as RFC 3339 writes them, in UTC with milliseconds.
package enum RFC3339 {
    package static func text(_ time: Timestamp) -> String {
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

    /// Appends a number with this number of digits, and the character after it.
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

    /// Reads a time with an offset: `2026-01-31T12:00:00Z`, `2026-01-31T13:00:00.250+01:00`.
    package static func parse(_ text: String) -> Timestamp? {
        var rest = Substring(text)
        guard let year = number(&rest, 4, "-"), let month = number(&rest, 2, "-"),
            let day = number(&rest, 2, "Tt "), let hour = number(&rest, 2, ":"),
            let minute = number(&rest, 2, ":"), let second = number(&rest, 2, ""),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61,
            // Not the 30th of February, which would be a day in March.
            date(days(year, month, day)).day == day
        else { return nil }
        guard let milliseconds = fraction(&rest), let offset = offset(rest) else { return nil }
        let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute - offset) * 60 + second
        return Timestamp(milliseconds: seconds * 1_000 + milliseconds)
    }

    /// A number with this number of digits, and one of the characters after it.
    private static func number(_ text: inout Substring, _ width: Int, _ marks: String) -> Int? {
        let digits = text.prefix(width)
        guard digits.utf8.count == width, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        else { return nil }
        text = text.dropFirst(width)
        if !marks.isEmpty {
            guard let mark = text.popFirst(), marks.contains(mark) else { return nil }
        }
        return Int(digits)
    }

    /// Milliseconds behind a point, if there is one; further digits do not count.
    private static func fraction(_ text: inout Substring) -> Int? {
        guard text.first == "." else { return 0 }
        let digits = text.dropFirst().prefix { ("0"..."9").contains($0) }
        text = text.dropFirst(1 + digits.count)
        return digits.isEmpty ? nil : Int((digits + "00").prefix(3))
    }

    /// Minutes east of UTC.
    private static func offset(_ text: Substring) -> Int? {
        var rest = text
        switch rest.popFirst() {
        case "Z", "z": return rest.isEmpty ? 0 : nil
        case let sign? where sign == "+" || sign == "-":
            guard let hours = number(&rest, 2, ":"), let minutes = number(&rest, 2, ""),
                rest.isEmpty, hours < 24, minutes < 60
            else { return nil }
            return (hours * 60 + minutes) * (sign == "-" ? -1 : 1)
        default: return nil
        }
    }

    /// Days from 1970-01-01 to a Gregorian date (days_from_civil of the same source).
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
