package import Journaling
import Threading
import VersioningKit

// Requests.

extension DocumentLine {
    /// The source of an early result, at a time of the clock.
    package mutating func base(at now: Timestamp) -> EarlySource {
        EarlySource(
            epoch: epoch, document: prepared, time: time(at: now), recent: recent,
            own: own.withoutHistory, losses: losses, undoBytesMax: undoBytesMax)
    }

    /// Receives a request. With an early result it is prepared already; without one it is
    /// prepared here, from what is in memory and the groundwork, if there is any.
    package mutating func receive(
        _ request: ChangeRequest, _ reply: Reply, at now: Timestamp, _ work: inout Groundwork?,
        _ actions: inout [Action]
    ) -> Reception {
        guard !isRetired else { return .retired }
        if takesTurns(at: now) {
            // An early result is based on the line as it was before the turn.
            if work?.early != nil { return .overtaken }
            park(request, reply, work.take(), &actions)
            return .taken
        }
        return receiveNow(request, reply, at: now, &work, &actions)
    }

    /// The same, without waiting for a turn.
    mutating func receiveNow(
        _ request: ChangeRequest, _ reply: Reply, at now: Timestamp, _ work: inout Groundwork?,
        _ actions: inout [Action]
    ) -> Reception {
        defer { assert(isConsistent) }
        if let kept = work?.fetched.kept { fetched = kept }
        do throws(PreparationError) {
            if let repeated = try repetition(of: request) {
                settle(.failure(Refusal(repeated, by: prepared)), request, reply, &actions)
                return .taken
            }
            if let early = work?.early {
                if early.epoch == epoch {
                    return try adopt(early, request, reply, at: now, &work, &actions)
                }
                if let refusal = early.refusalThatHolds { throw .refused(refusal) }
                guard early.closing == nil, borrowEffects(of: &work, for: request) else {
                    return .overtaken
                }
            }
            let time = time(at: now)
            try closeExpired(at: time, &work, &actions)
            let result = try prepare(request, at: time, &work)
            try adopt(result, request, reply, &work, &actions)
        } catch {
            switch error {
            case .needs(let range): return postponed(range, &work)
            case .takesLong: return postponed(nil, &work)
            case .refused(let refusal):
                work?.effects.release(from: &own)
                note(refusal, at: now, &actions)
                settle(.failure(Refusal(refusal, by: prepared)), request, reply, &actions)
            }
        }
        return .taken
    }

    /// Moves the line's effect history into the loan, from which the request is prepared again.
    private mutating func postponed(
        _ range: ChangeRange?, _ work: inout Groundwork?
    ) -> Reception {
        work?.effects.restore(from: &own, at: prepared.revision, losses: losses)
        return .postponed(range)
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
        _ request: ChangeRequest, at time: Timestamp, _ work: inout Groundwork?
    ) throws(PreparationError) -> Prepared {
        _ = borrowEffects(of: &work, for: request)
        // Where an early result was overtaken, nothing that takes long is done here.
        let fetched = work?.early == nil ? work?.fetched : nil
        var merging = fetched == nil ? nil : work?.merging
        let known = KnownChanges(recent, fetched ?? self.fetched, isUnderLock: fetched == nil)
        let context = RequestContext(
            now: time, limits: limits, known: known, undoBytesMax: undoBytesMax)
        return try prepared.prepare(request, context, &own, &merging)
    }

    /// Borrows the effect history of a request, if it can follow what has happened since. Returns
    /// whether that helps with the request.
    mutating func borrowEffects(of work: inout Groundwork?, for request: ChangeRequest) -> Bool {
        let isHere = work?.effects.follow(
            to: prepared, losses: losses, countMax: KnownChanges.changesMax
        ) { revision throws(PreparationError) in
            guard let body = recent[revision],
                let change = try? Change(decoding: body, revision: revision)
            else { throw .takesLong }
            return change
        }
        guard isHere == true, work?.effects.own?.helps(with: request) == true else {
            return false
        }
        work?.effects.lend(to: &own, at: prepared.revision)
        return true
    }

    /// Closes scopes whose time is over, before anything else happens.
    private mutating func closeExpired(
        at time: Timestamp, _ work: inout Groundwork?, _ actions: inout [Action]
    ) throws(PreparationError) {
        while let closing = prepared.closing(at: time) {
            let closing = try closing.closingScope { request throws(PreparationError) in
                try prepare(request, at: time, &work)
            }
            try close(closing, at: time, &work, &actions)
        }
    }

    private mutating func close(
        _ closing: ScopeClosing, at time: Timestamp, _ work: inout Groundwork?,
        _ actions: inout [Action]
    ) throws(PreparationError) {
        if let refusal = closing.refusal { note(refusal, at: time, &actions) }
        try adopt(closing.prepared, closing.request, nil, &work, &actions)
    }

    /// Makes an early result of this epoch the newest state.
    private mutating func adopt(
        _ early: EarlyResult, _ request: ChangeRequest, _ reply: Reply, at now: Timestamp,
        _ work: inout Groundwork?, _ actions: inout [Action]
    ) throws(PreparationError) -> Reception {
        work?.effects.lend(to: &own, at: prepared.revision)
        if let closing = early.closing {
            try close(closing, at: time(at: now), &work, &actions)
            return .closed
        }
        try adopt(early.prepared(), request, reply, &work, &actions)
        return .taken
    }

    /// Makes a prepared change the newest state, and queues its entry.
    private mutating func adopt(
        _ change: Prepared, _ request: ChangeRequest, _ reply: Reply?,
        _ work: inout Groundwork?, _ actions: inout [Action]
    ) throws(PreparationError) {
        work?.effects.release(from: &own)
        guard let made = change.change, !request.isDryRun else {
            own.effects.cancel()
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
            own.effects.cancel()
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
        own.advance(by: made, from: former.version, to: prepared)
        requests.note(made)
        recent.append(entry.body, at: entry.revision, firstUncommitted: committed.nextRevision)
        inFlight.append(
            InFlight(
                request: request, reply: reply,
                made: Transition(
                    made, from: former.tree, to: prepared, merge: merge,
                    own: own.availability(after: made), isNewName: former.isNewName)))
    }

    /// Replies with a result that changed nothing. If it depends on changes that are not durable
    /// yet, the reply is deferred until they are. On a shared document, another process may have
    /// written: then the request is carried out again once that is known.
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
    /// The journal entry of the change. O(bytes of the change).
    package func entry(following document: Document) -> JournalEntry {
        JournalEntry(
            document: document.id, revision: revision, body: encoded(), following: document.chain,
            lifecycle: kind.traits.lifecycle)
    }
}
