import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// Changes of several documents.

extension DocumentsAPI {
    /// `POST /v1/transactions`: changes several documents, or none of them.
    func transact(_ call: Call) throws(Problem) {
        try call.noConditions()
        let body = try TransactionBody(call)
        // Its first one is counted already.
        for _ in body.members.dropFirst() { _ = try allowance(call.grant) }
        guard let token = try call.token(), body.members.contains(where: \.isLookedUp) else {
            return try resolve(call, body.members, [])
        }
        // What it names may be gone since it was carried out.
        repeating(call, token, in: body.members.map(\.document)) { [self] () throws(Problem) in
            try resolve(call, body.members, [])
        }
    }

    /// Responds as when a transaction was carried out, if it was; otherwise goes on.
    func repeating(
        _ call: Call, _ token: RequestToken, in documents: [DocumentID],
        also: @escaping @Sendable (inout JSONText) -> Void = { _ in },
        otherwise: @escaping @Sendable () throws(Problem) -> Void
    ) {
        let probe = TransactionRequest(repeating: token, in: documents)
        store.repetition(
            of: probe,
            otherwise: { do throws(Problem) { try otherwise() } catch { call.refuse(error) } },
            reply: { [self] in respond(call, $0, showsAbsent: true, also) })
    }

    /// Looks up, one member after the other, what they name, and goes on with all of them.
    private func resolve(
        _ call: Call, _ members: [TransactionBody.Member], _ resolved: [TransactionRequest.Member]
    ) throws(Problem) {
        guard resolved.count < members.count else { return try transact(call, resolved) }
        let place = resolved.count
        let member = members[place]
        switch member.action {
        case .change(let action):
            let next = try call.member(member, action)
            try resolve(call, members, resolved + [next])
        case .restore(let address, let text, let places):
            store.withPast(of: member.document, while: call.isAwaited) { [self] found in
                do throws(Problem) {
                    let (head, past) = try DocumentsAPI.living(found)
                    let action = try call.puttingBack(places, from: address, head, past)
                    var next = try call.member(member, action)
                    let label = Limits.label("restored from \(text)")
                    next.request.label = next.request.label ?? label
                    try resolve(call, members, resolved + [next])
                } catch {
                    // What comes after this one names itself.
                    let isNamed = error.members.contains { $0.name == "member" }
                    call.refuse(
                        isNamed ? error : error.about(member.document.name, member: place))
                }
            }
        }
    }

    private func transact(
        _ call: Call, _ members: [TransactionRequest.Member]
    ) throws(Problem) {
        transact(call, call.transaction(of: members, token: try call.token()))
    }

    /// Carries out a transaction, and responds with what became of it.
    func transact(
        _ call: Call, _ request: TransactionRequest, showsAbsent: Bool = true,
        also: @escaping @Sendable (inout JSONText) -> Void = { _ in }
    ) {
        store.transact(request, isLarge: call.isInBackground) { [self] result in
            respond(call, result, showsAbsent: showsAbsent, also)
        }
    }

    private func respond(
        _ call: Call, _ result: Result<TransactionOutcome, TransactionRefusal>, showsAbsent: Bool,
        _ also: @escaping @Sendable (inout JSONText) -> Void
    ) {
        call.respondOnLoop { () throws(Problem) in
            switch result {
            case .success(let outcome):
                return try call.transacted(outcome, showsAbsent: showsAbsent, also)
            case .failure(let refusal): throw Problem(refusal)
            }
        }
    }
}

extension Problem {
    /// The problem of the member that refused.
    init(_ refusal: TransactionRefusal) {
        self = Problem(refusal.refusal.error).describing(refusal.refusal.document)
            .about(refusal.document.name, member: refusal.member)
    }
}

extension DocumentRevision {
    /// The name of the transaction whose first part this is.
    var transactionID: String { "\(document.name)@\(revision)" }

    /// The part that a transaction is named by.
    init?(transactionID text: String) {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")),
            let document = DocumentID(String(text[..<at])),
            let revision = WholeNumber.parse(String(text[text.utf8.index(after: at)...])),
            revision <= Int32.max
        else { return nil }
        self.init(document, revision)
    }
}

extension Call {
    /// Conditions of one document mean nothing where there are several.
    func noConditions() throws(Problem) {
        for field in ["if-match", "if-none-match"] where fields[field] != nil {
            throw Problem(
                .malformedRequest, "\(field) is about one document.",
                hint: "Give match or noneMatch to members of a transaction.")
        }
    }
}

extension TransactionOutcome.Member {
    fileprivate var isAbsent: Bool { if case .absent = self { true } else { false } }
}

extension Call {
    fileprivate func member(
        _ member: TransactionBody.Member, _ action: ChangeRequest.Action
    ) throws(Problem) -> TransactionRequest.Member {
        let common = try label()
        var request = try request(
            action, label: member.label ?? common, member.precondition)
        request.base = member.base
        return TransactionRequest.Member(member.document, request)
    }

    /// A request by the client to change several documents.
    func transaction(
        of members: [TransactionRequest.Member], token: RequestToken?
    ) -> TransactionRequest {
        var request = TransactionRequest(members)
        request.token = token
        request.isDryRun = isDryRun
        request.owner = owner
        return request
    }

    /// The response to a transaction.
    fileprivate func transacted(
        _ outcome: TransactionOutcome, showsAbsent: Bool, _ also: (inout JSONText) -> Void
    ) throws(Problem) -> HTTPResponse {
        for (_, member) in outcome.members {
            if case .done(let outcome) = member { note(outcome) }
        }
        var members: [[UInt8]] = []
        for (document, member) in outcome.members where showsAbsent || !member.isAbsent {
            members.append(try described(member, of: document))
        }
        let replayed =
            outcome.isRepeated ? [(name: "Idempotent-Replayed", value: "true")] : []
        // The response is always whole.
        let applied = preferences.result == nil ? preferences.applied : []
        return json(
            transaction: outcome.leader, members, isDryRun: outcome.isDryRun,
            fields: applied + replayed, also)
    }

    /// The response with what became of each member; without a transaction nothing was changed.
    func json(
        transaction leader: DocumentRevision?, _ members: [[UInt8]], isDryRun: Bool,
        fields: [(name: String, value: String)] = [], _ also: (inout JSONText) -> Void
    ) -> HTTPResponse {
        var text = JSONText()
        text.object { text in
            text.member("transaction", leader.map { JSON($0.transactionID) } ?? .null)
            text.name("changes")
            text.array(members) { $0.value(raw: $1) }
            also(&text)
            if isDryRun { text.member("dryRun", true) }
        }
        return json(text, fields: fields)
    }

    /// What became of a member, as an object.
    private func described(
        _ member: TransactionOutcome.Member, of document: DocumentID
    ) throws(Problem) -> [UInt8] {
        var text = JSONText()
        switch member {
        case .done(let outcome):
            let (patch, missed) = try patches(of: outcome)
            text.object { $0.describe(outcome, patch, missed) }
        case .absent(let error):
            let problem = Problem(error)
            text.object { text in
                text.member("document", document.name)
                text.member("absent", problem.kind.code)
            }
        case .skipped(let conflicts):
            text.object { text in
                text.member("document", document.name)
                text.describe(conflicts)
            }
        }
        return text.bytes
    }
}
