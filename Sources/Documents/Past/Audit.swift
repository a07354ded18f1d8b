import DocumentCore
import JSONTree
public import Journaling
import Naming
import VersioningKit

/// Checks the stored documents without changing them. For the operator's tools.
public enum Audit {
    /// The items found whole.
    public struct Report: Sendable {
        public let changes: Int
        public let versions: Int
    }

    /// Replays a document from its first entry, checking the chain and every tree's hash, and
    /// compares the result with what the newest checkpoint leads to.
    public static func check(
        _ id: DocumentID, _ journal: any Journal
    ) throws(ChangeError) -> Report {
        guard let whole = try Replay.document(id, from: journal, usingCheckpoints: false),
            // A daemon may be writing meanwhile.
            let short = try Replay.document(id, from: journal, upTo: whole.document.revision)
        else { throw .unknownDocument }
        let isSame =
            whole.document.tree == short.document.tree
            && whole.document.chain == short.document.chain
            && whole.document.history.currentID == short.document.history.currentID
            && whole.document.draft == short.document.draft
        guard isSame else {
            throw .journal(.corrupt("the newest checkpoint is not what replay gives"))
        }
        try checkListing(of: whole.document, journal)
        return Report(
            changes: whole.replayed, versions: whole.document.history.state.versions.count)
    }

    /// A document is listed as it is: deleted, or not.
    private static func checkListing(
        of document: Document, _ journal: any Journal
    ) throws(ChangeError) {
        let listing = try journaled(
            journal.documents(prefix: document.id.name, after: nil, limit: 1).first)
        guard let listing, listing.document == document.id else {
            throw .journal(.corrupt("it is not listed"))
        }
        // A daemon may be writing meanwhile.
        guard listing.revision == document.revision else { return }
        guard listing.isDeleted == !document.exists else {
            throw .journal(
                .corrupt("it is \(document.exists ? "there" : "deleted"), and listed otherwise"))
        }
    }

    /// Calls `body` with the name of every document, in byte order.
    public static func forEachDocument(
        _ journal: any Journal, _ body: (DocumentID) -> Void
    ) throws(ChangeError) {
        var last: String?
        do throws(JournalError) {
            while true {
                let page = try journal.documents(prefix: "", after: last, limit: 1_000)
                page.forEach { body($0.document) }
                guard let end = page.last else { return }
                last = end.document.name
            }
        } catch {
            throw .journal(error)
        }
    }

    /// Calls `body` with every change, oldest first.
    public static func forEachChange(
        of id: DocumentID, _ journal: any Journal, _ body: (Change) -> Void
    ) throws(ChangeError) {
        let past = DocumentPast(id, journal)
        var next = 0
        while true {
            let changes = try past.changes(from: next, limit: 1_000)
            changes.forEach(body)
            guard let end = changes.last else { return }
            next = end.revision + 1
        }
    }

    /// A change as one line of JSON.
    public static func line(_ change: Change) -> String { "{\(change.members)}" }
}

extension Change {
    /// The description of a change in a line of an export or a dump, for people and programs.
    var members: String {
        var text = "\"revision\":\(revision),\"kind\":\"\(kind.name)\""
        if actor != .nobody { text += ",\"actor\":\(JSON(actor.text))" }
        text += ",\"time\":\"\(RFC3339.text(time))\""
        if let label { text += ",\"label\":\(JSON(label))" }
        let patch = String(decoding: edits.textOperations.serialized(), as: UTF8.self)
        return text + ",\"patch\":\(patch)"
    }
}
