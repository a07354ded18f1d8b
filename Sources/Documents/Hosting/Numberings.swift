import DocumentCore
public import Journaling
import Threading

/// How the numbers of each document look outside.
///
/// In a history that was never cut this costs one atomic load. Otherwise the journal is asked
/// once for each document which revision was the last one before each cut.
public final class Numberings: Sendable {
    private struct State {
        /// Those that the numberings are of.
        var cuts: [HistoryCut] = []
        var known: [DocumentID: Numbering] = [:]
    }

    private let journal: any Journal
    private let cuts: KnownCuts
    private let state = Lock(State())

    /// Documents whose numberings are kept, some 200 bytes each. When there are more, all are
    /// dropped and read again when they are needed.
    private static let knownMax = 100_000

    init(_ journal: any Journal) {
        self.journal = journal
        cuts = journal.knownCuts
    }

    /// Whether no number carries a mark.
    public var areUncut: Bool { cuts.areNone }

    /// Of positions in the order of all documents.
    public var positions: Numbering {
        areUncut ? .uncut : Numbering(positionsAfter: cuts.list)
    }

    /// Of a document; `nil` if the journal must be asked.
    public func known(_ id: DocumentID) -> Numbering? {
        if areUncut { return .uncut }
        let cuts = cuts.list
        return state.withLock { $0.cuts == cuts ? $0.known[id] : nil }
    }

    /// Of a document. May read the journal.
    public func numbering(of id: DocumentID) throws(JournalError) -> Numbering {
        if let known = known(id) { return known }
        let cuts = cuts.list
        let numbering = try read(id, cuts)
        state.withLock { state in
            // A database that failed over was cut while the daemon runs.
            if state.cuts != cuts || state.known.count >= Numberings.knownMax {
                state = State(cuts: cuts)
            }
            state.known[id] = numbering
        }
        return numbering
    }

    private func read(_ id: DocumentID, _ cuts: [HistoryCut]) throws(JournalError) -> Numbering {
        var lastRevisions: [Int] = []
        for cut in cuts {
            lastRevisions.append(try journal.lastRevision(of: id, upTo: cut.position))
        }
        return Numbering(cuts: cuts, lastRevisions: lastRevisions)
    }
}
