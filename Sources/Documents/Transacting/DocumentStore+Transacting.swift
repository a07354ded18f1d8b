import Journaling
import Naming
import Threading

// Changes of several documents.

extension DocumentStore {
    /// Changes several documents together, or none of them. `reply` is called when the result is
    /// durable.
    ///
    /// `isLarge`: preparing it takes long, so it is done on a worker thread.
    public func transact(
        _ request: TransactionRequest, isLarge: Bool = false,
        reply: @escaping @Sendable (Result<TransactionOutcome, TransactionRefusal>) -> Void
    ) {
        var request = request
        for place in request.members.indices {
            prepare(
                &request.members[place].request, of: request.members[place].document)
        }
        let reply = noting(request.members.first?.request.family ?? .nobody, reply)
        withMemory(for: request, reply) { [self, request] memory in
            transact(Transacting(request, memory, isLarge: isLarge, reply))
        }
    }

    /// Calls `body` with the memory that a request has, or with some of its own.
    private func withMemory(
        for request: TransactionRequest, _ reply: @escaping Transacting.Reply,
        _ body: @escaping @Sendable (RequestMemory) -> Void
    ) {
        if let memory = request.memory { return body(memory) }
        withMemory(of: request.owner) { found in
            switch found {
            case .success(let memory): body(memory)
            case .failure(let error):
                reply(
                    .failure(
                        TransactionRefusal(
                            member: 0, document: request.members[0].document,
                            refusal: Refusal(error))))
            }
        }
    }

    /// Replies as when a transaction was carried out, if it was; otherwise does something else.
    public func repetition(
        of request: TransactionRequest, otherwise: @escaping @Sendable () -> Void,
        reply: @escaping @Sendable (Result<TransactionOutcome, TransactionRefusal>) -> Void
    ) {
        withMemory(for: request, reply) { [self] memory in
            repeating(
                Transacting(request, memory, isLarge: false, reply), otherwise: otherwise)
        }
    }
}

extension DocumentStore {
    func transact(_ transacting: Transacting) {
        guard transacting.attempts < Transacting.attemptsMax,
            transacting.widenings < Transacting.wideningsMax
        else { return transacting.refuse(at: 0, Refusal(.overtaken)) }
        var looking = transacting
        looking.letGo()
        // What it held until now stays in memory until it has all of it again.
        withHosts(of: looking) { [self, before = transacting.leases] held in
            defer { withExtendedLifetime(before) {} }
            var transacting = held
            let hosts = held.leases.map(\.host)
            transacting.dropHelp(notOf: hosts)
            transacting.earlyFrom == nil
                ? attempt(transacting, hosts) : prepareEarly(transacting, hosts)
        }
    }

    /// Calls `body` with the same transaction when it holds the hosts of all documents, in the
    /// order of the members.
    private func withHosts(
        of transacting: Transacting, _ body: @escaping @Sendable (Transacting) -> Void
    ) {
        let place = transacting.leases.count
        guard place < transacting.members.count else { return body(transacting) }
        let refuse: @Sendable (Result<Void, ChangeError>) -> Void = { result in
            guard case .failure(let error) = result else { return }
            transacting.refuse(at: place, Refusal(error))
        }
        withLease(of: transacting.members[place].document, refuse) { [self] lease in
            var held = transacting
            do throws(ChangeError) { try held.hold(lease) } catch {
                return transacting.refuse(at: place, Refusal(error))
            }
            withHosts(of: held, body)
        }
    }

    /// Prepares early results on a worker thread, without holding a line, and then tries.
    private func prepareEarly(_ transacting: Transacting, _ hosts: [DocumentHost]) {
        let work: @Sendable () -> Void = { [self] in
            guard mayBegin else {
                return transacting.refuse(at: 0, Refusal(DocumentStore.closed))
            }
            var transacting = transacting
            for place in hosts.indices where transacting.isEarly(place) {
                prepareEarly(place, &transacting, hosts[place])
                do throws(ChangeError) { try transacting.makeRoom() } catch {
                    return transacting.refuse(at: place, Refusal(error))
                }
            }
            attempt(transacting, hosts)
        }
        let isTaken =
            transacting.isBegun
            ? resume(of: transacting.owner, work)
            : workers.async(of: transacting.owner, work)
        if !isTaken {
            transacting.refuse(at: 0, Refusal(DocumentStore.closed))
        }
    }

