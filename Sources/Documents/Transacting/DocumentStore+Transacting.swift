import Journaling
import Naming
import Threading

// Changes of several documents.

extension DocumentStore {
    /// Changes several documents together, or none of them. `reply` is called when the result is
    /// durable.
    ///
    /// It is tried at once if all documents are in memory, and goes on as a task if it must wait.
    /// `isLarge`: preparing it takes long, so it begins as a task.
    public func transact(
        _ request: TransactionRequest, isLarge: Bool = false,
        reply: @escaping @Sendable (Result<TransactionOutcome, TransactionRefusal>) -> Void
    ) {
        let request = prepared(request)
        guard !isLarge, let first = ready(request) else {
            return transact(request, isLarge: isLarge, after: nil, reply)
        }
        attempt(first) { [self] end in
            guard case .done(let outcomes) = end else {
                return transact(request, isLarge: false, after: (first, end), reply)
            }
            let result = Result { () throws(TransactionRefusal) in try first.outcome(outcomes) }
            if case .success(let outcome) = result { note(outcome, of: request) }
            reply(result)
        }
    }

    private func transact(
        _ request: TransactionRequest, isLarge: Bool, after first: (Transacting, TransactionEnd)?,
        _ reply: @escaping @Sendable (Result<TransactionOutcome, TransactionRefusal>) -> Void
    ) {
        Task(executorPreference: executor(of: request, isLarge: isLarge)) { [self] in
            do throws(TransactionRefusal) {
                reply(.success(try await carryOut(request, isLarge: isLarge, after: first)))
            } catch {
                reply(.failure(error))
            }
        }
    }

    /// The same as a part of a task, also with memory that the request has already.
    public func transact(
        _ request: TransactionRequest, isLarge: Bool = false
    ) async throws(TransactionRefusal) -> TransactionOutcome {
        let request = prepared(request)
        let executor = executor(of: request, isLarge: isLarge)
        return try await withTaskExecutorPreference(executor) {
            () async throws(TransactionRefusal) in
            try await carryOut(request, isLarge: isLarge, after: nil)
        }
    }

    /// What a transaction with the same key did; `nil` if it was not carried out.
    public func repetition(
        of request: TransactionRequest
    ) async throws(TransactionRefusal) -> TransactionOutcome? {
        try await withMemory(of: request.owner, request.refusal(DocumentStore.closed)) {
            memory async throws(TransactionRefusal) in
            try await repetition(of: Transacting(request, memory, isLarge: false))
        }
    }

    /// What has memory already goes before what has not begun: others may wait for the memory.
    private func executor(of request: TransactionRequest, isLarge: Bool) -> WorkQueue.Executor {
        WorkQueue.Executor(
            workers, owner: request.turnOwner,
            isBegun: isLarge || request.memory?.isPermitted ?? false)
    }

    private func prepared(_ request: TransactionRequest) -> TransactionRequest {
        var request = request
        for place in request.members.indices {
            prepare(&request.members[place].request, of: request.members[place].document)
        }
        return request
    }

    /// A transaction that holds its hosts, if all are in memory and it needs little.
    private func ready(_ request: TransactionRequest) -> Transacting? {
        guard request.memory == nil else { return nil }
        var transacting = Transacting(request, firstMemory, isLarge: false)
        guard transacting.earlyFrom == nil else { return nil }
        for member in transacting.members {
            guard let lease = loadedLease(of: member.document),
                (try? transacting.hold(lease)) != nil
            else { return nil }
        }
        return transacting
    }
}

// MARK: Attempts

extension DocumentStore {
    private func carryOut(
        _ request: TransactionRequest, isLarge: Bool, after first: (Transacting, TransactionEnd)?
    ) async throws(TransactionRefusal) -> TransactionOutcome {
        let outcome: TransactionOutcome
        if let memory = request.memory {
            outcome = try await carryOut(Transacting(request, memory, isLarge: isLarge))
        } else {
            let closed = request.refusal(DocumentStore.closed)
            outcome = try await withMemory(of: request.owner, closed) {
                memory async throws(TransactionRefusal) in
                // The first attempt had as little memory as the first one here has.
                if let (transacting, end) = first, !memory.isPermitted {
                    return try await carryOut(transacting, after: end)
                }
                return try await carryOut(Transacting(request, memory, isLarge: isLarge))
            }
        }
        note(outcome, of: request)
        return outcome
    }

    /// Tries until it is carried out or refused.
    private func carryOut(
        _ transacting: Transacting, after end: TransactionEnd? = nil
    ) async throws(TransactionRefusal) -> TransactionOutcome {
        var transacting = transacting
        if let end, let outcome = try await follow(end, &transacting) { return outcome }
        while transacting.attempts < Transacting.attemptsMax,
            transacting.widenings < Transacting.wideningsMax
        {
            try await hold(&transacting)
            if transacting.earlyFrom != nil { try prepareEarly(&transacting) }
            let end = await withCheckedContinuation { [transacting] continuation in
                attempt(transacting) { continuation.resume(returning: $0) }
            }
            if let outcome = try await follow(end, &transacting) { return outcome }
        }
        throw transacting.refusal(at: 0, .overtaken)
    }

