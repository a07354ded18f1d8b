import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import SelectiveUndo

// Changes of several documents.

extension DocumentsAPI {
    /// `POST /v1/transactions`: changes several documents, or none of them.
    func transact(_ call: Call) throws(Problem) {
        try call.noConditions()
        let body = try TransactionBody(call)
        // Its first one is counted already.
        for _ in body.members.dropFirst() { _ = try allowance(call.grant) }
        let token = try call.token()
        guard body.members.contains(where: \.isLookedUp) else {
            var members: [TransactionRequest.Member] = []
            for member in body.members { members.append(try call.member(member)) }
            return transact(call, call.transaction(of: members, token: token))
        }
        task(call) { [self] () async throws(Problem) in
            // The states that it names may be gone since it was carried out.
            let documents = body.members.map(\.document)
            if let token, try await isRepeated(call, token, in: documents) { return }
            try await withMemory(call) { memory async throws(Problem) in
                let members = try await resolved(call, body.members, memory)
                let request = call.transaction(of: members, token: token)
                call.send(try await transacted(call, request, memory))
            }
        }
    }

    /// Calls `body` with the memory for a request about several documents; perhaps again with more.
    func withMemory<Value: Sendable>(
        _ call: Call, _ body: (RequestMemory) async throws(Problem) -> Value
    ) async throws(Problem) -> Value {
        try await store.withMemory(of: call.owner, Problem(HTTPFault.stopping), body)
    }

    /// Responds as when a transaction was carried out, if it was. Returns whether it did.
    private func isRepeated(
        _ call: Call, _ token: RequestToken, in documents: [DocumentID]
    ) async throws(Problem) -> Bool {
        let probe = TransactionRequest(repeating: token, in: documents)
        let outcome = try await call.carriedOut(await store.repetition(of: probe))
        guard let outcome else { return false }
        call.send(try call.transacted(outcome))
        return true
    }

    /// Carries out a request about many documents, unless it was carried out before with its key:
    /// then responds as it did then.
    func once(
        _ call: Call, also: (inout JSONText) -> Void = { _ in },
        _ body: () async throws(Problem) -> Void
    ) async throws(Problem) {
        try await once(call, body) { (outcome) throws(Problem) in
            try call.transacted(outcome, also: also)
        }
    }

    /// The same with a response of its own.
    func once(
        _ call: Call, _ body: () async throws(Problem) -> Void,
        repeated: (TransactionOutcome) async throws(Problem) -> HTTPResponse
    ) async throws(Problem) {
        if try await isRepeated(call, repeated) { return }
        do throws(Problem) { try await body() } catch {
            // The same request may have been carried out since.
            guard try await isRepeated(call, repeated) else { throw error }
        }
    }

    /// Responds as when the request was carried out, if it was. Returns whether it did.
    private func isRepeated(
        _ call: Call, _ repeated: (TransactionOutcome) async throws(Problem) -> HTTPResponse
    ) async throws(Problem) -> Bool {
        guard let token = try call.token() else { return false }
        let request = call.transactionOfMany([], token: token)
        return try await withMemory(call) { memory async throws(Problem) in
            guard let made = try await repetition(call, of: request, memory) else { return false }
            call.send(try await repeated(made))
            return true
        }
    }

    private func repetition(
        _ call: Call, of request: TransactionRequest, _ memory: RequestMemory
    ) async throws(Problem) -> TransactionOutcome? {
        do throws(TransactionRefusal) {
            return try await store.repetition(byKeyOf: request, memory)
        } catch {
            // The documents of a repeated request are named only to a token that covers them.
            if case .outOfReach = error.refusal.error { throw Problem(outOfReach: call.grant) }
            throw call.problem(error)
        }
    }

    /// Looks up what the members name.
    private func resolved(
        _ call: Call, _ members: [TransactionBody.Member], _ memory: RequestMemory
    ) async throws(Problem) -> [TransactionRequest.Member] {
        let isAlone = members.count == 1
        var resolved: [TransactionRequest.Member] = []
        for (place, member) in members.enumerated() {
            guard case .restore(let address, let text, let places) = member.action else {
                resolved.append(try call.member(member))
                continue
            }
            if place > 0 { await store.takeTurn(of: call.owner) }
            do throws(Problem) {
                let room = memory.room(beside: resolved, isAlone: isAlone)
                let (head, past) = try await call.living(
                    await store.past(of: member.document, within: room, while: call.isAwaited),
                    about: member.document)
                let action = try call.puttingBack(places, from: address, head, past)
                var next = try call.member(member, action)
                next.request.label =
                    next.request.label ?? Limits.label("restored from \(text)")
                resolved.append(next)
                try memory.checkRoom(for: resolved, isAlone: isAlone)
            } catch {
                throw error.about(member.document.name, member: place)
            }
        }
        return resolved
    }

