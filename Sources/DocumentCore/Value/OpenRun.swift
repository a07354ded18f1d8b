import Journaling
public import Naming

/// A run that is under way: its actor has opened it, and has not closed it.
public struct OpenRun: Sendable, Equatable {
    public let name: Name
    /// When it ends by itself, unless it edits before.
    public let expiry: Timestamp

    package init(name: Name, expiry: Timestamp) {
        self.name = name
        self.expiry = expiry
    }
}
