import JSONTree
import Naming
import SelectiveUndo

/// Up to when each actor has worked in a document: what need not be looked at to find what is
/// somebody's own.
///
/// Only what stands before an actor's bound can be the actor's edit, an undo of one, or anything
/// else that has to do with their own undo; whoever has no bound has done nothing. The bounds are
/// rounded up to whole blocks of revisions: so somebody who works all the time is noted seldom,
/// and a change costs one lookup.
struct LatestWork: Sendable, Equatable {
    /// Bounds are multiples of this.
    private let block: Int
    /// Limit on actors: all of them are in every checkpoint. Beyond it, who has done nothing for
    /// longest is no longer told from others.
    static let actorsMax = 4_096

    private var bounds: [Name: Int] = [:]
    /// The bound of everybody else: 0 where all actors are known.
    private var others = 0
    /// Where edits of several actors went out of effect or came back as one change: what does that
    /// again names one of them alone.
    private var shared: ClosedRange<Int>?

    /// The first revision from which on no change is a part of a transaction.
    private(set) var endOfParts = 0

    /// Nobody has done anything.
    init(block: Int = LatestWork.usualBlock) {
        self.block = block
    }

    private static let usualBlock = 4_096

    /// It is not known who did what up to a revision: an old checkpoint does not say.
    init(unknownUpTo revision: Int) {
        self.init()
        others = revision + 1
        endOfParts = revision + 1
        shared = 0...max(0, revision)
    }

    /// The same before anybody has done anything.
    var cleared: LatestWork { LatestWork(block: block) }

    /// The bound of an actor: their work stands before this revision. O(1).
    func end(of actor: Name) -> Int { bounds[actor] ?? others }

    /// Whose own undo a change has to do with.
    enum Concern {
        case nobody
        case one(Name)
        /// With that of anybody whose edits it took out of effect, or put back.
        case all(Reversal)
    }

    /// Whose own undo a change has to do with; the same before it is noted and after it. O(1), but
    /// for a reversal: O(edits in it).
    func concern(of change: Change) -> Concern {
        switch change.kind {
        case .append, .restore, .update: .one(change.actor)
        case .popScope(isChanged: true, let owner): .one(owner ?? change.actor)
        case .revert(let reversal) where reversal.flipped.isEmpty: .nobody
        case .revert(let reversal) where change.selection == nil && !isShared(reversal):
            .one(reversal.actor ?? change.actor)
        case .discardScope(let reversal?) where reversal.flipped.isEmpty: .nobody
        case .revert(let reversal), .discardScope(let reversal?): .all(reversal)
        default: .nobody
        }
    }

    /// Whether a change is to be noted: most need not be.
    func changes(with change: Change) -> Bool {
        if change.isPart { return true }
        return switch concern(of: change) {
        case .nobody: false
        case .one(let actor): end(of: actor) <= change.revision
        case .all: true
        }
    }

    /// Notes a change. O(1), but for the first of an actor in a block: O(actors).
    mutating func note(_ change: Change) {
        if change.isPart { endOfParts = change.revision + 1 }
        switch concern(of: change) {
        case .nobody: break
        case .one(let actor): note(actor, at: change.revision)
        case .all(let reversal): note(reversal, of: change)
        }
    }

    private mutating func note(_ actor: Name, at revision: Int) {
        guard end(of: actor) <= revision else { return }
        bounds[actor] = (revision / block + 1) * block
        if bounds.count > LatestWork.actorsMax { forget() }
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

    /// Whether a reversal that was noted may be about edits of several actors: of those it says
    /// that they are nobody's. That is said of too many rather than of too few.
    func isShared(_ reversal: Reversal) -> Bool {
        guard let actor = reversal.actor, actor != .nobody else { return true }
        guard let shared else { return false }
        return reversal.flipped.contains { shared.contains($0) }
    }

    /// No longer tells the half that has done nothing for longest from others.
    private mutating func forget() {
        let kept = bounds.values.sorted()[bounds.count / 2]
        others = max(others, kept)
        bounds = bounds.filter { $0.value > kept }
    }
}

extension LatestWork {
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
