/// A journal in which many old entries become one segment, a step at a time.
public protocol Packable: Journal {
    /// Packs entries of the next document that has enough of them. From one thread at a time.
    func packNext() throws(JournalError) -> PackingStep
}

/// What a step of packing did.
public enum PackingStep: Sendable, Equatable {
    /// So many entries became a segment.
    case packed(Int)
    /// Some documents were looked at, and had nothing to pack.
    case looked
    /// All documents have been looked at; the next step begins with the first again.
    case finished
}
