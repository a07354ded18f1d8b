public import Naming

/// The changes that go out of effect, or come back into it, as one step.
public struct Reversal: Sendable, Equatable {
    /// Whose changes they are; `nil` in entries of old journals.
    public var actor: Name?
    /// The revisions that go out of effect, with those that are passed.
    public var off: [Int]
    /// The revisions that come back into effect, with those that are passed.
    public var on: [Int]
    /// Those of them whose whole effect is hidden: nothing of it can be seen.
    public var passed: [Int]
    /// Those that stay as they are, because of later work of others.
    public var skipped: [Conflict]
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

    /// All of them that change what is in effect.
    public var flipped: [Int] { off + on }

    /// Those of whose effect something can be seen, the oldest first.
    public var visible: [Int] {
        let passed = Set(passed)
        return flipped.filter { !passed.contains($0) }.sorted()
    }

    /// The same, with its revisions in their order.
    public var sorted: Reversal {
        Reversal(
            actor: actor, off: off.sorted(), on: on.sorted(), passed: passed.sorted(),
            skipped: skipped, isForced: isForced)
    }
}
