import DocumentCore
public import JSONTree
public import Journaling
public import SelectiveUndo

/// A request to change several documents together, or none of them.
public struct TransactionRequest: Sendable {
    /// The request for one of the documents.
    public struct Member: Sendable {
        public let document: DocumentID
        public var request: ChangeRequest
        /// Whether it may be that there is nothing to do: the change is not in effect, or the
        /// document is gone.
        public var mayBeAbsent = false
        /// Whether it is left as it is where later work of others would be lost.
        public var maySkip = false
        /// Whether the request names it; otherwise it is taken for the sake of a transaction.
        var isNamed = true

        public init(_ document: DocumentID, _ request: ChangeRequest) {
            self.document = document
            self.request = request
            self.request.isPart = true
            self.request.conflicts = ChangeRequest.conflictsMax
        }

        /// Undoes, or redoes, the existing changes of a selection in a document; with the policy
        /// `theirs`, except where later work would be lost.
        public init(
            _ document: DocumentID, _ request: ChangeRequest,
            takingBack action: ChangeRequest.Action, _ policy: ConflictPolicy
        ) {
            self.init(document, request)
            self.request.action = action
            self.request.namesChanges = true
            mayBeAbsent = true
            maySkip = policy == .theirs
        }
    }

    /// Of each document one.
    public var members: [Member]
    /// The client's idempotency key: the request is not carried out twice.
    public var token: RequestToken?
    /// Whether it is only asked what would happen.
    public var isDryRun = false
    /// Whose turn it takes for work that takes long.
    public var owner = ""
    /// Whether it must change something; otherwise, if all is absent, it is refused.
    public var mustChange = false

    /// The memory that it may take; its own budget if it is `nil`.
    public var memory: RequestMemory?

    /// Whether a repeated request is found by its key alone: then a record of the key is stored
    /// with the parts.
    public var isFoundByKey = false
    /// Whether it only asks for the outcome of a transaction that was carried out before, in
    /// whichever of the documents.
    var isProbe = false
    /// Whether what would take only a part of another transaction takes all of it.
    public var widens = false
    /// Whether the client may reach a document that is not a member, for the sake of that, or of a
    /// repeated request.
    public var mayReach: @Sendable (DocumentID) -> Bool = { _ in true }

    /// The policy for edits of open runs that it takes; `nil`: it does not ask.
    public var openRuns: OpenRunPolicy?

    /// The limit on its documents.
    public var membersMax = TransactionRequest.documentsMax

    /// The limit on the documents of a transaction: while it is prepared, their lines are held.
    public static let documentsMax = 100
    /// The limit where edits are undone or redone: a run may have made many documents, and what is
    /// prepared before their lines are held is all of the work.
    public static let undoDocumentsMax = 1_000
    /// The limit on runs whose edits are undone or redone: the commit has a condition on the record
    /// of each.
    static let undoRunsMax = 1_000

    public init(_ members: [Member]) {
        self.members = members
    }

    /// Asks for the outcome of a transaction that was carried out before, if it was.
    public init(repeating token: RequestToken, in documents: [DocumentID]) {
        members = documents.map { Member($0, ChangeRequest(.nothing)) }
        self.token = token
        isProbe = true
    }
}

/// The result of a transaction.
public struct TransactionOutcome: Sendable {
    /// The result of a member.
    public enum Member: Sendable {
        case done(Outcome)
        /// There was nothing to do, for this reason.
        case absent(ChangeError)
        /// It is left as it is: later work of others would be lost.
        case skipped([Conflict])
    }

    /// Its first part; `nil` if it changed nothing.
    public let leader: DocumentRevision?
    /// In the order of the request.
    public let members: [(document: DocumentID, outcome: Member)]
    /// How many of them the request names; the rest is taken for the sake of transactions.
    public let namedCount: Int
    public let isDryRun: Bool
    public let isRepeated: Bool
    /// Its memory, held until the response is made.
    var memory: RequestMemory?

    init(
        _ members: [(document: DocumentID, outcome: Member)], named: Int, isDryRun: Bool = false,
        isRepeated: Bool = false
    ) {
        self.members = members
        namedCount = named
        self.isDryRun = isDryRun
        self.isRepeated = isRepeated
        leader = members.lazy.compactMap(\.outcome.change?.transaction?.leader).first
    }
}

extension TransactionOutcome.Member {
    /// The change that was made, or would be.
    public var change: Change? {
        if case .done(let outcome) = self { outcome.change } else { nil }
    }
}

/// Why a transaction changed nothing, and the member that refused.
public struct TransactionRefusal: Error, Sendable {
    /// Its place in the request.
    public let member: Int
    public let document: DocumentID
    public let refusal: Refusal
    /// The results of all members, if nothing could be done in any of them; of those in conflict,
    /// if that is the reason.
    public var members: [(document: DocumentID, outcome: TransactionOutcome.Member)] = []
}

extension TransactionRefusal: MemoryFault {
    public var needsMemory: Bool { refusal.needsMemory }
}

extension TransactionRequest {
    /// Whose turn it takes.
    var turnOwner: String {
        owner.isEmpty ? members.map(\.document).min()?.name ?? "" : owner
    }

    /// The refusal of all of it.
    func refusal(_ error: ChangeError) -> TransactionRefusal {
        TransactionRefusal(member: 0, document: members[0].document, refusal: Refusal(error))
    }
}
