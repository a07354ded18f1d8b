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
        of place: DocumentRevision,
        reply: @escaping @Sendable (Result<[TransactionRecord], ChangeError>) -> Void
    ) {
        parts(of: [place]) { [self] result in
            switch result {
            case .failure(let error): reply(.failure(error))
            case .success(let groups): records(of: groups[0], [], reply)
            }
        }
    }

    /// Looks the parts up, one document after the other.
    private func records(
        of parts: [DocumentRevision], _ found: [TransactionRecord],
        _ reply: @escaping @Sendable (Result<[TransactionRecord], ChangeError>) -> Void
    ) {
        guard found.count < parts.count else { return reply(.success(found)) }
        let place = parts[found.count]
        withPast(of: place.document) { [self] result in
            var record = TransactionRecord(place: place, change: nil, isInEffect: nil)
            if let (head, past) = try? result.get(),
                let change = try? past.change(at: place.revision), change.transaction != nil
            {
                let isInEffect = (try? past.isInEffect(change, at: head)) ?? nil
                record = TransactionRecord(
                    place: place, change: change.outlined(), isInEffect: isInEffect)
            }
            records(of: parts, found + [record], reply)
        }
    }
}
