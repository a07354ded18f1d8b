/// What happens where an edit, or its undo, and what others did since cannot both be done.
public enum ConflictPolicy: Sendable, Equatable {
    /// Nothing is done at all.
    case reject
    /// Mine is done, and theirs gives way: it is taken back there, or hidden.
    case mine
    /// What of mine is in conflict is left out; the rest is done.
    case theirs
}
