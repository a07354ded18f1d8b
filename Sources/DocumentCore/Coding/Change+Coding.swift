package import JSONTree
import Journaling
import Naming
import SelectiveUndo
import VersioningKit

extension Change {
    /// The format of the entries that this code writes; see
    /// `Documentation/Reference/JournalFormat.md`.
    /// Older formats stay readable.
    static let format: UInt8 = 12
    /// The last format that has no requester (`promptBy`); changes without one are still written
    /// in it.
    static let lastFormatWithoutPrompts: UInt8 = 11
    /// The last one with hashes of two bytes; what has none is still written in an older one.
    static let lastFormatOfLongHashes: UInt8 = 10
    /// The last one without schemas.
    static let lastFormatWithoutSchemas: UInt8 = 9
    /// The last format that does not record the author of each edit of a merge.
    static let lastFormatWithoutAuthors: UInt8 = 8
    /// The last one without drafts.
    static let lastFormatWithoutDrafts: UInt8 = 7
    /// The last one without a second byte of extras; what needs none is still written in it.
    static let lastFormatOfFewExtras: UInt8 = 6
    /// The last one with a hash of the tree in every entry.
    static let lastHashedFormat: UInt8 = 5
    /// Up to this format, hashes were made with a key of the journal: they cannot be compared.
    static let lastKeyedFormat: UInt8 = 3

    /// Most entries have no more.
    private static let usualBytes = 192

