/// The result where an edit, or its undo, conflicts with later work of other actors.
public enum ConflictPolicy: Sendable, Equatable {
    /// Nothing is done at all.
    case reject
    /// Mine is done, and theirs is reverted there, or hidden.
    case mine
    /// The conflicting part of mine is left out; the rest is done.
    case theirs
}