    /// Carries out a transaction of which memory has what it needs, or as a task, and responds.
    /// `isRedo`: whether it puts edits back.
    func transact(
        _ call: Call, _ request: TransactionRequest, showsAbsent: Bool = true, isRedo: Bool = false
    ) {
        store.transact(request, isLarge: call.isInBackground) { [self] result in
            let isLong = (try? result.get()).map { call.isLong($0.members.map(\.outcome)) }
            respond(call, isLong: isLong ?? false) { () throws(Problem) in
                switch result {
                case .success(let outcome):
                    return try call.transacted(outcome, showsAbsent: showsAbsent)
                case .failure(let refusal): throw call.problem(refusal, isRedo: isRedo)
                }
            }
        }
    }

    /// Carries out a transaction as a part of a task. Returns the response.
    private func transacted(
        _ call: Call, _ request: TransactionRequest, _ memory: RequestMemory
    ) async throws(Problem) -> HTTPResponse {
        var request = request
        request.memory = memory
        let outcome = try await call.carriedOut(
            await store.transact(request, isLarge: call.isInBackground))
        return try call.transacted(outcome)
    }

    /// Responds: not on the commit thread, and with what is long not on the event loop either.
    func respond(
        _ call: Call, isLong: Bool, _ make: @escaping @Sendable () throws(Problem) -> HTTPResponse
    ) {
        guard isLong || call.isInBackground else { return call.respondOnLoop(make) }
        let isAccepted = store.resume(of: call.isInBackground ? call.owner : nil) {
            call.respond(make)
        }
        if !isAccepted { call.respond(make) }
    }
}

extension RequestMemory {
    /// Throws if the memory does not suffice for the members.
    func checkRoom(
        for members: [TransactionRequest.Member], isAlone: Bool
    ) throws(Problem) {
        do throws(ChangeError) { try check(members, isAlone: isAlone) } catch {
            throw Problem(error)
        }
    }
}

extension Problem {
    fileprivate static var allStaysUndone: Problem {
        Problem(.nothingToRedo, "`keep` keeps all that would be redone.")
    }
}

extension Problem: MemoryFault {
    var needsMemory: Bool { kind == .documentsTooLarge }
}

extension Call {
    /// Whether it takes long to say what became of documents, or would be long.
    fileprivate func isLong(_ members: [TransactionOutcome.Member]) -> Bool {
        var bytes = 0
        for case .done(let outcome) in members {
            bytes += outcome.edits.byteCount
            if bytes > Limits.bodyOnLoopBytesMax || isLong(outcome) { return true }
        }
        return false
    }

    /// The same of one.
    func isLong(_ outcome: Outcome) -> Bool {
        outcome.isLong(
            Limits.bodyOnLoopBytesMax, isWhole: preferences.result == .representation,
            speaksText: preferences.usesTextOperations)
    }
}

extension Call {
    func carriedOut<Value>(
        _ body: @autoclosure () async throws(TransactionRefusal) -> Value
    ) async throws(Problem) -> Value {
        do throws(TransactionRefusal) { return try await body() } catch { throw problem(error) }
    }

    /// The problem of the member that refused.
    func problem(_ refusal: TransactionRefusal, isRedo: Bool = false) -> Problem {
        var problem = problem(refusal.refusal.error, about: refusal.document)
        if isRedo, case .kept = refusal.refusal.error { problem = Problem.allStaysUndone }
        // No client knows a document of the daemon's own, or hears of one out of its reach.
        let isFar = refusal.refusal.error == .outOfReach && !grant.covers(refusal.document.name)
        if refusal.document.isOwn || problem.kind == .runOpen || isFar { return problem }
        return naming(
            refusal.members,
            problem
                .describing(refusal.refusal.document, for: self)
                .about(refusal.document.name, member: refusal.member))
    }

    /// The problem with what each member left: nothing was done in any of them.
    private func naming(
        _ members: [(document: DocumentID, outcome: TransactionOutcome.Member)],
        _ problem: Problem
    ) -> Problem {
        let left = members.filter { !$0.outcome.hasNothingSelected }
        if left.isEmpty { return problem }
        var text = jsonText()
        text.array(left) { text, member in
            text.describe(left: member.outcome, of: member.document)
        }
        let named = problem.with("skipped", .json(text.bytes))
        let selected = left.reduce(0) { $0 + $1.outcome.conflicts.count }
        return problem.kind == .nothingToUndo && selected > 0
            ? named.with("selected", .number(selected)) : named
    }
}

extension TransactionOutcome.Member {
    /// The changes that it leaves, because of later work.
    fileprivate var conflicts: [Conflict] {
        switch self {
        case .skipped(let conflicts), .absent(.creationStays(let conflicts)): conflicts
        case .done, .absent: []
        }
    }

