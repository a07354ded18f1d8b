/// Copies all that a journal has into another one, which may be of another kind: revisions, chains
/// and numbers stay, and with them what clients remember.
public struct JournalCopy {
    private let source: any Journal
    private let target: any Journal

    private static let pageSize = 1_000

    /// Why it cannot be copied.
    public enum Refusal: Error, Equatable, Sendable {
        /// The target has something else.
        case otherHistory
        /// The history of a document was rewritten meanwhile; what is copied is of no use.
        case rewritten(DocumentID)
        case journal(JournalError)
    }

    public init(from source: any Journal, to target: any Journal) {
        (self.source, self.target) = (source, target)
    }

    /// Copies the entries stored until now, while a daemon may be writing. Blocks for as long as
    /// reading and storing all. If a run ends early, the next one continues there. Returns the
    /// number of entries that the target has then.
    public func run() throws(Refusal) -> Int {
        let end = try newest(of: source)
        var position = try newest(of: target)
        try check(upTo: position, of: end)
        while position < end {
            let page = try reading(
                try source.entries(after: position, prefix: "", limit: JournalCopy.pageSize))
            try store(page.entries.filter { $0.sequence <= end })
            guard page.end > position else {
                throw .journal(.corrupt("the entry \(position + 1) is missing"))
            }
            position = min(page.end, end)
        }
        try copyCuts()
        try copyCheckpoints()
        return end
    }

    /// They are read after the entries: no entry of the copy is after a cut that the copy lacks.
    private func copyCuts() throws(Refusal) {
        let (cuts, known) = (source.cuts, target.cuts)
        if cuts == known { return }
        guard try reading(try target.setCuts(cuts, replacing: known)) else { throw .otherHistory }
    }

    private func newest(of journal: any Journal) throws(Refusal) -> Int {
        try reading(try journal.lastSequenceOfAll())
    }

    /// Entries that the target already has must be the same: the last entry proves all entries of
    /// its document before it, and no other has that number.
    private func check(upTo position: Int, of end: Int) throws(Refusal) {
        if position == 0 { return }
        guard position <= end, try entry(position, of: source) == entry(position, of: target)
        else { throw .otherHistory }
    }

    private func entry(_ number: Int, of journal: any Journal) throws(Refusal) -> JournalEntry? {
        try reading(
            try journal.entries(after: number - 1, prefix: "", limit: 1).entries.first?.entry)
    }

    private func store(_ entries: [(sequence: Int, entry: JournalEntry)]) throws(Refusal) {
        if entries.isEmpty { return }
        let batch = JournalBatch(entries: entries.map(\.entry))
        let fates = try reading(try target.commit(batch))
        for ((sequence, entry), fate) in zip(entries, fates) {
            switch fate {
            case .stored(let number) where number == sequence: break
            case .stored: throw .otherHistory
            case .refused: throw .rewritten(entry.document)
            case .held: throw .journal(.unavailable("another session holds \(entry.document)"))
            case .failed(let error): throw .journal(error)
            }
        }
    }

    /// They make replay short.
    private func copyCheckpoints() throws(Refusal) {
        var name: String?
        while true {
            let listed = try reading(
                try target.documents(prefix: "", after: name, limit: JournalCopy.pageSize))
            for listing in listed {
                let checkpoint = try reading(
                    try source.checkpoint(of: listing.document, notAfter: listing.revision))
                guard let checkpoint else { continue }
                _ = try reading(
                    try target.commit(JournalBatch(checkpoints: [checkpoint.compressed])))
            }
            guard listed.count == JournalCopy.pageSize, let last = listed.last else { return }
            name = last.document.name
        }
    }

    private func reading<Result>(
        _ body: @autoclosure () throws(JournalError) -> Result
    ) throws(Refusal) -> Result {
        do throws(JournalError) { return try body() } catch { throw .journal(error) }
    }
}

extension JournalCopy.Refusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .otherHistory: "the target has other data"
        case .rewritten(let document):
            "the history of \(document) was rewritten during the copy; repeat the command"
        case .journal(let error): error.description
        }
    }
}

extension Checkpoint {
    /// The same as it is written first: of a delta, its content is read.
    fileprivate var compressed: Checkpoint {
        guard CheckpointBody.isContent(body) else { return self }
        return Checkpoint(
            document: document, revision: revision, chain: chain,
            body: CheckpointBody.compressed(body))
    }
}