    /// The entry's body: everything but the revision, which the journal keeps.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: Change.usualBytes)
        writer.byte(formatNeeded)
        kind.write(to: &writer)
        writer.name(actor)
        writer.number(max(0, time.milliseconds))
        writer.optionalText(label)
        if let treeHash { writer.hash(treeHash) }
        patch.write(to: &writer)
        writeExtras(to: &writer)
        return writer.bytes
    }

    private var formatNeeded: UInt8 {
        if promptBy != nil { return Change.format }
        if priorHash?.isByte ?? false { return Change.lastFormatWithoutPrompts }
        if treeHash != nil { return Change.lastHashedFormat }
        if case .settings(let settings) = kind, settings.needsNewFormat {
            return Change.lastFormatOfLongHashes
        }
        if case .origin = kind { return Change.lastFormatWithoutAuthors }
        if rare == nil { return Change.lastFormatOfFewExtras }
        if settings?.needsNewFormat ?? false { return Change.lastFormatOfLongHashes }
        if rareExtras.contains(.authorNumbers) { return Change.lastFormatWithoutSchemas }
        return rareExtras.isDisjoint(with: [.draft, .merged, .settings, .renamedTo])
            ? Change.lastFormatWithoutDrafts : Change.lastFormatWithoutAuthors
    }

    /// Optional parts that most changes lack.
    struct Extras: OptionSet {
        let rawValue: UInt8

        static let untracked = Extras(rawValue: 1)
        static let trackedHash = Extras(rawValue: 2)
        static let token = Extras(rawValue: 4)
        static let trim = Extras(rawValue: 8)
        static let group = Extras(rawValue: 16)
        static let sent = Extras(rawValue: 32)
        static let priorHash = Extras(rawValue: 64)
        static let rare = Extras(rawValue: 128)
    }

    /// Optional parts that only few changes have.
    struct RareExtras: OptionSet {
        let rawValue: UInt8

        static let selection = RareExtras(rawValue: 1)
        static let transaction = RareExtras(rawValue: 2)
        static let takesBack = RareExtras(rawValue: 4)
        static let draft = RareExtras(rawValue: 8)
        static let merged = RareExtras(rawValue: 16)
        static let settings = RareExtras(rawValue: 32)
        static let renamedTo = RareExtras(rawValue: 64)
        static let authorNumbers = RareExtras(rawValue: 128)

        init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The start of the rare parts: the requester, from format 12 on, and the flags.
        init(
            from reader: inout ByteReader, _ format: UInt8, _ promptBy: inout Name?
        ) throws(ByteReader.Malformed) {
            if format > Change.lastFormatWithoutPrompts { promptBy = try reader.name() }
            rawValue = try reader.byte()
        }
    }

    private var rareExtras: RareExtras {
        var extras: RareExtras = []
        if selection != nil { extras.insert(.selection) }
        if transaction != nil { extras.insert(.transaction) }
        if takesBack != nil { extras.insert(.takesBack) }
        if draft != nil { extras.insert(.draft) }
        if merged != nil { extras.insert(.merged) }
        if settings != nil { extras.insert(.settings) }
        if renamedTo != nil { extras.insert(.renamedTo) }
        if !authorNumbers.isEmpty { extras.insert(.authorNumbers) }
        return extras
    }

    /// Of the edits of a merge, or of those of a draft's record: a change has one of both.
    private var authorNumbers: [Int] { merged?.authorNumbers ?? draft?.authorNumbers ?? [] }

    private func writeExtras(to writer: inout ByteWriter) {
        var extras: Extras = []
        if !untracked.isEmpty { extras.insert(.untracked) }
        if trackedHash != nil { extras.insert(.trackedHash) }
        if token != nil { extras.insert(.token) }
        if versionsKept != nil { extras.insert(.trim) }
        if group != nil { extras.insert(.group) }
        if sent != nil { extras.insert(.sent) }
        if priorHash != nil { extras.insert(.priorHash) }
        if rare != nil { extras.insert(.rare) }
        writer.byte(extras.rawValue)
        if !untracked.isEmpty { untracked.write(to: &writer) }
        if let trackedHash { writer.hash(trackedHash) }
        if let token { token.write(to: &writer) }
        if let versionsKept { writer.number(versionsKept) }
        if let group { writer.number(revision - group) }
        if let sent { sent.write(to: &writer, at: revision) }
        if let priorHash {
            writer.byte(UInt8(priorHash.bits >> 8))
            if !priorHash.isByte { writer.byte(UInt8(priorHash.bits & 0xff)) }
        }
        if rare != nil { writeRareExtras(to: &writer) }
    }

    private func writeRareExtras(to writer: inout ByteWriter) {
        if let promptBy { writer.name(promptBy) }
        writer.byte(rareExtras.rawValue)
        selection?.write(to: &writer)
        transaction?.write(to: &writer, elsewhere)
        if let takesBack { writer.number(takesBack) }
        draft?.write(to: &writer)
        merged?.write(to: &writer)
        settings?.write(to: &writer)
        if let renamedTo { writer.text(renamedTo.name) }
        if !authorNumbers.isEmpty { writer.numbers(authorNumbers) }
    }

    private mutating func readExtras(
        _ reader: inout ByteReader, _ format: UInt8
    ) throws(ByteReader.Malformed) {
        let extras = Extras(rawValue: try reader.byte())
        if extras.contains(.untracked) { untracked = try ReversiblePatch(from: &reader) }
        if extras.contains(.trackedHash) { trackedHash = try reader.hash() }
        if extras.contains(.token) { token = try RequestToken(from: &reader) }
        if extras.contains(.trim) { versionsKept = try reader.number() }
        if extras.contains(.group) { group = revision &- (try reader.number()) }
        if extras.contains(.sent) { sent = try SentEdit(from: &reader, at: revision) }
        if extras.contains(.priorHash) {
            let first = try reader.byte()
            priorHash =
                format > Change.lastFormatOfLongHashes
                ? ShortHash(byte: first)
                : ShortHash(bits: UInt16(first) << 8 | UInt16(try reader.byte()))
        }
        if extras.contains(.rare) { try readRareExtras(&reader, format) }
    }

    private mutating func readRareExtras(
        _ reader: inout ByteReader, _ format: UInt8
    ) throws(ByteReader.Malformed) {
        // Set once: each assignment to one of these properties of a change copies all of them.
        var found = RareParts.Values()
        let extras = try RareExtras(from: &reader, format, &found.promptBy)
        if extras.contains(.selection) { found.selection = try ChangeSelection(from: &reader) }
        if extras.contains(.transaction) {
            found.transaction = try TransactionPart(from: &reader, &found.elsewhere)
        }
        if extras.contains(.takesBack) { found.takesBack = try reader.number() }
        if extras.contains(.draft) { found.draft = try DraftRecord(from: &reader) }
        if extras.contains(.merged) { found.merged = try MergedDraft(from: &reader) }
        if extras.contains(.settings) { found.settings = try DocumentSettings(from: &reader) }
        if extras.contains(.renamedTo) {
            guard let name = DocumentID(try reader.text()) else { throw ByteReader.Malformed() }
            found.renamedTo = name
        }
        if extras.contains(.authorNumbers) {
            let numbers = try reader.numbers()
            if found.merged != nil {
                found.merged?.authorNumbers = numbers
            } else {
                found.draft?.authorNumbers = numbers
            }
        }
        rareValues = found
    }

    package init(decoding bytes: [UInt8], revision: Int) throws(ByteReader.Malformed) {
        var reader = ByteReader(bytes)
        let format = try reader.byte()
        guard (1...Change.format).contains(format) else { throw ByteReader.Malformed() }
        self.revision = revision
        kind = try Kind(from: &reader)
        actor = try reader.name()
        time = Timestamp(milliseconds: try reader.number())
        label = try reader.optionalText()
        if format <= Change.lastHashedFormat { treeHash = try reader.hash() }
        patch = try ReversiblePatch(from: &reader)
        if format > 1 { try readExtras(&reader, format) }
        hasKeyedHashes = format <= Change.lastKeyedFormat
        if hasKeyedHashes { token?.fingerprint = nil }
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
    }
}

