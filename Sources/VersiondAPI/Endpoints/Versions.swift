import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import Sentences
import VersioningKit

// The versions of a document: what undo and redo go through, and what they left aside.

extension DocumentsAPI {
    /// `GET …/versions?cursor=&limit=`: versions, the newest first, each with the one that it was
    /// made on; with filters only some of them.
    func versions(_ call: Call, _ id: DocumentID) throws(Problem) {
        let limit = try call.pageLimit(limits)
        let before = try call.before(in: call.numbering)
        let filter = try ChangeFilter(call)
        let isTold = call.flag("summary")
        respond(call, reading: id) { document, past throws(Problem) in
            let filter = try filter.bounded(in: document, past, for: call)
            var page = VersionPage(before: before, limit: limit, filter)
            while !page.isOver {
                page.add(try call.versions(past, document, page))
            }
            page.previous = page.previous(in: document.history)
            if isTold { page.tellings = try call.tellings(past, document, page) }
            return call.json(page, of: document)
        }
    }
}

/// A page of versions during its search, the newest first.
private struct VersionPage {
    private(set) var records: [VersionRecord] = []
    /// The next page begins before this version; `nil` if there are no older ones.
    private(set) var next: Int?
    private(set) var isOver = false
    /// The page before this one begins before this version; `nil` if this is the newest.
    fileprivate(set) var previous: Int?
    /// The changes of its versions in words, if requested.
    fileprivate(set) var tellings: [Int: VersionTelling] = [:]
    let batch: Int
    private let limit: Int
    private let filter: ChangeFilter
    private var looked = 0

    /// Versions that are read at once where most of them are not wanted.
    private static let scanned = 512
    /// The limit on versions that are scanned for one page; then it ends, full or not.
    private static let lookedMax = 4_096

    init(before: Int, limit: Int, _ filter: ChangeFilter) {
        next = before
        self.limit = limit
        self.filter = filter
        batch = filter.isEmpty ? limit : max(limit, VersionPage.scanned)
    }

    /// Adds the wanted ones of the versions that were read.
    mutating func add(_ found: [VersionRecord]) {
        looked += found.count
        for record in found {
            next = record.listed.id
            if filter.wants(record.changes, tags: record.listed.tags) { records.append(record) }
            if records.count == limit { break }
        }
        let isFirst = found.last.map { $0.listed.parent == nil && $0.listed.id == next } ?? true
        if isFirst { next = nil }
        isOver = next == nil || records.count >= limit || looked >= VersionPage.lookedMax
    }

    /// Where the page before this one begins, if it has all that there is.
    func previous(in history: VersionHistory<Int>) -> Int? {
        guard filter.isEmpty, let first = records.first?.listed.id,
            let newer = history.version(limit, above: first)
        else { return nil }
        return newer + 1
    }
}

extension Call {
    fileprivate func versions(
        _ past: DocumentPast, _ document: Document, _ page: VersionPage
    ) throws(Problem) -> [VersionRecord] {
        do throws(ChangeError) {
            return try past.versions(of: document, before: page.next, limit: page.batch)
        } catch {
            throw problem(error)
        }
    }

    fileprivate func tellings(
        _ past: DocumentPast, _ document: Document, _ page: VersionPage
    ) throws(Problem) -> [Int: VersionTelling] {
        do throws(ChangeError) {
            return try past.tellings(of: page.records, document)
        } catch {
            throw problem(error)
        }
    }

    fileprivate func json(_ page: VersionPage, of document: Document) -> HTTPResponse {
        let fields = page.next.map { [next("cursor", "\(numbering.shownEnd($0))")] } ?? []
        if prefersLines {
            return lines(page.records, revision: document.revision, fields: fields) {
                $0.describe($1, page.tellings[$1.listed.id])
            }
        }
        var text = jsonText()
        text.object { text in
            text.document(document.id)
            text.revision("revision", document.revision)
            text.revision("version", document.history.currentID)
            text.name("versions")
            text.array(page.records) { text, record in
                text.object { $0.describe(record, page.tellings[record.listed.id]) }
            }
            text.end("next", page.next)
            text.end("previous", page.previous)
            text.member(
                "newer", page.records.first.map { document.history.count(above: $0.listed.id) } ?? 0
            )
            text.describe(document)
        }
        return json(text, revision: document.revision, fields: fields)
    }
}

extension VersionHistory<Int>.Standing {
    /// The word for it.
    fileprivate var name: String {
        switch self {
        case .current: "current"
        case .behind: "undo"
        case .ahead: "redo"
        case .aside: "aside"
        }
    }
}

extension Sentence.Part {
    /// The name of a piece in the API.
    fileprivate var word: String {
        switch self {
        case .words: "words"
        case .object: "object"
        case .old: "old"
        case .new: "new"
        case .quote: "quote"
        case .person: "person"
        }
    }
}

extension JSONText {
    /// The limit on places named for a version: enough to show its subject.
    private static let pathsMax = 8

    fileprivate mutating func describe(_ record: VersionRecord, _ told: VersionTelling?) {
        let listed = record.listed
        revision("version", listed.id)
        revision("parent", listed.parent)
        member("standing", listed.standing.name)
        member("scopeLevel", listed.scopeLevel)
        revision("first", record.revisions.lowerBound)
        revision("last", record.revisions.upperBound)
        member("edits", listed.steps.count)
        if let isInEffect = record.isInEffect { member("inEffect", isInEffect) }
        describe(listed.tags, "tags")
        describe(record.snapshots, "snapshots")
        if let told { member("summary") { $0.describe(told) } }
        guard let first = record.changes.first, let last = record.changes.last else { return }
        member("kind", (record.beginning ?? first).kind.name)
        let actors = Set(record.changes.map(\.actor)).subtracting([.nobody])
        describe(actors.sorted(), "actors")
        let requesters = Set(record.changes.compactMap(\.promptBy))
        if !requesters.isEmpty { describe(requesters.sorted(), "requesters") }
        member("began", RFC3339.text(first.time))
        member("ended", RFC3339.text(last.time))
        if let label = record.changes.last(where: { $0.label != nil })?.label {
            member("label", label)
        }
        // The other part of a merge of one draft is a mark, which has nothing to undo.
        let isShown = last.merged == nil || last.isPart
        if let transaction = last.transaction, isShown { describe(transaction) }
        name("paths")
        array(JSONText.paths(of: record.edits)) { $0.value(JSON($1.description)) }
    }

    mutating func describe(_ told: VersionTelling) {
        member("sentence", told.sentence.text)
        name("parts")
        array(told.sentence.parts) { text, part in
            text.object { $0.member(part.word, part.text) }
        }
        name("values")
        array(told.values) { text, value in
            text.object { text in
                text.member("old", value.old)
                text.member("new", value.new)
            }
        }
        member("count", told.count)
    }

    private mutating func describe(_ names: [Name], _ word: String) {
        name(word)
        array(names) { $0.value(JSON($1.text)) }
    }

    /// Where edits were, without repeats, in their order.
    static func paths(of edits: [Change]) -> [JSONPointer] {
        var paths: [JSONPointer] = []
        for edit in edits {
            for pointer in edit.edits.pointers where !paths.contains(pointer) {
                paths.append(pointer)
                if paths.count == pathsMax { return paths }
            }
        }
        return paths
    }
}
