import DocumentCore
public import JSONTree
public import SelectiveUndo
import VersioningKit

/// The authors of a document's places.
public struct DocumentAuthorship: Sendable {
    /// The requested place first; then, in order, the places that another actor made, or that were
    /// made at another time. Each covers all places in it except those listed after it.
    public let places: [Authorship]
    /// The oldest change that was read; older values have no revision.
    public let first: Int
    /// The changes that are named, by their revisions.
    public let changes: [Int: Change]
}

extension DocumentPast {
    /// The limit on edits that are read, the newest first, before the rest counts as older: each
    /// takes about a kilobyte during the search.
    private static let editsMax = 50_000
    /// And the bytes that they take.
    private static let editBytesMax = 64 << 20
    private static let pageSize = 4_096

    /// The authorship of the value at a pointer in a document at its revision; `nil` if there is
    /// none. Moves, shifts, undo and redo leave a value its author. O(edits since the document was
    /// made, up to a bound).
    public func authorship(
        of document: Document, under pointer: JSONPointer
    ) throws(ChangeError) -> DocumentAuthorship? {
        do throws(ChangeError) {
            return try attempt(document, under: pointer)
        } catch {
            guard case .mismatch = error, !has(document) else { throw error }
            // The history was rewritten since the document was read.
            return try attempt(try self.document(at: document.revision), under: pointer)
        }
    }

    private func attempt(
        _ document: Document, under pointer: JSONPointer
    ) throws(ChangeError) -> DocumentAuthorship? {
        guard document.tree[pointer] != nil else { return nil }
        var fetched = FetchedChanges()
        let oldest = try fetch(theLineOf: document, &fetched)
        let line = try line(of: document, from: oldest, &fetched)
        let root = line.isWhole ? try creation(of: document) : nil
        let found = line.authorship(under: pointer, oldest: root?.revision) { revision in
            guard let change = fetched[revision], let merged = change.merged else { return nil }
            return (change.patch, merged.authors(of: change.patch))
        }
        guard let places = found else { return nil }
        let named = Set(
            places.flatMap { [$0.revision] + $0.runs.map(\.revision) }.compactMap { $0 })
        var changes: [Int: Change] = [:]
        for revision in named { changes[revision] = fetched[revision] }
        if let root, named.contains(root.revision) { changes[root.revision] = root }
        return DocumentAuthorship(
            places: places, first: root?.revision ?? line.first, changes: changes)
    }

    /// Reads the edits that lead to a document. Returns the oldest revision that is needed.
    private func fetch(
        theLineOf document: Document, _ fetched: inout FetchedChanges
    ) throws(ChangeError) -> Int {
        var steps = 0
        var oldest = document.revision
        for step in document.history.stepsBack {
            steps += 1
            oldest = min(oldest, step)
            if steps == DocumentPast.editsMax { break }
        }
        // Where most of them are abandoned, only those that are needed are read.
        guard document.revision - oldest < 2 * steps else { return oldest }
        var next = document.revision
        while next >= oldest {
            let page = try changes(upTo: next, limit: min(DocumentPast.pageSize, next + 1 - oldest))
            guard let first = page.first else { break }
            fetched.add(page)
            if fetched.weight > DocumentPast.editBytesMax { return first.revision }
            next = first.revision - 1
        }
        return oldest
    }

    private func line(
        of document: Document, from oldest: Int, _ fetched: inout FetchedChanges
    ) throws(ChangeError) -> EffectHistory {
        var question = ChangeRequest(.closeExpired)
        question.isQuestion = true
        while true {
            guard isWanted() else { throw .abandoned }
            let known = KnownChanges(RecentChanges(), fetched, isUnderLock: false)
            let context = RequestContext(now: document.time, limits: .stored, known: known)
            do throws(PreparationError) {
                var reader = EffectReader(Preparation(document, question, context))
                try reader.read(.from(oldest), atLeast: 0)
                return try reader.effectHistory()
            } catch {
                switch error {
                case .needs(let range): fetched.add(try changes(range))
                case .refused(let refusal): throw refusal
                case .takesLong: preconditionFailure("only hurried preparations throw this")
                }
            }
        }
    }

    /// The change that a document's first version is, if it is still known.
    private func creation(of document: Document) throws(ChangeError) -> Change? {
        let first = document.history.state.versions[0].id
        guard first >= document.oldestRevision else { return nil }
        let change = try change(at: first)
        if case .create = change.kind { return change }
        return nil
    }
}