    /// Holds the hosts of all documents, in the order of the members.
    private func hold(_ transacting: inout Transacting) async throws(TransactionRefusal) {
        // What it held until now stays in memory until it has all of it again.
        let former = transacting.leases
        defer { withExtendedLifetime(former) {} }
        transacting.letGo()
        for (place, member) in transacting.members.enumerated() {
            do throws(ChangeError) {
                guard mayBegin else { throw DocumentStore.closed }
                try transacting.hold(try await lease(of: member.document))
            } catch {
                throw transacting.refusal(at: place, error)
            }
        }
        transacting.dropHelp()
    }

    /// Prepares early results without holding a line. Blocks.
    private func prepareEarly(_ transacting: inout Transacting) throws(TransactionRefusal) {
        for place in transacting.members.indices where transacting.isEarly(place) {
            prepareEarly(place, &transacting)
            do throws(ChangeError) { try transacting.makeRoom() } catch {
                throw transacting.refusal(at: place, error)
            }
        }
    }

    /// After this number of early results that were overtaken, a part is prepared while its line
    /// is held.
    private static let earlyMax = 3

    private func prepareEarly(
        _ place: Int, _ transacting: inout Transacting
    ) {
        let host = transacting.hosts[place]
        var help = transacting.helps[place] ?? PartHelp()
        if help.early == nil, help.attempts < DocumentStore.earlyMax {
            help.early = host.prepareEarly(
                of: transacting.members[place].request, journal, &help.fetched)
            help.host = host
            if help.early != nil {
                // Once is enough.
                help.early?.fetched = FetchedChanges()
            }
        } else if help.early == nil {
            host.retireIfRewritten(DocumentPast(host.id, journal))
        }
        transacting.helps[place] = help
    }

    /// Makes one attempt with the hosts that are held. `ended` is called once, when no line is
    /// held.
    private func attempt(
        _ transacting: Transacting, _ ended: @escaping @Sendable (TransactionEnd) -> Void
    ) {
        let attempt = TransactionAttempt(ended)
        if transacting.takesTurn { return takeTurn(transacting, attempt) }
        let queue = queue
        var reservation = Reservation(
            transacting.hosts, transacting.members, transacting.helps,
            isDryRun: transacting.request.isDryRun, stopsOpen: transacting.mayPass, at: now(),
            check: transacting.checkMemory,
            submit: { queue.submit(unit: $0.entries, if: $0.units[0].conditions, by: $1) },
            reply: { attempt.note($0, $1) })
        end(attempt, of: transacting, with: reservation.run())
    }

    /// Tries while no other process can write to the documents.
    private func takeTurn(_ transacting: Transacting, _ attempt: TransactionAttempt) {
        let known = transacting.hosts.map { host in
            let document = host.unusedDocument
            return DocumentRevision(host.id, document.nextRevision - 1)
        }
        queue.request(
            Turn(
                at: known,
                began: { [self] in turnBegan(transacting, attempt, missed: $0) },
                failed: { attempt.end(.refused(at: 0, Refusal(.journal($0)))) }))
    }

    private func turnBegan(
        _ transacting: Transacting, _ attempt: TransactionAttempt,
        missed: [DocumentID: [JournalEntry]]
    ) -> Submission {
        // Early results are of what was here before the turn.
        let helps = transacting.helps.mapValues { help in
            var help = help
            help.noteOvertaken()
            return help
        }
        var reservation = Reservation(
            transacting.hosts, transacting.members, helps,
            isDryRun: transacting.request.isDryRun, stopsOpen: transacting.mayPass, at: now(),
            check: transacting.checkMemory,
            missed: missed, submit: { _, _ in }, reply: { attempt.note($0, $1) })
        let result = reservation.run()
        end(attempt, of: transacting, with: result)
        guard case .submitted(let batch, let submitters) = result else { return .none }
        return Submission(batch, by: submitters)
    }

    private func end(
        _ attempt: TransactionAttempt, of transacting: Transacting, with result: Reservation.Result
    ) {
        let isUnconfirmed = journal.shared != nil && !transacting.takesTurn
        switch result {
        // What only reads may have read what others have changed since.
        case .submitted(let batch, _) where batch.entries.isEmpty && isUnconfirmed:
            attempt.end(.unconfirmed)
        case .stopped(_, .refused) where isUnconfirmed: attempt.end(.unconfirmed)
        case .submitted: attempt.expect(transacting.members.count)
        case .stopped(_, .refused): attempt.expect(1)
        case .stopped(let place, let reception): attempt.end(.stopped(at: place, reception))
        case .refused(let place, let error): attempt.end(.refused(at: place, Refusal(error)))
        }
    }
}

// MARK: After an attempt

