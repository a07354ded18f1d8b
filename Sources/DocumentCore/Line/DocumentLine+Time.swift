import Threading
import VersioningKit

// Sealing, deadlines, and letting go.

extension DocumentLine {
    /// Seals the open groups, whether their time is over or not.
    package mutating func sealed(_ actions: inout [Action]) {
        defer { assert(isConsistent) }
        prepared.ownGroups.closeAll()
        seal(&actions)
    }

    mutating func seal(_ actions: inout [Action]) {
        prepared.history.seal()
        sealedRevision = prepared.life == .unborn ? nil : prepared.revision
        guard committed.history.openGroup != nil, committed.revision == sealedRevision else {
            return
        }
        committed.history.seal()
        actions.append(.show)
        publishSeal(of: committed, &actions)
    }

    /// Seals the open group if its time is over, and asks for the next wake-up. Returns whether a
    /// scope's time is over: then the host sends `ChangeRequest.closingExpired`.
    package mutating func timeReached(_ now: Timestamp, _ actions: inout [Action]) -> Bool {
        defer { assert(isConsistent) }
        guard !isRetired else { return false }
        let now = time(at: now)
        if let deadline = prepared.history.sealDeadline, deadline <= now.duration {
            seal(&actions)
        }
        let isExpired = prepared.closing(at: now) != nil
        // The change that closes the scope asks for the next wake-up.
        wakeTime = isExpired ? nil : prepared.deadline.flatMap { $0 > now ? $0 : nil }
        wake(&actions)
        return isExpired
    }

    /// Ends the line, unless a commit is in flight, a request waits, or followers have not received
    /// all. Returns whether it has ended.
    package mutating func retire(_ actions: inout [Action]) -> Bool {
        guard inFlight.isEmpty, sharing.parked.isEmpty, sharing.unpublished.isEmpty, !isRetired
        else { return false }
        // The next edit begins a new group, wherever the document is loaded.
        seal(&actions)
        isRetired = true
        return true
    }
}
