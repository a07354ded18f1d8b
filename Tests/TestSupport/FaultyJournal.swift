import Journaling
import Threading

/// A journal whose commits fail by plan. After the plan, all goes well.
public final class FaultyJournal: ForwardingJournal {
    public enum Fault: Sendable {
        /// Nothing was stored.
        case full
        case unavailable
        /// Stored, and the answer was lost: the one that people forget.
        case storedButUnknown
        /// Not stored, and the outcome is unknown.
        case lostAndUnknown
    }

    public let base: any Journal
    private let plan: Lock<[Fault?]>

    public init(_ base: any Journal, plan: [Fault?]) {
        self.base = base
        self.plan = Lock(plan)
    }

    public func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
        let fault = plan.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        switch fault {
        case .full: throw .full("planned")
        case .unavailable: throw .unavailable("planned")
        case .storedButUnknown:
            _ = try base.commit(batch)
            throw .outcomeUnknown("planned")
        case .lostAndUnknown: throw .outcomeUnknown("planned")
        case nil: return try base.commit(batch)
        }
    }
}