extension Change.Kind {
    enum Code: UInt8 {
        case create = 1
        case append, move, tag, removeTag, pushScope, popScope, discardScope, settings
        case delete
        case revert, snapshot, removeSnapshot, restore
        case touch, pushTimedScope
        case revertChanges, popScopeOf, discardChanges
        case undelete, purge, forgotten, foundation, copy
        case update, merge, origin

        /// The parts after the code, in their order; `nil` for a code without a fixed order.
        var layout: [Part]? {
            switch self {
            case .create, .delete, .undelete, .forgotten, .pushScope, .discardScope, .update,
                .merge:
                []
            case .append: [.flag, .optionalName]
            case .touch: [.optionalName]
            case .move: [.version, .direction]
            case .tag: [.name, .version]
            case .removeTag, .removeSnapshot, .restore: [.name]
            case .origin: [.optionalName]
            case .settings, .revert, .revertChanges, .snapshot, .pushTimedScope, .popScope,
                .popScopeOf, .discardChanges, .purge, .foundation, .copy:
                nil
            }
        }
    }

    /// A part of the bytes after a code, for code that splits a body without decoding it.
    enum Part {
        case flag, direction, name, optionalName, version
    }

    /// The code of those that have a name and nothing else.
    private var namedCode: Code {
        switch self {
        case .removeSnapshot: .removeSnapshot
        case .restore: .restore
        default: .removeTag
        }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        func begin(_ code: Code) { writer.byte(code.rawValue) }
        switch self {
        case .create: begin(.create)
        case .append(let joins, let tag):
            begin(.append)
            writer.byte(joins ? 1 : 0)
            writer.optionalName(tag)
        case .move(let version, let direction):
            begin(.move)
            writer.number(version)
            writer.byte(direction.rawValue)
        case .snapshot(let key, let pointers):
            begin(.snapshot)
            writer.name(key)
            writer.number(pointers.count)
            for pointer in pointers { writer.text(pointer.description) }
        case .removeSnapshot(let name), .restore(let name), .removeTag(let name):
            begin(namedCode)
            writer.name(name)
        case .revert(let changes):
            let isOld = changes.actor == nil
            begin(isOld ? .revert : .revertChanges)
            isOld ? changes.writeAsBefore(to: &writer) : changes.write(to: &writer)
        case .tag(let name, let version):
            begin(.tag)
            writer.name(name)
            writer.number(version)
        case .touch(let tag):
            begin(.touch)
            writer.optionalName(tag)
        case .pushScope(nil): begin(.pushScope)
        case .pushScope(let expiry?):
            begin(.pushTimedScope)
            expiry.write(to: &writer)
        case .popScope(let isChanged, let owner):
            begin(owner == nil ? .popScope : .popScopeOf)
            writer.byte(isChanged ? 1 : 0)
            if let owner { writer.name(owner) }
        case .discardScope(nil): begin(.discardScope)
        case .discardScope(let changes?):
            begin(.discardChanges)
            changes.write(to: &writer)
        case .settings(let settings):
            begin(.settings)
            settings.write(to: &writer)
        case .delete: begin(.delete)
        case .undelete: begin(.undelete)
        case .update: begin(.update)
        case .merge: begin(.merge)
        case .origin(let origin):
            begin(.origin)
            writer.optionalText(origin?.name)
        case .copy(let origin):
            begin(.copy)
            writer.text(origin.document.name)
            writer.number(origin.revision)
            writer.byte(origin.isRename ? 1 : 0)
        case .purge(let places):
            begin(.purge)
            writer.texts(places.map(\.description))
        case .forgotten: begin(.forgotten)
        case .foundation(let bytes):
            begin(.foundation)
            writer.block(bytes)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        guard let code = Code(rawValue: try reader.byte()) else { throw ByteReader.Malformed() }
        switch code {
        case .create: self = .create
        case .append:
            let joins = try reader.byte() == 1
            self = .append(joins: joins, tag: try reader.optionalName())
        case .move:
            let version = try reader.number()
            guard let direction = Change.Direction(rawValue: try reader.byte()) else {
                throw ByteReader.Malformed()
            }
            self = .move(to: version, direction: direction)
        case .snapshot:
            let key = try reader.name()
            var pointers: [JSONPointer] = []
            for _ in 0..<(try reader.number()) {
                pointers.append(try JSONPointer(from: &reader))
            }
            self = .snapshot(key, pointers)
        case .removeSnapshot: self = .removeSnapshot(try reader.name())
        case .restore: self = .restore(try reader.name())
        case .revert:
            let isRedo = try reader.byte() == 1
            let revisions = try reader.numbers()
            self = .revert(
                Reversal(
                    actor: nil, off: isRedo ? [] : revisions, on: isRedo ? revisions : []))
        case .revertChanges: self = .revert(try Reversal(from: &reader))
        case .tag:
            let name = try reader.name()
            self = .tag(name, version: try reader.number())
        case .removeTag: self = .removeTag(try reader.name())
        case .touch: self = .touch(tag: try reader.optionalName())
        case .pushScope: self = .pushScope(nil)
        case .pushTimedScope: self = .pushScope(try ScopeExpiry(from: &reader))
        case .popScope: self = .popScope(isChanged: try reader.byte() == 1, owner: nil)
        case .popScopeOf:
            let isChanged = try reader.byte() == 1
            self = .popScope(isChanged: isChanged, owner: try reader.name())
        case .discardScope: self = .discardScope(nil)
        case .discardChanges: self = .discardScope(try Reversal(from: &reader))
        case .settings: self = .settings(try DocumentSettings(from: &reader))
        case .delete: self = .delete
        case .undelete: self = .undelete
        case .update: self = .update
        case .merge: self = .merge
        case .origin:
            let name = try reader.optionalText()
            let origin = name.flatMap { DocumentID($0) }
            guard (origin == nil) == (name == nil) else { throw ByteReader.Malformed() }
            self = .origin(origin)
        case .copy: self = .copy(of: try Change.Origin(from: &reader))
        case .forgotten: self = .forgotten
        case .foundation: self = .foundation(try reader.block())
        case .purge:
            self = .purge(
                try reader.texts().map { text throws(ByteReader.Malformed) in
                    guard let place = PointerPattern(parsing: text) else {
                        throw ByteReader.Malformed()
                    }
                    return place
                })
        }
    }
}

extension Change.Origin {
    fileprivate init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        guard let document = DocumentID(try reader.text()) else { throw ByteReader.Malformed() }
        let revision = try reader.number()
        self.init(
            document: document, revision: revision, isRename: try reader.byte() == 1)
    }
}

