import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import SelectiveUndo

// Transactions as they are.

extension DocumentsAPI {
    /// `GET /v1/transactions/{transaction}`: its parts, and which are in effect.
    func transaction(_ call: Call, _ name: String) throws(Problem) {
        let place = try call.part(named: name)
        task(call, of: place.document) { [self] () async throws(Problem) in
            call.send(call.json(try await parts(call, place, name), of: name))
        }
    }

    /// The parts of a transaction, which the client must be able to reach.
    func parts(
        _ call: Call, _ place: DocumentRevision, _ name: String
    ) async throws(Problem) -> [TransactionRecord] {
        guard let parts = try? await store.transaction(of: place), !parts.isEmpty else {
            throw Problem.unknownTransaction(name)
        }
        for part in parts { try call.checkReach(of: part.place.document) }
        return parts
    }
}

extension Call {
    /// The part that a transaction is named by.
    func part(named name: String) throws(Problem) -> DocumentRevision {
        guard let shown = DocumentRevision(transactionID: name), !shown.document.isOwn else {
            throw Problem.unknownTransaction(name)
        }
        try checkReach(of: shown.document)
        let revision = try meaning(about: shown.document) { numbering throws(ChangeError) in
            try numbering.revision(shown.revision)
        }
        guard revision <= Int32.max else { throw Problem.unknownTransaction(name) }
        return DocumentRevision(shown.document, revision)
    }
}

extension Problem {
    fileprivate static func unknownTransaction(_ name: String) -> Problem {
        Problem(
            .unknownTransaction, "Transaction \(name) does not exist.")
    }
}

extension Call {
    fileprivate func json(_ parts: [TransactionRecord], of name: String) -> HTTPResponse {
        var text = jsonText()
        text.object { text in
            let change = parts.lazy.compactMap(\.change).first
            // It keeps its name when the document of its first part gets another one.
            let named = change?.transaction.flatMap { $0.count == parts.count ? $0.leader : nil }
            let leader = named ?? parts[0].place
            text.member("transaction", text.place(leader.document, leader.revision))
            if let change {
                if change.actor != .nobody { text.member("actor", change.actor) }
                text.member("time", RFC3339.text(change.time))
            }
            text.name("parts")
            text.array(parts) { text, part in text.object { $0.describe(part) } }
        }
        return json(text)
    }
}

extension JSONText {
    fileprivate mutating func describe(_ part: TransactionRecord) {
        document(part.place.document)
        revision("revision", part.place.revision)
        if let change = part.change {
            member("kind", change.kind.name)
            if let label = change.label { member("label", label) }
        }
        member("inEffect", part.isInEffect.map { JSON($0) } ?? .null)
    }
}
