import DocumentCore
import JSONSchemas
public import JSONTree
public import Journaling
public import Naming
public import SelectiveUndo
import VersioningKit

/// A document and its status.
public struct DocumentStatus: Sendable {
    public let document: Document
    /// The last fault since it was loaded.
    public let lastFault: DocumentFault?
    /// Whether shared undo is possible, and the caller is allowed to use it.
    public internal(set) var hasUndo: Bool
    public internal(set) var hasRedo: Bool
    /// The effect of an actor's own undo and redo, if requested.
    public internal(set) var own: OwnStatus?
    /// The transaction that shared undo would take a part of, if it was asked about an actor.
    public internal(set) var nextTransaction: TransactionPart?
    /// The tag that keeps more of the history than its bounds.
    public internal(set) var heldBy: HoldingTag?

    init(document: Document, lastFault: DocumentFault?) {
        self.document = document
        self.lastFault = lastFault
        hasUndo = document.history.hasUndo
        hasRedo = document.history.hasRedo
        heldBy = document.holdingTag
    }
}

/// A question about undo and redo, as a part of a status.
public struct StatusQuestion: Sendable {
    public var caller = Name.nobody
    /// The caller's name: changes of actors below it are the caller's own.
    public var tokenName = Name.nobody
    public var mayUndoOthers: Bool
    /// Whether the caller has the right to delete, which no rule about the age of edits limits.
    public var mayDelete = true
    /// Whether the caller may reach another document: one with other parts of a transaction.
    public var mayReach = DocumentStore.anywhere
    /// The actor whose own undo and redo it is about.
    public var actor: Name?

    public init(mayUndoOthers: Bool) {
        self.mayUndoOthers = mayUndoOthers
    }
}

/// The effect of an actor's own undo and redo; `nil` for none.
public struct OwnStatus: Sendable {
    public let actor: Name
    public let undo: OwnStep?
    public let redo: OwnStep?
}

/// The effect of an own undo or redo.
public struct OwnStep: Sendable {
    /// Whether the caller may.
    public var isAllowed = true
    /// The revision of the first change of the version that it is about.
    public var version: Int?
    /// The change that names the version: its newest one with a label, or its newest one.
    public internal(set) var subject: Change?
    /// The revisions that go out of effect or come back.
    public var changes: [Int] = []
    /// Those of which nothing can be seen.
    public var passed: [Int] = []
    /// The places that change.
    public var places: [JSONPointer] = []
    /// Whether it is so old that changed places and conflicts were not computed.
    public var isLongAgo = false
    /// Later work of others that is in the way.
    public var conflicts: [Conflict] = []

    /// The result of a dry run; `nil` if there is nothing to undo or redo.
    ///
    /// A version in conflict is named by the change that is.
    init?(_ result: Result<Outcome, ChangeError>) throws(ChangeError) {
        switch result {
        case .success(let outcome):
            guard let change = outcome.change, case .revert(let reversal) = change.kind else {
                return nil
            }
            changes = reversal.visible
            version = changes.first
            passed = reversal.passed
            places = change.patch.pointers.unique
            isLongAgo = reversal.isLongAgo
            conflicts = reversal.skipped
        case .failure(.foreignEdit(let revision, _)):
            isAllowed = false
            version = revision
        case .failure(.invalid(let violations)):
            isAllowed = false
            places = violations.map(\.pointer).unique
        case .failure(.conflicts(let conflicts)):
            self.conflicts = conflicts
            version = conflicts.map(\.change).min()
        case .failure(.undoTooLate(_, _, let oldest)):
            isAllowed = false
            version = oldest
        case .failure(.changeTooOld), .failure(.quota): isAllowed = false
        case .failure(.nothingOwn): return nil
        case .failure(let error): throw error
        }
    }
}

extension [JSONPointer] {
    fileprivate var unique: [JSONPointer] { Set(self).sorted() }
}
