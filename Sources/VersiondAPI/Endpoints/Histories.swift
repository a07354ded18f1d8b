import Documents
import HTTPServing
import JSONTree
import Journaling
import VersioningKit

// History and the list of documents.

extension DocumentsAPI {
    /// `GET …/history?cursor=&limit=&branches=&path=`: changes, the newest first. Edits of
    /// abandoned futures only with `branches=all`; with `path`, an address in the newest state of
    /// these, only what touched it, wherever it was then.
    func history(_ call: Call, _ id: DocumentID) throws(Problem) {
        let limit = try call.pageLimit(limits)
        let before = try call.before(in: call.numbering)
        let filter = try ChangeFilter(call, followsPlace: true)
        let pointer = try DocumentsAPI.pointer(call)
        let hasAllBranches = call.hasAllBranches
        respond(call, reading: id) { document, past throws(Problem) in
            let trail = try pointer.map { pointer throws(Problem) in
                try call.trail(of: pointer, before: before, document, past)
            }
            var page = HistoryPage(
                document, before: before, limit: limit, trail: trail,
                try filter.bounded(in: document, past, for: call),
                hasAllBranches: hasAllBranches)
            while let range = page.nextRange {
                let changes = try call.changes(past, range)
                page.look(at: changes)
                let wanted = try call.records(past, changes) { page.isWanted($0) }
                page.add(wanted, from: changes)
            }
            return call.history(of: document, page)
        }
    }

    /// `GET …/history/{n}`: one change.
    func change(_ call: Call, _ id: DocumentID, _ revision: String) throws(Problem) {
        let most = call.numbering.isUncut ? Int(Int32.max) : Limits.sequenceMax
        guard let shown = WholeNumber.parse(revision), shown <= most else {
            throw Problem(.malformedRequest, "The revision must be a number from 0.")
        }
        let revision = try call.meaning { numbering throws(ChangeError) in
            try numbering.revision(shown)
        }
        task(call, of: id) { [store] () async throws(Problem) in
            let (head, past) = try await call.found(
                await store.past(of: id, isLocal: call.isLocal, while: call.isAwaited))
            call.respond { () throws(Problem) in
                guard revision >= head.oldestRevision else {
                    throw call.problem(.trimmed(oldest: head.oldestRevision))
                }
                let changes = try call.changes(past, revision..<(revision + 1))
                let records = try call.records(past, changes) { $0.revision == revision }
                guard let found = records.last else {
                    throw call.problem(.unknownRevision(revision))
                }
                var text = call.jsonText()
                text.object { text in
                    text.document(id)
                    text.describe(found.record, in: head)
                }
                return call.json(text)
            }
        }
    }
}

extension Call {
    /// Changes up to the end of a range.
    fileprivate func changes(
        _ past: DocumentPast, _ range: Range<Int>
    ) throws(Problem) -> [Change] {
        do throws(ChangeError) {
            return try past.changes(upTo: range.upperBound - 1, limit: range.count)
        } catch {
            throw problem(error)
        }
    }

    /// The trail of a place that ends in the state before a revision.
    fileprivate func trail(
        of pointer: JSONPointer, before revision: Int, _ head: Document, _ past: DocumentPast
    ) throws(Problem) -> PlaceTrail {
        guard revision <= head.revision, revision > head.oldestRevision else {
            return PlaceTrail(pointer, in: head.tree)
        }
        do throws(ChangeError) {
            return PlaceTrail(pointer, in: try past.document(at: revision - 1).tree)
        } catch {
            throw problem(error)
        }
    }

    /// Those changes that are wanted, with what is needed to write their patches: strict RFC 6902
    /// needs the tree before each edit inside a string, and so a replay up to the first of them.
    fileprivate func records(
        _ past: DocumentPast, _ changes: [Change], where isWanted: (Change) -> Bool
    ) throws(Problem) -> [PastChange] {
        let needsTree = { (change: Change) in isWanted(change) && change.edits.hasTextEdits }
        guard !preferences.usesTextOperations, let start = changes.firstIndex(where: needsTree)
        else { return PastChange.list(changes.filter(isWanted), from: nil) }
        let earlier = PastChange.list(changes[..<start].filter(isWanted), from: nil)
        let first = changes[start].revision
        do throws(ChangeError) {
            let before = first == 0 ? .null : try past.document(at: first - 1).tree
            let later = PastChange.list(changes[start...], from: before)
            return earlier + later.filter { isWanted($0.change) }
        } catch {
            throw problem(error)
        }
    }

