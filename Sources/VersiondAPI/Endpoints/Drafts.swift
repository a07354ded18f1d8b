import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// Documents that know where they are from.

extension DocumentsAPI {
    /// `GET …/origin`: compares a draft with its origin.
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
        let name = try call.command().document("document")
        try call.checkReach(of: name)
        try setOrigin(call, id, to: name)
    }

    /// `DELETE …/origin`: a document of its own from now on.
    func leaveOrigin(_ call: Call, _ id: DocumentID) throws(Problem) {
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
        let body = try call.command()
        var request = try call.draftRequest(id, DocumentsAPI.resolutions(body["resolve"] ?? [:]))
        guard let to = body.address("to") else { return update(call, id, request) }
        if case .state(let state) = to {
            request.until = state
            return update(call, id, request)
        }
        task(call, of: id) { [self, request] () async throws(Problem) in
            // A position is one of the origin's revisions.
            let (head, _) = try await call.living(await store.past(of: id))
            guard let origin = head.origin else {
                throw call.problem(.draft(.noOrigin))
            }
            var request = request
            let state = try call.state(to, about: origin)
            if case .revision(let revision) = state {
                request.until = .revision(call.numbering(of: origin).shown(revision))
            }
            update(call, id, request)
        }
    }

    private func update(_ call: Call, _ id: DocumentID, _ request: DraftRequest) {
        changeDraft(call, id) { [self] () async throws(Refusal) in
            try await store.update(request)
        }
    }

    /// `POST …/merge`: the origin takes over what the draft has, or a part of it.
    func merge(_ call: Call, _ id: DocumentID) throws(Problem) {
        let body = try call.command()
        var request = try call.draftRequest(
            id, DocumentsAPI.resolutions(body["resolve"] ?? [:]), mustWriteOrigin: true)
        request.part = try DocumentsAPI.part(body, call)
        request.endsDraft = body.flag("end")
        let match = body.revisions("match")
        request.originMatch = { _ in match }
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

extension DocumentsAPI {
    /// `{"/price":"draft"}`: who gives way at single places.
    static func resolutions(_ body: JSON) -> [JSONPointer: ConflictPolicy] {
        let places = (body.members ?? []).compactMap { name, side in
            JSONPointer(parsing: name).flatMap { place in
                side.string.flatMap(ConflictPolicy.init(side:)).map { (place, $0) }
            }
        }
        return Dictionary(places) { $1 }
    }

    /// `paths`, `changes` or `at`: what of the draft is meant.
    private static func part(_ body: JSON, _ call: Call) throws(Problem) -> DraftRequest.Part? {
        let named = try body.oneAtMost(of: ["paths", "changes", "at"]).first
        if named == "paths" { return .paths(body.pointers("paths")) }
        if let state = try call.state(in: body, "at") { return .state(state) }
        return try call.meaning { numbering throws(ChangeError) in
            let shown = body["changes"]?.elements?.compactMap(\.int)
            return try shown.map { shown throws(ChangeError) in
                .changes(
                    try shown.map { number throws(ChangeError) in try numbering.revision(number) })
            }
        }
    }
}

extension ConflictPolicy {
    /// The side that a word names.
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
    /// The options of a draft.
    func draftRequest(
        _ id: DocumentID, _ places: [JSONPointer: ConflictPolicy] = [:],
        mustWriteOrigin: Bool = false
    ) throws(Problem) -> DraftRequest {
        let policy = query("conflict").flatMap(ConflictPolicy.init(side:)) ?? .reject
        var request = DraftRequest(
            id, .init(policy, places: places), actor: try actor(), label: try label(),
            precondition: try precondition())
        request.token = try token()
        request.promptBy = try promptBy()
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
    func problem(drafting refusal: Refusal, of id: DocumentID) -> Problem {
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
    /// The comparison of a draft with its origin.
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
        var room = Int.max
        let text = try described(outcome, showsDryRun: true, &room)
        return json(
            text, revision: outcome.draft.document.revision,
            fields: replayed(outcome.draft.isRepeated))
    }

    /// A merged draft and its origin; without patches for which there is no `room`.
    func described(
        _ outcome: DraftMergeOutcome, showsDryRun: Bool, _ room: inout Int
    ) throws(Problem) -> JSONText {
        note(outcome.origin)
        let (patch, missed) = try patches(of: outcome.draft)
        let (origin, missedThere) = try patches(of: outcome.origin)
        var text = jsonText()
        text.object { text in
            text.describe(outcome.draft, patch, missed, within: &room)
            text.member("left", outcome.left)
            text.member("origin") {
                $0.describe(outcome.origin, origin, missedThere, within: &room)
            }
            if showsDryRun && outcome.origin.isDryRun { text.member("dryRun", true) }
        }
        return text
    }
}

extension JSONText {
    /// The changes of a side since the common state, and the number of net edits.
    mutating func describe(_ side: DraftSide, in numbering: Numbering? = nil) {
        let numbering = numbering ?? self.numbering
        member("changes", JSON(elements: side.revisions.map { JSON(numbering.shown($0)) }))
        member("edits", side.patch.count)
    }

    /// Places that both the draft and its origin changed, with their values.
    mutating func describe(_ conflicts: [DraftConflict], with origin: Numbering) {
        describe(places: conflicts, with: origin)
        name("places")
        array(conflicts) { $0.describe($1, with: origin) }
    }

    /// The places alone, and the origin's revisions.
    mutating func describe(places conflicts: [DraftConflict], with origin: Numbering) {
        texts("conflicts", conflicts.map(\.place.description))
        let with = Set(conflicts.flatMap(\.with)).sorted()
        member("with", JSON(elements: with.map { JSON(origin.shown($0)) }))
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
