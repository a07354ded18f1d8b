import DocumentCore
import JSONTree
import Journaling
import Naming

/// The record of a request about many documents that has an idempotency key: an entry in a document
/// of the daemon's own, in the unit with the parts, which names their transaction (Decision 46).
///
/// So the request is found whatever became of its documents, by every daemon, for as long as a
/// document knows a key.
struct KeyRecord {
    let document: DocumentID
    let token: RequestToken

    private static let documents = OwnDocuments("key/")
    /// The number of documents: daemons of one database, and threads of one, seldom wait for each
    /// other.
    private static let documentsCount: UInt64 = 16

    /// The record of a request; `nil` if it has no fingerprint, as in old journals.
    init?(of request: RequestToken) {
        guard let content = request.fingerprint else { return nil }
        let number = content.low % KeyRecord.documentsCount
        guard let document = KeyRecord.documents.document(of: Name(String(number, radix: 16)))
        else { return nil }
        self.document = document
        // Clients do not know each other's keys: the same key of another request is another one.
        let parts = [content.high, content.low].map { String($0, radix: 16) } + [request.key.text]
        token = RequestToken(key: Name(parts.joined(separator: " ")), fingerprint: content)
    }

    /// The member of the transaction that stores it.
    var member: TransactionRequest.Member {
        // Each record is another value, so that each is an entry.
        let value = JSON(String(UInt64.random(in: .min ... .max), radix: 36))
        var member = TransactionRequest.Member(
            document, ChangeRequest(.nothing).asOwn(.put(value)))
        member.isNamed = false
        return member
    }
}

extension TransactionRequest {
    /// The record of its key, if it is found by that.
    var record: KeyRecord? {
        isFoundByKey && !isDryRun ? token.flatMap { KeyRecord(of: $0) } : nil
    }
}

extension DocumentStore {
    /// The outcome of the request about many documents with the same key; `nil` if it was not
    /// carried out. `request`: without members; the client must also reach the documents now.
    public func repetition(
        byKeyOf request: TransactionRequest, _ memory: RequestMemory
    ) async throws(TransactionRefusal) -> TransactionOutcome? {
        guard let record = request.record else { return nil }
        let parts: [DocumentRevision]
        do throws(ChangeError) {
            guard let found = try await self.parts(by: record) else { return nil }
            parts = found
        } catch {
            throw TransactionRefusal(record.document, error)
        }
        if let far = parts.first(where: { !request.mayReach($0.document) })?.document {
            throw TransactionRefusal(far, .outOfReach)
        }
        var members: [(document: DocumentID, outcome: TransactionOutcome.Member)] = []
        var bytes = 0
        for part in parts {
            do throws(ChangeError) {
                let outcome = try DocumentPast(part.document, journal)
                    .outcome(at: part.revision, of: nil, limits: options.limits)
                bytes += outcome.weight
                try memory.check(bytes, isAlone: parts.count <= 2)
                members.append((part.document, .done(outcome)))
            } catch {
                // The request was carried out, whatever was erased since.
                guard error.isForgotten else { throw TransactionRefusal(part.document, error) }
                members.append((part.document, .absent(error)))
            }
        }
        var made = TransactionOutcome(members, named: members.count, isRepeated: true)
        made.memory = memory
        return made
    }

    /// The parts of the transaction that a record names, by the names that their documents had
    /// then; `nil` without such a record. Blocks.
    private func parts(by record: KeyRecord) async throws(ChangeError) -> [DocumentRevision]? {
        let outcome: Outcome
        do throws(Refusal) {
            outcome = try await self.outcome(of: .repeating(record.token), in: record.document)
        } catch {
            if case .unknownDocument = error.error { return nil }
            throw error.error
        }
        guard outcome.isRepeated, let leader = outcome.change?.transaction?.leader else {
            return nil
        }
        return try DocumentPast(leader.document, journal).change(at: leader.revision)
            .transaction?.parts
    }
}

extension ChangeError {
    /// Whether a change is not there any more.
    var isForgotten: Bool {
        switch self {
        case .purged, .trimmed, .unknownRevision: true
        default: false
        }
    }
}

extension TransactionRefusal {
    fileprivate init(_ document: DocumentID, _ error: ChangeError) {
        self.init(member: 0, document: document, refusal: Refusal(error))
    }
}
