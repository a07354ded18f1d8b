import AccessControl
import Documents
import JSONTree
import Journaling
import Naming

/// Writes JSON text from left to right, for responses whose form is known.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false
    /// How numbers of changes look; `nil` in texts without such numbers.
    private let numberings: Numberings?
    /// Of the document that the current object is about.
    private(set) var numbering: Numbering
    /// The documents that the reader may know of; `nil`: all.
    private let reach: Reach?

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
        keepingNumbering(members)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// An object inside may be about another document. A history that was never cut, which is the
    /// rule, copies nothing for it.
    private mutating func keepingNumbering(_ members: (inout JSONText) -> Void) {
        guard !numbering.isUncut else {
            members(&self)
            if !numbering.isUncut { numbering = .uncut }
            return
        }
        let outer = numbering
        members(&self)
        numbering = outer
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

    /// A text whose numbers are those of one document, until an object names another one.
    init(
        _ numberings: Numberings? = nil, numbering: Numbering = .uncut, for reach: Reach? = nil
    ) {
        self.numberings = numberings
        self.numbering = numbering
        self.reach = reach
        bytes.reserveCapacity(512)
    }

    /// Whether the reader may know of a document.
    func mayName(_ document: DocumentID) -> Bool { reach?.contains(document.name) ?? true }

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

// Numbers of changes, which carry a mark after a cut of the history. Other numbers are members.

extension JSONText {
    /// The document that this object is about: the numbers that follow are of its changes.
    mutating func document(_ id: DocumentID) {
        member("document", id.name)
        guard let numberings, !numberings.areUncut else { return }
        numbering = numberings.shown(id)
    }

    /// A revision or a version.
    mutating func revision(_ name: String, _ number: Int?) {
        guard let number else { return member(name, .null) }
        member(name, numbering.shown(number))
    }

    mutating func revisions(_ name: String, _ numbers: [Int]) {
        self.name(name)
        array(numbers) { $0.value(JSON($0.numbering.shown($1))) }
    }

    /// Where a page ends: before this revision or version.
    mutating func end(_ name: String, _ number: Int?) {
        member(name, number.map { numbering.shownEnd($0) })
    }

    /// A position in the order of all documents.
    mutating func position(_ name: String, _ number: Int) {
        member(name, numberings?.positions.shown(number) ?? number)
    }

    /// A revision of whatever document: `menu@7`.
    func place(_ document: DocumentID, _ revision: Int) -> String {
        let numbering = numberings?.shown(document) ?? .uncut
        return "\(document)@\(numbering.shown(revision))"
    }
}

extension Numberings {
    /// How numbers of a document look. Where the journal cannot be asked they carry no mark: such
    /// a number is refused when it comes back, and not applied to another history.
    func shown(_ id: DocumentID) -> Numbering { (try? numbering(of: id)) ?? .uncut }
}