    /// Whether nothing that was named is in its document.
    fileprivate var hasNothingSelected: Bool {
        switch self {
        case .absent(.nothingSelected), .absent(.kept), .done: true
        case .absent, .skipped: false
        }
    }
}

extension JSONText {
    /// The changes of a member, each as an object.
    fileprivate mutating func describe(
        left member: TransactionOutcome.Member, of document: DocumentID
    ) {
        let conflicts = member.conflicts
        for conflict in conflicts {
            object { text in
                text.document(document)
                text.describe(skipped: conflict)
            }
        }
        guard conflicts.isEmpty, case .absent(let error) = member else { return }
        object { text in
            text.document(document)
            text.member("absent", Problem(error).kind.code)
        }
    }
}

extension DocumentRevision {
    /// The part that a transaction is named by, with the revision as clients see it.
    init?(transactionID text: String) {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")),
            let document = DocumentID(String(text[..<at])),
            let revision = WholeNumber.parse(String(text[text.utf8.index(after: at)...])),
            revision <= Limits.sequenceMax
        else { return nil }
        self.init(document, revision)
    }
}

extension Call {
    /// A transaction supports no conditions of a single document.
    func noConditions() throws(Problem) {
        for field in ["if-match", "if-none-match"] where fields[field] != nil {
            throw Problem(
                .malformedRequest, "\(field) is not supported for a transaction.",
                hint: "Use match or noneMatch in the members.")
        }
    }
}

extension TransactionOutcome {
    /// The results of the members; of those that a search found, only those with something to do,
    /// and those that the request keeps.
    fileprivate func shown(withAbsent showsAbsent: Bool) -> [(
        document: DocumentID, outcome: Member
    )] {
        members.enumerated().filter { place, member in
            guard !showsAbsent, place < namedCount, case .absent(let error) = member.outcome else {
                return true
            }
            if case .kept = error { return true }
            return !error.isAbsence
        }.map(\.element)
    }
}

extension Call {
    /// A member of which nothing has to be looked up.
    fileprivate func member(
        _ member: TransactionBody.Member
    ) throws(Problem) -> TransactionRequest.Member {
        guard case .change(let action) = member.action else {
            preconditionFailure("a restored state is read first")
        }
        return try self.member(member, action)
    }

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

    /// The same of documents that a selection, a prefix or a transaction names: if it is repeated,
    /// these may be others, so it is found by its key.
    func transactionOfMany(
        _ members: [TransactionRequest.Member], token: RequestToken?
    ) -> TransactionRequest {
        var request = transaction(of: members, token: token)
        request.isFoundByKey = true
        request.mayReach = mayChange
        return request
    }

    /// The response to a transaction.
    func transacted(
        _ outcome: TransactionOutcome, showsAbsent: Bool = true,
        also: (inout JSONText) -> Void = { _ in }
    ) throws(Problem) -> HTTPResponse {
        for (_, member) in outcome.members {
            if case .done(let outcome) = member { note(outcome) }
        }
        var members: [[UInt8]] = []
        var room = Limits.patchesBytesMax
        for (document, member) in outcome.shown(withAbsent: showsAbsent) {
            members.append(try described(member, of: document, &room))
        }
        // The response is always whole.
        let applied = preferences.result == nil ? preferences.applied : []
        return json(
            transaction: outcome.leader, members, isDryRun: outcome.isDryRun,
            fields: applied + replayed(outcome.isRepeated), also)
    }

    /// The response with what became of each member; without a transaction nothing was changed.
    func json(
        transaction leader: DocumentRevision?, _ members: [[UInt8]], isDryRun: Bool,
        fields: [(name: String, value: String)] = [], _ also: (inout JSONText) -> Void
    ) -> HTTPResponse {
        var text = jsonText()
        text.object { text in
            let id = leader.map { text.place($0.document, $0.revision) }
            text.member("transaction", id.map { JSON($0) } ?? .null)
            text.name("changes")
            text.array(members) { $0.value(raw: $1) }
            also(&text)
            if isDryRun { text.member("dryRun", true) }
        }
        return json(text, fields: fields)
    }

    /// The result of a member, as an object.
    private func described(
        _ member: TransactionOutcome.Member, of document: DocumentID, _ room: inout Int
    ) throws(Problem) -> [UInt8] {
        var text = jsonText()
        switch member {
        case .done(let outcome):
            let (patch, missed) = try patches(of: outcome)
            text.object { $0.describe(outcome, patch, missed, within: &room) }
        case .skipped(let conflicts), .absent(.creationStays(let conflicts)):
            text.object { text in
                text.document(document)
                text.describe(conflicts)
            }
        case .absent(.kept):
            text.object { text in
                text.document(document)
                text.texts("kept", [""])
            }
        case .absent(let error):
            let problem = problem(error)
            text.object { text in
                text.document(document)
                text.member("absent", problem.kind.code)
            }
        }
        return text.bytes
    }
}
