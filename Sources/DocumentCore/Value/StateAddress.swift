public import Naming

/// A state of a document in a client's words.
public enum StateAddress: Sendable, Equatable {
    case head
    case revision(Int)
    /// The state that a version ends with.
    case version(Int)
    case tag(Name)
    /// The whole value of a snapshot, or the head with the snapshot's places restored. It is not a
    /// revision, so no edit can be based on it.
    case snapshot(Name)
    /// The common state of a draft and its origin. It may not be a revision of either.
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
