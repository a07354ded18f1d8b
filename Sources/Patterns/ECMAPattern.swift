/// Writes a pattern of ECMA-262 in the language of RE2, where both have other words for the same.
///
/// Syntax that only one of them has is refused: so a pattern never has another meaning than the one
/// written.
struct ECMAPattern {
    private var rest: Substring.UnicodeScalarView
    private var result = ""
    private var isInClass = false

    static func translated(_ text: String) throws(Pattern.Fault) -> String {
        var pattern = ECMAPattern(rest: Substring(text).unicodeScalars)
        while let scalar = pattern.rest.popFirst() { try pattern.translate(scalar) }
        guard !pattern.isInClass else { throw Pattern.Fault(detail: "missing ]") }
        return pattern.result
    }

    private mutating func translate(_ scalar: Unicode.Scalar) throws(Pattern.Fault) {
        switch scalar {
        case "\\": try escape()
        case "[" where isInClass: result += #"\["#
        case "[": openClass()
        case "]" where isInClass:
            isInClass = false
            result += "]"
        case "]": result += #"\]"#
        case "." where !isInClass: result += #"[^\n\r\x{2028}\x{2029}]"#
        case "(" where !isInClass: try group()
        default: result.unicodeScalars.append(scalar)
        }
    }

    /// In ECMA-262 a class may be empty, and then it matches nothing; its opposite, everything.
    private mutating func openClass() {
        let isNegated = take("^")
        if take("]") {
            result += isNegated ? #"[\x{0}-\x{10ffff}]"# : #"[^\x{0}-\x{10ffff}]"#
            return
        }
        isInClass = true
        result += isNegated ? "[^" : "["
    }

    private mutating func group() throws(Pattern.Fault) {
        result += "("
        guard take("?") else { return }
        if take(":") { return result += "?:" }
        guard rest.first == "<" else {
            throw Pattern.Fault(
                detail: "a group must begin with ( or (?:; lookahead is not supported")
        }
        rest.removeFirst()
        guard let first = rest.first, first != "=", first != "!" else {
            throw Pattern.Fault(detail: "lookbehind is not supported")
        }
        result += "?P<"
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }
}

// The escape after a backslash.
extension ECMAPattern {
    /// The syntax that both languages share.
    private static let common = Set("dDwWtnvfr^$\\.*+?()[]{}|/-".unicodeScalars)
    /// The white space of ECMA-262, and everything else.
    private static let space =
        #"\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"#
    private static let noSpace =
        #"\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}"#
        + #"\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}"#
        + #"\x{ff00}-\x{10ffff}"#

    private mutating func escape() throws(Pattern.Fault) {
        guard let scalar = rest.popFirst() else {
            throw Pattern.Fault(detail: #"nothing follows the last \"#)
        }
        switch scalar {
        case "s": result += isInClass ? ECMAPattern.space : "[\(ECMAPattern.space)]"
        case "S": result += isInClass ? ECMAPattern.noSpace : "[^\(ECMAPattern.space)]"
        case "b" where isInClass: code(8)
        case "b", "B":
            guard !isInClass else { throw refusal(scalar) }
            result += "\\\(scalar)"
        case "c": try control()
        case "x": code(try hexadecimal(2))
        case "u": try unicode()
        case "0" where !(rest.first.map { "0"..."9" ~= $0 } ?? false): code(0)
        case "p", "P": try property(scalar)
        case _ where ECMAPattern.common.contains(scalar): result += "\\\(scalar)"
        default: throw refusal(scalar)
        }
    }

    private func refusal(_ scalar: Unicode.Scalar) -> Pattern.Fault {
        Pattern.Fault(detail: #"\\#(scalar) is not supported"#)
    }

    private mutating func code(_ value: UInt32) {
        result += #"\x{\#(String(value, radix: 16))}"#
    }

    private mutating func control() throws(Pattern.Fault) {
        guard let letter = rest.popFirst(), letter.properties.isAlphabetic, letter.isASCII else {
            throw Pattern.Fault(detail: #"\c needs a letter"#)
        }
        code(letter.value % 32)
    }

    private mutating func hexadecimal(_ count: Int) throws(Pattern.Fault) -> UInt32 {
        let digits = String(rest.prefix(count))
        guard digits.utf8.count == count, digits.utf8.allSatisfy({ $0 != 0x2b && $0 != 0x2d }),
            let value = UInt32(digits, radix: 16)
        else { throw Pattern.Fault(detail: #"\x and \u need hexadecimal digits"#) }
        rest.removeFirst(count)
        return value
    }

    /// `\u0041`, `\u{1f432}`, or two halves of one character.
    private mutating func unicode() throws(Pattern.Fault) {
        if take("{") {
            let digits = String(rest.prefix { $0 != "}" })
            guard let value = UInt32(digits, radix: 16), Unicode.Scalar(value) != nil else {
                throw Pattern.Fault(detail: #"\u{…} needs a character's number"#)
            }
            rest.removeFirst(digits.unicodeScalars.count)
            guard take("}") else { throw Pattern.Fault(detail: #"\u{ has no end"#) }
            return code(value)
        }
        let first = try hexadecimal(4)
        guard 0xd800...0xdfff ~= first else { return code(first) }
        guard first < 0xdc00, take("\\"), take("u"), let second = try? hexadecimal(4),
            0xdc00...0xdfff ~= second
        else { throw Pattern.Fault(detail: "a surrogate is unpaired") }
        code(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
    }

    /// `\p{L}`, `\p{Letter}`, `\p{gc=L}`, `\p{Script=Greek}`.
    private mutating func property(_ scalar: Unicode.Scalar) throws(Pattern.Fault) {
        guard take("{") else { throw Pattern.Fault(detail: #"\p needs {…}"#) }
        var name = String(rest.prefix { $0 != "}" })
        rest.removeFirst(name.unicodeScalars.count)
        guard take("}") else { throw Pattern.Fault(detail: #"\p{ has no end"#) }
        for prefix in ["Script=", "sc=", "General_Category=", "gc="] where name.hasPrefix(prefix) {
            name = String(name.dropFirst(prefix.count))
        }
        if name == "ASCII" {
            let range = #"\x{0}-\x{7f}"#
            guard scalar == "p" || !isInClass else { throw refusal(scalar) }
            result += isInClass ? range : scalar == "p" ? "[\(range)]" : "[^\(range)]"
            return
        }
        result += "\\\(scalar){\(ECMAPattern.categories[name] ?? name)}"
    }

    /// The long names of properties that RE2 knows by a short name.
    private static let categories = [
        "Letter": "L", "Cased_Letter": "LC", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt",
        "Uppercase_Letter": "Lu", "Modifier_Letter": "Lm", "Other_Letter": "Lo", "Mark": "M",
        "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Enclosing_Mark": "Me", "Number": "N",
        "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl", "Other_Number": "No",
        "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc",
        "Dash_Punctuation": "Pd", "Open_Punctuation": "Ps", "Close_Punctuation": "Pe",
        "Initial_Punctuation": "Pi", "Final_Punctuation": "Pf", "Other_Punctuation": "Po",
        "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk",
        "Other_Symbol": "So", "Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl",
        "Paragraph_Separator": "Zp", "Other": "C", "Control": "Cc", "cntrl": "Cc",
        "Format": "Cf", "Private_Use": "Co",
    ]
}
