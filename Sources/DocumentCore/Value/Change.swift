public import JSONTree
public import Journaling
public import Naming
public import SelectiveUndo
public import VersioningKit

/// One accepted step of a document: what the journal stores and clients receive.
public struct Change: Sendable, Equatable {
    /// Its number in the document: 0 for the creation, then without gaps.
    public let revision: Int
    public let kind: Kind
    /// The edits of the tracked part of the tree; may be empty.
    public let patch: ReversiblePatch
    /// The edits, applied after that, of the untracked part, which undo never touches.
    public var untracked = ReversiblePatch.empty
    /// The content of the part that has versions as it was before, if a version ended there.
    package var priorHash: ShortHash?
    /// The content of the tree after it, in entries of older formats.
    var treeHash: ContentHash?
    /// The content of the tracked part after it, where that is not the whole; in older formats.
    var trackedHash: ContentHash?
    /// The idempotency key of the request that made it.
    public var token: RequestToken?
    /// How many of the newest versions stay; older ones are trimmed. `nil`: all.
    public var versionsKept: Int?
    /// The first change of the version of its actor that it continues, no matter who edited in
    /// between: own undo takes them together.
    public var group: Int?
    /// How it was sent, if it was made on an old state.
    package var sent: SentEdit?
    /// The parts that few changes have.
    package var rare: RareParts?
    /// The author; empty if the client named none.
    public let actor: Name
    /// When it was accepted.
    public internal(set) var time: Timestamp
    /// A text for people.
    public let label: String?
    /// Whether its hashes are of an older format, so that they cannot be compared.
    var hasKeyedHashes = false

    /// The effect of a change on tree and history. Replay needs nothing else.
    ///
    /// Large and rare parts are stored elsewhere, so that a change is cheap to copy.
    public enum Kind: Sendable, Equatable {
        /// The document's first value, or a new life after deletion.
        case create
        /// An edit. `joins`: it became a part of the open version. `tag` names the version it ends
        /// on.
        case append(joins: Bool, tag: Name?)
        /// An edit of the untracked part only: it makes no version, but may name the current one.
        case touch(tag: Name?)
        /// The current version became `version`; `direction` is what was asked for.
        case move(to: Int, direction: Direction)
        /// Changes went out of effect or came back into it, although others came later.
        indirect case revert(Reversal)
        /// A named copy of the values at these places; the root alone means the whole value.
        case snapshot(Name, [JSONPointer])
        case removeSnapshot(Name)
        /// An edit that puts back what a snapshot holds.
        case restore(Name)
        case tag(Name, version: Int)
        case removeTag(Name)
        case pushScope(ScopeExpiry?)
        /// `isChanged`: the scope became a version of the one below. `owner` opened it, if that is
        /// another actor than the one who popped it.
        case popScope(isChanged: Bool, owner: Name?)
        /// The changes of the scope's owner went out of effect; other actors' changes stay. Without
        /// a reversal, all changes in the scope were undone.
        indirect case discardScope(Reversal?)
        indirect case settings(DocumentSettings)
        case delete
        /// The deleted document is there again, with all that it had.
        case undelete
        /// A draft took over what its origin has had since, as one version.
        case update
        /// The draft, or a part of it, was merged: its origin has it from then on.
        case merge
        /// The new name of the draft's origin; `nil`: the document is no longer a draft.
        case origin(DocumentID?)
        /// The history up to here is a copy of another document's.
        indirect case copy(of: Origin)
        /// These places were erased from the whole history. Without places, the whole document was
        /// erased, and this replaces each of its changes.
        case purge([PointerPattern])
        /// A change that the bounds on the history have forgotten; without anything in it.
        case forgotten
        /// The document as it was after this change, in the form of a checkpoint. It replaces this
        /// change and the forgotten ones before it.
        case foundation([UInt8])
    }

    /// Where a history was copied from.
    public struct Origin: Sendable, Equatable {
        public let document: DocumentID
        /// Its last revision that was copied.
        public let revision: Int
        /// Whether it ended there: the document was renamed.
        public let isRename: Bool

        package init(document: DocumentID, revision: Int, isRename: Bool) {
            self.document = document
            self.revision = revision
            self.isRename = isRename
        }
    }

    /// Which call made the move.
    public enum Direction: UInt8, Sendable {
        case undo = 1
        case redo, goTo
    }

    public init(
        revision: Int, kind: Kind, patch: ReversiblePatch, actor: Name, time: Timestamp,
        label: String?
    ) {
        self.init(
            revision: revision, kind: kind, patch: patch, untracked: .empty, priorHash: nil,
            token: nil, group: nil, actor: actor, time: time, label: label)
    }

