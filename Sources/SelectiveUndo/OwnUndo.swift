public import JSONTree
public import Naming

/// A request to undo or redo changes below later ones.
public struct OwnUndoRequest: Sendable, Equatable {
    /// Which changes it is about.
    public enum Target: Sendable, Equatable {
        /// One change, by its revision.
        case change(Int)
        /// Several changes, by their revisions, as one step.
        case changes([Int])
        /// Operations of several changes, as one step.
        case parts(ChosenParts)
        /// The last version that an actor made, or the last that it undid.
        case actor(Name)
    }

    /// Which changes are meant.
    public var target: Target
    /// Whether they are to come back into effect.
    public var isRedo: Bool
    /// The treatment of later work of other actors that would be lost.
    public var policy: ConflictPolicy
    /// Parts of transactions known to have no visible effect in the other documents either: an
    /// actor's undo continues past them.
    public var passable: Set<Int> = []
    /// Whether an actor's undo ends at a part of a change of several documents, although nothing of
    /// it can be seen here: there it may be.
    public var endsAtParts = false

    /// Updates of a draft before this revision stay: a later merge rests on them.
    public var keepsUpdatesBefore = 0

    /// A request for some changes; by default an undo that a conflict refuses.
    public init(_ target: Target, isRedo: Bool = false, policy: ConflictPolicy = .reject) {
        self.target = target
        self.isRedo = isRedo
        self.policy = policy
    }
}

/// Changes to undo or redo by their operations, as one step: each goes or stays by itself.
public struct ChosenParts: Sendable, Equatable {
    /// The changes, or some operations of each. Of an undo, what it took out of effect.
    public var changes: [ChangePart]
    /// The operations of them that stay.
    public var choice: PartChoice

    /// Operations of some changes; by default all of them.
    public init(_ changes: [ChangePart], _ choice: PartChoice = PartChoice()) {
        self.changes = changes
        self.choice = choice
    }
}

/// The operations that stay, where changes are undone or redone by their operations.
public struct PartChoice: Sendable, Equatable {
    /// Operations whose values are at these places now, in them, or around them, stay.
    public var kept: [JSONPointer] = []
    /// Changes of which everything stays as it is.
    public var keptChanges: Set<Int> = []
    /// Whether a change of several documents stays as a whole, if an operation of it does.
    public var keepsWholeParts = true
    /// The treatment of conflicts at these places, in them, or around them; the policy decides the
    /// rest.
    public var decisions: [JSONPointer: ConflictPolicy] = [:]

    /// Nothing stays, and the policy decides all conflicts.
    public init() {}
}

/// The effect of an own undo or redo.
public struct OwnUndo: Sendable, Equatable {
    /// The changes that go out of effect, or come back.
    public var reversal: Reversal
    /// The revision of the first change that is undone or redone.
    public var version: Int?
    /// The patch for the tree that there was.
    public var patch = ReversiblePatch.empty
    /// The tree after it.
    public var tree: JSON
    /// The changes of several documents that it takes parts of, or puts parts back: by the
    /// revisions of the edits here, or of the undo here.
    public var parts: [Int] = []
    /// Of several changes that were named, those of which nothing had to be done.
    public var unaffected: [Int] = []
    /// The parts of changes of several documents of which something stays for that reason.
    public var keptParts: [Int] = []
    /// Whether nothing can be seen of it, and it ended only because of a part.
    public var isOpen = false

    init(actor: Name, tree: JSON) {
        reversal = Reversal(actor: actor)
        self.tree = tree
    }

    /// Whose changes they are.
    public var actor: Name { reversal.actor ?? .nobody }
}

/// A change that cannot be undone or redone without losing later work of others.
public struct Conflict: Error, Equatable, Sendable {
    /// The revision of the change.
    public let change: Int
    /// Where work would be lost, by pointers in the tree that there is.
    public let places: [JSONPointer]
    /// The revisions of the work that would be lost.
    public let with: [Int]

    /// A conflict about a change, with the places and the revisions of the later work.
    public init(change: Int, places: [JSONPointer], with: [Int]) {
        self.change = change
        self.places = places
        self.with = with
    }
}

/// Why nothing was undone or redone.
public enum OwnUndoError: Error, Equatable, Sendable {
    /// Nothing of the actor's is in effect, or nothing was undone that could come back.
    case nothing
    /// All of it stays as it is, because the request keeps it. With the parts of changes of several
    /// documents among it.
    case kept(parts: [Int])
    /// The change is in effect, or out of effect, already; or it is not on the line.
    case notInEffect(Int)
    /// Later work of others would be lost: of all changes, where and whose.
    case conflicts([Conflict])
    /// It depends on changes before the first one that the line knows.
    case needsOlder
    /// The tree is not what the changes in effect make.
    case diverged
}
