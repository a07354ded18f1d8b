import HTTPCalling
import JSONTree

// The stream of changes.

extension DocumentSession {
    /// How often the daemon says something, in seconds.
    private static let heartbeat = 8

    /// The effect of a line.
    private enum Taken { case taken, mustLoad, renamed }

    /// Loads the document, and follows its changes from there, until the session ends.
    func follow() async {
        var pause = Pause()
        while !isEnded {
            do throws(DaemonProblem) {
                if !replica.isLoaded { try await askName() }
                if !replica.isLoaded || mustLoad { try await load() }
                answerOpening(nil)
                run()
                try await readStream(&pause)
            } catch {
                unreadable(error)
            }
            // A line of the stream has said that the document must be read again.
            let isNext = isLive && mustLoad
            isLive = false
            stateChanged()
            if !isNext { await rest(pause.take(connection.time.chance())) }
        }
    }

    /// Finds out the actor of undo.
    private func askName() async throws(DaemonProblem) {
        if let actor = connection.actor { return self.actor = actor }
        let answer = try await connection.get("/v1/whoami")
        guard answer.status == 200 else { throw DaemonProblem(answer) }
        actor = JSON.received(answer.body)?["name"]?.string ?? ""
    }

    private func unreadable(_ problem: DaemonProblem) {
        if isEnded { return }
        let isDaemons = problem.code != DaemonProblem.foreign
        let isMissing = isDaemons && [404, 410].contains(problem.status)
        let isFinal =
            isDaemons && (400..<500).contains(problem.status)
            && ![408, 429].contains(problem.status)
        refusal = problem
        if isFinal, !replica.isLoaded { answerOpening(problem) }
        if ResponseMeaning.isLostBase(problem) {
            mustLoad = true
            refusal = nil
        } else if isMissing, replica.isLoaded, !isDeleted {
            gone(problem)
        }
        stateChanged()
    }

    /// Reads the whole document.
    private func load() async throws(DaemonProblem) {
        var answer = try await connection.get(path)
        var problem = answer.status == 200 ? nil : DaemonProblem(answer)
        if problem?.code == "unknown-document", !replica.isLoaded, let initial {
            try await create(initial)
            answer = try await connection.get(path)
            problem = answer.status == 200 ? nil : DaemonProblem(answer)
        }
        if let problem { throw problem }
        let revision = answer.fields["etag"].flatMap { Int($0.filter { $0 != "\"" }) }
        guard let revision, let tree = JSON.received(answer.body) else {
            throw DaemonProblem(
                status: 200, code: DaemonProblem.foreign, detail: "The response holds no document.")
        }
        (mustLoad, isDeleted, refusal) = (false, false, nil)
        if isEnded { return }
        do throws(Diverged) {
            show(try replica.load(revision, tree))
        } catch {
            // The pending edits cannot be carried to that state.
            gone(DaemonProblem(code: "superseded", detail: "The document is another one."))
            mustLoad = true
            return
        }
        await askStatus()
    }

    private func create(_ value: JSON) async throws(DaemonProblem) {
        let fields = [
            (name: "Content-Type", value: "application/json"), (name: "If-None-Match", value: "*"),
        ]
        let answer = try await connection.send(
            HTTPCall("PUT", path, fields, body: value.serialized()))
        // Another client may have been quicker.
        guard answer.status < 300 || answer.status == 412 else { throw DaemonProblem(answer) }
    }

    /// Reads changes as they arrive, until the stream ends.
    private func readStream(_ pause: inout Pause) async throws(DaemonProblem) {
        if mustLoad { return }
        var lines = LineReader()
        do {
            for try await part in await connection.stream(path + feed(heartbeats: true)) {
                for line in try lines.take(part) {
                    guard let item = JSON.received(line), !isEnded else { return }
                    pause.reset()
                    if !isLive { begun() }
                    if take(item) != .taken { return }
                }
            }
        } catch let error as StreamRefusal {
            throw DaemonProblem(error.answer)
        } catch let error as HTTPCallError {
            throw DaemonProblem(error)
        } catch {
            throw DaemonProblem(code: "offline", detail: "\(error)")
        }
    }

    private func feed(heartbeats: Bool = false) -> String {
        "/feed?cursor=\(replica.revision)&patch=stored&keyPrefix=\(keys.escaped)"
            + (heartbeats ? "&heartbeat=\(DocumentSession.heartbeat)s" : "")
    }

    private func begun() {
        isLive = true
        refusal = isDeleted ? refusal : nil
        // The daemon can be reached again: what waits is sent.
        wake()
        stateChanged()
    }

    /// One line of the feed.
    private func take(_ item: JSON) -> Taken {
        guard item["event"]?.string == "change" else { return .taken }
        if let new = item["change"]?["renamedTo"]?.string, let revision = item["revision"]?.int {
            // A read may have been quicker than the stream, which ends here all the same: changes
            // that come next have the new name.
            if revision == replica.revision + 1 { name = new }
            stateChanged()
            return .renamed
        }
        guard let change = ReplicaChange(item) else {
            mustLoad = true
            return .mustLoad
        }
        return receive(change, item)
    }

    /// One change, of the feed or of a response.
    @discardableResult private func receive(_ change: ReplicaChange, _ item: JSON) -> Taken {
        switch replica.receive(change) {
        case .known: return .taken
        case .gap:
            mustLoad = true
            return .mustLoad
        case .shown(let shown):
            isDeleted = change.kind == "delete"
            show(shown, item)
            if shown.confirmed == nil, availability.receive(item, of: actor) {
                Task { await askStatus() }
            }
            if isDeleted { gone(.deleted) } else { refusal = nil }
            // A response may wait for this revision.
            wake()
            return .taken
        }
    }

    /// The change in a response, if it is the next one.
    func receive(response item: JSON, key: String) {
        guard let change = ReplicaChange(item, key: key), change.revision == replica.revision + 1
        else { return }
        receive(change, item)
        if mustLoad { Task { await catchUp() } }
    }

    /// Reads all changes after the newest one that is known, however long the daemon is out of
    /// reach.
    func catchUp() async {
        var pause = Pause()
        while !isEnded {
            do throws(DaemonProblem) {
                if mustLoad { return try await load() }
                let answer = try await connection.get(path + feed())
                guard answer.status == 200 else { throw DaemonProblem(answer) }
                guard let events = JSON.received(answer.body)?["events"], events.count > 0 else {
                    return
                }
                for index in 0..<events.count {
                    if let item = events[index], take(item) != .taken { break }
                }
            } catch {
                unreadable(error)
                if isDeleted || refusal.map({ [404, 410].contains($0.status) }) ?? false { return }
                await rest(pause.take(connection.time.chance()))
            }
        }
    }

    /// Asks whether there is something to undo.
    func askStatus() async {
        let query = actor.isEmpty ? "" : "?actor=" + actor.escaped
        guard let answer = try? await connection.get(path + "/status" + query),
            answer.status == 200, let status = JSON.received(answer.body)
        else { return }
        _ = availability.note(status, of: actor)
        stateChanged()
    }
}
