import DocumentCore
import Journaling
import Naming
import Threading

// Changes of several documents.

extension DocumentStore {
    /// Changes several documents together, or none of them. `reply` is called when the result is
    /// durable.
    ///
    /// The first attempt runs at once if all documents are in memory, and continues as a task if it
    /// must wait. `isLarge`: preparing it takes long, so it begins as a task.
    public func transact(
        _ request: TransactionRequest, isLarge: Bool = false,
        reply: @escaping @Sendable (Result<TransactionOutcome, TransactionRefusal>) -> Void
    ) {
        let request = prepared(request)
        let mustCount = request.members.contains { isLimited($0.request, in: $0.document) }
        guard !isLarge, !mustCount, let first = ready(request) else {
            return transact(request, isLarge: isLarge, after: nil, reply)
        }
        let attempt = TransactionAttempt { [self] _, end in
            guard case .done(let outcomes) = end else {
                return transact(request, isLarge: false, after: (first, end), reply)
            }
            let result = Result { () throws(TransactionRefusal) in try first.outcome(outcomes) }
            if case .success(let outcome) = result { note(outcome, of: request) }
            reply(result)
        }
        begin(attempt, of: first)
    }

    private func transact(
        _ request: TransactionRequest, isLarge: Bool,
        after first: (PendingTransaction, TransactionEnd)?,
        _ reply: @escaping @Sendable (Result<TransactionOutcome, TransactionRefusal>) -> Void
    ) {
        task(on: executor(of: request, isLarge: isLarge), reply: reply) {
            [self] () async throws(TransactionRefusal) in
            try await carryOut(request, isLarge: isLarge, after: first)
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

    /// The outcome of a transaction with the same key; `nil` if it was not carried out.
    public func repetition(
        of request: TransactionRequest
    ) async throws(TransactionRefusal) -> TransactionOutcome? {
        try await withMemory(of: request.owner, request.refusal(DocumentStore.closed)) {
            memory async throws(TransactionRefusal) in
            try await repetition(of: PendingTransaction(request, memory, isLarge: false))
        }
    }

    /// A request that has memory goes before those that have not begun: others may wait for the
    /// memory. So does a short one, which would be tried on the caller's thread.
    private func executor(of request: TransactionRequest, isLarge: Bool) -> WorkQueue.Executor {
        WorkQueue.Executor(
            workers, owner: request.turnOwner,
            isBegun: isLarge || request.memory?.isPermitted ?? false
                || request.members.count <= PendingTransaction.membersOnLoopMax)
    }

    private func prepared(_ request: TransactionRequest) -> TransactionRequest {
        var request = request
        for index in request.members.indices {
            prepare(&request.members[index].request, of: request.members[index].document)
        }
        return request
    }

    /// A transaction that holds its hosts, if all are in memory and it needs little.
    private func ready(_ request: TransactionRequest) -> PendingTransaction? {
        guard request.memory == nil else { return nil }
        var pending = PendingTransaction(request, firstMemory, isLarge: false)
        guard pending.earlyFrom == nil else { return nil }
        for member in pending.members {
            guard let lease = loadedLease(of: member.document),
                (try? pending.hold(lease)) != nil
            else { return nil }
        }
        return pending
    }
}

// MARK: Attempts

extension DocumentStore {
    private func carryOut(
        _ request: TransactionRequest, isLarge: Bool,
        after first: (PendingTransaction, TransactionEnd)?
    ) async throws(TransactionRefusal) -> TransactionOutcome {
        let request = try await limited(request)
        let outcome = try await carryOutUncounted(request, isLarge: isLarge, after: first)
        note(outcome, of: request)
        return outcome
    }

    /// The same without the quotas, with the memory that it needs.
    private func carryOutUncounted(
        _ request: TransactionRequest, isLarge: Bool,
        after first: (PendingTransaction, TransactionEnd)? = nil
    ) async throws(TransactionRefusal) -> TransactionOutcome {
        if let memory = request.memory {
            return try await carryOut(PendingTransaction(request, memory, isLarge: isLarge))
        }
        return try await withMemory(of: request.owner, request.refusal(DocumentStore.closed)) {
            memory async throws(TransactionRefusal) in
            // The first attempt had as little memory as the first one here has.
            var outcome =
                if let (pending, end) = first, !memory.isPermitted {
                    try await carryOut(pending, after: end)
                } else {
                    try await carryOut(PendingTransaction(request, memory, isLarge: isLarge))
                }
            outcome.memory = memory
            return outcome
        }
    }

    /// Tries until it is carried out or refused.
    private func carryOut(
        _ pending: PendingTransaction, after end: TransactionEnd? = nil
    ) async throws(TransactionRefusal) -> TransactionOutcome {
        var pending = pending
        if let end, let outcome = try await follow(end, &pending) { return outcome }
        while pending.attempts < PendingTransaction.attemptsMax,
            pending.widenings < PendingTransaction.wideningsMax
        {
            try await hold(&pending)
            if pending.earlyFrom != nil {
                try prepareEarly(&pending)
                if try await widenEarly(&pending) { continue }
                // Before all lines are held.
                let edits = pending.unknownEarlyEdits
                if !edits.isEmpty {
                    if let made = try await note(edits, &pending) { return made }
                    pending.attempts += 1
                    continue
                }
            }
            let (attempt, end) = await withCheckedContinuation { continuation in
                let attempt = TransactionAttempt { continuation.resume(returning: ($0, $1)) }
                attempt.exchange(&pending.groundwork)
                begin(attempt, of: pending)
            }
            attempt.exchange(&pending.groundwork)
            if let outcome = try await follow(end, &pending) { return outcome }
        }
        throw pending.refusal(at: 0, .overtaken)
    }

    /// Holds the hosts of all documents, in the order of the members.
    private func hold(_ pending: inout PendingTransaction) async throws(TransactionRefusal) {
        // Its documents stay in memory until it holds all of them again.
        let former = pending.leases
        defer { withExtendedLifetime(former) {} }
        pending.letGo()
        for (index, member) in pending.members.enumerated() {
            do throws(ChangeError) {
                guard isOpen else { throw DocumentStore.closed }
                try pending.hold(try await lease(of: member.document))
            } catch {
                throw pending.refusal(at: index, error)
            }
        }
        pending.dropOldGroundwork()
    }

    /// Prepares early results without holding a line. Blocks.
    private func prepareEarly(_ pending: inout PendingTransaction) throws(TransactionRefusal) {
        var bytes = pending.groundwork.weight(for: pending.members)
        for index in pending.members.indices where pending.isEarly(index) {
            let host = pending.host(at: index)
            bytes -= pending.weight(at: index)
            if pending.groundwork[index] == nil {
                pending.groundwork[index] = Groundwork(host: host)
            }
            host.prepareEarly(
                of: pending.members[index].request, DocumentPast(host.id, journal),
                &pending.groundwork[index])
            bytes += pending.weight(at: index)
            do throws(ChangeError) { try pending.makeRoom(&bytes) } catch {
                throw pending.refusal(at: index, error)
            }
        }
    }

    /// Makes one attempt with the hosts that are held.
    private func begin(_ attempt: TransactionAttempt, of pending: PendingTransaction) {
        if pending.takesTurn { return takeTurn(pending, attempt) }
        _ = reserve(pending, attempt) { [queue] in
            queue.submit(unit: $0.entries, if: $0.units[0].conditions, by: $1)
        }
    }

    /// Prepares all parts and submits them. The attempt ends with the result.
    private func reserve(
        _ pending: PendingTransaction, _ attempt: TransactionAttempt,
        missed: [DocumentID: [JournalEntry]]? = nil,
        submit: @escaping (JournalBatch, [DocumentHost]) -> Void
    ) -> Reservation.Result {
        var reservation = Reservation(
            pending.hosts, pending.members, isDryRun: pending.request.isDryRun,
            stopsOpen: pending.mayPass, knowing: pending.knownEdits, at: now(),
            check: pending.checkMemory, missed: missed,
            submit: submit, reply: { attempt.note($0, $1) })
        attempt.exchange(&reservation.groundwork)
        let result = reservation.run()
        attempt.exchange(&reservation.groundwork)
        end(attempt, of: pending, with: result)
        return result
    }

    /// Tries while no other process can write to the documents.
    private func takeTurn(_ pending: PendingTransaction, _ attempt: TransactionAttempt) {
        let known = pending.hosts.map { host in
            let document = host.unusedDocument
            return DocumentRevision(host.id, document.nextRevision - 1)
        }
        queue.request(
            Turn(
                at: known,
                began: { [self] in turnBegan(pending, attempt, missed: $0) },
                failed: { attempt.end(.failed(at: 0, .journal($0))) }))
    }

    private func turnBegan(
        _ pending: PendingTransaction, _ attempt: TransactionAttempt,
        missed: [DocumentID: [JournalEntry]]
    ) -> Submission {
        // The turn itself submits the batch.
        let result = reserve(pending, attempt, missed: missed) { _, _ in }
        guard case .submitted(let batch, let submitters) = result else { return .none }
        return Submission(batch, by: submitters)
    }

    private func end(
        _ attempt: TransactionAttempt, of pending: PendingTransaction,
        with result: Reservation.Result
    ) {
        let isUnconfirmed = journal.shared != nil && !pending.takesTurn
        switch result {
        // If it only reads, it may have read what others have changed since.
        case .submitted(let batch, _) where batch.entries.isEmpty && isUnconfirmed:
            attempt.end(.unconfirmed)
        case .stopped(_, .refused) where isUnconfirmed: attempt.end(.unconfirmed)
        case .asks(let edits): attempt.end(.asks(edits))
        case .submitted: attempt.expect(pending.members.count)
        case .stopped(_, .refused): attempt.expect(1)
        case .stopped(let index, let reception): attempt.end(.stopped(at: index, reception))
        case .refused(let index, let error): attempt.end(.failed(at: index, error))
        }
    }
}

// MARK: After an attempt

extension DocumentStore {
    /// Does what another attempt needs; returns the outcome if there is one.
    private func follow(
        _ end: TransactionEnd, _ pending: inout PendingTransaction
    ) async throws(TransactionRefusal) -> TransactionOutcome? {
        switch end {
        case .done(let outcomes): return try pending.outcome(outcomes)
        case .unconfirmed: pending.takesTurn = true
        case .failed(let index, let error): throw pending.refusal(at: index, error)
        case .stopped(let index, let reception):
            return try await follow(reception, at: index, &pending)
        case .asks(let edits):
            if let made = try await note(edits, &pending) { return made }
        case .refused(let index, let refusal) where pending.isStale(at: index, refusal.error):
            pending.forgetRuns()
        case .refused(_, let refusal) where refusal.error == .journal(.conflict):
            pending.takesTurn = journal.shared != nil
        case .refused(let index, let refusal):
            if pending.request.widens, case .partOfTransaction(let parts, _) = refusal.error {
                try await widen(&pending, at: index, parts, head: refusal.document?.revision)
                return nil
            }
            if pending.request.widens, case .keepsParts(let parts) = refusal.error {
                try await keep(&pending, at: index, parts)
                return nil
            }
            // If it was carried out before, a later change may be the reason of the refusal.
            if let made = try await repetition(of: pending) { return made }
            let document = pending.members[index].document
            var whole = pending.refusal(at: index, await naming(refusal, of: document))
            if case .conflicts = refusal.error, pending.request.mustChange {
                whole.members = await conflicts(of: pending.request, pending.memory)
            }
            throw whole
        }
        pending.attempts += 1
        return nil
    }

    private func follow(
        _ reception: DocumentHost.Line.PartReception, at index: Int,
        _ pending: inout PendingTransaction
    ) async throws(TransactionRefusal) -> TransactionOutcome? {
        let host = pending.host(at: index)
        switch reception {
        case .ready, .refused: preconditionFailure("neither stops a transaction")
        case .open:
            pending.pass(at: index)
            return nil
        case .inTurn: pending.takesTurn = true
        case .repeated:
            if let made = try await repetition(of: pending) { return made }
        case .closing: _ = try? await outcome(of: .closingExpired, in: host.id)
        case .retired: forget(host)
        case .overtaken:
            // The early results of a part are overtaken a few times at most, so this ends, however
            // many documents there are.
            if pending.groundwork[index]?.early != nil { pending.attempts -= 1 }
            pending.groundwork[index]?.noteOvertaken()
        case .postponed where !pending.isEarly(index): pending.earlyFrom = index
        case .postponed(let range): try fetch(range, of: index, host, &pending)
        }
        pending.attempts += 1
        return nil
    }

    /// Reads what a part needs. Blocks.
    private func fetch(
        _ range: ChangeRange?, of index: Int, _ host: DocumentHost,
        _ pending: inout PendingTransaction
    ) throws(TransactionRefusal) {
        guard let range else { return }
        do throws(ChangeError) {
            let changes = try host.changes(range, DocumentPast(host.id, journal))
            pending.groundwork[index, default: Groundwork(host: host)].fetched.add(changes)
            // The attempt only found changes to read, and does not count as failed.
            if !changes.isEmpty { pending.attempts -= 1 }
        } catch {
            throw pending.refusal(at: index, error)
        }
    }
}

// MARK: Conflicts

extension DocumentStore {
    /// The members in conflict of a request that one of them refuses: a dry run of it that leaves
    /// what is in conflict.
    private func conflicts(
        of request: TransactionRequest, _ memory: RequestMemory
    ) async -> [(document: DocumentID, outcome: TransactionOutcome.Member)] {
        var dry = request.dry
        for index in dry.members.indices { dry.members[index].maySkip = true }
        let outcome = try? await carryOut(PendingTransaction(dry, memory, isLarge: true))
        return (outcome?.members ?? []).filter { _, member in
            if case .skipped = member { true } else { false }
        }
    }

    /// The documents in which a request would need room in the quota of its run; `nil` if it would
    /// be refused.
    func documentsCounted(
        by request: TransactionRequest
    ) async throws(TransactionRefusal) -> Set<DocumentID>? {
        do throws(TransactionRefusal) {
            let outcome = try await carryOutUncounted(request.dry, isLarge: true)
            let counted = outcome.members.filter { $0.outcome.change?.countsForRun ?? false }
            return Set(counted.map(\.document))
        } catch {
            switch error.refusal.error {
            case .tooLargeTogether, .overtaken, .journal: throw error
            default: return nil
            }
        }
    }
}

extension TransactionRequest {
    /// Asks what it would do, without another reason for a refusal than the changes themselves.
    fileprivate var dry: Self {
        var dry = self
        dry.isDryRun = true
        dry.mustChange = false
        dry.openRuns = nil
        dry.token = nil
        return dry
    }
}

// MARK: Repeating

extension DocumentStore {
    /// The outcome of the transaction if it was carried out before. Each document is asked in its
    /// turn: a transaction of which a part is not stored was not carried out.
    func repetition(
        of pending: PendingTransaction
    ) async throws(TransactionRefusal) -> TransactionOutcome? {
        guard let token = pending.request.token else { return nil }
        if let made = try await repetition(byKeyOf: pending.request, pending.memory) { return made }
        for (index, member) in pending.members.enumerated() where !member.document.isOwn {
            let id = member.document
            guard let outcome = try? await outcome(of: .repeating(token), in: id),
                outcome.isRepeated, let change = outcome.change
            else { continue }
            let outcomes: [Int: TransactionOutcome.Member]
            do throws(ChangeError) {
                guard isOpen else { throw DocumentStore.closed }
                outcomes = try self.outcomes(of: pending, id, change.revision)
            } catch {
                throw pending.refusal(at: index, error)
            }
            return try pending.outcome(outcomes, isRepeated: true)
        }
        return nil
    }

    /// The outcomes of a transaction of which one part is known. Blocks.
    private func outcomes(
        of pending: PendingTransaction, _ id: DocumentID, _ revision: Int
    ) throws(ChangeError) -> [Int: TransactionOutcome.Member] {
        let known = DocumentRevision(id, revision)
        let named = try DocumentPast(id, journal).change(at: revision).namedParts(in: journal)
        let parts = named.contains(known) ? named : [known]
        var outcomes: [Int: TransactionOutcome.Member] = [:]
        var bytes = 0
        for (index, member) in pending.members.enumerated() {
            guard
                let outcome = try outcome(of: member, parts, isProbe: pending.request.isProbe)
            else { continue }
            bytes += outcome.weight
            try pending.memory.check(bytes, isAlone: parts.count == 1)
            outcomes[index] = .done(outcome)
        }
        return outcomes
    }

    /// The result of a member of a transaction with these parts; `nil` if it is not requested.
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
