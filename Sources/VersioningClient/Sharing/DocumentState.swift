public import JSONTree

/// The state of a shared document.
public enum DocumentState: Sendable, Equatable {
    /// It was not read yet.
    case loading
    /// Everything is stored, and others' changes arrive.
    case live
    /// Edits are under way.
    case saving
    /// The daemon is out of reach: edits wait, and can be undone.
    case offline
    /// The daemon does not permit it: edits wait for another token.
    case refused(DaemonProblem)
    /// The document does not exist.
    case missing
    case deleted
    /// The document holds a value that does not fit the model. The former model is shown.
    case unreadable(ModelError)
    case closed
}

/// Edits that were shown and cannot be stored.
public struct DroppedEdits: Sendable {
    public let reason: DaemonProblem
    /// The operations. Others may have removed what they were made in.
    public let operations: JSONPatch
}

/// A change of the shown value.
public struct SharedChange: Sendable {
    /// Whether it was made here.
    public let isOwn: Bool
    /// The actor of a stored change; `nil` if it is not stored yet, or has none.
    public let actor: String?
    /// The label of a stored change.
    public let label: String?
    /// The newest stored revision that is shown.
    public let revision: Int
    /// The operations that lead to what is shown now.
    public let operations: JSONPatch
}
