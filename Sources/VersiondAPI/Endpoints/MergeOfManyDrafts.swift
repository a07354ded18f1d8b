import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// A merge of all drafts of a prefix as one step.

extension DocumentsAPI {
    /// `POST /v1/merge` with `{"prefix":"spring~/"}`: merges each draft of the prefix into its
    /// origin, all or none.
    func mergeDrafts(_ call: Call) throws(Problem) {
        try call.noConditions()
        let body = try call.command()
        let prefix = body["prefix"]?.string ?? ""
        // Otherwise the rest of a release would not be merged.
        guard try call.grant.narrowed(prefix) == prefix else {
            throw Problem(outOfReach: call.grant)
        }
        let known = try call.mergeOfMany(body)
        taskOfAll(call) { [self] _ throws(Problem) in
            try await once(call) { () async throws(Problem) in
                var request = known
                request.drafts = try await call.found(await documents(below: prefix))
                if request.drafts.count > MergeOfMany.draftsMax { throw Problem.tooManyDrafts }
                for draft in request.drafts { try call.checkWriting(of: draft) }
                try request.checkPlaces()
                call.send(try call.merged(try await call.settled(await store.merge(request))))
            } repeated: { made throws(Problem) in
                try call.merged(
                    try await call.settled(await store.outcome(of: known, repeating: made)))
            }
        }
    }

    /// The documents of a prefix, up to one more than the limit on drafts.
    private func documents(below prefix: String) async throws(ChangeError) -> [DocumentID] {
        var found: [DocumentID] = []
        var after: String?
        repeat {
            let page = try await store.documents(
                prefix: prefix, after: after, limit: JournalPast.documentsMax)
            found += page.lazy.filter { !$0.isDeleted }.map(\.document)
            let isEnough = found.count > MergeOfMany.draftsMax
            after = isEnough ? nil : page.last?.document.name
        } while after != nil
        return found
    }
}

// MARK: Reading

extension Call {
    /// The request, before its drafts are known.
    fileprivate func mergeOfMany(_ body: JSON) throws(Problem) -> MergeOfMany {
        let match = try MatchOfMany(body, for: self)
        var places: [DocumentID: [JSONPointer: ConflictPolicy]] = [:]
        for (name, sides) in body["resolve"]?.members ?? [] {
            let draft = try MatchOfMany.document(name, in: "resolve")
            let decided = DocumentsAPI.resolutions(sides)
            try match.check(decided.keys.sorted(), in: draft)
            places[draft] = decided
        }
        for document in Set(places.keys).union(match.revisions.keys) {
            try checkReach(of: document)
        }
        // Each draft and its origin.
        let max = 2 * MergeOfMany.draftsMax
        guard match.revisions.count <= max else {
            throw Problem(malformed: "/match", "match has at most \(max) documents.")
        }
        // Each of them gets its own name.
        guard let any = DocumentID("drafts") else { preconditionFailure("this is a name") }
        var each = try draftRequest(any, mustWriteOrigin: true)
        each.endsDraft = body.flag("end")
        var request = MergeOfMany([], each: each, owner: owner)
        request.places = places
        request.match = match
        return request
    }
}

extension MergeOfMany {
    /// Throws if places are decided in a document that is not one of the drafts.
    fileprivate func checkPlaces() throws(Problem) {
        let drafts = Set(self.drafts)
        guard let other = places.keys.sorted().first(where: { !drafts.contains($0) }) else {
            return
        }
        throw Problem(
            malformed: JSONPointer(names: ["resolve", other.name]).description,
            "\(other) is not a draft of the prefix.")
    }
}

// MARK: Problems

extension Problem {
    fileprivate static var tooManyDrafts: Problem {
        Problem(
            .tooManyDocuments,
            "The prefix has more documents than one merge can have: \(MergeOfMany.draftsMax).")
    }
}

extension Call {
    fileprivate func settled<Value>(
        _ body: @autoclosure () async throws(MergeOfManyRefusal) -> Value
    ) async throws(Problem) -> Value {
        do throws(MergeOfManyRefusal) { return try await body() } catch { throw problem(error) }
    }

    private func problem(_ refusal: MergeOfManyRefusal) -> Problem {
        let document = refusal.document
        if isHidden(refusal.refusal.error) { return Problem(hiddenOriginOf: document) }
        let problem = problem(drafting: refusal.refusal, of: document)
        let isNamed = problem.members.contains { $0.name == "document" }
        let named = isNamed ? problem : problem.with("document", .text(document.name))
        if refusal.conflicts.isEmpty { return named }
        var text = jsonText()
        text.array(refusal.conflicts) { text, found in
            let origin = numbering(of: found.origin)
            text.object { text in
                text.document(found.draft.id)
                text.revision("revision", found.draft.revision)
                text.describe(places: found.conflicts, with: origin)
            }
        }
        return named.with("skipped", .json(text.bytes))
    }

    /// Whether an error is about an origin of which the client may not know.
    private func isHidden(_ error: ChangeError) -> Bool {
        switch error {
        case .draft(.originOutOfReach(let origin)), .draft(.originGone(let origin)):
            !grant.covers(origin.name)
        default: false
        }
    }
}

extension Problem {
    fileprivate init(hiddenOriginOf draft: DocumentID) {
        self = Problem(
            .forbidden, "The token does not cover the origin of \(draft).",
            hint: "Use a token that covers the drafts and their origins."
        ).with("document", .text(draft.name))
    }
}

// MARK: Writing

extension Call {
    fileprivate func merged(_ outcome: MergeOfManyOutcome) throws(Problem) -> HTTPResponse {
        var changes: [[UInt8]] = []
        var room = Limits.patchesBytesMax
        for merged in outcome.merged {
            changes.append(try described(merged, showsDryRun: false, &room).bytes)
        }
        let isRepeated = outcome.merged.contains(where: \.draft.isRepeated)
        return json(
            transaction: outcome.leader, changes, isDryRun: outcome.isDryRun,
            fields: replayed(isRepeated)
        ) { $0.texts("unchanged", outcome.unchanged.map(\.name)) }
    }
}
