package import Journaling
import Threading
import VersioningKit

// Requests.

extension DocumentLine {
    /// What an early result is made from, at a time of the clock.
    package mutating func base(at now: Timestamp) -> EarlySource {
        EarlySource(
            epoch: epoch, document: prepared, time: time(at: now), recent: recent,
            effectCount: effects.count, longAgo: effects.longAgo, losses: losses,
            undoBytesMax: undoBytesMax)
    }

    /// Receives a request. With an early result it is prepared already; without one it is
    /// prepared here, from what is in memory and the changes that were fetched.
    package mutating func receive(
        _ request: ChangeRequest, _ reply: Reply, at now: Timestamp, early: EarlyResult? = nil,
        fetched: FetchedChanges? = nil, _ actions: inout [Action]
    ) -> Reception {
        guard !isRetired else { return .retired }
        if takesTurns(at: now) {
            // An early result is of what was here before the turn.
            if early != nil { return .overtaken }
            park(request, reply, fetched, &actions)
            return .taken
        }
        return receiveNow(request, reply, at: now, early: early, fetched: fetched, &actions)
    }

    /// The same, without waiting for a turn.
    mutating func receiveNow(
        _ request: ChangeRequest, _ reply: Reply, at now: Timestamp, early: EarlyResult? = nil,
        fetched: FetchedChanges? = nil, _ actions: inout [Action]
    ) -> Reception {
        defer { assert(isConsistent) }
        if let fetched { self.fetched = fetched.kept }
        // What was made for it and handed over goes back there if it is too large to be kept, or if
        // the request has to be prepared once more.
        let before = early?.effects ?? fetched?.effects
        do throws(PreparationError) {
            if let repeated = try repetition(of: request) {
                settle(.failure(Refusal(repeated, by: prepared)), request, reply, &actions)
                return .taken
            }
            var fetched = fetched
            if let early, early.epoch != epoch {
                if let refusal = early.refusalThatHolds { throw .refused(refusal) }
                guard early.closing == nil, early.effects.handOver(to: &self, for: request) else {
                    return .overtaken
                }
                // It is prepared from that, and from nothing that takes long.
                fetched = nil
            } else if let early {
                early.effects.handOver(to: &effects)
                if let closing = early.closing {
                    try close(closing, at: time(at: now), &actions, before)
                    return .closed
                }
                try adopt(early.prepared(), request, reply, &actions, before)
                return .taken
            }
            let time = time(at: now)
            try closeExpired(at: time, fetched, &actions)
            let result = try prepare(request, at: time, fetched)
            try adopt(result, request, reply, &actions, before)
        } catch {
            switch error {
            case .needs, .takesLong:
                before?.takeBack(from: &effects, at: prepared.revision)
                if case .needs(let range) = error { return .postponed(range) }
                return .postponed(nil)
            case .refused(let refusal):
                before?.takeRest(from: &effects)
                note(refusal, at: now, &actions)
                settle(.failure(Refusal(refusal, by: prepared)), request, reply, &actions)
            }
        }
        return .taken
    }

    /// Whether a request was carried out before.
    private func repetition(of request: ChangeRequest) throws(PreparationError) -> ChangeError? {
        guard let token = request.token else { return nil }
        do throws(ChangeError) {
            return try requests.revision(of: token).map { .repeated(revision: $0) }
        } catch {
            throw .refused(error)
        }
    }

    mutating func prepare(
        _ request: ChangeRequest, at time: Timestamp, _ fetched: FetchedChanges?
    ) throws(PreparationError) -> Prepared {
        _ = fetched?.effects?.handOver(to: &self, for: request)
        let known = KnownChanges(recent, fetched ?? self.fetched, isHurried: fetched == nil)
        let context = RequestContext(
            now: time, limits: limits, known: known, undoBytesMax: undoBytesMax)
        var merging = fetched?.merging
        return try prepared.prepare(request, context, &effects, &merging)
    }

    /// Closes scopes whose time is over, before anything else happens.
    private mutating func closeExpired(
        at time: Timestamp, _ fetched: FetchedChanges?, _ actions: inout [Action]
    ) throws(PreparationError) {
        while let closing = prepared.closing(at: time) {
            let closing = try closing.closingScope { request throws(PreparationError) in
                try prepare(request, at: time, fetched)
            }
            try close(closing, at: time, &actions)
        }
    }

    private mutating func close(
        _ closing: ScopeClosing, at time: Timestamp, _ actions: inout [Action],
        _ before: EffectHistoryLoan? = nil
    ) throws(PreparationError) {
        if let refusal = closing.refusal { note(refusal, at: time, &actions) }
        try adopt(closing.prepared, closing.request, nil, &actions, before)
    }

    /// Makes a prepared change the newest state, and queues its entry.
    private mutating func adopt(
        _ change: Prepared, _ request: ChangeRequest, _ reply: Reply?, _ actions: inout [Action],
        _ before: EffectHistoryLoan? = nil
    ) throws(PreparationError) {
        before?.takeRest(from: &effects)
        guard let made = change.change, !request.isDryRun else {
            effects.cancel()
            let outcome: Outcome =
                request.isDryRun
                ? .dryRun(change.change, prepared, change.merge)
                : .nothing(prepared, change.merge)
            if let reply { settle(.success(outcome), request, reply, &actions) }
            return
        }
        let former = Former(prepared, before: made)
        let entry = change.entry ?? made.entry(following: prepared)
        do {
            try prepared.advance(
                by: made, to: change.tree, entry: entry, grouping: change.grouping)
        } catch {
            effects.cancel()
            throw .refused(.version(error))
        }
        enqueue(with: made, entry, from: former, change.merge, request, reply)
        actions.append(.commit(entry))
    }

    /// A change has led to the newest state; its entry is in flight from now on.
    @inline(__always)
    mutating func enqueue(
        with made: Change, _ entry: JournalEntry, from former: Former,
        _ merge: MergeReport?, _ request: ChangeRequest, _ reply: Reply?
    ) {
        effects.advance(by: made, from: former.version, to: prepared)
        requests.note(made)
        recent.append(entry.body, at: entry.revision, firstUncommitted: committed.nextRevision)
        inFlight.append(
            InFlight(
                request: request, reply: reply,
                made: Transition(
                    made, from: former.tree, to: prepared, merge: merge,
                    own: effects.availability(after: made), isNewName: former.isNewName)))
    }

    /// Replies with a result that changed nothing. It may rest on changes that are not durable
    /// yet: then the reply is deferred until they are. Others may have written: then the request is
    /// carried out once more when that is known.
    package mutating func settle(
        _ result: Result<Outcome, Refusal>, _ request: ChangeRequest, _ reply: Reply,
        _ actions: inout [Action]
    ) {
        if isShared && !request.isConfirmed {
            return actions.append(
                .confirm(
                    Unconfirmed(
                        request: request, reply: reply, result: result, epoch: epoch)))
        }
        if pending == 0 { return actions.append(.reply(reply, result)) }
        deferred.append(
            Deferred(
                revision: prepared.revision, request: request, reply: reply, result: result))
    }

    package func note(_ error: ChangeError, at now: Timestamp, _ actions: inout [Action]) {
        if let fault = DocumentFault(error, at: now) { actions.append(.note(fault)) }
    }
}

extension Change {
    /// What the journal stores of it. O(bytes of the change).
    package func entry(following document: Document) -> JournalEntry {
        JournalEntry(
            document: document.id, revision: revision, body: encoded(), following: document.chain,
            lifecycle: kind.traits.lifecycle)
    }
}
