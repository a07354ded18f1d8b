package import Journaling
package import Naming

/// The keys of the rows in which runs are stored.
///
/// Names have no NUL, which ends them here, and no byte 255.
package enum RunKey {
    /// The number of the last edit of a run.
    package static func run(_ run: Name) -> [UInt8] { [UInt8(ascii: "r")] + run.text.utf8 }

    /// A run, by its last edit: the newest one first.
    package static func recency(_ run: Name, last: Int) -> [UInt8] {
        recency(before: last) + run.text.utf8
    }

    /// The beginning of the keys of runs with this last edit.
    package static func recency(before last: Int) -> [UInt8] {
        let number = ~UInt64(bitPattern: Int64(last))
        return recencies
            + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// The beginning of all keys of `recency`.
    package static let recencies = [UInt8(ascii: "t")]

    /// Behind all keys of `recency`, whose numbers may begin with 255.
    package static let endOfRecencies = [UInt8(ascii: "t") + 1]

    /// The number in a key of `recency`.
    package static func last(ofRecency key: [UInt8]) -> Int {
        Int(
            truncatingIfNeeded: ~key.dropFirst().prefix(8).reduce(UInt64(0)) {
                $0 << 8 | UInt64($1)
            })
    }

    /// The bytes of `recency` before the name of the run.
    package static let recencyBytes = 9

    /// The edits of a run in a document.
    package static func count(_ run: Name, _ document: DocumentID) -> [UInt8] {
        counts(run) + document.name.utf8
    }

    /// The beginning of the keys of a run's documents.
    package static func counts(_ run: Name) -> [UInt8] {
        [UInt8(ascii: "c")] + run.text.utf8 + [0]
    }

    /// The changes of a run in a document that are not edits.
    package static func others(_ run: Name, _ document: DocumentID) -> [UInt8] {
        others(run) + document.name.utf8
    }

    /// The beginning of the keys of these changes of a run.
    package static func others(_ run: Name) -> [UInt8] {
        [UInt8(ascii: "x")] + run.text.utf8 + [0]
    }

    /// A run in a document, to find the runs of a document.
    package static func member(_ document: DocumentID, _ run: Name) -> [UInt8] {
        members(document) + run.text.utf8
    }

    /// The beginning of the keys of a document's runs.
    package static func members(_ document: DocumentID) -> [UInt8] {
        [UInt8(ascii: "d")] + document.name.utf8 + [0]
    }

    /// The last revision of a document when all of its edits were counted at once.
    package static func counted(_ document: DocumentID) -> [UInt8] {
        [UInt8(ascii: "k")] + document.name.utf8
    }

    /// A document whose edits have to be counted at once.
    package static func uncounted(_ document: DocumentID) -> [UInt8] {
        uncounted + document.name.utf8
    }

    /// The beginning of the keys of such documents.
    package static let uncounted = [UInt8(ascii: "u")]

    /// The opening of a run that was not closed.
    package static func opening(_ run: Name) -> [UInt8] { openings + run.text.utf8 }

    /// The beginning of the keys of openings.
    package static let openings = [UInt8(ascii: "o")]

    /// Behind all keys that begin so.
    package static func end(of beginning: [UInt8]) -> [UInt8] { beginning + [255] }

    /// The text of a key behind its beginning.
    package static func text(of key: [UInt8], after count: Int) -> String {
        String(decoding: key.dropFirst(count), as: UTF8.self)
    }
}
