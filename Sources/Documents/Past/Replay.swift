import DocumentCore
import JSONTree
import Journaling
import VersioningKit

/// Journal → document, by the function that live changes use.
enum Replay {
    /// Entries that are read at once.
    private static let pageSize = 1_000

    /// The document at its head, or `nil` if the journal does not know it. Restart seals.
    /// Throws `.tooLargeTogether` when it does not fit into `room`.
    static func document(
        _ id: DocumentID, from journal: any Journal, upTo last: Int = .max,
        usingCheckpoints: Bool = true, within room: StateRoom = .endless,
        while isWanted: () -> Bool = { true }
    ) throws(ChangeError) -> LoadedDocument? {
        func attempt() throws(ChangeError) -> LoadedDocument? {
            try Replay.attempt(
                id, journal, upTo: last, usingCheckpoints, room, while: isWanted)
        }
        do throws(ChangeError) {
            return try attempt()
        } catch {
            // Half of it may have been read before the entries were rewritten, and half after it.
            guard case .journal(.corrupt) = error else { throw error }
            return try attempt()
        }
    }

    private static func attempt(
        _ id: DocumentID, _ journal: any Journal, upTo last: Int, _ usingCheckpoints: Bool,
        _ room: StateRoom, while isWanted: () -> Bool
    ) throws(ChangeError) -> LoadedDocument? {
        do {
            let stored =
                usingCheckpoints ? try journal.checkpoint(of: id, notAfter: last) : nil
            if let stored { try room.check(stored.body.count) }
            var found = beginning(of: id, stored)
            let isAll = try advance(&found, upTo: last, journal) { document in
                document.weight <= room.bytes && isWanted()
            }
            try room.check(found.document.weight)
            if !isAll { throw ChangeError.abandoned }
            found.document.history.seal()
            return found.document.life == .unborn ? nil : found
        } catch let error as JournalError {
            throw .journal(error)
        } catch {
            throw error as? ChangeError ?? .abandoned
        }
    }

    /// A document from its last checkpoint up to a revision, or before its creation. The entries
    /// after that continue from there.
    static func beginning(
        of id: DocumentID, from journal: any Journal, notAfter revision: Int
    ) throws(JournalError) -> LoadedDocument {
        beginning(of: id, try journal.checkpoint(of: id, notAfter: revision))
    }

    private static func beginning(of id: DocumentID, _ stored: Checkpoint?) -> LoadedDocument {
        var found = LoadedDocument(document: .unborn(id))
        if let stored, let restored = try? Document(stored, &found.requests) {
            found.document = restored
        }
        return found
    }

    /// Returns `false` if it ended early, because no client waits for the result any more.
    private static func advance(
        _ found: inout LoadedDocument, upTo last: Int, _ journal: any Journal,
        while isWanted: (Document) -> Bool
    ) throws(JournalError) -> Bool {
        while found.document.nextRevision <= last {
            guard isWanted(found.document) else { return false }
            let entries = try journal.entries(
                of: found.document.id, from: found.document.nextRevision, limit: pageSize)
            for entry in entries where entry.revision <= last {
                found.requests.note(try found.document.replay(entry))
            }
            found.replayed += entries.count
            if JournalPage.isAll(entries, limit: pageSize) { break }
        }
        return true
    }
}