    /// Whether the client still waits for the response.
    var isAwaited: @Sendable () -> Bool {
        { [responder] in !responder.hasGone }
    }
}

/// A page of history during its search, newest change first.
struct HistoryPage: Sendable {
    private(set) var records: [ChangeRecord] = []
    /// The page after this one begins before this revision.
    private(set) var next: Int
    private let limit: Int
    private let filter: ChangeFilter
    private var trail: PlaceTrail?
    /// The place before each scanned change.
    private var pointers: [Int: JSONPointer] = [:]
    /// The scanned changes that touched the place.
    private var touching: Set<Int> = []
    /// The place came back with a move to an older version: what is newer than that version is not
    /// about it.
    private var resumption = Int.max
    private let history: VersionHistory<Int>
    /// The edits of the current branch; `nil` if all are wanted.
    private var branch: StepsOnBranch?
    /// Changes from here on are kept.
    private let oldest: Int
    private var looked = 0
    private var bytes = 0

    /// Changes that are read at once where most of them are not wanted.
    private static let scanned = 1_000

    /// The limit on changes that are scanned for one page; then it ends, full or not.
    private static let lookedMax = 4_096

    init(
        _ document: Document, before: Int, limit: Int, trail: PlaceTrail?, _ filter: ChangeFilter,
        hasAllBranches: Bool
    ) {
        history = document.history
        next = min(before, document.revision + 1)
        self.limit = limit
        self.trail = trail
        self.filter = filter
        branch = hasAllBranches ? nil : document.history.stepsOnBranch(before: next)
        oldest = document.oldestRevision
    }

    /// Whether there are older changes.
    var hasMore: Bool {
        guard next > oldest else { return false }
        return trail?.hasEnded != true || touching.contains { $0 < next }
    }

    /// Where the place was before the changes of this page.
    var pointer: JSONPointer? { trail.map { pointers[next] ?? $0.pointer } }

    /// Whether most of the scanned changes match.
    private var readsAll: Bool { trail == nil && filter.isEmpty }

    /// The next range to read, if any.
    var nextRange: Range<Int>? {
        guard hasMore, !isFull, looked < HistoryPage.lookedMax else { return nil }
        return max(oldest, next - (readsAll ? limit : HistoryPage.scanned))..<next
    }

    /// Takes note of changes before they are chosen from: which are on the branch, and where the
    /// place was.
    mutating func look(at changes: [Change]) {
        if let first = changes.first { branch?.reach(first.revision) }
        guard var trail else { return }
        for change in changes.reversed() where change.revision <= resumption {
            if trail.hasEnded { break }
            let before = trail
            if trail.goBack(over: change.edits) { touching.insert(change.revision) }
            if trail.hasEnded, case .move(let version, _) = change.kind,
                let version = history.version(version)
            {
                (trail, resumption) = (before, version.steps.last ?? version.id)
                pointers[resumption + 1] = before.pointer
            }
            if change.revision <= resumption { pointers[change.revision] = trail.pointer }
        }
        self.trail = trail
    }

    private var isFull: Bool { records.count >= limit || bytes >= Limits.pageBytes }

    /// Adds the wanted ones of the changes that were read.
    mutating func add(_ wanted: [PastChange], from changes: [Change]) {
        looked += changes.count
        for past in wanted.reversed() {
            next = past.change.revision
            let record = past.record
            bytes += record.patch.count
            records.append(record)
            if isFull { return skip() }
        }
        next = changes.first?.revision ?? oldest
        skip()
    }

    /// Between a move that brought the place back and where it was, nothing is about it.
    private mutating func skip() {
        if touching.contains(where: { $0 < next && $0 > resumption }) { return }
        next = min(next, max(oldest, resumption == .max ? next : resumption + 1))
    }

    func isWanted(_ change: Change) -> Bool {
        if let branch, change.makesVersion, !branch.contains(change.revision) { return false }
        guard filter.wants([change]) else { return false }
        return trail == nil || touching.contains(change.revision)
    }
}

