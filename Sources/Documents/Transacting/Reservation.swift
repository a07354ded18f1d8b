import DocumentCore
import Journaling
import Threading

/// Prepares all parts of a transaction while the lines of all its documents are held, in the order
/// of their names, and submits them as one unit.
///
/// Each line is held by its lock: no event of its document occurs between the preparation of its
/// part and the submission, and there is no deadlock, because all callers lock lines in the same
/// order. The locks are released when the unit is queued: a hot document does not wait for the
/// commit.
struct Reservation {
    /// The result of an attempt.
    enum Result: Sendable {
        /// The parts are queued, or there are none; each outcome comes as a reply.
        case submitted(JournalBatch, [DocumentHost])
        /// One cannot be done now: its index in the order of the names, and why.
        case stopped(at: Int, DocumentHost.Line.PartReception)
        /// All are ready, and cannot be done together.
        case refused(at: Int, ChangeError)
        /// All are ready. They take these edits, of which it has to be known whose they are.
        case asks(Set<DocumentRevision>)
    }

    let hosts: [DocumentHost]
    /// In the same order.
    let members: [TransactionRequest.Member]
    /// By the members' places.
    var groundwork: [Int: Groundwork] = [:]
    let isDryRun: Bool
    /// Whether it stops at an invisible undo, which then may continue.
    let stopsOpen: Bool
    let now: Timestamp
    /// The edits of which it is known whose they are; `nil`: it is not asked.
    let known: Set<DocumentRevision>?
    /// Throws if the parts and their groundwork take this number of bytes, and that is too much.
    let check: (Int) throws(ChangeError) -> Void
    /// The entries of other processes, in a turn.
    var missed: [DocumentID: [JournalEntry]]?
    /// Queues the parts as one unit; not called if there are none, or in a turn.
    let submit: (JournalBatch, [DocumentHost]) -> Void
    /// Receives the outcome of a member, by its index.
    let reply: @Sendable (Int, Swift.Result<TransactionOutcome.Member, Refusal>) -> Void

    /// About how many bytes the members and their groundwork take.
    private var knownBytes = 0
    /// The members that are prepared, in their order.
    private var ready: [Ready] = []
    /// Of each line that is held, the actions that came with its part.
    private var held: [[DocumentHost.Line.Action]] = []

    init(
        _ hosts: [DocumentHost], _ members: [TransactionRequest.Member],
        isDryRun: Bool, stopsOpen: Bool, knowing known: Set<DocumentRevision>?, at now: Timestamp,
        check: @escaping (Int) throws(ChangeError) -> Void,
        missed: [DocumentID: [JournalEntry]]? = nil,
        submit: @escaping (JournalBatch, [DocumentHost]) -> Void,
        reply: @escaping @Sendable (Int, Swift.Result<TransactionOutcome.Member, Refusal>) -> Void
    ) {
        self.hosts = hosts
        self.members = members
        self.isDryRun = isDryRun
        self.stopsOpen = stopsOpen
        self.known = known
        self.now = now
        self.check = check
        self.missed = missed
        self.submit = submit
        self.reply = reply
    }

    /// A member that is prepared.
    private enum Ready {
        case part(ReadyPart)
        /// It is left out.
        case left(TransactionOutcome.Member)

        var part: ReadyPart? { if case .part(let part) = self { part } else { nil } }
    }

    /// The decision when all parts were ready.
    private enum Decision {
        /// With the parts by their places.
        case adopted([Int: StampedPart], JournalBatch)
        /// Nothing is stored: it changes nothing, or was only asked. With what would become of
        /// parts, by the members' places.
        case nothing([Int: [PartElsewhere]])
        case stopped(at: Int, DocumentHost.Line.PartReception)
        case refused(at: Int, ChangeError)
        case asks(Set<DocumentRevision>)
    }

    /// Makes the attempt.
    mutating func run() -> Result {
        if missed != nil {
            // Early results are based on the lines as they were before the turn.
            for index in groundwork.keys { groundwork[index]?.noteOvertaken() }
        }
        knownBytes = groundwork.weight(for: members)
        let decision = hold() ?? decide()
        let rests = release(decision)
        // Now that no line is held.
        for (host, rest) in zip(hosts, rests) { host.finish(rest) }
        switch decision {
        case .adopted(let parts, let batch):
            return .submitted(batch, parts.keys.sorted().map { hosts[$0] })
        case .nothing: return .submitted(JournalBatch(), [])
        case .stopped(let index, let reception): return .stopped(at: index, reception)
        case .refused(let index, let error): return .refused(at: index, error)
        case .asks(let edits): return .asks(edits)
        }
    }

