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

extension [TransactionRecord] {
    /// The parts of a merge that are marks in drafts, in which undo has nothing to do; also where a
    /// draft has forgotten its mark, and the change of the origin is known.
    public var marks: Set<DocumentRevision> {
        let drafts = Set(compactMap { $0.change?.merged?.draft })
        return Set(
            compactMap { part in
                switch part.change?.kind {
                case .merge: part.place
                case .forgotten, .foundation:
                    drafts.contains(part.place.document) ? part.place : nil
                default: nil
                }
            })
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
        guard let (head, past) = try? await past(of: place.document),
            let change = try? past.change(at: place.revision), change.transaction != nil
        else { return TransactionRecord(place: place, change: nil, isInEffect: nil) }
        let isInEffect = (try? past.isInEffect(change, at: head)) ?? nil
        return TransactionRecord(place: place, change: change.outlined(), isInEffect: isInEffect)
    }
}
