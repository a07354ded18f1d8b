import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// Documents that know where they are from.

extension DocumentsAPI {
    /// `GET …/origin`: what stands between a draft and its origin.
    func origin(_ call: Call, _ id: DocumentID) throws(Problem) {
        let showsPatches = !call.flag("brief")
        var request = try call.draftRequest(id)
        request.precondition = Precondition()
        // The tag of the response is the draft's revision; an edit of the origin changes the
        // comparison and not the tag, so no response is 304.
        let precondition = Precondition(match: try call.precondition().match)
        task(call, of: id) { [self, request] () async throws(Problem) in
            let found: DraftComparison
            do throws(Refusal) { found = try await store.compare(request) } catch {
                throw call.problem(error.error)
            }
            call.respond { () throws(Problem) in
                if let response = try call.conditional(precondition, found.draft.revision) {
                    return response
                }
                return try call.described(found, showsPatches: showsPatches)
            }
        }
    }

    /// `PUT …/origin` with `{"document":"dinner"}`: the origin's name now.
    func nameOrigin(_ call: Call, _ id: DocumentID) throws(Problem) {
        var body = try ControlBody(call)
        let name = body.member("document", "a name of 1 to \(DocumentID.bytesMax) bytes") { value in
            value.string.flatMap { DocumentsAPI.reachable($0) }
        }
        if body.present(["document"]).isEmpty {
            body.fault("document", "document is the origin's name.")
        }
        try body.finish(hint: "-d '{\"document\":\"dinner\"}'")
        guard let name else { return }
        try call.checkReach(of: name)
        try setOrigin(call, id, to: name)
    }

    /// `DELETE …/origin`: a document of its own from now on.
    func leaveOrigin(_ call: Call, _ id: DocumentID) throws(Problem) {
        try call.noBody()
        try setOrigin(call, id, to: nil)
    }

    private func setOrigin(
        _ call: Call, _ id: DocumentID, to name: DocumentID?
    ) throws(Problem) {
        let request = try call.draftRequest(id)
        changeDraft(call, id) { [self] () async throws(Refusal) in
            try await store.setOrigin(of: request, to: name)
        }
    }

    /// Responds to a change of the draft, or as when it was carried out.
    private func changeDraft(
        _ call: Call, _ id: DocumentID,
        _ body: @escaping @Sendable () async throws(Refusal) -> Outcome
    ) {
        task(call, of: id) { [self] () async throws(Problem) in
            do throws(Refusal) {
                let outcome = try await body()
                call.note(outcome)
                call.respond { () throws(Problem) in try call.changed(outcome, id) }
            } catch {
                refuseUnlessRepeated(call, id, call.problem(drafting: error, of: id))
            }
        }
    }

    /// `POST …/update`: the draft takes over what its origin has had since.
    func update(_ call: Call, _ id: DocumentID) throws(Problem) {
        var body = try ControlBody(call)
        let places = DocumentsAPI.resolutions(&body)
        let until = body.address("to")
        try body.finish(hint: "-d '{\"resolve\":{\"/price\":\"draft\"}}'")
        var request = try call.draftRequest(id, places)
        request.until = until ?? .head
        changeDraft(call, id) { [self, request] () async throws(Refusal) in
            try await store.update(request)
        }
    }

    /// `POST …/merge`: the origin takes over what the draft has, or a part of it.
    func merge(_ call: Call, _ id: DocumentID) throws(Problem) {
        var body = try ControlBody(call)
        let places = DocumentsAPI.resolutions(&body)
        let part = DocumentsAPI.part(&body)
        let match = DocumentsAPI.originMatch(&body)
        let isEnd = body.flag("end")
        try body.finish(
            hint: "-d '{\"paths\":[\"/price\"],\"resolve\":{\"/price\":\"draft\"},\"match\":14}'")
        var request = try call.draftRequest(id, places, mustWriteOrigin: true)
        request.part = try part.map { part throws(Problem) in
            try call.meaning { numbering throws(ChangeError) in try part.meant(in: numbering) }
        }
        request.endsDraft = isEnd
        request.originPrecondition = Precondition(match: match)
        task(call, of: id) { [self, request] () async throws(Problem) in
            let outcome: DraftMergeOutcome
            do throws(Refusal) { outcome = try await store.merge(request) } catch {
                throw call.problem(drafting: error, of: id)
            }
            call.send(try call.merged(outcome))
        }
    }
}

