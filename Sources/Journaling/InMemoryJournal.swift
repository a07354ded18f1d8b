import Naming
import Threading

/// A journal whose content ends with the process; for tests, and for documents that need not
/// survive.
public final class InMemoryJournal: Journal {
    private struct History {
        var entries: [JournalEntry] = []
        var checkpoints: [Checkpoint] = []

        var listing: DocumentListing? {
            guard let last = entries.last else { return nil }
            let turn = entries.last { $0.lifecycle != .goesOn }
            return DocumentListing(
                document: last.document, revision: last.revision,
                isDeleted: turn?.lifecycle == .ends)
        }

        mutating func add(_ checkpoint: Checkpoint) {
            // One from before the entries were rewritten has what was erased.
            guard entries.indices.contains(checkpoint.revision),
                entries[checkpoint.revision].chain == checkpoint.chain
            else { return }
            checkpoints.append(checkpoint)
            let superfluous = Set(
                CheckpointThinning.superfluous(
                    among: checkpoints.map { .init(revision: $0.revision, bytes: $0.body.count) }))
            checkpoints.removeAll { superfluous.contains($0.revision) }
        }
    }

    private struct Index {
        var position = 0
        var values: [[UInt8]: [UInt8]] = [:]
    }

    private let histories = Lock<[DocumentID: History]>([:])
    private let order = Lock<[JournalEntry]>([])
    private let index = Lock(Index())
    public let knownCuts = KnownCuts()
    private let isShared: Bool
    private let hasStopped = Lock(false)

    /// `isShared`: several stores write to it, like processes to one database.
    public init(isShared: Bool = false) {
        self.isShared = isShared
    }

    public var shared: (any SharedJournal)? { isShared ? self : nil }

    public func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
        defer { order.signal() }
        return histories.withLock { histories in
            let fates = store(batch, &histories)
            for checkpoint in batch.checkpoints {
                histories[checkpoint.document]?.add(checkpoint)
            }
            if let update = batch.index { store(update) }
            return fates
        }
    }

    private func store(
        _ batch: JournalBatch, _ histories: inout [DocumentID: History]
    ) -> [EntryFate] {
        let follows = batch.following { histories[$0]?.entries.last?.head }
        return zip(batch.entries, follows).map { entry, follows in
            follows ? store(entry, &histories) : .refused
        }
    }

    private func store(
        _ entry: JournalEntry, _ histories: inout [DocumentID: History]
    ) -> EntryFate {
        histories[entry.document, default: History()].entries.append(entry)
        return .stored(
            sequence: order.withLock { order in
                order.append(entry)
                return order.count
            })
    }

    private func store(_ update: IndexUpdate) {
        index.withLock { index in
            guard index.position == update.start else { return }
            index.position = update.end
            for (key, value) in update.values { index.values[key] = value }
        }
    }

    public func indexPosition() throws(JournalError) -> Int { index.withLock { $0.position } }

    public func indexRows(
        from key: [UInt8], before end: [UInt8], limit: Int
    ) throws(JournalError) -> [IndexRow] {
        index.withLock { index in
            index.values.keys
                .filter { !$0.lexicographicallyPrecedes(key) && $0.lexicographicallyPrecedes(end) }
                .sorted { $0.lexicographicallyPrecedes($1) }.prefix(limit)
                .map { IndexRow(key: $0, value: index.values[$0] ?? []) }
        }
    }

    public var lastSequence: Int { order.withLock { $0.count } }

    public func entries(
        after sequence: Int, upTo last: Int, prefix: String, limit: Int
    ) throws(JournalError) -> JournalPage {
        entries(after: sequence, upTo: last, limit: limit) {
            $0.name.utf8.starts(with: prefix.utf8)
        }
    }

    public func entries(
        after sequence: Int, upTo last: Int, of documents: [DocumentID], limit: Int
    ) throws(JournalError) -> JournalPage {
        entries(after: sequence, upTo: last, limit: limit) { documents.contains($0) }
    }

    private func entries(
        after sequence: Int, upTo last: Int, limit: Int, where isWanted: (DocumentID) -> Bool
    ) -> JournalPage {
        order.withLock { order in
            let last = max(sequence, min(last, order.count))
            var found: [(sequence: Int, entry: JournalEntry)] = []
            var bytes = 0
            for index in max(0, sequence)..<max(0, last) {
                let entry = order[index]
                guard isWanted(entry.document) else { continue }
                found.append((index + 1, entry))
                bytes += entry.body.count
                if found.count == limit || bytes >= JournalPage.bytesMax {
                    return JournalPage(entries: found, end: index + 1)
                }
            }
            return JournalPage(entries: found, end: last)
        }
    }

    public func documents(
        changedAfter sequence: Int, prefix: String, after name: String?, limit: Int
    ) throws(JournalError) -> [DocumentRevision] {
        let first = order.withLock { order in
            order.dropFirst(sequence).reduce(into: [DocumentID: Int]()) { first, entry in
                if first[entry.document] == nil { first[entry.document] = entry.revision }
            }
        }
        return first.keys.filter { $0.isListed(under: prefix, after: name) }.sorted()
            .prefix(limit).map { DocumentRevision($0, first[$0] ?? 0) }
    }

    public func head(of document: DocumentID) throws(JournalError) -> JournalHead? {
        histories.withLock { histories in
            histories[document]?.entries.last?.head
        }
    }

    public func entries(
        of document: DocumentID, from revision: Int, limit: Int
    ) throws(JournalError) -> [JournalEntry] {
        histories.withLock { histories in
            let entries = histories[document]?.entries ?? []
            return InMemoryJournal.page(of: entries.dropFirst(revision).prefix(limit))
        }
    }

    public func entries(
        of document: DocumentID, upTo revision: Int, limit: Int
    ) throws(JournalError) -> [JournalEntry] {
        histories.withLock { histories in
            let entries = histories[document]?.entries ?? []
            let last = entries.prefix(max(0, revision + 1)).suffix(limit)
            return InMemoryJournal.page(of: last.reversed()).reversed()
        }
    }

    /// The first of some entries, as far as they are not too much to be read at once.
    private static func page(of entries: some Sequence<JournalEntry>) -> [JournalEntry] {
        var bytes = 0
        return entries.prefix { entry in
            defer { bytes += entry.body.count }
            return bytes < JournalPage.bytesMax
        }
    }

    /// Nothing is packed.
    public func segment(
        of document: DocumentID, holding revision: Int
    ) throws(JournalError) -> Segment? {
        nil
    }

    public func checkpoint(
        of document: DocumentID, notAfter revision: Int
    ) throws(JournalError) -> Checkpoint? {
        histories.withLock { histories in
            histories[document]?.checkpoints.last { $0.revision <= revision }
        }
    }

    public func documents(
        prefix: String, after name: String?, limit: Int
    ) throws(JournalError) -> [DocumentListing] {
        return histories.withLock { histories in
            let names = histories.keys.filter { $0.isListed(under: prefix, after: name) }
            var listings: [DocumentListing] = []
            for id in names.sorted().prefix(limit) {
                if let listing = histories[id]?.listing { listings.append(listing) }
            }
            return listings
        }
    }

    public func rewrite(
        _ document: DocumentID, by rewriting: any EntryRewriting
    ) throws(JournalError) -> Bool {
        try histories.withLock { histories throws(JournalError) -> Bool in
            var rewritten = History()
            for entry in histories[document]?.entries ?? [] {
                rewritten.entries.append(
                    JournalEntry(
                        document: document, revision: entry.revision,
                        body: try rewriting.body(of: entry),
                        following: rewritten.entries.last?.chain ?? .start,
                        lifecycle: entry.lifecycle))
            }
            guard let last = rewritten.entries.last else { return false }
            var added: [JournalEntry] = []
            switch try rewriting.end(after: last.head) {
            case .nothing: return false
            case .stored: break
            case .adding(let entry): added = [entry]
            }
            histories[document] = rewritten
            histories[document]?.entries += added
            order.withLock { order in
                for index in order.indices where order[index].document == document {
                    order[index] = rewritten.entries[order[index].revision]
                }
                order += added
            }
            return true
        }
    }

    public func setCuts(
        _ cuts: [HistoryCut], replacing known: [HistoryCut]
    ) throws(JournalError) -> Bool {
        knownCuts.note(cuts, insteadOf: known)
    }

    public func close() {}
}