    /// A change with all that most changes have.
    init(
        revision: Int, kind: Kind, patch: ReversiblePatch, untracked: ReversiblePatch,
        priorHash: ShortHash?, token: RequestToken?, group: Int?, actor: Name, time: Timestamp,
        label: String?, rare: RareParts? = nil
    ) {
        self.revision = revision
        self.kind = kind
        self.patch = patch
        self.untracked = untracked
        self.priorHash = priorHash
        self.token = token
        self.group = group
        self.actor = actor
        self.time = time
        self.label = label
        self.rare = rare
    }
}

/// The beginning of a content hash: enough to notice that a state is not the one that it should
/// be, which the chain of the journal rules out but for faults of our own. Such a fault shows
/// again and again; of 256 times one would pass. One byte a version is what a long history can
/// afford (Decision 33).
package struct ShortHash: Sendable, Equatable {
    /// The first bytes of the hash; of one byte the other is 0.
    let bits: UInt16
    /// Whether it is one byte, and not two, as older formats have it.
    let isByte: Bool

    init(bits: UInt16) {
        self.bits = bits
        isByte = false
    }

    init(byte: UInt8) {
        bits = UInt16(byte) << 8
        isByte = true
    }

    init(_ hash: ContentHash) {
        self.init(byte: UInt8(truncatingIfNeeded: hash.high >> 56))
    }

    /// Whether a hash begins so.
    func begins(_ hash: ContentHash) -> Bool {
        let first = UInt16(truncatingIfNeeded: hash.high >> 48)
        return bits == (isByte ? first & 0xff00 : first)
    }
}

extension Change {
    /// Everything that it does to the tree.
    public var edits: ReversiblePatch {
        if untracked.isEmpty { return patch }
        var all = patch
        all.append(untracked)
        return all
    }

    /// The revision that it was made on, if others came in between.
    public var base: Int? { sent?.base }

    /// The changes that it undid or redid, if it is such a change.
    package var reversal: Reversal? {
        switch kind {
        case .revert(let changes), .discardScope(let changes?): changes
        default: nil
        }
    }

    /// Whether it is a part of a change of several documents, which are undone together. A mark in
    /// a draft has nothing to undo, and is the only other part of a merge of one draft.
    public var isPart: Bool {
        let others = (transaction?.count ?? 1) - 1
        return draft == nil && others > (merged == nil ? 0 : 1)
    }

    /// Whether it joins the version before and does not say which that is, as in old journals.
    var joinsUnnamed: Bool {
        guard case .append(joins: true, _) = kind else { return false }
        return group == nil
    }

    /// Whether it is a step from one version to another, which undo can revert.
    public var makesVersion: Bool { kind.traits.makesVersion }

    /// The content of the part that has versions after it, where an older format has it and it can
    /// be compared.
    var versionHash: ShortHash? {
        hasKeyedHashes ? nil : (trackedHash ?? treeHash).map { ShortHash($0) }
    }
}

/// Finds which changes are in effect, in a scan from the newest change back: the newest reversal of
/// each decides.
package struct BackwardEffectScan {
    private var isInEffect: [Int: Bool] = [:]

    /// Nothing was scanned.
    package init() {}

    package func isInEffect(_ revision: Int) -> Bool { isInEffect(revision, unlessNoted: true) }

    /// The same; `before` is whether it was in effect before all scanned changes.
    package func isInEffect(_ revision: Int, unlessNoted before: Bool) -> Bool {
        isInEffect[revision] ?? before
    }

    /// Notes a reversal that is older than those before.
    package mutating func note(_ changes: Reversal) {
        // An edit that one change takes out of effect and puts back is in effect.
        for (revisions, isOn) in [(changes.on, true), (changes.off, false)] {
            for revision in revisions where isInEffect[revision] == nil {
                isInEffect[revision] = isOn
            }
        }
    }
}

/// Milliseconds since 1970, as written in the journal.
public struct Timestamp: Sendable, Hashable, Comparable {
    public let milliseconds: Int

    public init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    /// As a duration since 1970, for the history's arithmetic.
    var duration: Duration { .milliseconds(milliseconds) }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

extension Change {
    /// The change without inserted and removed values, for scans of many changes.
    package func outlined() -> Change {
        var outline = Change(
            revision: revision, kind: kind, patch: patch.outline, actor: actor, time: time,
            label: label)
        outline.untracked = untracked.outline
        outline.token = token
        outline.group = group
        outline.sent = sent
        outline.rare = rare
        return outline
    }
}
