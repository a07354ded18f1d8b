public import JSONTree
public import Journaling
public import Naming

/// The common state of a draft and its origin when the draft was made, updated or merged, and the
/// edits of each side since.
///
/// After a partial merge, the common state is in neither history: it is the draft's state without
/// `ahead`.
public struct DraftRecord: Sendable, Equatable {
    public let origin: DocumentID
    /// The revision of the origin that it is about.
    public let originRevision: Int
    /// The edits from the common state to the draft.
    public let ahead: ReversiblePatch
    /// The known authors of these edits.
    public let authors: [Name]
    /// The edits from the common state to the origin.
    public let behind: ReversiblePatch
    /// By edit of `ahead`, which of several authors made it: 1 for the first, 0 where that is not
    /// known. Empty if there is only one, and in records of older versions.
    var authorNumbers: [Int] = []

    public init(
        of origin: DocumentID, at revision: Int, ahead: ReversiblePatch = .empty,
        by authors: [Name] = [], behind: ReversiblePatch = .empty
    ) {
        self.origin = origin
        originRevision = revision
        self.ahead = ahead
        self.authors = ahead.isEmpty ? [] : authors
        self.behind = behind
    }
}

/// Where a draft begins.
// A class, so that a request holds it by one word.
public final class DraftStart: Sendable {
    let origin: DocumentID
    let revision: Int
    /// The settings that the draft copies from the origin.
    private let settings: DocumentSettings

    /// At a state of a document, which has these settings now.
    public init(at document: Document, _ settings: DocumentSettings) {
        origin = document.id
        revision = document.revision
        self.settings = DocumentSettings(
            grouping: settings.grouping, tracking: settings.tracking,
            identityNames: settings.identityNames)
    }

    /// The settings of the draft: those that say what a version is are the origin's.
    func settings(over defaults: DocumentSettings) -> DocumentSettings {
        var result = defaults
        result.grouping = settings.grouping
        result.tracking = settings.tracking
        result.identityNames = settings.identityNames
        return result
    }
}

/// A change of the origin by which a draft, or a part of it, was merged.
public struct MergedDraft: Sendable, Equatable {
    public let draft: DocumentID
    /// The draft's revision that was merged.
    public let revision: Int
    /// The authors of the merged edits.
    public let authors: [Name]
    /// By edit of the change, which of several authors made it: 1 for the first, 0 where that is
    /// not known. Empty if there is only one.
    var authorNumbers: [Int] = []

    public init(of draft: DocumentID, at revision: Int, by authors: [Name]) {
        self.draft = draft
        self.revision = revision
        self.authors = authors
    }

    /// The author of each edit of a patch.
    package func authors(of patch: ReversiblePatch) -> [Name?] {
        if authors.count < 2 { return Array(repeating: authors.first, count: patch.count) }
        return CreditedPatch(patch, by: authors, authorNumbers).authorsOfEdits
            ?? Array(repeating: nil, count: patch.count)
    }
}

/// A patch that several authors may have made.
package struct CreditedPatch {
    let patch: ReversiblePatch
    let authors: [Name]
    /// By edit, who made it; `nil` if it is not known of any.
    let authorsOfEdits: [Name?]?

    /// `numbers`: by edit, which of the authors, from 1 on.
    package init(_ patch: ReversiblePatch, by authors: [Name] = [], _ numbers: [Int] = []) {
        self.patch = patch
        self.authors = authors
        // An erasure removes edits, so that numbers no longer match them; then authors are unknown.
        let isKnown = !numbers.isEmpty && numbers.count == patch.count
        authorsOfEdits =
            !isKnown
            ? nil
            : numbers.map { number in
                authors.indices.contains(number - 1) ? authors[number - 1] : nil
            }
    }
}

extension DraftRecord {
    /// The edits from the common state to the draft, with their authors.
    package var creditedAhead: CreditedPatch { CreditedPatch(ahead, by: authors, authorNumbers) }
}

