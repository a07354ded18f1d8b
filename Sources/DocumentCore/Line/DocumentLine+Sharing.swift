package import Journaling
import Threading
import VersioningKit

// The reaction of a line to writes of other processes.

extension DocumentLine {
    /// The state that a line needs because other processes also write to its document.
    struct Sharing: Sendable {
        /// A request that waits for a turn.
        struct Parked: Sendable {
            let request: ChangeRequest
            let reply: Reply
            var work: Groundwork?
        }

        /// Others have written what is not here yet.
        var isBehind = false
        /// Until this time of the clock, requests wait for turns, since other processes are
        /// writing.
        var contendedUntil: Timestamp?
        var parked: [Parked] = []
        var isTurnRequested = false
        /// How many of the first in flight were made in a turn.
        var turnCount = 0
        /// Events that followers receive once the journal's order has reached them.
        var unpublished = FIFO<FeedEvent>()
    }

    /// How long turns are taken after others have written, in milliseconds: who writes more rarely
    /// than that meets others rarely, and a turn costs more than a commit.
    private static var contention: Int { 50 }
    /// How long nothing is tried after a scope could not be closed, in milliseconds.
    private static var closingPause: Int { 1_000 }
    /// The limit on unpublished events; followers read further ones in the journal.
    private static var unpublishedMax: Int { 4_096 }

    /// The state of a position in the journal's order.
    package enum TailResult: Sendable {
        /// Followers have it.
        case published
        /// The position may belong to this line's own commit, which has not ended here yet.
        case waiting
        /// Others made it: `caughtUp` first.
        case behind
        /// It is not at hand; the journal has it.
        case unknown
    }
}

// MARK: Going on with what others wrote

extension DocumentLine {
    /// Applies entries of other processes, unless own changes are in flight: the journal will
    /// refuse those. Skips entries that the line has already.
    package mutating func caughtUp(
        _ entries: [JournalEntry], at now: Timestamp, _ actions: inout [Action]
    ) {
        defer { assert(isConsistent) }
        guard !isRetired, pending == 0 else { return }
        let missed = entries.filter { $0.revision >= committed.nextRevision }
        for entry in missed {
            guard advance(by: entry, &actions) else { return retireForGood(&actions) }
        }
        sharing.isBehind = false
        guard !missed.isEmpty else { return requestTurn(&actions) }
        if let end = sharing.contendedUntil, now < end {
            sharing.contendedUntil = contentionEnd(now)
        }
        actions.append(.show)
        // The writer may have another clock.
        _ = time(at: now)
        scheduleDeadline(&actions)
        requestTurn(&actions)
    }

    /// Applies one entry, as replay does. Returns `false` if the entry follows another past.
    private mutating func advance(by entry: JournalEntry, _ actions: inout [Action]) -> Bool {
        let last = committed
        var document = committed
        let grouping = committed.settings.grouping
        guard let change = try? document.replay(entry, grouping: grouping) else {
            return false
        }
        committed = document
        let end = committed.groupEnd(after: last, by: change)
        if end == .before { publishSeal(of: last, &actions) }
        prepared = committed
        own.advance(by: change, from: last.history.currentID, to: document)
        requests.note(change)
        recent.append(entry.body, at: entry.revision, firstUncommitted: committed.nextRevision)
        publish(Transition(change, from: last.tree, to: document), sequence: nil, &actions)
        if end == .with { publishSeal(of: document, &actions) }
        return true
    }

    /// The line has all that the journal had when it was asked, after a request had come. Returns
    /// whether a result is final: not if it rests on another state.
    package mutating func confirmed(_ result: Unconfirmed, _ actions: inout [Action]) -> Bool {
        guard !isRetired, result.epoch == epoch, !sharing.isBehind else { return false }
        var request = result.request
        request.isConfirmed = true
        settle(result.result, request, result.reply, &actions)
        return true
    }

    private func contentionEnd(_ now: Timestamp) -> Timestamp {
        Timestamp(milliseconds: now.milliseconds + DocumentLine.contention)
    }

    /// An entry was refused because others came first.
    mutating func lostRace(at now: Timestamp) {
        sharing.isBehind = true
        sharing.contendedUntil = contentionEnd(now)
    }
}

// MARK: Turns

extension DocumentLine {
    /// Whether requests have to wait for a turn.
    func takesTurns(at now: Timestamp) -> Bool {
        guard isShared else { return false }
        return sharing.isTurnRequested || sharing.isBehind || !sharing.parked.isEmpty
            || sharing.contendedUntil.map { now < $0 } ?? false
    }

    /// Lets a request wait for a turn.
    package mutating func park(
        _ request: ChangeRequest, _ reply: Reply, _ work: Groundwork?,
        _ actions: inout [Action]
    ) {
        sharing.parked.append(Sharing.Parked(request: request, reply: reply, work: work))
        requestTurn(&actions)
    }

