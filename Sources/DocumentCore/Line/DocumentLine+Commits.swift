package import Journaling
import Threading
import VersioningKit

// Ends of commits.

extension DocumentLine {
    /// The commit of the entry that is first in flight has ended: it is durable, with this number
    /// in the journal's order, or it is not stored.
    package mutating func commitEnded(
        _ result: Result<Int, JournalError>, at now: Timestamp, _ actions: inout [Action]
    ) {
        defer { assert(isConsistent) }
        guard let ended = inFlight.popFirst() else {
            preconditionFailure("a commit ended that was not in flight")
        }
        switch result {
        case .success(let sequence): committed(ended, sequence, &actions)
        case .failure(let error): failed(ended, error, at: now, &actions)
        }
        sharing.turnCount = max(0, sharing.turnCount - 1)
        requestTurn(&actions)
    }

    private mutating func committed(
        _ ended: InFlight, _ sequence: Int, _ actions: inout [Action]
    ) {
        guard orphans == 0 else { return adopted(ended, sequence, &actions) }
        // Documents are large to copy, and most have no group open.
        let last = committed.history.openGroup == nil ? nil : committed
        committed = ended.made.document
        recent.noteCommitted(before: committed.nextRevision)
        let end = last.flatMap { committed.groupEnd(after: $0, by: ended.made.change) }
        if let last, end == .before { publishSeal(of: last, &actions) }
        let isSealed = committed.history.openGroup != nil && committed.revision == sealedRevision
        if isSealed { committed.history.seal() }
        actions.append(.show)
        publish(ended.made, sequence: sequence, &actions)
        if end == .with { publishSeal(of: ended.made.document, &actions) }
        if isSealed { publishSeal(of: committed, &actions) }
        if let reply = ended.reply {
            actions.append(.reply(reply, .success(.made(ended.made))))
        }
        replyDeferred(&actions)
        scheduleDeadline(&actions)
        if checkpointNeed.countEntry() { actions.append(.writeCheckpoint) }
    }

    /// Asks for the event `timeReached` at the next deadline of the document.
    mutating func scheduleDeadline(_ actions: inout [Action]) {
        guard let deadline = committed.deadline, !isWoken(at: deadline) else { return }
        wakeTime = deadline
        wake(&actions)
    }

    /// An orphan is stored: another writer has stored the very entry that it follows and that was
    /// not stored for us, for example by closing the same scope at the same time.
    private mutating func adopted(
        _ orphan: InFlight, _ sequence: Int, _ actions: inout [Action]
    ) {
        orphans -= 1
        retireForGood(&actions)
        if !isShared { actions.append(.publish(.change(orphan.made, sequence: sequence))) }
        if let reply = orphan.reply {
            actions.append(.reply(reply, .success(.made(orphan.made))))
        }
    }

    /// Another process has written to the document, so this line does not hold the committed state.
    package mutating func retireForGood(_ actions: inout [Action]) {
        if !isRetired { actions.append(.forget) }
        isRetired = true
        for waiting in sharing.parked {
            actions.append(.resubmit(waiting.request, waiting.reply))
        }
        sharing.parked = []
    }

    /// Replies with results that rest on what is durable now.
    private mutating func replyDeferred(_ actions: inout [Action]) {
        let ripe = deferred.prefix { $0.revision <= committed.revision }
        if ripe.isEmpty { return }
        actions += ripe.map { .reply($0.reply, $0.result) }
        deferred.removeFirst(ripe.count)
    }

    /// Adopts the packed versions that a checkpoint of an earlier committed state holds.
    package mutating func adoptVersions(of checkpointed: Document, madeFrom original: Document) {
        guard !isRetired else { return }
        committed.adoptVersions(of: checkpointed, madeFrom: original)
        // Changes in flight were prepared on the old state; the next ones are prepared on this one.
        prepared.adoptVersions(of: checkpointed, madeFrom: original)
    }

    private mutating func failed(
        _ ended: InFlight, _ error: JournalError, at now: Timestamp, _ actions: inout [Action]
    ) {
        if orphans > 0 {
            orphans -= 1
            return giveUp(ended.request, ended.reply, orphanError, &actions)
        }
        note(.journal(error), at: now, &actions)
        // Memory goes back to what the journal has; what was prepared since rests on this entry.
        prepared = committed
        own = OwnUndoLookup()
        losses += 1
        recent.removeAll(from: committed.nextRevision)
        requests.removeAll(from: committed.nextRevision)
        orphans = inFlight.count
        orphanError = error
        if let sealed = sealedRevision, sealed >= committed.nextRevision {
            seal(&actions)
        }
        switch error {
        case .conflict where isShared && sharing.turnCount == 0: lostRace(at: now)
        case .conflict, .uncertain: retireForGood(&actions)
        default: break
        }
        giveUp(ended.request, ended.reply, error, &actions)
        for waiting in deferred { giveUp(waiting.request, waiting.reply, error, &actions) }
        deferred = []
        if error != .conflict { retryClosing(at: now, &actions) }
    }

    /// A request whose entry is not stored: after a conflict it is carried out again.
    private mutating func giveUp(
        _ request: ChangeRequest, _ reply: Reply?, _ error: JournalError,
        _ actions: inout [Action]
    ) {
        guard let reply else { return }
        guard error == .conflict, request.conflicts < ChangeRequest.conflictsMax else {
            return actions.append(.reply(reply, .failure(Refusal(.journal(error), by: committed))))
        }
        var again = request
        again.conflicts += 1
        if isShared && !isRetired { return park(again, reply, nil, &actions) }
        actions.append(.resubmit(again, reply))
    }
}

extension Document {
    /// When a change ends the group that was open before it.
    enum GroupEnd {
        /// The change precedes the group and is not a part of it.
        case before
        /// The change is the group's last one.
        case with
    }

    /// Whether a change that led here ended the group that was open in `last`.
    func groupEnd(after last: Document, by change: Change) -> GroupEnd? {
        guard last.history.openGroup != nil else { return nil }
        let goesOn = history.openGroup != nil && history.currentID == last.history.currentID
        if goesOn { return nil }
        if case .append(joins: true, _) = change.kind { return .with }
        return .before
    }
}