    /// After so many that were overtaken, a part is prepared while its line is held.
    private static let earlyMax = 3

    private func prepareEarly(
        _ place: Int, _ transacting: inout Transacting, _ host: DocumentHost
    ) {
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

    private func attempt(_ transacting: Transacting, _ hosts: [DocumentHost]) {
        if transacting.takesTurn { return takeTurn(transacting, hosts) }
        let attempt = TransactionAttempt { [self] in ended(transacting, $0) }
        let queue = queue
        var reservation = Reservation(
            hosts, transacting.members, transacting.helps,
            isDryRun: transacting.request.isDryRun, stopsOpen: transacting.mayPass, at: now(),
            check: transacting.checkMemory,
            submit: { queue.submit(unit: $0.entries, if: $0.units[0].conditions, by: $1) },
            reply: { attempt.note($0, $1) })
        handle(reservation.run(), transacting, hosts, attempt)
    }

    /// Tries while no other process can write to the documents.
    private func takeTurn(_ transacting: Transacting, _ hosts: [DocumentHost]) {
        let known = hosts.map { host in
            let document = host.unusedDocument
            return DocumentRevision(host.id, document.nextRevision - 1)
        }
        queue.request(
            Turn(
                at: known,
                began: { [self] in turnBegan(transacting, hosts, missed: $0) },
                failed: { transacting.refuse(at: 0, Refusal(.journal($0))) }))
    }

    private func turnBegan(
        _ transacting: Transacting, _ hosts: [DocumentHost], missed: [DocumentID: [JournalEntry]]
    ) -> Submission {
        let attempt = TransactionAttempt { [self] in ended(transacting, $0) }
        // Early results are of what was here before the turn.
        let helps = transacting.helps.mapValues { help in
            var help = help
            help.noteOvertaken()
            return help
        }
        var reservation = Reservation(
            hosts, transacting.members, helps,
            isDryRun: transacting.request.isDryRun, stopsOpen: transacting.mayPass, at: now(),
            check: transacting.checkMemory,
            missed: missed, submit: { _, _ in }, reply: { attempt.note($0, $1) })
        let result = reservation.run()
        handle(result, transacting, hosts, attempt)
        guard case .submitted(let batch, let submitters) = result else { return .none }
        return Submission(batch, by: submitters)
    }

    private func handle(
        _ result: Reservation.Result, _ transacting: Transacting, _ hosts: [DocumentHost],
        _ attempt: TransactionAttempt
    ) {
        switch result {
        case .submitted(let batch, _):
            // What only reads may have read what others have changed since.
            if batch.entries.isEmpty, isUnconfirmed(transacting) {
                return goOn(transacting, isTurn: true)
            }
            attempt.expect(hosts.count)
        case .stopped(let place, let reception):
            stopped(at: place, reception, transacting, hosts, attempt)
        case .refused(let place, let error): transacting.refuse(at: place, Refusal(error))
        }
    }

    /// Whether others may have written what is not known here.
    private func isUnconfirmed(_ transacting: Transacting) -> Bool {
        journal.shared != nil && !transacting.takesTurn
    }

    private func stopped(
        at place: Int, _ reception: DocumentHost.Line.PartReception, _ transacting: Transacting,
        _ hosts: [DocumentHost], _ attempt: TransactionAttempt
    ) {
        var again = transacting
        switch reception {
        case .ready: preconditionFailure("what is ready stops nothing")
        case .open: self.again(transacting.passing(at: place))
        case .refused where isUnconfirmed(transacting), .inTurn:
            goOn(transacting, isTurn: true)
        case .refused: attempt.expect(1)
        case .repeated: repeating(transacting) { [self] in goOn(transacting) }
        case .closing:
            change(hosts[place].id, .closingExpired) { [self] _ in goOn(transacting) }
        case .retired:
            forget(hosts[place])
            goOn(again)
        case .overtaken:
            // An early result is overtaken `earlyMax` times at most: of many documents that adds
            // up, and it ends.
            if again.helps[place]?.early != nil { again.attempts -= 1 }
            again.helps[place]?.noteOvertaken()
            goOn(again)
        case .postponed where !transacting.isEarly(place):
            again.earlyFrom = place
            goOn(again)
        case .postponed(let range): fetch(range, of: place, hosts[place], transacting)
        }
    }

    /// Goes on with a wider transaction, which is no attempt in vain.
    func again(_ transacting: Transacting) {
        var again = transacting
        again.widen()
        transact(again)
    }

    /// Tries once more.
    func goOn(_ transacting: Transacting, isTurn: Bool? = nil) {
        var again = transacting
        again.attempts += 1
        if let isTurn { again.takesTurn = isTurn }
        transact(again)
    }

    /// Reads what a part needs, and goes on.
    private func fetch(
        _ range: ChangeRange?, of place: Int, _ host: DocumentHost, _ transacting: Transacting
    ) {
        guard let range else { return goOn(transacting) }
        let refuse: @Sendable (Result<[Change], ChangeError>) -> Void = { [self] result in
            switch result {
            case .failure(let error): transacting.refuse(at: place, Refusal(error))
            case .success(let changes):
                var again = transacting
                again.helps[place, default: PartHelp(host: host)].fetched.add(changes)
                // It costs reading, and is no attempt in vain.
                if !changes.isEmpty { again.attempts -= 1 }
                goOn(again)
            }
        }
        past(of: host.id, refuse) { past throws(ChangeError) in try host.changes(range, past) }
    }

    private func ended(_ transacting: Transacting, _ end: TransactionAttempt.End) {
        switch end {
        case .done(let outcomes): transacting.end(outcomes)
        case .refused(_, let refusal) where refusal.error == .journal(.conflict):
            goOn(transacting, isTurn: journal.shared != nil)
        case .refused(let place, let refusal):
            if transacting.request.widens, case .partOfTransaction(let parts, _) = refusal.error {
                return widen(transacting, at: place, parts, head: refusal.document?.revision)
            }
            // What refuses it may be what came after it, when it was carried out.
            repeating(transacting) { [self] in
                naming(refusal, of: transacting.members[place].document) {
                    transacting.refuse(at: place, $0)
                }
            }
        }
    }
}

// MARK: Repeating

extension DocumentStore {
    /// Replies as when the transaction was carried out, if it was; otherwise does something else.
    /// What was not stored in the end was not carried out: each document is asked in its turn.
    func repeating(
        _ transacting: Transacting, from place: Int = 0,
        otherwise: @escaping @Sendable () -> Void
    ) {
        guard let token = transacting.request.token, place < transacting.members.count else {
            return otherwise()
        }
        let id = transacting.members[place].document
        change(id, .repeating(token)) { [self] result in
            guard case .success(let outcome) = result, outcome.isRepeated,
                let change = outcome.change
            else { return repeating(transacting, from: place + 1, otherwise: otherwise) }
            repeated(transacting, at: place, change.revision)
        }
    }

    private func repeated(_ transacting: Transacting, at place: Int, _ revision: Int) {
        let id = transacting.members[place].document
        read({ (_: Result<Void, ChangeError>) in
            transacting.refuse(at: place, Refusal(DocumentStore.closed))
        }) { [self] in
            do throws(ChangeError) {
                transacting.end(try outcomes(of: transacting, id, revision), isRepeated: true)
            } catch {
                transacting.refuse(at: place, Refusal(error))
            }
        }
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
