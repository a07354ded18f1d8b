import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import VersioningKit

// States of a document by revision, tag or time, and what lies between two of them.

/// A state of a document in a client's words.
enum Address: Sendable, Equatable {
    case head
    case revision(Int)
    case version(Int)
    case tag(Name)
    /// The whole value, or the places that it holds put into the head.
    case snapshot(Name)
    /// The last state that was accepted by then.
    case time(Timestamp)

    init(_ text: String, named name: String) throws(Problem) {
        if text == "head" {
            self = .head
        } else if let tag = text.dropping("tag:") {
            self = .tag(Name(tag))
        } else if let version = text.dropping("version:").flatMap({ WholeNumber.parse($0) }) {
            self = .version(version)
        } else if let snapshot = text.dropping("snapshot:") {
            self = .snapshot(Name(snapshot))
        } else if let revision = WholeNumber.parse(text) {
            self = .revision(revision)
        } else if let time = RFC3339.parse(text) {
            self = .time(time)
        } else {
            throw Problem(
                .malformedRequest,
                "\(name) must be a revision, version:N, tag:NAME, snapshot:KEY, head, or a time.",
                hint:
                    "\(name)=7, \(name)=version:3, \(name)=tag:draft, \(name)=2026-01-31T12:00:00Z "
                    + "(in a query, + is %2B)")
        }
    }
}

extension String {
    /// What follows a prefix, compared as bytes: a name may begin with a mark that Swift would see
    /// as part of the colon.
    fileprivate func dropping(_ prefix: String) -> String? {
        guard utf8.starts(with: prefix.utf8) else { return nil }
        return String(utf8.dropFirst(prefix.utf8.count))
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
        store.withPast(of: id, isLocal: try call.isLocal(), while: call.isAwaited) { found in
            call.respond { () throws(Problem) in
                let (head, past) = try DocumentsAPI.living(found)
                return try call.difference(
                    (start, try start.document(head, past)),
                    (end, try end.document(head, past)), id)
            }
        }
    }
}

extension Address {
    /// The state in a response: its revision, if it has one.
    fileprivate func name(of document: Document) -> JSON {
        if case .snapshot(let key) = self { return JSON("snapshot:\(key)") }
        return JSON(document.revision)
    }

    /// The document as it is at this address. Blocks.
    func document(_ head: Document, _ past: DocumentPast) throws(Problem) -> Document {
        do throws(ChangeError) {
            return try found(head, past)
        } catch {
            throw Problem(error)
        }
    }

    /// The version that stands at this address. Blocks.
    func version(_ head: Document, _ past: DocumentPast) throws(Problem) -> Int {
        switch self {
        case .head: return head.history.currentID
        case .version(let version): return version
        case .tag(let tag):
            guard let version = head.history.version(tagged: tag) else {
                throw Problem(ChangeError.version(.unknownTag(tag)))
            }
            return version
        case .revision, .time:
            let then = try document(head, past)
            let version = then.history.currentID
            if let last = try? head.lastRevision(of: version), last <= then.revision {
                return version
            }
            throw Problem(
                .unknownVersion, "Revision \(then.revision) is in the middle of a version.",
                hint: "POST …/restore with {\"from\":\"\(then.revision)\"} makes it the newest.")
        case .snapshot(let key):
            throw Problem(
                .unknownVersion, "A snapshot is no version.",
                hint: "POST …/restore with {\"from\":\"snapshot:\(key)\"} puts it back.")
        }
    }

    private func found(_ head: Document, _ past: DocumentPast) throws(ChangeError) -> Document {
        if case .snapshot(let key) = self { return try head.restored(from: key) }
        let revision = try revision(head, past)
        return revision == head.revision ? head : try past.document(at: revision)
    }

    /// The revision at this address; where a snapshot is, the newest. Blocks.
    func revision(_ head: Document, _ past: DocumentPast) throws(ChangeError) -> Int {
        let revision: Int
        switch self {
        case .head, .snapshot: return head.revision
        case .revision(let number): revision = number
        case .time(let time):
            revision = time >= head.time ? head.revision : try past.revision(at: time)
        case .version(let version): revision = try head.lastRevision(of: version)
        case .tag(let tag):
            guard let version = head.history.version(tagged: tag) else {
                throw .version(.unknownTag(tag))
            }
            revision = try head.lastRevision(of: version)
        }
        guard revision >= head.oldestRevision else { throw .trimmed(oldest: head.oldestRevision) }
        return revision
    }
}

extension Call {
    /// What leads from one state to another.
    fileprivate func difference(
        _ from: (Address, Document), _ to: (Address, Document), _ id: DocumentID
    ) throws(Problem) -> HTTPResponse {
        let (before, after) = (from.1.tree, to.1.tree)
        let patch = try patchText(before.diff(to: after), on: before)
        var text = JSONText()
        text.object { text in
            text.member("document", id.name)
            text.member("from", from.0.name(of: from.1))
            text.member("to", to.0.name(of: to.1))
            text.member("patch", raw: patch)
        }
        return json(text, fields: preferences.applied)
    }
}