    /// Holds the lines, one after the other, and prepares their parts. Returns the decision if one
    /// cannot be done now.
    private mutating func hold() -> Decision? {
        ready.reserveCapacity(members.count)
        for (index, host) in hosts.enumerated() {
            var actions: [DocumentHost.Line.Action] = []
            let end = host.hold { line in prepare(index, &line, &actions) }
            held.append(actions)
            if let end { return end }
        }
        return nil
    }

    private mutating func prepare(
        _ index: Int, _ line: inout DocumentHost.Line, _ actions: inout [DocumentHost.Line.Action]
    ) -> Decision? {
        guard catchUp(&line, &actions) else { return .stopped(at: index, .overtaken) }
        let reception = line.prepare(
            part: request(index), at: now, &groundwork[index], isTurn: missed != nil)
        switch (reception, left(index, reception)) {
        case (.ready(let part), _): ready.append(.part(part))
        case (_, let left?): ready.append(.left(left))
        case (.refused(let error), nil):
            line.refuse(error, request(index), reply(to: index), at: now, &actions)
            return .stopped(at: index, reception)
        default: return .stopped(at: index, reception)
        }
        return nil
    }

    /// Ends the holding of the lines, as it was decided. Returns what is left to do.
    private mutating func release(_ decision: Decision) -> [DocumentHost.Rest] {
        var rests: [DocumentHost.Rest] = []
        for index in held.indices.reversed() {
            let rest = hosts[index].release(held[index]) { line, actions in
                guard ready.indices.contains(index) else { return }
                end(index, ready[index], decision, &line, &actions)
            }
            rests.append(rest)
        }
        return rests.reversed()
    }

    private func request(_ index: Int) -> ChangeRequest {
        var request = members[index].request
        request.isConfirmed = missed != nil
        return request
    }

    /// In a turn, takes what others have written. Returns `false` while anything of the line is in
    /// flight, even what will be refused: the ends of commits come in the order of the queue, and
    /// that of the turn would be taken for the end of another one.
    private func catchUp(
        _ line: inout DocumentHost.Line, _ actions: inout [DocumentHost.Line.Action]
    ) -> Bool {
        guard let missed else { return true }
        guard line.inFlight.isEmpty else { return false }
        line.caughtUp(missed[line.committed.id] ?? [], at: now, &actions)
        return true
    }

    /// The result of a member, if nothing is done in its document and the transaction permits that.
    private func left(
        _ index: Int, _ reception: DocumentHost.Line.PartReception
    ) -> TransactionOutcome.Member? {
        guard case .refused(let error) = reception else { return nil }
        if members[index].mayBeAbsent, error.isAbsence { return .absent(error) }
        // A creation that stays is not a conflict: its document has other work.
        if members[index].mayBeAbsent, case .creationStays = error { return .absent(error) }
        if members[index].maySkip, case .trimmed = error { return .absent(error) }
        if members[index].maySkip, case .conflicts(let conflicts) = error {
            return .skipped(conflicts)
        }
        return nil
    }

    /// Gives all parts one time and their places, and submits them.
    private func decide() -> Decision {
        let changing = ready.indices.filter { ready[$0].part?.prepared.change != nil }
        if stopsOpen,
            let index = ready.firstIndex(where: { $0.part?.prepared.isInvisibleUndo ?? false }),
            changing.allSatisfy({ ready[$0].part?.isHidden ?? true })
        {
            return .stopped(at: index, .open)
        }
        let unknown = unknownEdits
        if !unknown.isEmpty { return .asks(unknown) }
        do throws(ChangeError) { try check(knownBytes + newBytes) } catch {
            return .refused(at: changing.last ?? 0, error)
        }
        let elsewhere = self.elsewhere
        // A document of the daemon's own is stored with them and names their transaction. It is not
        // one of the parts: a client would wait for it in vain.
        let counted = changing.filter { !hosts[$0].id.isOwn }
        guard !counted.isEmpty, !isDryRun else { return .nothing(elsewhere) }
        let places = counted.compactMap { ready[$0].part?.place }
        let times = ready.compactMap { $0.part?.prepared.change?.time }
        var parts: [Int: StampedPart] = [:]
        var number = 0
        for index in changing {
            let isPart = !hosts[index].id.isOwn
            number += isPart ? 1 : 0
            do throws(ChangeError) {
                parts[index] = try ready[index].part?.stamped(
                    at: times.max() ?? now,
                    TransactionPart(number: isPart ? number : 0, of: places),
                    elsewhere[index] ?? [])
            } catch {
                return .refused(at: index, error)
            }
        }
        let conditions = ready.compactMap(\.part).filter { $0.prepared.change == nil }
        let batch = JournalBatch(
            unit: changing.compactMap { parts[$0]?.entry }, if: conditions.map(\.condition))
        if missed == nil { submit(batch, changing.map { hosts[$0] }) }
        return .adopted(parts, batch)
    }

