import JSONTree
import Journaling
public import Naming

/// A name for one position in the order of commits.
public struct RestorePoint: Sendable {
    public let name: Name
    /// The documents that a restore to it is about, by the beginning of their names.
    public let prefix: String
    /// Every change with a number up to this one is before it.
    public let position: Int
    public let actor: Name
    public let time: Timestamp
    public let label: String?
    /// When it forgets itself.
    public let expiry: Timestamp?

    /// The limit on restore points. Each is a document, and the names of all are read when one is
    /// added: 10,000 names take a few milliseconds.
    public static let countMax = 10_000

    /// The longest name, in bytes.
    public static let nameBytesMax = documents.nameBytesMax

    /// The documents in which restore points are stored.
    static let documents = OwnDocuments("point/")
}

/// The stored value of a restore point, besides its change.
struct RestorePointRecord {
    var prefix: String
    var expiry: Timestamp?
    /// The entry that is the first one after the position; without it, the position is that of the
    /// record's own entry. A number would mean another position after an export and an import.
    var next: DocumentRevision?
    /// A number at or before that entry, so that it is found at once. After an import it may be
    /// behind it.
    var near: Int

    init(prefix: String, expiry: Timestamp?, next: DocumentRevision?, near: Int) {
        self.prefix = prefix
        self.expiry = expiry
        self.next = next
        self.near = near
    }

    /// `nil` if it is damaged.
    init?(_ value: JSON) {
        guard let prefix = value["prefix"]?.string, let near = value["near"]?.int else {
            return nil
        }
        self.prefix = prefix
        self.near = near
        expiry = value["expires"]?.int.map { Timestamp(milliseconds: $0) }
        if let name = value["document"]?.string, let revision = value["revision"]?.int {
            next = DocumentID(name).map { DocumentRevision($0, revision) }
        }
    }

    /// `nonce`: what makes each record another value, so that each PUT is an entry.
    func value(nonce: UInt64) -> JSON {
        var members: [(String, JSON)] = [("prefix", JSON(prefix)), ("near", JSON(near))]
        if let expiry { members.append(("expires", JSON(expiry.milliseconds))) }
        if let next {
            members.append(("document", JSON(next.document.name)))
            members.append(("revision", JSON(next.revision)))
        }
        members.append(("nonce", JSON(String(nonce, radix: 36))))
        return JSON(members: members)
    }
}
