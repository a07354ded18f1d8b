import DocumentCore
public import Journaling
import Threading

/// A part of a transaction as it is now.
public struct TransactionRecord: Sendable {
    public let place: DocumentRevision
    /// `nil` if it cannot be read. Of what is erased or forgotten, it says that.
    public let change: Change?
    /// Whether it has its effect; `nil` where that is not known.
    public let isInEffect: Bool?
}

// Looking transactions up, and undoing them.

extension DocumentStore {
    /// The parts of the transaction that a change belongs to, in their order; none if it belongs
    /// to none.
    public func transaction(
        of place: DocumentRevision
    ) async throws(ChangeError) -> [TransactionRecord] {
        try await onThread(of: place.document) { () async throws(ChangeError) in
            var records: [TransactionRecord] = []
            for part in try await parts(of: [place])[0] {
                if !records.isEmpty { await takeTurn(of: place.document.name) }
                records.append(await record(of: part))
            }
            return records
        }
    }

    private func record(of place: DocumentRevision) async -> TransactionRecord {
        guard let (head, past) = try? await past(of: place.document),
            let change = try? past.change(at: place.revision), change.transaction != nil
        else { return TransactionRecord(place: place, change: nil, isInEffect: nil) }
        let isInEffect = (try? past.isInEffect(change, at: head)) ?? nil
        return TransactionRecord(place: place, change: change.outlined(), isInEffect: isInEffect)
    }
}