extension Reversal {
    /// The number of the rules that say what is in effect: a journal may hold changes made by
    /// older ones. With the second ones, changes go out of effect in part.
    private static let (rules, rulesWithParts) = (1, 2)

    /// As older versions wrote it, which did not note whose it was.
    fileprivate func writeAsBefore(to writer: inout ByteWriter) {
        writer.byte(off.isEmpty ? 1 : 0)
        writer.numbers(off + on)
    }

    fileprivate func write(to writer: inout ByteWriter) {
        let hasParts = !partsOff.isEmpty || !partsOn.isEmpty || !kept.isEmpty
        writer.number(hasParts ? Reversal.rulesWithParts : Reversal.rules)
        writer.byte(isForced ? 1 : 0)
        writer.name(actor ?? .nobody)
        for revisions in [off, on, passed] { writer.numbers(revisions) }
        writer.number(skipped.count)
        for conflict in skipped { conflict.write(to: &writer) }
        guard hasParts else { return }
        for parts in [partsOff, partsOn] { ChangePart.write(parts, to: &writer) }
        writer.texts(kept.map(\.description))
    }

    fileprivate init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        let rules = try reader.number()
        guard (Reversal.rules...Reversal.rulesWithParts).contains(rules) else {
            throw ByteReader.Malformed()
        }
        let isForced = try reader.byte() == 1
        self.init(actor: try reader.name(), isForced: isForced)
        off = try reader.numbers()
        on = try reader.numbers()
        passed = try reader.numbers()
        for _ in 0..<(try reader.number()) { skipped.append(try Conflict(from: &reader)) }
        guard rules == Reversal.rulesWithParts else { return }
        partsOff = try ChangePart.list(from: &reader)
        partsOn = try ChangePart.list(from: &reader)
        kept = try reader.texts().compactMap { JSONPointer(parsing: $0) }
    }
}

