public import Naming

/// A way to another version. One vocabulary for the controller and for the daemon.
public enum Move: Sendable, Equatable {
    case undo(count: Int)
    case redo(count: Int)
    /// Back to a version.
    case undoTo(Target)
    /// Forth to a version.
    case redoTo(Target)
    /// Back to where the current scope was opened.
    case undoScope
    /// Forth as far as redo leads.
    case redoScope
    /// To a version, wherever it is in the current scope.
    case goTo(Target)

    /// A version, by its number or by its name.
    public enum Target: Sendable, Hashable {
        case version(Int)
        case tag(Name)
    }
}

/// The steps between two versions.
public struct Route<Step> {
    /// The steps to undo, the newest first.
    public var undone: [Step] = []
    /// To do after that, the oldest first.
    public var redone: [Step] = []
}

/// When quick edits become one version.
public struct Grouping: Sendable, Equatable {
    /// How long after an edit the next one still joins it.
    public var window: Duration
    /// The greatest age of a group: a version ends even while typing continues.
    public var max: Duration
    /// The client's name for the group: edits with it are one version, however close they are.
    public var key: Name?

    /// Edits within a window are one version, up to an age.
    public init(window: Duration, max: Duration) {
        self.window = window
        self.max = max
    }

    /// A group that the client names. It ends with an edit that has another key or none, and when
    /// `window` has passed without an edit.
    public static func keyed(_ key: Name, window: Duration) -> Grouping {
        var grouping = Grouping(window: window, max: .seconds(1 << 40))
        grouping.key = key
        return grouping
    }

    /// Whether an edit joins a group: it comes within the window after the last edit, while the
    /// group is younger than the maximum. A clock that went back counts as no time passed.
    public func joins(_ other: Grouping, began: Duration, last: Duration, at time: Duration) -> Bool
    {
        let time = Swift.max(time, last)
        return key == other.key && time - last <= window && time - began < max
    }

    /// The same with the default maximum age of a group.
    public init(window: Duration) {
        self.init(window: window, max: window * Grouping.windowsMax)
    }

    /// The default for the age of a group, in windows.
    public static let windowsMax = 20

    /// Every edit is a version.
    public static let none = Grouping(window: .zero - .nanoseconds(1), max: .zero)
}

/// Why a history did not do what was asked. Nothing has changed.
public enum VersionError: Error, Equatable, Sendable {
    /// Fewer versions can be undone in the current scope than were asked for.
    case nothingToUndo(available: Int)
    /// Fewer versions can be redone in the current scope than were asked for.
    case nothingToRedo(available: Int)
    case unknownVersion(Int)
    case unknownTag(Name)
    /// The version is neither before nor after the current one: go to it instead.
    case notOnPath(Move.Target)
    /// The version belongs to a scope below the current one.
    case outsideScope
    /// Only the root scope is open; it cannot be closed.
    case rootScope
}

extension Route: Sendable where Step: Sendable {}
