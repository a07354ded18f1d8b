import Testing

@testable import JSONTree

/// Numbers: kept as they are written, compared as what they mean.
@Suite struct NumberTests {
    /// Numbers of one row mean the same; numbers of two rows do not. From small to large.
    static let rows: [[String]] = [
        ["-1e400"],
        ["-12345678901234567890"],
        ["-9223372036854775808", "-9223372036854775808.0", "-922337203685477580.8e1"],
        ["-1000", "-1e3", "-1E+3", "-10.00e2"],
        ["-1.5", "-15e-1", "-1.50", "-0.15e1"],
        ["-1", "-1.0", "-10e-1"],
        ["-1e-400"],
        ["0", "-0", "0.0", "0e0", "-0.000", "0E-99", "0e999"],
        ["1e-400", "10e-401", "0.1e-399"],
        ["0.1", "1e-1", "0.10", "10e-2", "0.01E1"],
        ["0.3"],
        ["0.30000000000000001"],
        ["1", "1.0", "1.00", "1e0", "10E-1", "0.1e1", "100e-2"],
        ["1.0000000000000000000000000000001"],
        ["4.5", "4.50", "45e-1"],
        ["10", "1e1", "1.0e+1", "100e-1"],
        ["9007199254740992", "9007199254740992.0"],
        ["9007199254740993"],
        ["9223372036854775807", "9223372036854775807.0"],
        ["9223372036854775808"],
        ["12345678901234567890", "1.234567890123456789e19"],
        ["12345678901234567891"],
        ["1e400", "10e399", "0.1e401"],
    ]

    @Test func `numbers that mean the same are equal as numbers, and no others are`() throws {
        for (row, texts) in NumberTests.rows.enumerated() {
            for (other, others) in NumberTests.rows.enumerated() {
                for (left, right) in texts.flatMap({ left in others.map { (left, $0) } }) {
                    let (first, second) = (try JSON(parsing: left), try JSON(parsing: right))
                    #expect(
                        first.isNumericallyEqual(to: second) == (row == other),
                        "\(left) and \(right)")
                    #expect((first == second) == (left == right), "as texts: \(left), \(right)")
                }
            }
        }
    }

    @Test(arguments: rows.flatMap { $0 })
    func `a number comes back as it was written`(text: String) throws {
        let number = try JSON(parsing: text)
        #expect(number.kind == .number && number.description == text)
        #expect(number.numberText == text && number.byteCount == text.utf8.count)
        #expect(try JSON(parsing: "[\(text),\(text)]").description == "[\(text),\(text)]")
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", nil), ("1", 1), ("-1", -1), ("9223372036854775807", Int.max),
            ("-9223372036854775808", Int.min), ("9223372036854775808", nil), ("1.0", nil),
            ("1e2", nil), ("10000000000000000000000", nil),
        ] as [(String, Int?)])
    func `an integer is a number that is written as one`(text: String, value: Int?) throws {
        let number = try JSON(parsing: text)
        if let value { #expect(number.int == value) }
        if text.contains(".") || text.contains("e") { #expect(number.int == nil) }
    }

    @Test(arguments: [
        Int.min, -1_000_000_000_000_000_000, -1, 0, 1, 42, 999_999_999_999_999_999, .max,
    ])
    func `an integer that is made is the one that is read`(value: Int) throws {
        #expect(try JSON(parsing: "\(value)") == JSON(value))
        #expect(JSON(value).int == value && JSON(value).description == "\(value)")
        #expect(JSON(value).contentHash == (try JSON(parsing: "\(value)")).contentHash)
    }

    @Test(arguments: [
        "01", "-01", "+1", ".5", "5.", "-", "--1", "1.e1", "1e", "1e+", "1e1.5", "0x10", "1_000",
        "NaN", "Infinity", "-Infinity", "१", "1 2", "e5", "00", "-.1", "0.", "1..2", "1ee2",
    ])
    func `what JSON has no number for is refused`(text: String) {
        #expect(throws: JSONParseError.self) { try JSON(parsing: text) }
        #expect(throws: JSONParseError.self) { try JSON(parsing: "[\(text)]") }
        #expect(throws: JSONParseError.self) { try JSON(parsing: "{\"a\":\(text)}") }
    }

    @Test func `the length of a number is bounded`() throws {
        var limits = JSONLimits.standard
        limits.numberBytesMax = 20
        let longest = String(repeating: "9", count: 20)
        #expect(try JSON(parsing: longest, limits: limits).description == longest)
        for text in [longest + "9", "0." + longest, "1e" + longest, "-" + longest] {
            #expect(throws: JSONParseError.self, "\(text)") {
                try JSON(parsing: text, limits: limits)
            }
        }
    }

    @Test func `a test operation compares numbers as numbers, also inside`() throws {
        let tree: JSON = try JSON(parsing: #"{"a":[1.0,{"b":1e2}]}"#)
        let same = JSONPatch([.test(.root, ["a": [1, ["b": 100]]])])
        #expect(try tree.applying(same).tree == tree)
        let other = JSONPatch([.test(.root, ["a": [1, ["b": 101]]])])
        #expect(throws: JSONPatchError.self) { try tree.applying(other) }
    }
}
