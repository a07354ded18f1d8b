import AccessControl
import Documents
import Journaling
import Naming
import VersioningKit

// How addresses are written.

extension StateAddress {
    init(_ text: String, named name: String) throws(Problem) {
        if text == "head" {
            self = .head
        } else if text == "origin" {
            self = .origin
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
                "\(name) must be a revision, version:N, tag:NAME, snapshot:NAME, head, origin, or "
                    + "a time.",
                hint:
                    "Example: \(name)=tag:draft, \(name)=2026-01-31T12:00:00Z (in a URL, + is %2B)."
            )
        }
    }
}

extension String {
    /// The text after a prefix, compared as bytes: a name may begin with a mark that Swift would
    /// see as part of the colon.
    fileprivate func dropping(_ prefix: String) -> String? {
        guard utf8.starts(with: prefix.utf8) else { return nil }
        return String(utf8.dropFirst(prefix.utf8.count))
    }
}

extension StateAddress {
    /// The document as it is at this address, if the client may read what it leads to. Blocks.
    func found(
        _ head: Document, _ past: DocumentPast, for call: Call
    ) throws(Problem) -> Document {
        if case .origin = self, let origin = head.origin, !call.grant.covers(origin.name) {
            throw Problem(ChangeError.draft(.originOutOfReach(origin)))
        }
        do throws(ChangeError) { return try document(head, past) } catch {
            throw call.problem(error, about: head.id)
        }
    }

    /// The version at this address. Blocks.
    func version(
        _ head: Document, _ past: DocumentPast, for call: Call
    ) throws(Problem) -> Int {
        switch self {
        case .head: return head.history.currentID
        case .version(let version): return version
        case .tag(let tag):
            guard let version = head.history.version(tagged: tag) else {
                throw Problem(ChangeError.version(.unknownTag(tag)))
            }
            return version
        case .revision, .time:
            let then = try found(head, past, for: call)
            let version = then.history.currentID
            if let last = try? head.lastRevision(of: version), last <= then.revision {
                return version
            }
            let shown = call.numbering(of: head.id).shown(then.revision)
            throw Problem(
                .unknownVersion, "Revision \(shown) is inside a version.")
        case .origin:
            throw Problem(
                .unknownVersion, "The common state of a draft and its origin is not a version.")
        case .snapshot(let key):
            throw Problem(.unknownVersion, "Snapshot \(key) is not a version.")
        }
    }
}
