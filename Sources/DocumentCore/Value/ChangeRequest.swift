public import JSONTree
public import Journaling
public import Naming
public import SelectiveUndo
public import VersioningKit

/// A request to change a document.
public struct ChangeRequest: Sendable {
    public var action: Action
    public var actor: Name
    public var label: String?
    public var precondition: Precondition
    /// Whether it is only asked what would happen.
    public var isDryRun = false
    /// Whether the request only reads: conditions do not apply.
    package var isQuestion = false
    /// The state that an edit was made on, if that is not the newest one.
    public var base: EditBase?
    /// The client's idempotency key: the request is not carried out twice.
    public var token: RequestToken?
    private var rareBox: RareRequestParts.Box?
    /// The parts that few requests have.
    package var rare: RareRequestParts {
        get { rareBox?.parts ?? RareRequestParts() }
        set { rareBox = RareRequestParts.Box(newValue) }
    }
    /// Whether it has one of them.
    package var hasRareParts: Bool { rareBox != nil }
    /// The quotas that refuse the request.
    var refusals: QuotaRefusals? { rareBox?.parts.refusals }
    /// How long edits of runs can be undone by it.
    var undoLimits: UndoLimits? { rareBox?.parts.undoLimits }
    /// Where a document is from that is made as a copy: so it is a draft.
    public var start: DraftStart? {
        get { rareBox?.parts.start }
        set { rare.start = newValue }
    }
    /// The person or program that asked the actor for the change.
    public var promptBy: Name? {
        get { rareBox?.parts.promptBy }
        set { rare.promptBy = newValue }
    }
    /// The operations that an undo or redo by operations leaves; `nil` where it concerns whole
    /// changes.
    public var choice: PartChoice? {
        get { rareBox?.parts.choice }
        set { rare.choice = newValue }
    }
    /// The client in whose turn work is done that takes long; empty: the document has the turn.
    public var owner = ""
    /// Whether the request may undo other actors' changes.
    public var mayUndoOthers = true
    /// Whether the request may delete and restore documents of any creator.
    public var mayDelete = true
    /// Whether it says by itself what it is about, so that no condition is needed.
    public var namesChanges = false
    /// The client's name: changes of actors below it are the client's own.
    public var tokenName = Name.nobody
    /// The treatment of an undo or redo that would split a transaction.
    public var parts = Parts.whole

    /// The treatment of the other parts of a transaction.
    public enum Parts: Sendable, Equatable {
        /// The request is refused, so that the caller can repeat it for all parts.
        case whole
        /// They stay as they are.
        case alone
        /// Shared undo of one version takes it out of effect everywhere, as own undo does.
        case together
        /// The other parts of the transactions of these revisions are also undone, in the same
        /// transaction. A request that concerns other transactions is refused.
        case these(Set<Int>)
    }

    /// Whether the request may undo, or redo, parts of transactions.
    public var mayTakeParts: Bool {
        // Most requests are edits.
        if case .append = action { return false }
        return switch action {
        case .revert, .revertAll, .takeBack, .move, .discardScope: parts != .alone && !isPart
        default: false
        }
    }

    /// Whether it is a part of a transaction: a version of its own.
    package var isPart = false
    /// Whether the line's state is at least as new as the journal was when the request arrived.
    package var isConfirmed = false
    /// The number of failed preparations, because another process wrote to the document first.
    package var conflicts = 0
    /// A request is given up after this number of conflicts.
    package static let conflictsMax = 5

    public init(
        _ action: Action, actor: Name = .nobody, label: String? = nil,
        precondition: Precondition = Precondition()
    ) {
        self.action = action
        self.actor = actor
        self.label = label
        self.precondition = precondition
    }

    /// Whether what an actor did is the client's own.
    package func owns(_ other: Name) -> Bool {
        other == actor || !tokenName.isEmpty && other.isOne(of: tokenName)
    }

    /// Closes the scopes whose time is over.
    public static var closingExpired: ChangeRequest {
        var request = ChangeRequest(.closeExpired)
        request.source = .clock
        return request
    }

    /// Asks for the outcome of a request that was carried out before; does nothing, if it was not.
    public static func repeating(_ token: RequestToken) -> ChangeRequest {
        var request = ChangeRequest(.closeExpired)
        request.token = token
        return request
    }

