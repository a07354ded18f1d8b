extension JSON {
    /// The value as JSON text in UTF-8, without white space. O(n).
    ///
    /// Numbers and strings come back as they were written; strings escape only what they must.
    public func serialized() -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(byteCount)
        append(to: &text)
        return text
    }

    /// Appends the value's JSON text to `text`.
    public func append(to text: inout [UInt8]) {
        switch storage {
        case .null: text.append(contentsOf: "null".utf8)
        case .bool(let value): text.append(contentsOf: value ? "true".utf8 : "false".utf8)
        case .integer, .decimal, .number: text.append(contentsOf: numberBytes ?? [])
        case .short(let short): JSON.quote(short.bytes[...], to: &text)
        case .string(let node): JSON.quote(node.bytes[...], to: &text)
        case .rope(let rope):
            text.append(0x22)
            rope.forEachPiece { Quoting.append($0[...], to: &text) }
            text.append(0x22)
        case .array(let node):
            text.append(UInt8(ascii: "["))
            node.append(to: &text)
            JSON.close(UInt8(ascii: "]"), isEmpty: node.count == 0, &text)
        case .object(let node):
            text.append(UInt8(ascii: "{"))
            node.append(to: &text)
            JSON.close(UInt8(ascii: "}"), isEmpty: node.count == 0, &text)
        }
    }

    /// Appends a string as JSON text, quotes included.
    public static func appendQuoted(_ string: String, to text: inout [UInt8]) {
        let isPlain = string.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5c }
        guard isPlain else { return quote(Array(string.utf8)[...], to: &text) }
        text.append(0x22)
        text.append(contentsOf: string.utf8)
        text.append(0x22)
    }

    static func quote(_ bytes: ArraySlice<UInt8>, to text: inout [UInt8]) {
        text.append(0x22)
        Quoting.append(bytes, to: &text)
        text.append(0x22)
    }

    /// Puts the closing bracket in the place of the last comma.
    private static func close(_ bracket: UInt8, isEmpty: Bool, _ text: inout [UInt8]) {
        if isEmpty { text.append(bracket) } else { text[text.count - 1] = bracket }
    }

    /// The value as JSON text with two spaces of indentation, for people.
    public func prettyPrinted() -> [UInt8] {
        var text: [UInt8] = []
        appendPretty(to: &text, indentation: 0)
        return text
    }

    private func appendPretty(to text: inout [UInt8], indentation: Int) {
        guard isContainer, count > 0 else { return append(to: &text) }
        let isArray = kind == .array
        text.append(UInt8(ascii: isArray ? "[" : "{"))
        func startLine(_ depth: Int) {
            text.append(0x0a)
            text.append(contentsOf: repeatElement(0x20, count: 2 * depth))
        }
        var isFirst = true
        func separate() {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            startLine(indentation + 1)
        }
        if case .array(let node) = storage {
            node.forEach { element in
                separate()
                element.appendPretty(to: &text, indentation: indentation + 1)
            }
        } else if case .object(let node) = storage {
            node.forEach { key, value in
                separate()
                JSON.quote(key.bytes[...], to: &text)
                text.append(contentsOf: ": ".utf8)
                value.appendPretty(to: &text, indentation: indentation + 1)
            }
        }
        startLine(indentation)
        text.append(UInt8(ascii: isArray ? "]" : "}"))
    }
}

extension ArrayNode {
    /// Every element with a comma behind it.
    fileprivate func append(to text: inout [UInt8]) {
        for slot in slots {
            if level > 0 {
                slot.arrayNode.append(to: &text)
            } else {
                slot.append(to: &text)
                text.append(UInt8(ascii: ","))
            }
        }
    }
}

extension ObjectNode {
    /// Every member with a comma behind it.
    fileprivate func append(to text: inout [UInt8]) {
        if level > 0 {
            for slot in slots { slot.objectNode.append(to: &text) }
            return
        }
        for index in slots.indices {
            JSON.quote(shape.keys[index].bytes[...], to: &text)
            text.append(UInt8(ascii: ":"))
            slots[index].append(to: &text)
            text.append(UInt8(ascii: ","))
        }
    }
}
