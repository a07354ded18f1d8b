import HTTPCalling

/// Collects an answer as it arrives.
final class Collector {
    private(set) var answer = HTTPAnswer()
    /// Whether the taker wants no more.
    private(set) var hasEnough = false
    private let taker: ((ArraySlice<UInt8>) -> Bool)?

    init(take: ((ArraySlice<UInt8>) -> Bool)?) {
        taker = take
    }

    var isStream: Bool { taker != nil }

    /// A line of the head. Each response starts it again: also the one after a redirect or a 100.
    func note(_ line: [UInt8]) {
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            answer = HTTPAnswer()
            let words = text.split(separator: " ")
            answer.status = words.count > 1 ? Int(words[1].prefix(3)) ?? 0 : 0
            return
        }
        guard let colon = text.firstIndex(of: ":") else { return }
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        answer.fields[text[..<colon].lowercased()] = String(
            value.prefix { !$0.isNewline && $0 != "\r\n" })
    }

    /// A part of the body. Returns whether more is wanted.
    func take(_ bytes: [UInt8]) -> Bool {
        guard let taker, answer.status == 200 else {
            answer.body += bytes
            return true
        }
        if !taker(bytes[...]) { hasEnough = true }
        return !hasEnough
    }
}