extension ChangePart {
    fileprivate static func write(_ parts: [ChangePart], to writer: inout ByteWriter) {
        writer.number(parts.count)
        for part in parts {
            writer.number(part.revision)
            writer.numbers(part.operations ?? [])
        }
    }

    fileprivate static func list(
        from reader: inout ByteReader
    ) throws(ByteReader.Malformed) -> [ChangePart] {
        var parts: [ChangePart] = []
        for _ in 0..<(try reader.number()) {
            let revision = try reader.number()
            parts.append(ChangePart(revision, operations: try reader.numbers()))
        }
        return parts
    }
}

extension SentEdit {
    private static let isPartialFlag: UInt8 = 1
    static let hasPatchFlag: UInt8 = 2

    fileprivate func write(to writer: inout ByteWriter, at revision: Int) {
        writer.number(revision - base)
        writer.number(ownCount)
        writer.byte(
            (isPartial ? SentEdit.isPartialFlag : 0) | (patch == nil ? 0 : SentEdit.hasPatchFlag))
        patch?.write(to: &writer)
    }

    fileprivate init(
        from reader: inout ByteReader, at revision: Int
    ) throws(ByteReader.Malformed) {
        base = revision &- (try reader.number())
        ownCount = try reader.number()
        let flags = try reader.byte()
        isPartial = flags & SentEdit.isPartialFlag != 0
        patch = flags & SentEdit.hasPatchFlag == 0 ? nil : try ReversiblePatch(from: &reader)
    }
}

extension ScopeExpiry {
    func write(to writer: inout ByteWriter) {
        writer.number(deadline.milliseconds)
        writer.byte(policy.rawValue)
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        let deadline = Duration.milliseconds(try reader.number())
        guard let policy = Policy(rawValue: try reader.byte()) else {
            throw ByteReader.Malformed()
        }
        self.init(deadline: deadline, policy: policy)
    }
}

extension ByteWriter {
    mutating func hash(_ hash: ContentHash) {
        word(hash.high)
        word(hash.low)
    }
}

extension ByteReader {
    mutating func hash() throws(ByteReader.Malformed) -> ContentHash {
        ContentHash(high: try word(), low: try word())
    }
}
