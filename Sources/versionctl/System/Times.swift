import Glibc

/// Times, as people write and read them, in the zone of this machine.
enum Times {
    /// A time as the daemon takes it: how long ago (`90s`, `5m`, `1h`, `2d`, `1w`), a day
    /// (`2026-11-23`: its beginning here), or a time of RFC 3339; `nil` if it is none.
    static func address(_ text: String, now: Int = milliseconds()) -> String? {
        if let ago = ago(text) { return rfc3339(milliseconds: now - ago * 1_000) }
        guard text.count >= 10, text.prefix(4).allSatisfy(\.isNumber) else { return nil }
        if text.count == 10 { return day(text).map { rfc3339($0) } }
        let marks = [4: "-", 7: "-", 10: "T", 13: ":"]
        let isTime = marks.allSatisfy { place, mark in
            text.dropFirst(place).hasPrefix(mark)
        }
        return isTime ? text : nil
    }

    private static func ago(_ text: String) -> Int? {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
        guard let last = text.last, let unit = units[last], let count = Int(text.dropLast()),
            count >= 0, count < 1_000_000
        else { return nil }
        return count * unit
    }

    static func seconds() -> Int { time(nil) }

    static func milliseconds() -> Int {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return now.tv_sec * 1_000 + now.tv_nsec / 1_000_000
    }

    private static func day(_ text: String) -> Int? {
        let numbers = text.split(separator: "-").compactMap { Int($0) }
        guard numbers.count == 3, (1...12).contains(numbers[1]), (1...31).contains(numbers[2])
        else { return nil }
        var parts = unsafe tm()
        unsafe parts.tm_year = Int32(numbers[0] - 1_900)
        unsafe parts.tm_mon = Int32(numbers[1] - 1)
        unsafe parts.tm_mday = Int32(numbers[2])
        unsafe parts.tm_isdst = -1
        let time = unsafe mktime(&parts)
        // The 31st of February would be a day in March.
        return unsafe parts.tm_mday == Int32(numbers[2]) ? time : nil
    }

    /// With its milliseconds: what was just stored belongs to now.
    private static func rfc3339(milliseconds: Int) -> String {
        let fraction = milliseconds % 1_000
        let digits = "\(1_000 + fraction)".dropFirst()
        return rfc3339(milliseconds / 1_000).dropLast() + ".\(digits)Z"
    }

    static func rfc3339(_ seconds: Int) -> String {
        var time = seconds
        var parts = unsafe tm()
        _ = unsafe gmtime_r(&time, &parts)
        return unsafe text("%Y-%m-%dT%H:%M:%SZ", &parts)
    }

    /// A time of the daemon, as short as it can be here: `14:05` of today, else with the day.
    static func short(_ time: String, now: Int = seconds()) -> String {
        let numbers = time.split { !$0.isNumber }.compactMap { Int32($0) }
        guard numbers.count >= 6 else { return time }
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (
            numbers[0] - 1_900, numbers[1] - 1, numbers[2]
        )
        unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
        var (seconds, today) = (unsafe timegm(&parts), now)
        var there = unsafe tm()
        var here = unsafe tm()
        _ = unsafe localtime_r(&seconds, &there)
        _ = unsafe localtime_r(&today, &here)
        let isToday = unsafe there.tm_yday == here.tm_yday && there.tm_year == here.tm_year
        return unsafe text(isToday ? "%H:%M" : "%Y-%m-%d %H:%M", &there)
    }

    private static func text(_ format: String, _ parts: inout tm) -> String {
        var bytes = [CChar](repeating: 0, count: 64)
        let count = unsafe strftime(&bytes, bytes.count, format, &parts)
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
