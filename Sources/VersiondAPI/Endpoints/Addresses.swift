import Documents
import HTTPServing
import JSONTree
import Journaling
import VersioningKit

// States of a document by revision, tag or time, and what lies between two of them.

/// A state of a document in a client's words.
enum Address: Sendable, Equatable {
    case head
    case revision(Int)
    case tag(String)
    /// The whole value, or the places that it holds put into the head.
    case snapshot(String)
    /// The last state that was accepted by then.
    case time(Timestamp)

    init(_ text: String, named name: String) throws(Problem) {
        if text == "head" {
            self = .head
        } else if text.hasPrefix("tag:") {
            self = .tag(String(text.dropFirst(4)))
        } else if text.hasPrefix("snapshot:") {
            self = .snapshot(String(text.dropFirst(9)))
        } else if let revision = WholeNumber.parse(text) {
            self = .revision(revision)
        } else if let time = RFC3339.parse(text) {
            self = .time(time)
        } else {
            throw Problem(
                .malformedRequest,
                "\(name) must be a revision, tag:NAME, snapshot:KEY, head, or a time.",
                hint: "\(name)=7, \(name)=tag:draft, \(name)=2026-01-31T12:00:00Z "
                    + "(in a query, + is %2B)")
        }
    }
}

extension Address {
    fileprivate var isSnapshot: Bool { if case .snapshot = self { true } else { false } }

    /// The head with what a snapshot holds put into it.
    fileprivate func snapshot(of head: Document) throws(Problem) -> Document {
        guard case .snapshot(let key) = self else { return head }
        do {
            return try head.restored(from: key)
        } catch {
            throw Problem(error)
        }
    }
}

extension DocumentsAPI {
    /// `GET …/diff?from=&to=`: the patch that leads from one state to another; `to` is the head, if
    /// nothing else is said.
    func diff(_ call: Call, _ id: DocumentID) throws(Problem) {
        guard let from = call.query("from") else {
            throw Problem(
                .malformedRequest, "diff needs from.", hint: "GET …/diff?from=0&to=head")
        }
        let start = try Address(from, named: "from")
        let end = try Address(call.query("to") ?? "head", named: "to")
        state(id, at: start) { [self] before in
            state(id, at: end) { after in
                call.answer { () throws(Problem) in
                    try call.difference(try before.get(), try after.get(), id)
                }
            }
        }
    }

    /// Answers with a document as it is at an address.
    func document(
        _ call: Call, _ id: DocumentID, at address: Address,
        _ answer: @escaping @Sendable (Document) throws(Problem) -> HTTPResponse
    ) {
        state(id, at: address) { result in
            call.answer { () throws(Problem) in try answer(try result.get()) }
        }
    }

    /// The document as it is at an address.
    private func state(
        _ id: DocumentID, at address: Address,
        _ reply: @escaping @Sendable (Result<Document, Problem>) -> Void
    ) {
        store.read(id) { [store] result in
            let found = result.mapError { Problem($0) }.flatMap { head in
                Result { () throws(Problem) in (head, try DocumentsAPI.revision(of: address, head))
                }
            }
            switch found {
            case .failure(let problem): reply(.failure(problem))
            case .success((let head, _)) where address.isSnapshot:
                reply(Result { () throws(Problem) in try address.snapshot(of: head) })
            case .success((let head, let revision?)) where revision == head.revision:
                reply(.success(head))
            case .success((let head, let revision?)) where revision < head.oldestRevision:
                reply(.failure(Problem(ChangeError.trimmed(oldest: head.oldestRevision))))
            case .success((_, let revision?)):
                store.document(id, at: revision) { reply($0.mapError { Problem($0) }) }
            case .success((let head, nil)):
                guard case .time(let time) = address else { return }
                store.document(id, at: time) { result in
                    reply(
                        result.flatMap { found in
                            found.revision >= head.oldestRevision
                                ? .success(found) : .failure(.trimmed(oldest: head.oldestRevision))
                        }.mapError { Problem($0) })
                }
            }
        }
    }

    /// The revision that an address means; `nil` for a time, which the journal knows.
    private static func revision(
        of address: Address, _ head: Document
    ) throws(Problem) -> Int? {
        switch address {
        case .head: return head.revision
        case .revision(let revision): return revision
        case .snapshot: return nil
        case .time(let time): return time >= head.time ? head.revision : nil
        case .tag(let tag):
            guard let id = head.history.version(tagged: tag) else {
                throw Problem(VersionError.unknownTag(tag))
            }
            return head.history.version(id)?.steps.last ?? id
        }
    }
}

extension Call {
    /// What leads from one state to another.
    fileprivate func difference(
        _ before: Document, _ after: Document, _ id: DocumentID
    ) throws(Problem) -> HTTPResponse {
        let patch = try patchText(before.tree.diff(to: after.tree), on: before.tree)
        var text = JSONText()
        text.object { text in
            text.member("document", id.name)
            text.member("from", before.revision)
            text.member("to", after.revision)
            text.member("patch", raw: patch)
        }
        return json(text, fields: preferences.applied)
    }
}
