public import JSONSchemas
public import JSONTree
public import Journaling
public import Naming
public import SelectiveUndo
public import VersioningKit

/// The reason why a document was not changed or not read. Document and history are unchanged,
/// except after the journal's `.outcomeUnknown`, which leaves that open.
public enum ChangeError: Error, Equatable, Sendable {
    /// The document does not exist.
    case unknownDocument
    /// The document was deleted; its history ends at this revision.
    case deleted(revision: Int)
    /// The document was erased for good, by this revision.
    case purged(revision: Int)
    /// The document is not deleted, so that it cannot come back.
    case notDeleted
    /// There is, or was, a document of the name that is to be given; it is at this revision.
    case exists(revision: Int)
    /// The history has more changes, or bytes, than are copied at once.
    case tooLongToCopy(changesMax: Int, bytesMax: Int)
    /// A value was moved between a place that is to be erased and one that is not, in this change;
    /// there, a part of it would be left.
    case movedValue(place: JSONPointer, revision: Int)
    /// A condition of the request does not hold; the head is at this revision, or there is none.
    case stale(head: Int?)
    /// The document's settings want every change to say what it was written against.
    case matchRequired(head: Int)
    /// The tag exists, and the request wanted to make it.
    case tagExists(Name)
    /// The document has as many tags as it may have.
    case tooManyTags(max: Int)
    /// The snapshot does not exist.
    case unknownSnapshot(Name)
    /// The snapshot exists, and the request wanted to make it.
    case snapshotExists(Name)
    /// The document has as many snapshots as it may have.
    case tooManySnapshots(max: Int)
    /// The patch is invalid or does not fit.
    case patch(JSONPatchError)
    /// The document would become larger than this many bytes.
    case tooLarge(max: Int)
    /// The result would have more values than a document may have.
    case tooManyValues(max: Int)
    /// The document would nest deeper than this.
    case tooDeep(max: Int)
    /// The result would break the document's schema, here.
    case invalid([Violation])
    /// Checking the document's schema would take too long.
    case schemaTooCostly
    /// A quota has no room for it.
    case quota(QuotaRefusal)
    /// An edit of a run is older than a rule of a prefix allows to undo without the right `admin`.
    case undoTooLate(prefix: Name, within: Duration, oldest: Int)
    /// It would take edits of runs that are open.
    case runsOpen([OpenRun])
    /// The history has no such way.
    case version(VersionError)
    /// The edit of this revision is not in effect: it is undone already, it changed nothing, or it
    /// is on another branch or outside the current scope.
    case notInEffect(revision: Int)
    /// Later work of others would be lost: of each change, where and whose.
    case conflicts([Conflict])
    /// Where places of the state at a revision were, there is something else now.
    case displaced([FollowedPlaces.Blocked.Place], since: Int)
    /// The edit was made on an old state, and others have changed the same since.
    case mergeConflicts([MergedEdit.Conflict], base: Int)
    /// More has happened since the base of the edit than can be merged.
    case baseTooOld(base: Int, head: Int)
    /// An undo or redo needs more changes in memory than the limit allows. The scan has reached
    /// revision `reached`.
    case changeTooOld(reached: Int, head: Int)
    /// The base belongs to an earlier life of the document; the current one began at this revision.
    case earlierLife(begun: Int)
    /// The change is not one that the client can have made on that base.
    case wrongOwn(revision: Int, base: Int)
    /// No change since that base has the key.
    case unknownOwn(key: Name, base: Int)
    /// Nothing that the actor made is in effect; or, for a redo, nothing was undone that could come
    /// back.
    case nothingOwn(actor: Name, isRedo: Bool)
    /// No edit in effect is one of those that are meant.
    case nothingSelected
    /// The selection includes the creation of the document, which holds other work, so the document
    /// stays.
    case creationStays([Conflict])
    /// All that would be undone or redone stays, because the request keeps it.
    case kept
    /// Parts of transactions stay, because the request keeps something of them: so their other
    /// parts have to stay.
    case keepsParts(revisions: [Int])
    /// The selection has more changes than one undo may have.
    case tooManyChanges(max: Int)
    /// Changes of these revisions are parts of transactions, of which the request would take a part
    /// only; the others are in these documents, where that is known.
    case partOfTransaction(revisions: [Int], documents: [DocumentID])
    /// More documents are meant than are changed together.
    case tooManyDocuments(max: Int)
    /// An undo takes edits of more runs than one commit may ask for.
    case tooManyRuns(max: Int)
    /// The documents of a request take more memory together than one request may.
    case tooLargeTogether(max: Int)
    /// A draft cannot be compared with its origin, updated or merged like this.
    case draft(DraftError)
    /// The result was computed for another revision. The line computes it again.
    case overtaken
    /// Only who may delete documents may do that.
    case deletionForbidden
    /// The client may not reach a document that has another part of the transaction.
    case outOfReach
    /// Another actor opened the scope.
    case foreignScope(owner: Name)
    /// The edit of this revision belongs to another actor and may not be undone.
    case foreignEdit(revision: Int, actor: Name)
    /// The key marks another request, which made this revision.
    case otherRequest(key: Name, revision: Int)
    /// The request was carried out before, and made this revision.
    case repeated(revision: Int)
    /// The request needs changes that are older than the retained history, which begins at this
    /// revision.
    case trimmed(oldest: Int)
    /// There was no document at that time yet.
    case notYet
    /// The revision does not exist.
    case unknownRevision(Int)
    /// The number, as the client sent it, is of a history that is lost.
    case otherHistory(number: Int)
    /// The document is not what the reversion was made from. Nothing was reverted.
    case mismatch(version: Int)
    /// The index of runs does not contain all older changes yet.
    case indexing
    /// The journal did not take it.
    case journal(JournalError)
    /// The client no longer waits for the result. Nothing was changed.
    case abandoned
}

extension ChangeError {
    /// The reason in operators' words, for errors that can occur where documents are only read.
    public var reason: String {
        switch self {
        case .journal(let error): "\(error)"
        case .unknownDocument: "the document does not exist"
        case .purged(let revision): "it was erased by revision \(revision)"
        case .unknownRevision(let revision): "revision \(revision) does not exist"
        case .otherHistory(let number): "\(number) is of another history"
        default: "it cannot be read"
        }
    }
}
