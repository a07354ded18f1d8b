public import JSONTree
public import Naming

/// A change, or some of the operations of its patch.
public struct ChangePart: Sendable, Hashable {
    /// The revision of the change.
    public let revision: Int
    /// Their numbers in the patch; `nil` for the whole change.
    public let operations: [Int]?

    /// A change; with `operations`, some of it.
    public init(_ revision: Int, operations: [Int]? = nil) {
        self.revision = revision
        self.operations = operations
    }
}

/// The changes that go out of effect, or come back into it, as one step.
public struct Reversal: Sendable, Equatable {
    /// Whose changes they are; `nil` in entries of old journals.
    public var actor: Name?
    /// The revisions of which nothing is in effect any more, with those that are passed.
    public var off: [Int]
    /// The revisions that come back into effect, with those that are passed.
    public var on: [Int]
    /// The operations that go out of effect, of changes from which not all goes at once. Such a
    /// change is in `off` if they are the last of it.
    public var partsOff: [ChangePart] = []
    /// The operations that come back, of changes from which not all comes back at once. Such a
    /// change is in `on` if they are the first of it.
    public var partsOn: [ChangePart] = []
    /// Those of the changes whose whole effect is hidden: nothing of it can be seen.
    public var passed: [Int]
    /// Those that stay as they are, because of later work of others.
    public var skipped: [Conflict]
    /// The places at which something stays as it is, because the request keeps it.
    public var kept: [JSONPointer] = []
    /// Whether later work of others is hidden by it.
    public var isForced: Bool
    /// Whether it is only known which they are, and not what it would do: a question about what is
    /// long ago. Never of a change that was made.
    public var isLongAgo = false

    /// A reversal of some changes; by default of none.
    public init(
        actor: Name?, off: [Int] = [], on: [Int] = [], passed: [Int] = [],
        skipped: [Conflict] = [], isForced: Bool = false
    ) {
        self.actor = actor
        self.off = off
        self.on = on
        self.passed = passed
        self.skipped = skipped
        self.isForced = isForced
    }

    /// The changes that go out of effect, each once.
    public var changesOff: [ChangePart] { Reversal.changes(off, partsOff) }

    /// The changes that come back into effect, each once.
    public var changesOn: [ChangePart] { Reversal.changes(on, partsOn) }

    private static func changes(_ revisions: [Int], _ parts: [ChangePart]) -> [ChangePart] {
        if parts.isEmpty { return revisions.map { ChangePart($0) } }
        let inPart = Set(parts.map(\.revision))
        return revisions.filter { !inPart.contains($0) }.map { ChangePart($0) } + parts
    }

    /// Everything that it flips: each change once, or twice if it goes and comes back.
    public var flipped: [Int] { undone + redone }

    /// The changes that go out of effect, as a whole or in part.
    public var undone: [Int] { changesOff.map(\.revision) }

    /// The changes that come back into effect, as a whole or in part.
    public var redone: [Int] { changesOn.map(\.revision) }

    /// Whether all changes stay in effect, or out of it.
    public var isEmpty: Bool { off.isEmpty && on.isEmpty && partsOff.isEmpty && partsOn.isEmpty }

    /// Those of whose effect something can be seen, the oldest first.
    public var visible: [Int] {
        let passed = Set(passed)
        return flipped.filter { !passed.contains($0) }.sorted()
    }

    /// The same, with its revisions in their order.
    public var sorted: Reversal {
        var sorted = self
        sorted.off.sort()
        sorted.on.sort()
        sorted.partsOff.sort { $0.revision < $1.revision }
        sorted.partsOn.sort { $0.revision < $1.revision }
        sorted.passed.sort()
        return sorted
    }
}