/// A change with what it takes to write down its patch.
struct PastChange: Sendable {
    let change: Change
    /// The tree that it was applied to, where its patch cannot be written without it.
    private let before: JSON?

    /// `tree` is what the first was applied to; `nil` where no patch needs it.
    static func list(_ changes: some Sequence<Change>, from tree: JSON?) -> [PastChange] {
        var tree = tree
        return changes.map { change in
            defer { tree = tree.flatMap { try? $0.applying(change.edits) } }
            return PastChange(change: change, before: tree)
        }
    }

    var record: ChangeRecord {
        let edits = change.edits
        let strict = before.flatMap { try? edits.operations(on: $0) }
        return ChangeRecord(change: change, patch: (strict ?? edits.textOperations).serialized())
    }
}

/// A change as history shows it.
struct ChangeRecord: Sendable {
    let change: Change
    let patch: [UInt8]
}

extension JSONText {
    fileprivate mutating func describe(_ listing: DocumentListing) {
        document(listing.document)
        revision("revision", listing.revision)
    }

    mutating func describe(_ record: ChangeRecord, in document: Document) {
        describe(record.change, in: document)
        member("patch", raw: record.patch)
    }
}

extension Call {
    /// `?branches=current` or `all`.
    fileprivate var hasAllBranches: Bool { query("branches") == "all" }

    /// A page as one object, or as lines if the client asks for lines; `Link` leads on either way.
    fileprivate func history(of document: Document, _ page: HistoryPage) -> HTTPResponse {
        let fields = page.hasMore ? [next(page)] : []
        if prefersLines {
            return lines(page.records, revision: document.revision, fields: fields) {
                $0.describe($1, in: document)
            }
        }
        var text = jsonText()
        text.object { text in
            text.document(document.id)
            text.revision("revision", document.revision)
            text.name("changes")
            text.array(page.records) { text, record in
                text.object { $0.describe(record, in: document) }
            }
            text.end("next", page.hasMore ? page.next : nil)
            if let pointer = page.pointer { text.member("path", pointer.description) }
            text.describe(document)
        }
        return json(text, revision: document.revision, fields: fields)
    }

    /// The same question about what is older, and about where its place was then.
    private func next(_ page: HistoryPage) -> (name: String, value: String) {
        var words = head.target.query.filter { $0.name != "cursor" && $0.name != "path" }
        words.append((name: "cursor", value: "\(numbering.shownEnd(page.next))"))
        if let pointer = page.pointer { words.append((name: "path", value: pointer.description)) }
        return next(words)
    }

    /// The same question with another value of one parameter.
    func next(_ name: String, _ value: String) -> (name: String, value: String) {
        next(head.target.query.filter { $0.name != name } + [(name: name, value: value)])
    }

    /// The way to the next page: this path with these words (RFC 8288).
    fileprivate func next(_ words: [(name: String, value: String)]) -> (name: String, value: String)
    {
        let path = head.target.segments.map(PercentEncoding.encode).joined(separator: "/")
        let query = words.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }
        return (name: "Link", value: "</\(path)?\(query.joined(separator: "&"))>; rel=\"next\"")
    }
}

extension DocumentsAPI {
    /// `GET /v1/documents?prefix=&limit=&cursor=`: names in byte order.
    func list(_ call: Call) throws(Problem) {
        let limit = try call.pageLimit(limits)
        let prefix = try call.grant.narrowed(call.query("prefix") ?? "")
        store.documents(prefix: prefix, after: call.query("cursor"), limit: limit) { result in
            call.respond { () throws(Problem) in
                let listings = try call.found(result)
                let next = listings.count == limit ? listings.last?.document.name : nil
                let link =
                    next.map { next in
                        [
                            call.next([
                                (name: "prefix", value: prefix), (name: "limit", value: "\(limit)"),
                                (name: "cursor", value: next),
                            ])
                        ]
                    } ?? []
                let living = listings.filter { !$0.isDeleted }
                if call.prefersLines { return call.lines(living, fields: link) { $0.describe($1) } }
                var text = call.jsonText()
                text.object { text in
                    text.name("documents")
                    text.array(living) { text, listing in text.object { $0.describe(listing) } }
                    text.member("next", next.map { JSON($0) } ?? .null)
                }
                return call.json(text, fields: link)
            }
        }
    }
}
