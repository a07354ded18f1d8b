public import JSONTree
public import Naming

/// The state that an edit was made on, and what to do where others have changed the same.
public struct EditBase: Sendable {
    /// A later change of the same actor that the client's state also contains.
    public enum Own: Sendable, Equatable {
        case revision(Int)
        /// By its idempotency key, for a client that has no response yet.
        case key(Name)
    }

    /// The state on which the edit was made.
    public var state: StateAddress
    /// Later changes of the same actor, in their order.
    public var own: [Own]
    /// The side that wins in a conflict.
    public var policy: ConflictPolicy

    /// An edit made on a state, with changes of its own maker since.
    public init(_ state: StateAddress, own: [Own] = [], policy: ConflictPolicy = .reject) {
        self.state = state
        self.own = own
        self.policy = policy
    }

    /// How far an edit's base may be back.
    public static let revisionsMax = 10_000
    /// How many bytes the values that came and went since then may have together: they are in
    /// memory while the edit is merged.
    public static let bytesMax = 16 << 20
    /// The limit on pairs of an edit and a later edit over which it is transformed. A pair takes
    /// about half a microsecond.
    public static let pairsMax = 1_000_000
    /// Changes of its own that a client may name: those of which it has no answer yet are few.
    public static let ownMax = 100
    /// Above this number of pairs others do not wait for it: about 1 ms.
    static let lockedPairsMax = 2_000
}

/// The result of merging an edit that was made on an old state, for its client.
public struct MergeReport: Sendable {
    /// The revision that it was made on.
    public let base: Int
    /// The base with the edit as it was sent, and own changes that were named.
    public let sentTree: JSON
    /// The edits from there to the document's newest state.
    public let missed: ReversiblePatch
    /// Where others had changed the same.
    public let conflicts: [MergedEdit.Conflict]
}

/// How an edit was sent that was merged; kept with the change.
package struct SentEdit: Sendable, Equatable {
    /// The revision that it was made on.
    package var base: Int
    /// How many later changes of its own the client had.
    package var ownCount: Int
    /// The effect on the client's state, if it differs from the stored patch.
    package var patch: ReversiblePatch?
    /// Whether a part of the edit lost, so that no edit can be based on it as it was sent.
    var isPartial: Bool

    package init(base: Int, ownCount: Int, patch: ReversiblePatch? = nil, isPartial: Bool) {
        self.base = base
        self.ownCount = ownCount
        self.patch = patch
        self.isPartial = isPartial
    }
}
