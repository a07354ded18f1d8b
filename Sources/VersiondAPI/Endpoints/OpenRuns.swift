import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// Runs that are under way.

extension DocumentsAPI {
    /// `PUT /v1/runs/{run}?ttl=`: opens a run, or keeps it open.
    func openRun(_ call: Call, _ text: String) throws(Problem) {
        let name = try call.ownRun(text)
        let lifetime =
            try call.duration("ttl", in: Limits.openRunLifetime) ?? Limits.openRunLifetimeDefault
        let request = try call.runRequest()
        task(call) { [self] () async throws(Problem) in
            let last = try await call.found(await store.lastSequence(reaching: .max))
            // A request with a key is stored, so that a repetition finds it after a close.
            if request.token == nil {
                let kept = try await call.found(
                    try store.openRun(
                        name, forAbout: lifetime, label: request.label, upTo: last))
                if let kept { return call.send(call.json(kept, name)) }
            }
            let known = try await call.found(try store.openRun(name, upTo: last))
            if known == nil { try await checkRoom(call, name, last) }
            do throws(Refusal) {
                let (run, isNew, isRepeated) = try await store.openRun(
                    name, lifetime: lifetime, request)
                call.send(
                    call.json(
                        run, name, isNew: isNew && run != nil, isRepeated: isRepeated))
            } catch {
                throw call.problem(error.error)
            }
        }
    }

    /// Throws if one more open run is one too many. A client with the right to undo others' edits
    /// may open a run that is not below its token's name: the limit of the run's actor applies.
    private func checkRoom(_ call: Call, _ run: Name, _ last: Int) async throws(Problem) {
        let actor = run.text.split(separator: "/", omittingEmptySubsequences: false)[0]
        let owner = call.owns(run) ? Name(call.grant.name) : Name(String(actor))
        let limit = try await call.found(
            await store.limitOfOpenRuns(
                below: owner, each: limits.openRunsOfOneMax, all: limits.openRunsMax, upTo: last))
        guard let limit else { return }
        throw Problem(.tooManyOpenRuns, "There are \(limit) open runs.")
            .with("max", .number(limit))
    }

    /// `POST /v1/runs/{run}/close`: the run is over. Again does no harm.
    func closeRun(_ call: Call, _ text: String) throws(Problem) {
        let name = try call.ownRun(text)
        let request = try call.runRequest()
        task(call) { [store] () async throws(Problem) in
            do throws(Refusal) { try await store.closeRun(name, request) } catch {
                throw call.problem(error.error)
            }
            call.send(call.json(nil, name))
        }
    }
}

extension Call {
    /// The run in the path, which the client may open and close: one of its token's name, or any
    /// with the right to undo others' edits in all documents.
    fileprivate func ownRun(_ text: String) throws(Problem) -> Name {
        let name = try name(text, of: "The name")
        guard name.isRun, Grant.isReadable(text), text.utf8.count <= OpenRun.nameBytesMax else {
            throw Problem(
                .malformedRequest,
                "The name of a run has a slash, no control characters, and at most "
                    + "\(OpenRun.nameBytesMax) bytes.",
                hint: "In the path, the slash is %2F: agent%2Frun-17.")
        }
        if !owns(name) {
            try needsRightToUndoOthers()
            // The run may work in any document.
            guard grant.reach.isAll else { throw Problem(outOfReach: grant) }
        }
        return name
    }

    fileprivate func runRequest() throws(Problem) -> ChangeRequest {
        try noConditions()
        var request = try request(.nothing, label: try label(), Precondition())
        request.token = try token()
        return request
    }

    /// `run`: `nil` if it is closed.
    fileprivate func json(
        _ run: OpenRun?, _ name: Name, isNew: Bool = false, isRepeated: Bool = false
    ) -> HTTPResponse {
        var text = jsonText()
        text.object { text in
            text.member("run", name)
            text.member("open", run != nil)
            if let run { text.member("expires", RFC3339.text(run.expiry)) }
        }
        return json(text, isNew: isNew, isRepeated: isRepeated)
    }
}

extension DocumentsAPI {
    /// The limit on open runs that a response names.
    fileprivate static let runsNamedMax = 100
}

extension Problem {
    /// An undo or a redo would take edits of these runs.
    init(open runs: [OpenRun]) {
        let words = runs.first.map { "The run \($0.name) is open." } ?? ""
        self.init(.runOpen, runs.count > 1 ? "\(runs.count) runs are open." : words)
        var text = JSONText()
        text.array(runs.prefix(DocumentsAPI.runsNamedMax)) { $0.value(JSON($1.name.text)) }
        members.append(("runs", .json(text.bytes)))
        if let expiry = runs.map(\.expiry).max() {
            members.append(("expires", .text(RFC3339.text(expiry))))
        }
    }
}