    /// Requests a turn if requests wait for one. Not while a commit is in flight: results arrive in
    /// the order of the queue.
    mutating func requestTurn(_ actions: inout [Action]) {
        guard !sharing.parked.isEmpty, inFlight.isEmpty, !sharing.isTurnRequested, !isRetired
        else { return }
        sharing.isTurnRequested = true
        actions.append(.requestTurn(after: committed.nextRevision - 1))
    }

    /// From now on, no other process can write to the document. Returns the entries to commit, for
    /// all requests that wait; `commitEnded` follows for each.
    package mutating func turnBegan(
        missed: [JournalEntry], at now: Timestamp, _ actions: inout [Action]
    ) -> [JournalEntry] {
        sharing.isTurnRequested = false
        guard !isRetired else { return [] }
        let isContended = !missed.isEmpty
        caughtUp(missed, at: now, &actions)
        guard !isRetired else { return [] }
        sharing.isTurnRequested = false
        actions.removeAll { $0.isTurnRequest }
        sharing.contendedUntil = isContended ? contentionEnd(now) : nil
        var parked = sharing.parked
        sharing.parked = []
        for index in parked.indices { receiveInTurn(&parked[index], at: now, &actions) }
        sharing.turnCount = inFlight.count
        let entries = actions.compactMap(\.entry)
        actions.removeAll { $0.entry != nil }
        return entries
    }

    private mutating func receiveInTurn(
        _ waiting: inout Sharing.Parked, at now: Timestamp, _ actions: inout [Action]
    ) {
        var request = waiting.request
        // The line holds the journal's state until the turn ends.
        request.isConfirmed = true
        let reception = receiveNow(request, waiting.reply, at: now, &waiting.work, &actions)
        if case .postponed = reception {
            actions.append(.prepareInBackground(request, waiting.reply))
        }
    }

    /// There was no turn: nothing was committed for the requests that wait.
    package mutating func turnFailed(
        _ error: JournalError, at now: Timestamp, _ actions: inout [Action]
    ) {
        sharing.isTurnRequested = false
        note(.journal(error), at: now, &actions)
        for waiting in sharing.parked {
            let refusal = Refusal(.journal(error), by: committed)
            actions.append(.reply(waiting.reply, .failure(refusal)))
        }
        sharing.parked = []
        retryClosing(at: now, &actions)
    }

    /// If a scope could not be closed although its time is over, that is tried again.
    mutating func retryClosing(at now: Timestamp, _ actions: inout [Action]) {
        let time = time(at: now)
        guard !isRetired, prepared.closing(at: time) != nil else { return }
        wakeTime = Timestamp(milliseconds: time.milliseconds + DocumentLine.closingPause)
        wake(&actions)
    }
}

// MARK: Publishing

extension DocumentLine {
    /// Publishes a change to followers: at once, or once the journal's order has reached it.
    mutating func publish(_ made: Transition, sequence: Int?, _ actions: inout [Action]) {
        guard isShared else {
            return actions.append(.publish(.change(made, sequence: sequence)))
        }
        if sharing.unpublished.count >= DocumentLine.unpublishedMax {
            sharing.unpublished = FIFO()
        }
        sharing.unpublished.append(.change(made, sequence: sequence))
    }

    /// Followers receive the end of a group, after the changes before it.
    mutating func publishSeal(of document: Document, _ actions: inout [Action]) {
        if sharing.unpublished.isEmpty { return actions.append(.publish(.seal(document))) }
        sharing.unpublished.append(.seal(document))
    }

    /// Whether others have made a revision that is not here.
    package func isBehind(_ place: EntryPlace) -> Bool {
        !isRetired && inFlight.isEmpty && place.revision >= committed.nextRevision
    }

    /// The journal's order has come to a revision of the document.
    package mutating func passed(_ place: EntryPlace, _ actions: inout [Action]) -> TailResult {
        if isRetired { return .unknown }
        if place.revision >= committed.nextRevision {
            return inFlight.isEmpty ? .behind : .waiting
        }
        while case .change(let made, _)? = sharing.unpublished.first {
            if made.change.revision > place.revision { return .unknown }
            _ = sharing.unpublished.popFirst()
            let isMeant = made.change.revision == place.revision
            if isMeant { actions.append(.publish(.change(made, sequence: place.sequence))) }
            while case .seal(let document)? = sharing.unpublished.first {
                _ = sharing.unpublished.popFirst()
                actions.append(.publish(.seal(document)))
            }
            if isMeant { return .published }
        }
        return .unknown
    }
}

extension DocumentLine.Action {
    fileprivate var entry: JournalEntry? {
        if case .commit(let entry) = self { entry } else { nil }
    }

    fileprivate var isTurnRequest: Bool {
        if case .requestTurn = self { true } else { false }
    }
}
