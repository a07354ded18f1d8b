/// A journal in which many old entries become one segment, a step at a time.
public protocol Packable: Journal {
    /// Packs entries of the next document that has enough of them. From one thread at a time.
    ///
    /// - Parameter policy: for all documents; `nil` for the policy next to a running daemon.
    func pack(_ policy: PackingPolicy?) throws(JournalError) -> PackingStep
}

extension Packable {
    /// Packs all that the policy allows. Returns how many entries that were.
    @discardableResult
    public func packAll(_ policy: PackingPolicy = .all) throws(JournalError) -> Int {
        var entries = 0
        while true {
            switch try pack(policy) {
            case .packed(let count): entries += count
            case .looked: break
            case .finished: return entries
            }
        }
    }
}

/// The result of a step of packing.
public enum PackingStep: Sendable, Equatable {
    /// So many entries became a segment.
    case packed(Int)
    /// The step visited some documents and found nothing to pack.
    case looked
    /// The step reached the last document; the next step begins with the first one again.
    case finished
}
