import JSONTree
import Naming

/// Writes JSON text from left to right, for responses whose form is known.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// The text with the line end that every response has.
    consuming func line() -> [UInt8] {
        bytes.append(0x0a)
        return bytes
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    mutating func object(_ members: (inout JSONText) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        members(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    mutating func array<Element>(
        _ elements: some Sequence<Element>, _ body: (inout JSONText, Element) -> Void
    ) {
        separate()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
        for element in elements { body(&self, element) }
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    init() {
        bytes.reserveCapacity(512)
    }

    /// Writes a name, one of ours that needs no escapes; a value follows.
    mutating func name(_ name: String) {
        separate()
        let letters = name.utf8
        // A change has some twenty names.
        bytes.append(addingCapacity: letters.count + 3) { (space: inout OutputSpan<UInt8>) in
            space.append(UInt8(ascii: "\""))
            for letter in letters { space.append(letter) }
            space.append(UInt8(ascii: "\""))
            space.append(UInt8(ascii: ":"))
        }
        needsComma = false
    }

    mutating func value(_ value: JSON) {
        separate()
        value.append(to: &bytes)
    }

    /// A value that is JSON text already.
    mutating func value(raw text: [UInt8]) {
        separate()
        bytes.append(contentsOf: text)
    }

    mutating func member(_ name: String, _ value: JSON) {
        self.name(name)
        self.value(value)
    }

    mutating func member(_ name: String, _ value: String) {
        self.name(name)
        separate()
        JSON.appendQuoted(value, to: &bytes)
    }

    mutating func member(_ name: String, _ value: Name) { member(name, value.text) }

    mutating func member(_ name: String, _ value: Int) { member(name, raw: String(value).utf8) }

    mutating func member(_ name: String, _ value: Int?) {
        if let value { member(name, value) } else { member(name, .null) }
    }

    mutating func member(_ name: String, _ value: Bool) {
        member(name, raw: (value ? "true" : "false").utf8)
    }

    /// A member whose value is JSON text already.
    mutating func member(_ name: String, raw text: some Sequence<UInt8>) {
        self.name(name)
        separate()
        bytes.append(contentsOf: text)
    }

    mutating func member(_ name: String, _ members: (inout JSONText) -> Void) {
        self.name(name)
        object(members)
    }
}