    /// The source of the request.
    enum Source: Sendable {
        case client
        /// Time itself: a scope is to be closed.
        case clock
    }

    var source = Source.client

    /// The requested action.
    public enum Action: Sendable {
        /// Makes the document, or appends a whole new value.
        case put(JSON)
        /// Appends an edit. `grouping` overrides the document's setting for this edit.
        case append(Edit, tag: Name?, grouping: Grouping?)
        case move(Move)
        /// Own undo and redo: takes changes out of effect past later ones, or puts them back.
        case revert(OwnUndoRequest)
        /// Takes all edits that are meant out of effect, past later ones, as one step; and the
        /// changes of these revisions, for the sake of transactions that they are parts of.
        case revertAll(ChangeSelection, also: Set<Int>, ConflictPolicy)
        /// Undoes or redoes parts of transactions, whatever they are.
        case takeBack([Int], isRedo: Bool, ConflictPolicy)
        /// Names a version, the current one if none is given. `isNew`: only if the name is free.
        case tag(Name, version: Move.Target?, isNew: Bool)
        case removeTag(Name)
        /// Takes a named copy of the values at these places. `isNew`: only if the key is free.
        case snapshot(Name, [JSONPointer], isNew: Bool)
        case removeSnapshot(Name)
        /// Puts back what a snapshot holds, as one version; its places may have been followed.
        case restore(Name, FollowedPlaces? = nil)
        /// Restores the values of these places in another state, to which these steps lead.
        case putBack(FollowedPlaces, steps: Set<Int>)
        /// Opens a scope, which closes by itself when its owner has done nothing for `lifetime`;
        /// for `Document.scopeLifetime`, if none is given.
        case pushScope(lifetime: Duration?, policy: ScopeExpiry.Policy)
        /// `isForced`: also if another actor opened it.
        case popScope(isForced: Bool)
        /// Undoes the owner's changes in the scope; with `isAll`, every actor's changes.
        case discardScope(isForced: Bool, isAll: Bool, policy: ConflictPolicy)
        /// Closes scopes whose time is over, as every request does first.
        case closeExpired
        case settings(SettingsChange)
        /// A draft takes over what its origin has had since, as it was computed.
        case update(DraftUpdate)
        /// An origin takes over what its draft has, as it was computed.
        case takeIn(DraftMerge)
        /// The new name of the draft's origin; without one, the document is no longer a draft.
        case origin(DocumentID?)
        /// A draft takes note that it was merged.
        case mark(DraftMark)
        /// Changes nothing: only its precondition matters.
        case nothing
        case delete
        /// Brings the deleted document back, with all that it had.
        case undelete
    }

    /// An edit in one of the three forms in which clients send them.
    public enum Edit: Sendable {
        case value(JSON)
        case patch(JSONPatch)
        /// RFC 7396.
        case mergePatch(JSON)
    }
}

/// The condition of a request (RFC 9110 section 13).
public struct Precondition: Sendable, Equatable {
    /// `If-Match`.
    public var match: Revisions?
    /// `If-None-Match`.
    public var noneMatch: Revisions?

    public init(match: Revisions? = nil, noneMatch: Revisions? = nil) {
        self.match = match
        self.noneMatch = noneMatch
    }

    /// The revisions that a condition names.
    public enum Revisions: Sendable, Equatable {
        /// `*`: whatever there is.
        case any
        case these([Int])
    }

    /// Whether it holds for a document at revision `head`, or for none.
    public func holds(for head: Int?) -> Bool {
        let matches = match.map { $0.contains(head) } ?? true
        let excluded = noneMatch.map { $0.contains(head) } ?? false
        return matches && !excluded
    }
}

extension Precondition.Revisions {
    /// Whether a head is among them.
    public func contains(_ head: Int?) -> Bool {
        guard let head else { return false }
        return switch self {
        case .any: true
        case .these(let revisions): revisions.contains(head)
        }
    }
}

extension ChangeRequest {
    /// The owner, or the document if there is none.
    package func turnOwner(in id: DocumentID) -> String { owner.isEmpty ? id.name : owner }
}
