public import DocumentCore
public import Journaling
public import Naming

/// The part of a run that is in effect.
public enum RunEffect: String, Sendable {
    case all, part, none
}

/// A run over all documents that are asked about.
public struct Run: Sendable {
    public let name: Name
    /// Its edits, over these documents.
    public let edits, undone, documentCount: Int
    /// When its first and last edits were accepted.
    public let times: ClosedRange<Timestamp>
    /// The number of its last edit in the order of commits; without edits, that of its opening.
    let position: Int
    /// The requesters of its edits.
    public let requesters: [Name]
    /// The label of its first edit that has one.
    public internal(set) var label: String?
    /// When it ends by itself, if it is open.
    public internal(set) var expiry: Timestamp?
    /// The first edit with a label; without one, the entry that opened the run.
    let labelled: DocumentRevision?

    public var effect: RunEffect { undone == 0 ? .all : undone == edits ? .none : .part }

    /// A run without edits, which was opened.
    init(_ name: Name, _ opening: RunOpening) {
        self.name = name
        times = opening.time...opening.time
        position = opening.number
        (edits, undone, documentCount, requesters) = (0, 0, 0, [])
        labelled = OpenRun.documents.document(of: name).map {
            DocumentRevision($0, opening.revision)
        }
    }

    /// `nil` if it has no edits in these documents. `opening`: if it may be open.
    init?(_ name: Name, _ counts: [(document: DocumentID, count: RunCount)], _ opening: RunOpening?)
    {
        let counts = counts.filter { $0.count.edits > 0 }
        guard let began = counts.map(\.count.began).min(),
            let ended = counts.map(\.count.ended).max()
        else { return nil }
        self.name = name
        times = began...ended
        position = counts.map(\.count.last).max() ?? 0
        edits = counts.reduce(0) { $0 + $1.count.edits }
        undone = counts.reduce(0) { $0 + $1.count.undone }
        documentCount = counts.count
        requesters = Set(counts.flatMap(\.count.requesters)).sorted()
        let first = counts.filter { $0.count.labelled != nil }.min {
            $0.count.began < $1.count.began
        }
        labelled =
            first.flatMap { first in
                first.count.labelled.map { DocumentRevision(first.document, $0) }
            }
            ?? opening.flatMap { opening in
                OpenRun.documents.document(of: name).map {
                    DocumentRevision($0, opening.revision)
                }
            }
    }
}

/// A run, and what it did in some of its documents.
public struct RunInDocuments: Sendable {
    public let run: Run
    public let counts: [(document: DocumentID, count: RunCount)]
    /// Its changes that are not edits, at most `OtherChanges.countMax`.
    public let others: [(document: DocumentID, change: OtherChanges.Element)]
    /// The last of the documents; `nil` if that is the end.
    public let next: DocumentID?
}
