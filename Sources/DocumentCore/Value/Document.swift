import SelectiveUndo
public import JSONTree
public import Journaling
public import Naming
public import VersioningKit

/// A JSON tree with a name and a history, at one revision. A value.
public struct Document: Sendable {
    public package(set) var id: DocumentID
    public package(set) var tree: JSON
    /// The number of the last change; 0 if there was none yet, see `life`.
    public package(set) var revision: Int
    /// The versions, and where undo and redo lead; a step is a revision.
    public package(set) var history: VersionHistory<Int>
    public internal(set) var settings: DocumentSettings {
        @inline(__always) get { seldomChanged.settings }
        set { seldomChanged = SeldomChanged(newValue, activity) }
    }
    /// Up to when each actor has worked in it.
    var activity: ActorActivity {
        @inline(__always) get { seldomChanged.activity }
        set { seldomChanged = SeldomChanged(settings, newValue) }
    }
    /// The parts that few changes change, as one reference: a document is copied more often than
    /// any other value.
    var seldomChanged = SeldomChanged(DocumentSettings(), ActorActivity())

    final class SeldomChanged: Sendable {
        let settings: DocumentSettings
        let activity: ActorActivity

        init(_ settings: DocumentSettings, _ activity: ActorActivity) {
            self.settings = settings
            self.activity = activity
        }
    }
    /// Named copies of the value, or of parts of it.
    public package(set) var snapshots: [Name: Snapshot] = [:] {
        didSet {
            snapshotWeight = snapshots.values.reduce(0) {
                $0 + Document.weight($1.byteCount, $1.valueCount)
            }
        }
    }
    private var snapshotWeight = 0
    /// Where it is from, if it is a draft.
    package var draft: DraftState? {
        didSet { draftWeight = draft?.weight ?? 0 }
    }
    private var draftWeight = 0
    /// When the last change was accepted.
    public internal(set) var time: Timestamp
    public package(set) var life: Life
    /// The first revision whose state is kept; what was before is forgotten.
    public internal(set) var oldestRevision = 0
    /// The revision at which its life began: a deleted document may have been created again.
    public internal(set) var birth = 0
    /// Since when the same part of the tree has versions: older changes know other hashes.
    var trackedSince = 0
    /// Earlier choices of tracked places, if not the whole was tracked.
    var formerTrackings: [FormerTracking] = []
    /// The open versions of each actor's own.
    var ownGroups = OwnGroups()
    /// How much history there is, for the bounds on it.
    var extent = HistoryExtent()
    /// The journal's chain at `revision`.
    package var chain: ChainHash

    /// The document after one more change, whose patch leads to `tree`.
    ///
    /// Live changes and replay both come through here, and nothing else moves a document.
    package mutating func advance(
        by change: Change, to tree: JSON, entry: JournalEntry, grouping: Grouping = .none
    ) throws(VersionError) {
        // First, so that a document stays as it is where this fails: nothing else does.
        try check(change)
        try record(change, tree, grouping)
        if let record = change.draft { note(record, of: change, tree) }
        if !history.state.scopes.isEmpty, change.isWork {
            history.extendScopes(of: change.actor, at: change.time.duration)
        }
        self.tree = tree
        chain = entry.chain
        if change.makesVersion { extent.bytes += entry.body.count }
        revision = change.revision
        time = change.time
        if let count = change.versionsKept { trim(keeping: count) }
    }

    private mutating func record(
        _ change: Change, _ tree: JSON, _ grouping: Grouping
    ) throws(VersionError) {
        endOwnGroups(change)
        if seldomChanged.activity.changes(with: change) { activity.note(change) }
        switch change.kind {
        case .create:
            activity = activity.cleared
            history = VersionHistory(root: change.revision)
            snapshots = [:]
            draft = nil
            life = .alive
            birth = change.revision
            settings = change.settings ?? settings
            trackedSince = change.revision
            formerTrackings = []
            extent = HistoryExtent(trimTime: change.time)
        case .touch(let tag):
            if let tag { history.tagCurrent(tag) }
        case .append(let joins, let tag):
            append(change, joins: joins, grouping)
            if let tag {
                history.tagCurrent(tag)
                ownGroups.closeAll()
            }
        case .move(let version, _): history.move(to: version)
        case .snapshot(let key, let pointers):
            history.seal()
            snapshots[key] = Snapshot(of: tree, at: pointers, by: change)
        case .removeSnapshot(let key):
            history.seal()
            snapshots[key] = nil
        case .revert, .restore, .update:
            history.append(change.revision, id: change.revision, actor: change.actor)
        case .tag(let name, let version): history.tag(version, as: name)
        case .removeTag(let name): history.removeTag(name)
        case .pushScope(let expiry):
            history.pushScope(owner: change.actor, expiry: expiry?.lasting(since: change.time))
        case .popScope(let isChanged, _):
            _ = try history.popScope(id: change.revision, isChanged: isChanged)
        case .discardScope(nil): try history.discardScope()
        case .discardScope(_?):
            try history.dissolveScope()
            if change.makesVersion {
                history.append(change.revision, id: change.revision, actor: change.actor)
            }
        case .settings(let new):
            history.seal()
            if new.tracking != settings.tracking { endTracking(at: change.revision) }
            settings = new
        case .origin(let origin):
            history.seal()
            if let origin { draft?.origin = origin } else { draft = nil }
        case .delete:
            history.seal()
            life = .deleted
        case .undelete: life = .alive
        case .merge: history.seal()
        case .copy(let origin):
            history.seal()
            // A copy of a draft is one of the same origin.
            if draft == nil && !origin.isRename {
                note(DraftRecord(of: origin.document, at: origin.revision), of: change, tree)
            }
        // These entries replace all changes before them: a history begins with them.
        case .purge([]), .forgotten, .foundation: self = .purged(id)
        case .purge: history.seal()
        }
    }

