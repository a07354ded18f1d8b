import JSONTree
import Journaling
import VersioningKit

/// A JSON tree with a name and a history, at one revision. A value.
public struct Document: Sendable {
    public let id: DocumentID
    public internal(set) var tree: JSON
    public internal(set) var revision: Int
    /// What undo and redo would do; a step is a revision.
    public internal(set) var history: VersionHistory<Int>
    public internal(set) var settings: DocumentSettings
    /// Named copies of the value, or of parts of it.
    public internal(set) var snapshots: [String: Snapshot] = [:]
    /// When the last change was accepted.
    public internal(set) var time: Timestamp
    public internal(set) var isDeleted: Bool
    /// The journal's chain at `revision`.
    var chain: ChainHash

    /// The document after one more change, whose patch leads to `tree`.
    ///
    /// Live changes and replay both come through here, and nothing else moves a document.
    mutating func advance(
        by change: Change, to tree: JSON, chain: ChainHash, grouping: Grouping = .none
    ) throws(VersionError) {
        switch change.kind {
        case .create:
            history = VersionHistory(root: change.revision)
            snapshots = [:]
            isDeleted = false
        case .append(let joins, let tag):
            history.append(
                change.revision, id: change.revision, joining: joins, actor: change.actor,
                at: change.time.duration, grouping: grouping)
            if let tag { history.tagCurrent(tag) }
        case .move(let version, _): history.move(to: version)
        case .snapshot(let key, let pointers):
            history.seal()
            snapshots[key] = Snapshot(of: tree, at: pointers, by: change)
        case .removeSnapshot(let key):
            history.seal()
            snapshots[key] = nil
        case .revert, .restore:
            history.append(change.revision, id: change.revision, actor: change.actor)
        case .tag(let name, let version): history.tag(version, as: name)
        case .removeTag(let name): history.removeTag(name)
        case .pushScope: history.pushScope(owner: change.actor)
        case .popScope(let isChanged):
            _ = try history.popScope(id: change.revision, isChanged: isChanged)
        case .discardScope: try history.discardScope()
        case .settings(let new):
            history.seal()
            settings = new
        case .delete:
            history.seal()
            isDeleted = true
        }
        self.tree = tree
        self.chain = chain
        revision = change.revision
        time = change.time
    }

    /// A document before its creation.
    static func unborn(_ id: DocumentID) -> Document {
        Document(
            id: id, tree: .null, revision: -1, history: VersionHistory(), settings: .init(),
            time: Timestamp(milliseconds: 0), isDeleted: true, chain: .start)
    }

    /// Whether there is a document to read.
    public var exists: Bool { !isDeleted }

    /// The revision for conditions: `nil` unless there is a document.
    var head: Int? { isDeleted ? nil : revision }
}