    /// The edits that the parts take, and of which it is not known whose they are.
    private var unknownEdits: Set<DocumentRevision> {
        guard let known else { return [] }
        let flipped = ready.compactMap(\.part).flatMap { part in
            part.prepared.flipped.map { DocumentRevision(part.document.id, $0) }
        }
        return Set(flipped).subtracting(known)
    }

    /// The outcomes of parts in other documents, by the index of the member whose response and
    /// history record them: the first one that the request names. The parts that a named member
    /// leaves out are recorded by its own change.
    private var elsewhere: [Int: [PartElsewhere]] {
        let first = ready.indices.first {
            members[$0].isNamed && ready[$0].part?.prepared.change != nil
        }
        guard let first else { return [:] }
        let parts = ready.indices.flatMap { index -> [PartElsewhere] in
            switch ready[index] {
            case .part(let part):
                members[index].isNamed ? [] : members[index].elsewhere(part.prepared)
            case .left(let left): members[index].elsewhere(left)
            }
        }
        return parts.isEmpty ? [:] : [first: parts]
    }

    /// About how many bytes of memory the parts take that were not made early.
    private var newBytes: Int {
        ready.indices.reduce(0) { sum, index in
            guard groundwork[index]?.early == nil, let part = ready[index].part else { return sum }
            return sum + part.prepared.weight(of: members[index].request.action)
        }
    }

    /// Ends the holding of a line, as it was decided.
    private mutating func end(
        _ index: Int, _ ready: Ready, _ decision: Decision, _ line: inout DocumentHost.Line,
        _ actions: inout [DocumentHost.Line.Action]
    ) {
        switch (decision, ready) {
        case (.stopped, _), (.refused, _), (.asks, _): line.cancelPart(&groundwork[index])
        case (_, .left(let member)): reply(index, .success(member))
        case (.adopted(let parts, _), .part(let part)):
            guard let stamped = parts[index] else {
                // The result of the member is a condition of the unit.
                line.endPart(&groundwork[index])
                let outcome = Outcome.nothing(part.document, part.prepared.merge)
                return reply(index, .success(.done(outcome)))
            }
            line.adopt(
                stamped, part, members[index].request, reply(to: index), &groundwork[index],
                isTurn: missed != nil)
        case (.nothing(let elsewhere), .part(let part)):
            line.endPart(&groundwork[index])
            // Where others may have written, it is decided in a turn.
            if line.isShared && missed == nil { return }
            var change = part.prepared.change
            if let parts = elsewhere[index] { change?.elsewhere = parts }
            let outcome =
                isDryRun
                ? Outcome.dryRun(change, part.document, part.prepared.merge)
                : .nothing(part.document, part.prepared.merge)
            line.settle(.success(outcome), request(index), reply(to: index), &actions)
        }
    }

    private func reply(to index: Int) -> Reply {
        Reply { [reply] result in reply(index, result.map { .done($0) }) }
    }
}

extension ChangeError {
    /// Whether there is nothing to undo or redo in a document.
    public var isAbsence: Bool {
        switch self {
        case .notInEffect, .unknownDocument, .deleted, .purged, .nothingOwn, .nothingSelected,
            .kept:
            true
        default: false
        }
    }
}

extension DocumentLine {
    /// Replies that a part is refused, as it would be alone.
    mutating func refuse(
        _ error: ChangeError, _ request: ChangeRequest, _ reply: Reply, at now: Timestamp,
        _ actions: inout [Action]
    ) {
        note(error, at: now, &actions)
        if isShared && !request.isConfirmed { return }
        settle(.failure(Refusal(error, by: prepared)), request, reply, &actions)
    }
}
