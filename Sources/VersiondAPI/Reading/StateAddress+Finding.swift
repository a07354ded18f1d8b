import AccessControl
import Documents
import Journaling
import VersioningKit

// Where an address leads, for a client.

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