// MARK: Reading

extension DraftRequest.Part {
    /// The part that a client means.
    fileprivate func meant(in numbering: Numbering) throws(ChangeError) -> DraftRequest.Part {
        switch self {
        case .paths: return self
        case .changes(let shown):
            return .changes(
                try shown.map { number throws(ChangeError) in try numbering.revision(number) })
        case .state(let address): return .state(try numbering.state(address))
        }
    }
}

extension DocumentsAPI {
    private static let placesMax = 1_000

    /// `{"/price":"draft"}`: who gives way at single places.
    private static func resolutions(_ body: inout ControlBody) -> [JSONPointer: ConflictPolicy] {
        let what = "an object of up to \(placesMax) places, each \"draft\" or \"origin\""
        return body.member("resolve", what) { value -> [JSONPointer: ConflictPolicy]? in
            guard let members = value.members, members.count <= placesMax else { return nil }
            var places: [JSONPointer: ConflictPolicy] = [:]
            for member in members {
                guard let place = JSONPointer(parsing: String(member.name)),
                    let policy = member.value.string.flatMap(ConflictPolicy.init(side:))
                else { return nil }
                places[place] = policy
            }
            return places
        } ?? [:]
    }

    /// `paths`, `changes` or `at`: what of the draft is meant.
    private static func part(_ body: inout ControlBody) -> DraftRequest.Part? {
        let named = body.present(["paths", "changes", "at"])
        if named.count > 1 {
            body.fault(named[1], "\(named.joined(separator: " and ")) contradict each other.")
        }
        let paths = DocumentsAPI.pointers(&body)
        let changes = body.member("changes", "an array of 1 to \(placesMax) revisions") { value in
            let numbers = value.elements?.compactMap(\.int) ?? []
            let isWhole = numbers.count == value.elements?.count
            return isWhole && (1...placesMax).contains(numbers.count) ? numbers : nil
        }
        let state = body.address("at")
        if named.contains("paths") { return .paths(paths) }
        if let changes { return .changes(changes) }
        return state.map { .state($0) }
    }

    /// `match`: the origin's revision that was looked at.
    private static func originMatch(_ body: inout ControlBody) -> Precondition.Revisions? {
        body.member("match", "the origin's revision") { value in
            (value.int ?? value.string.flatMap(WholeNumber.parse)).map { .these([$0]) }
        }
    }
}

extension ConflictPolicy {
    /// Which side a word of a draft's stands for.
    fileprivate init?(side: String) {
        switch side {
        case "reject": self = .reject
        case "draft": self = .mine
        case "origin": self = .theirs
        default: return nil
        }
    }
}

extension Call {
    /// What the client wants of a draft.
    fileprivate func draftRequest(
        _ id: DocumentID, _ places: [JSONPointer: ConflictPolicy] = [:],
        mustWriteOrigin: Bool = false
    ) throws(Problem) -> DraftRequest {
        let policy = query("conflict").flatMap(ConflictPolicy.init(side:)) ?? .reject
        var request = DraftRequest(
            id, .init(policy, places: places), actor: try actor(), label: try label(),
            precondition: try precondition())
        request.token = try token()
        request.isDryRun = isDryRun
        request.isAwaited = isAwaited
        if let numberings { request.originNumbering = { numberings.shown($0) } }
        let grant = grant
        request.mayReach = { origin throws(ChangeError) in
            guard grant.covers(origin.name) else {
                throw .draft(.originOutOfReach(origin))
            }
            if mustWriteOrigin && !grant.mayWrite(origin.name) {
                throw .draft(.originForbidden(origin))
            }
        }
        return request
    }
}

extension Call {
    /// A refusal of a draft's, which names the document if it is the origin.
    fileprivate func problem(drafting refusal: Refusal, of id: DocumentID) -> Problem {
        let problem: Problem
        if case .draft(.conflicts(let conflicts)) = refusal.error {
            let origin = refusal.document?.origin ?? id
            let text = JSONText(numberings, numbering: numbering(of: id))
            problem = Problem(conflicts, text, numbering(of: origin))
        } else {
            problem = self.problem(refusal.error, about: refusal.place ?? id)
        }
        let described = problem.describing(refusal.document, for: self)
        let isNamed = described.members.contains { $0.name == "document" }
        guard let place = refusal.place, place != id, !isNamed else { return described }
        return described.with("document", .text(place.name))
    }
}

