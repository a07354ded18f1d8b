/// A journal that can run out of room, and continues when there is room again.
public protocol RoomWatching: Journal {
    /// Tries whether there is room again after a commit was refused for lack of it, and finishes
    /// what was left undone. Blocks as long as a commit. Returns whether there was none before and
    /// there is now.
    func checkRoom() -> Bool

    /// The bytes that may still be written; `nil` if that is not known.
    var freeBytes: Int? { get }
}
