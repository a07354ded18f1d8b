public import Naming

/// A state of a document in a client's words.
public enum StateAddress: Sendable, Equatable {
    case head
    case revision(Int)
    /// The state that a version ends with.
    case version(Int)
    case tag(Name)
    /// The whole value, or the places that it holds put into the head. It is no revision, so
    /// nothing can be based on it.
    case snapshot(Name)
    /// What a draft and its origin have in common. It may be no revision of either.
    case origin
    /// The last state that was accepted by then.
    case time(Timestamp)

    /// Whether it is a state that the document was in.
    public var isRevision: Bool {
        switch self {
        case .snapshot, .origin: false
        case .head, .revision, .version, .tag, .time: true
        }
    }
}