// MARK: Writing

extension Call {
    /// What stands between a draft and its origin.
    fileprivate func described(
        _ found: DraftComparison, showsPatches: Bool
    ) throws(Problem) -> HTTPResponse {
        let conflicts: [DraftConflict]
        do throws(ChangeError) { conflicts = try found.conflicts() } catch { throw problem(error) }
        let origin = numbering(of: found.origin.id)
        let ahead = try side(found.ahead, of: found.draft.id, on: found.common, showsPatches)
        let behind = try side(found.behind, of: found.origin.id, on: found.common, showsPatches)
        var text = jsonText()
        text.object { text in
            text.document(found.draft.id)
            text.revision("revision", found.draft.revision)
            text.member("origin", found.origin.id.name)
            text.member("base", origin.shown(found.originRevision))
            text.member("head", origin.shown(found.origin.revision))
            text.member("ahead", raw: ahead)
            text.member("behind", raw: behind)
            text.describe(conflicts, with: origin)
        }
        return json(text, revision: found.draft.revision)
    }

    private func side(
        _ side: DraftSide, of document: DocumentID, on common: JSON, _ showsPatches: Bool
    ) throws(Problem) -> [UInt8] {
        var text = JSONText(numberings, numbering: numbering(of: document))
        let patch = showsPatches ? try patchText(side.patch, on: common) : nil
        text.object { text in
            text.describe(side)
            text.texts("paths", side.places(from: common).map(\.description))
            if let patch { text.member("patch", raw: patch) }
        }
        return text.bytes
    }

    /// The response to a merge: the draft, and what became of the origin.
    fileprivate func merged(_ outcome: DraftMergeOutcome) throws(Problem) -> HTTPResponse {
        note(outcome.origin)
        let (patch, missed) = try patches(of: outcome.draft)
        let (origin, missedThere) = try patches(of: outcome.origin)
        var text = jsonText()
        text.object { text in
            text.describe(outcome.draft, patch, missed)
            text.member("left", outcome.left)
            text.member("origin") { $0.describe(outcome.origin, origin, missedThere) }
            if outcome.origin.isDryRun { text.member("dryRun", true) }
        }
        let replayed =
            outcome.draft.isRepeated ? [(name: "Idempotent-Replayed", value: "true")] : []
        return json(text, revision: outcome.draft.document.revision, fields: replayed)
    }
}

extension JSONText {
    /// What a side has beyond the common state: its changes, and how many edits they come to.
    mutating func describe(_ side: DraftSide, in numbering: Numbering? = nil) {
        let numbering = numbering ?? self.numbering
        member("changes", JSON(elements: side.revisions.map { JSON(numbering.shown($0)) }))
        member("edits", side.patch.count)
    }

    /// Places that a draft and its origin have both changed, with what stands there.
    mutating func describe(_ conflicts: [DraftConflict], with origin: Numbering) {
        texts("conflicts", conflicts.map(\.place.description))
        let with = Set(conflicts.flatMap(\.with)).sorted()
        member("with", JSON(elements: with.map { JSON(origin.shown($0)) }))
        name("places")
        array(conflicts) { $0.describe($1, with: origin) }
    }

    mutating func describe(_ conflict: DraftConflict, with origin: Numbering) {
        object { text in
            text.member("path", conflict.place.description)
            let sides = [
                ("common", conflict.common), ("draft", conflict.draft),
                ("origin", conflict.origin),
            ]
            for (name, value) in sides {
                guard let value else { continue }
                if value.byteCount > Limits.conflictValueBytesMax {
                    text.member(name) { $0.member("bytes", value.byteCount) }
                } else {
                    text.member(name, value)
                }
            }
            text.revisions("changes", conflict.changes)
            let with = conflict.with.map { JSON(origin.shown($0)) }
            text.member("with", JSON(elements: with))
        }
    }
}
