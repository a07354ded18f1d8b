/// JSON text laid out for people.
enum PrettyText {
    /// Deeper lines are indented like these; otherwise a deep text would grow with its square.
    private static let indentedMax = 128

    /// Compact JSON text with two spaces of indentation; empty containers stay closed.
    static func indented(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count * 2)
        var depth = 0
        var isInString = false
        var isEscaped = false
        func startLine() {
            result.append(0x0a)
            result.append(contentsOf: repeatElement(0x20, count: 2 * min(depth, indentedMax)))
        }
        for (index, byte) in text.enumerated() {
            if isInString {
                result.append(byte)
                isInString = isEscaped || byte != 0x22
                isEscaped = !isEscaped && byte == 0x5c
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                result.append(byte)
                // In ASCII, the code of the closing bracket is two above that of the opening one.
                if text[index + 1] == byte + 2 { continue }
                depth += 1
                startLine()
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if text[index - 1] != byte - 2 {
                    depth -= 1
                    startLine()
                }
                result.append(byte)
            case UInt8(ascii: ","):
                result.append(byte)
                startLine()
            case UInt8(ascii: ":"):
                result.append(contentsOf: [byte, 0x20])
            default:
                result.append(byte)
                isInString = byte == 0x22
            }
        }
        return result
    }
}