/// A document that knows where it is from.
package struct DraftState: Sendable, Equatable {
    /// The origin, by its name now.
    package var origin: DocumentID
    /// Of the draft's beginning, and of updates and merges since; the oldest first.
    package var records: [Entry] = []

    /// A record, with what is known of it.
    package struct Entry: Sendable, Equatable {
        /// The revision of the draft that made it.
        package let revision: Int
        package let kind: Kind
        package let record: DraftRecord
        /// The common state.
        package let common: JSON

        package enum Kind: UInt8, Sendable {
            case start = 1
            case update, merge
            /// A merge in which all gave way to the origin, so that nothing can be undone there.
            case settlement
        }
    }

    /// The limit on records: an undo goes back to the one before, and hardly ever far.
    static let recordsMax = 8

    /// The last revision of the draft at which it was merged.
    var lastMerge: Int? {
        records.last { $0.kind == .merge || $0.kind == .settlement }?.revision
    }

    /// About how many bytes it takes in memory.
    var weight: Int {
        records.reduce(0) {
            $0 + Document.weight(of: $1.common)
                + $1.record.ahead.byteCount + $1.record.behind.byteCount
        }
    }

    /// Adds a record of the draft, which is `tree` at a revision. The beginning always stays.
    mutating func add(_ kind: Entry.Kind, _ record: DraftRecord, at revision: Int, _ tree: JSON) {
        // The entries are chained, so that it fits.
        guard let common = try? tree.applying(record.ahead.inverse) else { return }
        records.append(Entry(revision: revision, kind: kind, record: record, common: common))
        if records.count > DraftState.recordsMax { records.remove(at: 1) }
    }
}

extension Change {
    /// The change of the origin that a draft's mark is about; `nil` if the merge changed nothing
    /// there: then the mark is alone, or says that the origin has no part.
    package var merging: DocumentRevision? {
        guard let draft, let transaction, transaction.count > 1, elsewhere.isEmpty else {
            return nil
        }
        return DocumentRevision(draft.origin, draft.originRevision)
    }
}

extension PartElsewhere {
    /// The origin of a draft has no part in a merge.
    static func nothing(in record: DraftRecord) -> PartElsewhere {
        let place = DocumentRevision(record.origin, record.originRevision)
        return PartElsewhere(place, .absent(.notInEffect, revision: place.revision))
    }
}

extension Document {
    /// The document that it is a draft of, if it is one.
    public var origin: DocumentID? { draft?.origin }

    /// Stores the relation of a draft to its origin from now on.
    mutating func note(_ record: DraftRecord, of change: Change, _ tree: JSON) {
        let kind: DraftState.Entry.Kind =
            switch change.kind {
            case .create, .copy: .start
            case .update: .update
            default: change.merging == nil ? .settlement : .merge
            }
        if draft == nil { draft = DraftState(origin: record.origin) }
        draft?.origin = record.origin
        draft?.add(kind, record, at: change.revision, tree)
    }
}

// MARK: Bytes

extension DraftRecord {
    func write(to writer: inout ByteWriter) {
        writer.text(origin.name)
        writer.number(originRevision)
        ahead.write(to: &writer)
        writer.names(authors)
        behind.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        guard let origin = DocumentID(try reader.text()) else { throw ByteReader.Malformed() }
        self.origin = origin
        originRevision = try reader.number()
        ahead = try ReversiblePatch(from: &reader)
        authors = try reader.names()
        behind = try ReversiblePatch(from: &reader)
    }
}

extension MergedDraft {
    func write(to writer: inout ByteWriter) {
        writer.text(draft.name)
        writer.number(revision)
        writer.names(authors)
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        guard let draft = DocumentID(try reader.text()) else { throw ByteReader.Malformed() }
        self.draft = draft
        revision = try reader.number()
        authors = try reader.names()
    }
}

extension DraftState {
    /// Set in the byte of a record's kind if it says who made each edit.
    private static let numbersFlag: UInt8 = 0x80

    func write(to writer: inout ByteWriter, _ values: StoredValues) {
        writer.text(origin.name)
        writer.number(records.count)
        for entry in records {
            writer.number(entry.revision)
            let numbers = entry.record.authorNumbers
            writer.byte(entry.kind.rawValue | (numbers.isEmpty ? 0 : DraftState.numbersFlag))
            entry.record.write(to: &writer)
            if !numbers.isEmpty { writer.numbers(numbers) }
            writer.number(values.number(of: entry.common))
        }
    }

    init(from reader: inout ByteReader, _ values: StoredValues) throws(ByteReader.Malformed) {
        guard let origin = DocumentID(try reader.text()) else { throw ByteReader.Malformed() }
        self.origin = origin
        for _ in 0..<(try reader.number()) {
            let revision = try reader.number()
            let code = try reader.byte()
            guard let kind = Entry.Kind(rawValue: code & ~DraftState.numbersFlag) else {
                throw ByteReader.Malformed()
            }
            var record = try DraftRecord(from: &reader)
            if code & DraftState.numbersFlag != 0 { record.authorNumbers = try reader.numbers() }
            guard let common = try values.value(try reader.number()) else {
                throw ByteReader.Malformed()
            }
            records.append(
                Entry(revision: revision, kind: kind, record: record, common: common))
        }
    }
}