    private mutating func append(_ change: Change, joins: Bool, _ grouping: Grouping) {
        // A part of a transaction is a version of its own.
        let grouping = change.transaction == nil ? grouping : .none
        let time = change.time.duration
        let open = change.group.flatMap { _ in
            ownGroups.group(of: change.actor, at: time, grouping)
        }
        history.append(
            change.revision, id: change.revision, joining: joins, actor: change.actor,
            at: time, grouping: grouping, began: open?.began)
        ownGroups.note(
            change.revision, by: change.actor, first: change.group, at: time, grouping)
    }

    /// Throws if a change cannot be made here: it ends a scope, and none is open.
    private func check(_ change: Change) throws(VersionError) {
        switch change.kind {
        case .popScope where history.state.scopes.isEmpty,
            .discardScope where history.state.scopes.isEmpty:
            throw .rootScope
        default: break
        }
    }

    /// An edit leaves the versions of others open; what works on the history ends all.
    private mutating func endOwnGroups(_ change: Change) {
        switch change.kind {
        case .append(_, nil), .touch(nil): break
        case .revert where change.selection != nil: ownGroups.closeAll()
        case .revert(let changes):
            ownGroups.close(of: change.actor)
            if let actor = changes.actor { ownGroups.close(of: actor) }
        case .restore, .update: ownGroups.close(of: change.actor)
        default: ownGroups.closeAll()
        }
    }

    /// Whether the newest state is one that undo may come back to, and the next change notes its
    /// content: a version ends there.
    func endsVersion(before kind: Change.Kind) -> Bool {
        if case .append(joins: true, _) = kind { return false }
        return exists && (try? lastRevision(of: history.currentID)) == revision
    }

    /// The hash of the version that the next change ends; `nil` if it ends none.
    package func hashOfVersion(endedBy kind: Change.Kind) -> ShortHash? {
        endsVersion(before: kind) ? ShortHash(settings.tracking.versionHash(of: tree)) : nil
    }

    /// When its deadlines should be checked: a group becomes quiet, or a scope's time is over.
    var deadline: Timestamp? {
        guard exists else { return nil }
        let first =
            switch (history.sealDeadline, history.scopeDeadline) {
            case (let quiet?, let closing?): min(quiet, closing)
            case (let quiet, let closing): quiet ?? closing
            }
        return first.map { Timestamp(milliseconds: $0.milliseconds) }
    }

    /// A document before its creation.
    package static func unborn(_ id: DocumentID) -> Document {
        Document(
            id: id, tree: .null, revision: 0, history: VersionHistory(),
            time: Timestamp(milliseconds: 0), life: .unborn, chain: .start)
    }

    /// A document of which nothing is left.
    private static func purged(_ id: DocumentID) -> Document {
        var document = unborn(id)
        document.life = .purged
        return document
    }

    /// How long a scope stays open when its owner does nothing, unless another time is given.
    public static let scopeLifetime = Duration.seconds(600)

    /// The limit on the tags of a document: all of them are in every checkpoint.
    public static let tagsMax = 10_000

    /// About how many bytes it takes in memory. O(1): it is asked after each commit.
    package var weight: Int {
        4_096 + Document.weight(of: tree) + snapshotWeight + draftWeight
            + history.state.versions.weight
    }

    /// About how many bytes a value takes in memory. O(1).
    package static func weight(of value: JSON) -> Int { weight(value.byteCount, value.valueCount) }

    /// The approximate bytes in memory of values with this length and number.
    package static func weight(_ bytes: Int, _ values: Int) -> Int {
        bytes + values * bytesPerValue
    }

    /// The overhead of a value in memory besides its text, estimated rather too high: an empty
    /// object takes 100 bytes, a number 24, as measured.
    private static let bytesPerValue = 100

    /// Whether there is a document to read.
    public var exists: Bool { life == .alive }

    /// The revision for conditions: `nil` unless there is a document.
    package var head: Int? { exists ? revision : nil }

    /// The revision of the next change.
    public var nextRevision: Int { life == .unborn ? 0 : revision + 1 }

    /// Why it cannot be read; `nil` if it can.
    public var absence: ChangeError? {
        switch life {
        case .unborn: .unknownDocument
        case .alive: nil
        case .deleted: .deleted(revision: revision)
        case .purged: .purged(revision: revision)
        }
    }

    /// Whether there was, is, or is no longer a document.
    public enum Life: Sendable {
        /// It was never created.
        case unborn
        case alive
        /// It was deleted; its history stays, and it can be created again.
        case deleted
        /// It was erased for good; another one of its name can be created.
        case purged
    }
}

extension Change {
    /// Whether it is something that the owner of a scope does in it.
    fileprivate var isWork: Bool {
        switch kind {
        case .append, .touch, .revert, .restore, .update, .move: true
        default: false
        }
    }
}

extension PersistentArray<VersionHistory<Int>.Version> {
    /// About how many bytes they take in memory: those that are packed take few.
    fileprivate var weight: Int {
        let packed = (packedElements?.store as? PackedVersions)?.weight ?? 0
        return packed + (count - packedCount) * 100
    }
}

extension ScopeExpiry {
    /// The same for a scope that was opened at a time.
    fileprivate func lasting(since time: Timestamp) -> ScopeExpiry {
        ScopeExpiry(deadline: deadline, policy: policy, lifetime: deadline - time.duration)
    }
}
