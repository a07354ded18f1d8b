/// A script without the spaces that only people need; texts and patterns stay as they are.
struct Squeeze {
    private let text: [UInt8]
    private var place = 0
    private var result: [UInt8] = []

    /// Beside these a space says nothing.
    private static let signs = Set("=,?:&|{}()[];<>!".utf8)
    /// After these a slash begins a pattern.
    private static let beforePattern = Set("(,=:[!&|?{;\n".utf8)

    init(_ text: String) {
        self.text = Array(text.utf8)
    }

    static func script(_ text: String) -> String {
        var squeeze = Squeeze(text)
        return squeeze.run()
    }

    private mutating func run() -> String {
        while place < text.count {
            let byte = text[place]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): copy(to: byte)
            case UInt8(ascii: "/") where isPattern: copy(to: byte)
            case UInt8(ascii: " ") where isBesideSign: place += 1
            default:
                result.append(byte)
                place += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private var isPattern: Bool {
        result.last(where: { $0 != UInt8(ascii: " ") }).map(Squeeze.beforePattern.contains) ?? true
    }

    private var isBesideSign: Bool {
        let next = place + 1 < text.count ? text[place + 1] : 0
        return Squeeze.signs.contains(next) || result.last.map(Squeeze.signs.contains) ?? true
    }

    /// Copies a text or a pattern with its end; code in a template's braces is a part of it.
    private mutating func copy(to end: UInt8) {
        var (depth, isClass) = (0, false)
        repeat {
            let byte = text[place]
            result.append(byte)
            place += 1
            guard place < text.count else { return }
            if byte == UInt8(ascii: "\\") {
                result.append(text[place])
                place += 1
                continue
            }
            if end == UInt8(ascii: "/") {
                if byte == UInt8(ascii: "[") { isClass = true }
                if byte == UInt8(ascii: "]") { isClass = false }
            }
            guard end == UInt8(ascii: "`") else { continue }
            if byte == UInt8(ascii: "$"), depth == 0, text[place] == UInt8(ascii: "{") {
                depth = 1
                result.append(text[place])
                place += 1
            } else if byte == UInt8(ascii: "{"), depth > 0 {
                depth += 1
            }
            if byte == UInt8(ascii: "}"), depth > 0 { depth -= 1 }
        } while place < text.count && (text[place] != end || isClass || depth > 0)
        if place < text.count {
            result.append(text[place])
            place += 1
        }
    }
}
