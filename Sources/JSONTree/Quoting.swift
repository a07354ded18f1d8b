/// How a string's bytes are written between quotes: only what RFC 8259 section 7 requires is
/// escaped.
enum Quoting {
    private static let hexadecimal = Array("0123456789abcdef".utf8)

    /// The number of bytes that `byte` takes as JSON text.
    @inline(__always)
    static func width(of byte: UInt8) -> Int {
        if byte >= 0x20 { return byte == 0x22 || byte == 0x5c ? 2 : 1 }
        return shortEscape(byte) == nil ? 6 : 2
    }

    static func width(of bytes: ArraySlice<UInt8>) -> Int {
        var total = bytes.count
        for byte in bytes where byte < 0x20 || byte == 0x22 || byte == 0x5c {
            total += width(of: byte) - 1
        }
        return total
    }

    private static func shortEscape(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x08: UInt8(ascii: "b")
        case 0x09: UInt8(ascii: "t")
        case 0x0a: UInt8(ascii: "n")
        case 0x0c: UInt8(ascii: "f")
        case 0x0d: UInt8(ascii: "r")
        default: nil
        }
    }

    /// Appends `bytes` as they stand between quotes.
    static func append(_ bytes: ArraySlice<UInt8>, to text: inout [UInt8]) {
        var clean = bytes.startIndex
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte < 0x20 || byte == 0x22 || byte == 0x5c else { continue }
            text.append(contentsOf: bytes[clean..<index])
            appendEscape(byte, to: &text)
            clean = index + 1
        }
        text.append(contentsOf: bytes[clean...])
    }

    private static func appendEscape(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(0x5c)
        if byte >= 0x20 {
            text.append(byte)
        } else if let letter = shortEscape(byte) {
            text.append(letter)
        } else {
            text.append(contentsOf: "u00".utf8)
            text.append(hexadecimal[Int(byte >> 4)])
            text.append(hexadecimal[Int(byte & 15)])
        }
    }
}
