public import Journaling
import Threading

/// A part of a transaction as it is now.
public struct TransactionRecord: Sendable {
    public let place: DocumentRevision
    /// `nil` if it is forgotten, erased, or under another name.
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
        read(reply) { [self] in
            do throws(ChangeError) {
                let change = try DocumentPast(place.document, journal).change(at: place.revision)
                let isNamed = change.transaction != nil
                records(of: isNamed ? parts(of: place, change) : [], [], reply)
            } catch {
                reply(.failure(error))
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
                    place: place, change: change, isInEffect: isInEffect)
            }
            records(of: parts, found + [record], reply)
        }
    }
}
