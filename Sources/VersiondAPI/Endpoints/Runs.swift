import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// Runs, over documents.

extension DocumentsAPI {
    /// The limit on documents of a run on one page: for each, an undo is tried.
    static let runDocumentsMax = 100

    /// `GET /v1/runs?prefix=&below=&effect=`: the runs, the one with the newest edit first.
    func runs(_ call: Call) throws(Problem) {
        let limit = try call.pageLimit(limits)
        let before = try call.before(in: call.positions)
        let query = try call.runQuery()
        taskOfAll(call) { [store] _ throws(Problem) in
            let last = try await call.found(await store.lastSequence(reaching: .max))
            let page = try await call.found(
                try store.runs(before: before, limit: limit, query, upTo: last))
            call.send(call.json(page))
        }
    }

    /// `GET /v1/runs/{run}?prefix=&cursor=`: a run, and the effect of its undo in each document.
    func run(_ call: Call, _ text: String) throws(Problem) {
        let name = try call.name(text, of: "run")
        let most = DocumentsAPI.runDocumentsMax
        let limit = min(most, try call.number("limit", in: 1...limits.pageMax, default: most))
        let prefix = try call.grant.narrowed(call.query("prefix") ?? "")
        taskOfAll(call) { [store] _ throws(Problem) in
            let last = try await call.found(await store.lastSequence(reaching: .max))
            let found = try await call.found(
                try store.run(
                    name, prefix: prefix, after: call.query("cursor"), limit: limit,
                    mayBeEmpty: call.owns(name) || call.grant.covers(""), upTo: last))
            guard let found else {
                throw Problem(.unknownRun, "The run \(name) has no edits in these documents.")
            }
            var documents: [RunDocument] = []
            for (document, count) in found.counts where count.edits > 0 {
                let review = try await call.found(
                    await store.review(
                        of: name, in: document, count,
                        mayDelete: call.grant.rights.contains(.admin)),
                    about: document)
                documents.append(RunDocument(id: document, count: count, review: review))
            }
            call.send(call.json(found, documents))
        }
    }
}

/// A document that a run edited.
private struct RunDocument {
    let id: DocumentID
    let count: RunCount
    let review: RunReview
}

extension Call {
    fileprivate func runQuery() throws(Problem) -> RunQuery {
        var query = RunQuery()
        query.prefix = try grant.narrowed(self.query("prefix") ?? "")
        query.parent = self.query("below").map { Name($0) }
        query.requester = self.query("promptBy").map { Name($0) }
        query.isOpen = self.query("open").map { $0 != "false" }
        query.unedited = uneditedRuns
        query.effect = self.query("effect").flatMap { RunEffect(rawValue: $0) }
        (query.since, query.positionSince) = try boundOfMany(try bound("since"), "since")
        (query.until, query.positionUntil) = try boundOfMany(try bound("until"), "until")
        query.text = self.query("q")?.lowercased()
        return query
    }

    /// The open runs that a list shows without an edit: they are in no document, so a token of some
    /// documents lists its own.
    private var uneditedRuns: RunQuery.Unedited {
        if !(query("prefix") ?? "").isEmpty { return .none }
        if grant.covers("") { return .all }
        return grant.name.isEmpty ? .none : .of(Name(grant.name))
    }

    fileprivate func json(_ page: RunPage) -> HTTPResponse {
        let fields = page.next.map { [next("cursor", "\(positions.shownEnd($0))")] } ?? []
        if prefersLines { return lines(page.runs, fields: fields) { $0.describe($1) } }
        var text = jsonText()
        text.object { text in
            text.name("runs")
            text.array(page.runs) { text, run in text.object { $0.describe(run) } }
            text.member("next", page.next.map { positions.shownEnd($0) })
        }
        return json(text, fields: fields)
    }

    fileprivate func json(_ found: RunInDocuments, _ documents: [RunDocument]) -> HTTPResponse {
        let fields = found.next.map { [next("cursor", $0.name)] } ?? []
        if prefersLines { return lines(documents, fields: fields) { $0.describe($1) } }
        var text = jsonText()
        text.object { text in
            text.describe(found.run)
            text.name("documents")
            text.array(documents) { text, document in text.object { $0.describe(document) } }
            text.name("other")
            text.array(found.others) { text, other in
                text.object { text in
                    text.document(other.document)
                    text.revision("revision", other.change.revision)
                    text.member("kind", other.change.kind)
                }
            }
            text.member("next", found.next.map { JSON($0.name) } ?? .null)
        }
        return json(text, fields: fields)
    }
}

extension JSONText {
    fileprivate mutating func describe(_ run: Run) {
        member("run", run.name)
        if !run.requesters.isEmpty { texts("requesters", run.requesters.map(\.text)) }
        if let label = run.label { member("label", label) }
        member("began", RFC3339.text(run.times.lowerBound))
        member("ended", RFC3339.text(run.times.upperBound))
        member("documentCount", run.documentCount)
        member("edits", run.edits)
        member("undoneCount", run.undone)
        member("effect", run.effect.rawValue)
        member("open", run.expiry != nil)
        if let expiry = run.expiry { member("expires", RFC3339.text(expiry)) }
    }

    fileprivate mutating func describe(_ document: RunDocument) {
        let review = document.review
        self.document(document.id)
        revision("revision", review.revision)
        if let refusal = review.refusal { member("absent", Problem(refusal).kind.code) }
        member("edits", document.count.edits)
        member("undoneCount", document.count.undone)
        if let summary = review.summary { member("summary") { $0.describe(summary) } }
        revisions("revisions", review.revisions)
        if !review.passed.isEmpty { revisions("passed", review.passed) }
        name("places")
        array(review.places) { text, place in text.object { $0.describe(place) } }
    }

    private mutating func describe(_ place: RunReview.Place) {
        member("path", place.pointer.description)
        switch place.outcome {
        case .reverts(let now, let then):
            member("outcome", "reverts")
            describe(now, as: "value")
            describe(then, as: "reverted")
        case .conflict(let revision, let with):
            member("outcome", "conflict")
            self.revision("revision", revision)
            revisions("with", with)
        case .kept(let with):
            member("outcome", "kept")
            revisions("with", with)
        }
    }

    private mutating func describe(_ value: RunReview.Value?, as name: String) {
        switch value {
        case nil: break
        case .short(let value): member(name, value)
        case .long(let bytes): member(name + "Bytes", bytes)
        }
    }
}
