import DocumentCore
public import Journaling
import Threading

/// A part of a transaction as it is now.
public struct TransactionRecord: Sendable {
    public let place: DocumentRevision
    /// `nil` if it cannot be read. Of what is erased or forgotten, it says that.
    public fileprivate(set) var change: Change?
    /// Whether it has its effect; `nil` where that is not known.
    public fileprivate(set) var isInEffect: Bool?
    /// Whether it is a part of a merge that is forgotten with the history of the draft.
    public fileprivate(set) var isForgottenMark = false
}

extension Document {
    /// Whether it is a draft and its history no longer has a revision.
    func hasForgottenMark(at revision: Int) -> Bool {
        origin != nil && revision < oldestRevision
    }
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
        var record = TransactionRecord(place: place, change: nil, isInEffect: nil)
        guard let (head, past) = try? await past(of: place.document) else { return record }
        record.isForgottenMark = head.hasForgottenMark(at: place.revision)
        guard let change = try? past.change(at: place.revision), change.transaction != nil else {
            return record
        }
        record.change = change.outlined()
        record.isInEffect = (try? past.isInEffect(change, at: head)) ?? nil
        return record
    }
}
