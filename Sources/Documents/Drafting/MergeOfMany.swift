import DocumentCore
public import JSONTree
public import Journaling

/// A request to merge several drafts as one change.
public struct MergeOfMany: Sendable {
    /// In the order of their names.
    public var drafts: [DocumentID]
    /// The request for each of them, but for its name, decisions at places and conditions.
    public var each: DraftRequest
    /// Of drafts, the decisions at single places.
    public var places: [DocumentID: [JSONPointer: ConflictPolicy]] = [:]
    /// The revisions at which drafts, origins or other documents have to be.
    public var match = MatchOfMany()
    /// The client or document in whose turn the drafts are read.
    public var owner: String

    public init(_ drafts: [DocumentID], each: DraftRequest, owner: String) {
        self.drafts = drafts
        self.each = each
        self.owner = owner
    }

    /// The limit on drafts: with their origins they are twice as many documents, whose lines are
    /// held together.
    public static let draftsMax = 100
}

/// The result of a merge of several drafts.
public struct MergeOfManyOutcome: Sendable {
    /// The first part of the transaction; `nil` if there was nothing to merge.
    public let leader: DocumentRevision?
    /// Of each draft that was merged or ended, in the order of the request.
    public let merged: [DraftMergeOutcome]
    /// The drafts that have nothing new.
    public let unchanged: [DocumentID]
    public let isDryRun: Bool
    /// Its memory, held until the response is made.
    var memory: RequestMemory?
}

/// Why several drafts stay as they are.
public struct MergeOfManyRefusal: Error, Sendable {
    /// The draft that refused, or another document with a condition that does not hold.
    public let document: DocumentID
    public let refusal: Refusal
    /// If conflicts are the reason, those of all drafts.
    public var conflicts: [InDraft] = []

    /// The conflicts of one draft.
    public struct InDraft: Sendable {
        public let draft: Document
        public let origin: DocumentID
        public let conflicts: [DraftConflict]
    }
}

extension MergeOfManyRefusal: MemoryFault {
    public var needsMemory: Bool { refusal.needsMemory }
}