// MARK: Sharing

extension InMemoryJournal: SharedJournal {
    public func heads(
        of documents: [DocumentID]
    ) throws(JournalError) -> [DocumentID: JournalHead] {
        var heads: [DocumentID: JournalHead] = [:]
        for id in documents { heads[id] = try head(of: id) }
        return heads
    }

    public func places(after sequence: Int, limit: Int) throws(JournalError) -> [EntryPlace] {
        order.withLock { order in
            order.indices.dropFirst(sequence).prefix(limit).map { index in
                EntryPlace(
                    sequence: index + 1, document: order[index].document,
                    revision: order[index].revision)
            }
        }
    }

    public func entries(
        after known: [DocumentRevision]
    ) throws(JournalError) -> [DocumentID: [JournalEntry]] {
        histories.withLock { InMemoryJournal.entries(after: known, $0) }
    }

    private static func entries(
        after known: [DocumentRevision], _ histories: [DocumentID: History]
    ) -> [DocumentID: [JournalEntry]] {
        var found: [DocumentID: [JournalEntry]] = [:]
        for known in known {
            let entries = histories[known.document]?.entries ?? []
            found[known.document] = Array(entries.dropFirst(known.revision + 1))
        }
        return found
    }

    public func commit(
        to documents: [DocumentRevision], _ make: (TurnBeginning) -> JournalBatch
    ) throws(JournalError) -> [EntryFate] {
        defer { order.signal() }
        return histories.withLock { histories in
            let missed = InMemoryJournal.entries(after: documents, histories)
            return store(make(TurnBeginning(missed: missed)), &histories)
        }
    }

    public func awaitEntry(after sequence: Int) -> Bool {
        order.wait { order in
            if hasStopped.withLock({ $0 }) { return false }
            return order.count > sequence ? true : nil
        }
    }

    public func stopWaiting() {
        hasStopped.withLock { $0 = true }
        order.withLock { _ in }
        order.signal()
    }
}

extension DocumentID {
    /// Whether a list of the documents of a prefix has it behind a name.
    fileprivate func isListed(under prefix: String, after name: String?) -> Bool {
        self.name.utf8.starts(with: prefix.utf8)
            && (name.map { Name($0) < Name(self.name) } ?? true)
    }
}