extension DocumentStore {
    /// Does what another attempt needs; returns the outcome if there is one.
    private func follow(
        _ end: TransactionEnd, _ transacting: inout Transacting
    ) async throws(TransactionRefusal) -> TransactionOutcome? {
        switch end {
        case .done(let outcomes): return try transacting.outcome(outcomes)
        case .unconfirmed: transacting.takesTurn = true
        case .stopped(let place, let reception):
            return try await follow(reception, at: place, &transacting)
        case .refused(_, let refusal) where refusal.error == .journal(.conflict):
            transacting.takesTurn = journal.shared != nil
        case .refused(let place, let refusal):
            if transacting.request.widens, case .partOfTransaction(let parts, _) = refusal.error {
                try await widen(&transacting, at: place, parts, head: refusal.document?.revision)
                return nil
            }
            // What refuses it may be what came after it, when it was carried out.
            if let made = try await repetition(of: transacting) { return made }
            let document = transacting.members[place].document
            throw transacting.refusal(at: place, await naming(refusal, of: document))
        }
        transacting.attempts += 1
        return nil
    }

    private func follow(
        _ reception: DocumentHost.Line.PartReception, at place: Int,
        _ transacting: inout Transacting
    ) async throws(TransactionRefusal) -> TransactionOutcome? {
        let host = transacting.hosts[place]
        switch reception {
        case .ready, .refused: preconditionFailure("neither stops a transaction")
        case .open:
            transacting.pass(at: place)
            return nil
        case .inTurn: transacting.takesTurn = true
        case .repeated:
            if let made = try await repetition(of: transacting) { return made }
        case .closing: _ = try? await outcome(of: .closingExpired, in: host.id)
        case .retired: forget(host)
        case .overtaken:
            // An early result is overtaken `earlyMax` times at most: of many documents that adds
            // up, and it ends.
            if transacting.helps[place]?.early != nil { transacting.attempts -= 1 }
            transacting.helps[place]?.noteOvertaken()
        case .postponed where !transacting.isEarly(place): transacting.earlyFrom = place
        case .postponed(let range): try fetch(range, of: place, host, &transacting)
        }
        transacting.attempts += 1
        return nil
    }

    /// Reads what a part needs. Blocks.
    private func fetch(
        _ range: ChangeRange?, of place: Int, _ host: DocumentHost, _ transacting: inout Transacting
    ) throws(TransactionRefusal) {
        guard let range else { return }
        do throws(ChangeError) {
            let changes = try host.changes(range, DocumentPast(host.id, journal))
            transacting.helps[place, default: PartHelp(host: host)].fetched.add(changes)
            // It costs reading, and is no attempt in vain.
            if !changes.isEmpty { transacting.attempts -= 1 }
        } catch {
            throw transacting.refusal(at: place, error)
        }
    }
}

// MARK: Repeating

extension DocumentStore {
    /// What became of the transaction when it was carried out, if it was. What was not stored in
    /// the end was not carried out: each document is asked in its turn.
    private func repetition(
        of transacting: Transacting
    ) async throws(TransactionRefusal) -> TransactionOutcome? {
        guard let token = transacting.request.token else { return nil }
        for (place, member) in transacting.members.enumerated() {
            let id = member.document
            guard let outcome = try? await outcome(of: .repeating(token), in: id),
                outcome.isRepeated, let change = outcome.change
            else { continue }
            let outcomes: [Int: TransactionOutcome.Member]
            do throws(ChangeError) {
                guard mayBegin else { throw DocumentStore.closed }
                outcomes = try self.outcomes(of: transacting, id, change.revision)
            } catch {
                throw transacting.refusal(at: place, error)
            }
            return try transacting.outcome(outcomes, isRepeated: true)
        }
        return nil
    }

    /// The outcomes of a transaction of which one part is known. Blocks.
    private func outcomes(
        of transacting: Transacting, _ id: DocumentID, _ revision: Int
    ) throws(ChangeError) -> [Int: TransactionOutcome.Member] {
        let place = DocumentRevision(id, revision)
        let named = namedParts(of: try DocumentPast(id, journal).change(at: revision))
        let parts = named.contains(place) ? named : [place]
        var outcomes: [Int: TransactionOutcome.Member] = [:]
        var bytes = 0
        for (place, member) in transacting.members.enumerated() {
            guard
                let outcome = try outcome(of: member, parts, isProbe: transacting.request.isProbe)
            else { continue }
            bytes += outcome.weight
            try transacting.memory.check(bytes, isAlone: parts.count == 1)
            outcomes[place] = .done(outcome)
        }
        return outcomes
    }

    /// What became of a member of a transaction with these parts; `nil` if that is not asked.
    /// Blocks.
    private func outcome(
        of member: TransactionRequest.Member, _ parts: [DocumentRevision], isProbe: Bool
    ) throws(ChangeError) -> Outcome? {
        let id = member.document
        if let part = parts.first(where: { $0.document == id }) {
            return try DocumentPast(id, journal).outcome(
                at: part.revision, of: member.request, limits: options.limits)
        }
        if isProbe { return nil }
        return .nothing(try Replay.document(id, from: journal)?.document ?? .unborn(id))
    }
}
