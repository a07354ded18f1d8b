package import JSONTree

/// The context in which a request is decided, besides the document itself.
package struct RequestContext {
    let now: Timestamp
    let limits: JSONLimits
    let known: KnownChanges
    /// See `OwnUndoLookup.oldDistance`.
    var oldDistance = OwnUndoLookup.oldDistance
    /// The approximate limit on bytes that an own undo may create.
    var undoBytesMax = Int.max

    package init(
        now: Timestamp, limits: JSONLimits, known: KnownChanges,
        oldDistance: Int = OwnUndoLookup.oldDistance, undoBytesMax: Int = Int.max
    ) {
        self.now = now
        self.limits = limits
        self.known = known
        self.oldDistance = oldDistance
        self.undoBytesMax = undoBytesMax
    }

    /// The change at a revision; `direction` says which ones are asked for after it, and `count`
    /// how many, where that is known.
    func change(
        _ revision: Int, _ direction: ChangeRange.Direction = .backward, count: Int = 0
    ) throws(PreparationError) -> Change {
        try read(revision, direction, count: count) { $0 }
    }

    /// Reads a change where it is.
    func read<Value>(
        _ revision: Int, _ direction: ChangeRange.Direction = .backward, count: Int = 0,
        _ body: (Change) throws(PreparationError) -> Value
    ) throws(PreparationError) -> Value {
        try known.read(revision, direction, count: count, body)
    }
}

/// Why a request could not be prepared. The document is as it was.
package enum PreparationError: Error, Equatable {
    /// The client receives this error.
    case refused(ChangeError)
    /// Changes are needed that only the journal has: fetch them and prepare the request again.
    case needs(ChangeRange)
    /// More changes have to be read than may be while others wait: prepare the request again on a
    /// thread that may take its time.
    case takesLong
}

/// Old changes that are needed for a request.
package struct ChangeRange: Sendable, Equatable {
    package enum Direction: Sendable {
        /// Older ones follow.
        case backward
        /// Newer ones follow.
        case forward
        /// None follows.
        case alone
    }

    /// The change that is needed first.
    package let revision: Int
    package let direction: Direction
    /// How many to read at most.
    package let limit: Int
}
