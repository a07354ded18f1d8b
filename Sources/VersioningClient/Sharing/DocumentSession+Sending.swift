import HTTPCalling
import JSONTree

// Requests for pending edits, one at a time, until the daemon has answered each.

extension DocumentSession {
    /// The limit on rebases of one edit before it is given up.
    private static let rebasesMax = 5
    /// How long a confirmed change may take to come by the stream before it is asked for.
    private static let streamDelayMax = Duration.seconds(1)

    func sendAll() async {
        while !isEnded, !replica.pending.isEmpty {
            do throws(Diverged) {
                try await sendOne()
            } catch {
                mustLoad = true
                await catchUp()
                await rest(pause.take(connection.time.chance()))
            }
        }
        if !isEnded { noted() }
    }

    private func sendOne() async throws(Diverged) {
        guard try replica.take(MergeEdit.portion) != nil, let request = try replica.submit(),
            let sent = replica.sent
        else { return }
        stateChanged()
        let whom = sent.isEdit || sent.undone != nil ? "" : actor
        let call = request.call(path, key: sent.key, actor: whom)
        let former = name
        let answer: HTTPAnswer
        do throws(DaemonProblem) {
            answer = try await connection.send(call)
        } catch {
            return await failed(sent, error)
        }
        if isEnded { return }
        isReachable = true
        let problem = answer.status < 300 ? nil : DaemonProblem(answer)
        let meaning = ResponseMeaning(answer, problem, to: sent)
        if meaning == .done { return try await done(sent, answer) }
        // The stream has said that it is done.
        guard replica.sent?.id == sent.id else { return finish(sent, nil) }
        let reason = problem ?? DaemonProblem(answer)
        switch meaning {
        case .done: return
        case .again: await later(reason, answer)
        case .wait: await refused(sent, reason)
        case .rebase: try await rebase(sent, reason, former)
        case .halve: show(try replica.putBack((sent.edits.count + 1) / 2))
        case .gone: await vanished(sent, reason, former)
        case .refused: try drop(sent, reason)
        }
    }

    /// The daemon answers: the next pause is short again.
    private func noted() {
        pause.reset()
        (isReachable, obstacle) = (true, nil)
        stateChanged()
    }

    /// The outcome is unknown: the same request is sent again, and carried out once.
    private func failed(_ sent: PendingStep, _ problem: DaemonProblem) async {
        guard replica.sent?.id == sent.id else {
            noted()
            return finish(sent, nil)
        }
        isReachable = false
        refuseCommands(.offline)
        stateChanged()
        await rest(pause.take(connection.time.chance()))
    }

    /// Commands that were not sent are not kept for later.
    private func refuseCommands(_ problem: DaemonProblem) {
        replica.removeCommands()
        let keys = Set(replica.pending.map(\.key))
        for (key, waiter) in commands where !keys.contains(key) {
            commands[key] = nil
            waiter.resume(returning: problem)
        }
    }

    private func done(_ sent: PendingStep, _ answer: HTTPAnswer) async throws(Diverged) {
        noted()
        let body = JSON.received(answer.body)
        let isHere = replica.sent?.id == sent.id
        if isHere, let body, sent.isEdit { receive(response: body, key: sent.key) }
        let revision = body?["revision"]?.int ?? body?["change"]?["revision"]?.int
        if replica.sent?.id == sent.id { await reach(revision ?? replica.revision + 1) }
        if isEnded { return }
        if let body, body["change"] == nil || !availability.note(body, of: actor) {
            Task { await askStatus() }
        }
        // It changed nothing.
        if replica.sent?.id == sent.id, let shown = try replica.drop() {
            show(shown)
            drop(
                shown.lost,
                DaemonProblem(code: "superseded", detail: "Others have changed the same place."))
        }
        finish(sent, nil)
    }

    /// Waits until a revision is known: by the stream, or by asking.
    private func reach(_ revision: Int) async {
        let end = connection.time.now() + DocumentSession.streamDelayMax
        while replica.revision < revision, !isEnded {
            let left = end - connection.time.now()
            if left <= .zero || !isLive { return await catchUp() }
            await rest(left)
        }
    }

    private func finish(_ sent: PendingStep, _ problem: DaemonProblem?) {
        commands.removeValue(forKey: sent.key)?.resume(returning: problem)
        stateChanged()
    }

    private func later(_ problem: DaemonProblem, _ answer: HTTPAnswer) async {
        obstacle = problem
        stateChanged()
        let asked = answer.fields["retry-after"].flatMap { Int($0) }.map { Duration.seconds($0) }
        let own = pause.take(connection.time.chance())
        await rest(min(asked ?? own, Pause.askedMax))
    }

    /// Edits wait until there is another token or right. Commands do not.
    private func refused(_ sent: PendingStep, _ problem: DaemonProblem) async {
        if case .command = sent.kind {
            _ = try? drop(sent, problem)
            return
        }
        obstacle = problem
        refuseCommands(problem)
        stateChanged()
        await rest(pause.take(connection.time.chance()))
    }

    /// The document that it was sent to does not exist; if it was renamed, the same request goes to
    /// its new name.
    private func vanished(
        _ sent: PendingStep, _ problem: DaemonProblem, _ former: String
    ) async {
        if name == former { await catchUp() }
        if name == former, replica.sent?.id == sent.id { gone(problem) }
    }

    private func rebase(
        _ sent: PendingStep, _ problem: DaemonProblem, _ former: String
    ) async throws(Diverged) {
        rebases = (sent.id, rebases.step == sent.id ? rebases.count + 1 : 1)
        if rebases.count > DocumentSession.rebasesMax { return try drop(sent, problem) }
        if problem.code == "earlier-life" { return await vanished(sent, problem, former) }
        show(try replica.putBack())
        await catchUp()
    }

    private func drop(_ sent: PendingStep, _ problem: DaemonProblem) throws(Diverged) {
        if problem.isOfRequest, try replica.retry() { return }
        guard let shown = try replica.refuse() else { return }
        for revision in shown.storedParts.reversed() {
            replica.add(undoOf: revision, key: newKey())
        }
        show(shown)
        drop(shown.lost, problem)
        finish(sent, problem)
    }
}
