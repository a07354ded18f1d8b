import JSONTree
import Naming
import SelectiveUndo

/// An upper bound on each actor's last activity in a document, so a search for an actor's own edits
/// can skip newer changes.
///
/// Only changes before an actor's bound can be the actor's edits, undo them, or affect the actor's
/// own undo in another way; an actor without a bound has done nothing. The bounds are rounded up to
/// whole blocks of revisions, so an actor who writes all the time is noted seldom, and a change
/// costs one lookup.
struct ActorActivity: Sendable, Equatable {
    /// Bounds are multiples of this.
    private let block: Int
    /// Limit on actors: all of them are in every checkpoint. Beyond it, the actors who were
    /// inactive for longest share one bound.
    static let actorsMax = 4_096

    private var bounds: [Name: Int] = [:]
    /// The bound of all other actors: 0 if all are known.
    private var others = 0
    /// The edits of several actors that went out of effect or returned as one change: a change that
    /// does that again names one of the actors alone.
    private var shared: ClosedRange<Int>?

    /// The first revision from which on no change is a part of a transaction.
    private(set) var endOfParts = 0

    /// No actor has done anything.
    init(block: Int = ActorActivity.usualBlock) {
        self.block = block
    }

    private static let usualBlock = 4_096

    /// The activity up to a revision is unknown: an old checkpoint does not have it.
    init(unknownUpTo revision: Int) {
        self.init()
        others = revision + 1
        endOfParts = revision + 1
        shared = 0...max(0, revision)
    }

    /// The same without any activity.
    var cleared: ActorActivity { ActorActivity(block: block) }

    /// The bound of an actor: the actor was last active before this revision. O(1).
    func end(of actor: Name) -> Int { bounds[actor] ?? others }

    /// The actors whose own undo a change affects.
    enum AffectedActors {
        case none
        case one(Name)
        /// All whose edits it may have taken out of effect, or put back.
        case several(Reversal)
        /// Those who were active after a version; `nil`: the one that the document was at.
        case after(Int?)
        case everyone
    }

    /// The actors whose own undo a change affects; the same before it is noted and after it. O(1),
    /// but for a reversal: O(edits in it).
    func affectedActors(by change: Change) -> AffectedActors {
        switch change.kind {
        case .append, .restore, .update: .one(change.actor)
        case .popScope(isChanged: true, let owner): .one(owner ?? change.actor)
        case .revert(let reversal) where reversal.isEmpty: .none
        case .revert(let reversal) where change.selection == nil && !isShared(reversal):
            .one(reversal.actor ?? change.actor)
        case .discardScope(let reversal?) where reversal.isEmpty: .none
        case .revert(let reversal), .discardScope(let reversal?): .several(reversal)
        case .move(let version, .undo): .after(version)
        case .move(_, .redo): .after(nil)
        case .touch, .settings, .snapshot, .removeSnapshot, .tag, .removeTag, .pushScope: .none
        default: .everyone
        }
    }

    /// Whether a change is to be noted: most need not be.
    func changes(with change: Change) -> Bool {
        if change.isPart { return true }
        return switch affectedActors(by: change) {
        case .none, .after, .everyone: false
        case .one(let actor): end(of: actor) <= change.revision
        case .several: true
        }
    }

    /// Notes a change. O(1), but for the first of an actor in a block: O(actors).
    mutating func note(_ change: Change) {
        if change.isPart { endOfParts = change.revision + 1 }
        switch affectedActors(by: change) {
        case .none, .after, .everyone: break
        case .one(let actor): note(actor, at: change.revision)
        case .several(let reversal): note(reversal, of: change)
        }
    }

    private mutating func note(_ actor: Name, at revision: Int) {
        guard end(of: actor) <= revision else { return }
        bounds[actor] = (revision / block + 1) * block
        if bounds.count > ActorActivity.actorsMax { forget() }
    }

    private mutating func note(_ reversal: Reversal, of change: Change) {
        guard let first = reversal.flipped.min(), let last = reversal.flipped.max() else {
            return
        }
        shared = min(shared?.lowerBound ?? first, first)...max(shared?.upperBound ?? last, last)
        for actor in bounds.keys { note(actor, at: change.revision) }
        note(reversal.actor ?? change.actor, at: change.revision)
        if others > 0 { others = max(others, change.revision + 1) }
    }

    /// Whether a reversal that was noted may be about edits of several actors, for whom it names
    /// none. It may say so of a reversal of one actor's edits, and not the reverse.
    func isShared(_ reversal: Reversal) -> Bool {
        guard let actor = reversal.actor, actor != .nobody else { return true }
        guard let shared else { return false }
        return reversal.flipped.contains { shared.contains($0) }
    }

    /// The half of the actors that was inactive for longest share one bound from now on.
    private mutating func forget() {
        let kept = bounds.values.sorted()[bounds.count / 2]
        others = max(others, kept)
        bounds = bounds.filter { $0.value > kept }
    }
}

extension ActorActivity {
    func write(to writer: inout ByteWriter) {
        writer.number(endOfParts)
        writer.number(others)
        writer.number(shared == nil ? 0 : 1)
        if let shared {
            writer.number(shared.lowerBound)
            writer.number(shared.upperBound)
        }
        writer.number(bounds.count)
        for (actor, bound) in bounds.sorted(by: { $0.key < $1.key }) {
            writer.name(actor)
            writer.number(bound)
        }
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        self.init()
        endOfParts = try reader.number()
        others = try reader.number()
        if try reader.number() == 1 {
            let (first, last) = (try reader.number(), try reader.number())
            guard first <= last else { throw ByteReader.Malformed() }
            shared = first...last
        }
        for _ in 0..<(try reader.number()) {
            let actor = try reader.name()
            bounds[actor] = try reader.number()
        }
    }
}
