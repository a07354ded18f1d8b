import AccessControl
import Documents
import JSONTree
import Journaling
import Naming
import SelectiveUndo

/// An undo or a redo of edits in several documents, as the client sent it.
struct UndoOfMany: Sendable {
    /// The edits that it is about.
    enum Target: Sendable {
        /// All parts of a transaction, with its name.
        case transaction(DocumentRevision, String)
        /// A selection in documents.
        case named(SelectionQuery, [DocumentID])
        /// The same in all documents of a prefix.
        case below(SelectionQuery, prefix: String)
    }

    let target: Target
    let isRedo: Bool
    let policy: ConflictPolicy
    let choice: ChoiceOfMany
    /// Whether parts of transactions are taken without their other parts.
    let isAlone: Bool
    /// Whether it closes the open runs whose edits it takes.
    let closes: Bool
    let token: RequestToken?
    private let request: ChangeRequest

    init(_ call: Call, isRedo: Bool) throws(Problem) {
        try call.noConditions()
        let body = try call.command()
        self.isRedo = isRedo
        isAlone = call.flag("alone")
        closes = body.flag("close")
        policy = call.conflictPolicy
        choice = try ChoiceOfMany(body, isAlone: isAlone, for: call)
        if policy == .mine || choice.hidesWork { try call.needsRightToUndoOthers() }
        for document in choice.documents { try call.checkReach(of: document) }
        target = try UndoOfMany.target(body, call)
        request = try call.request(.nothing, label: try call.label(), Precondition())
        token = try call.token()
    }

    private static func target(_ body: JSON, _ call: Call) throws(Problem) -> Target {
        let named = body.present(["all", "transaction"])
        guard named.count == 1 else {
            throw Problem(
                malformed: "/all", "The body requires either all or transaction.",
                hint: "Example: {\"all\":{\"actor\":\"agent/run-17\"},\"prefix\":\"menus/\"}")
        }
        _ = try body.oneAtMost(of: ["transaction", "prefix", "documents"])
        if let name = body["transaction"]?.string {
            return .transaction(try call.part(named: name), name)
        }
        let query = try SelectionQuery(body["all"] ?? [:])
        guard let documents = body.list("documents", { DocumentID($0) }) else {
            return .below(query, prefix: try call.grant.narrowed(body["prefix"]?.string ?? ""))
        }
        for document in documents {
            try call.checkReach(of: document)
            try call.checkWriting(of: document)
        }
        return .named(query, documents)
    }

    /// Whether parts of transactions may stay for the sake of others.
    var keepsSomething: Bool { !isAlone && !choice.isEmpty }

    /// The request to undo the selected edits in a document. Blocks, if positions bound them.
    func member(
        _ document: DocumentID, _ selection: SelectionOfMany, for call: Call
    ) throws(Problem) -> TransactionRequest.Member {
        let meant = try call.selection(selection, in: document)
        var member = TransactionRequest.Member(
            document, request, takingBack: .revertAll(meant, also: [], policy), policy)
        choice.complete(&member)
        return member
    }

    /// The request to undo, or to redo, a change in a document. `isPart`: whether it is a part of a
    /// transaction.
    func member(
        _ place: DocumentRevision, isRedo: Bool, isPart: Bool
    ) -> TransactionRequest.Member {
        var member = TransactionRequest.Member(
            place.document, request,
            takingBack: .takeBack([place.revision], isRedo: isRedo, policy), policy)
        member.request.parts = isPart ? .these([place.revision]) : .whole
        choice.complete(&member)
        return member
    }

    /// The transaction of the members. `widens`: whether it takes all of the transactions that it
    /// takes parts of.
    func whole(
        _ members: [TransactionRequest.Member], widens: Bool, for call: Call
    ) throws(Problem) -> TransactionRequest {
        for member in members { try call.checkWriting(of: member.document) }
        let max = TransactionRequest.undoDocumentsMax
        let conditions = choice.match.conditions(besides: members.map(\.document))
        guard members.count + conditions.count <= max else {
            throw Problem(ChangeError.tooManyDocuments(max: max))
        }
        var whole = call.transactionOfMany(members + conditions, token: token)
        whole.membersMax = max
        whole.openRuns = closes ? .close : .refuse
        whole.mustChange = true
        whole.widens = widens
        return whole
    }
}

extension Call {
    /// Throws if the client may not write a document: the right to propose is enough for drafts.
    func checkWriting(of document: DocumentID) throws(Problem) {
        guard grant.mayWrite(document.name) else {
            throw Problem(AccessControl.Refusal.missingRight(.write, name: grant.name))
                .with("document", .text(document.name))
        }
    }
}
