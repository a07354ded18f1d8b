import JSONTree
import Journaling
import TestSupport
import Testing

@testable import DocumentCore
@testable import Documents

/// Rule 10: nothing is reverted that is not what the reversion was made from.
@Suite struct MismatchTests {
    /// A journal that, from some moment on, returns another content of one change.
    final class LyingJournal: ForwardingJournal {
        let base: any Journal = InMemoryJournal()
        private let lie = TestLock<Int?>(nil)

        /// From now on this revision left another tree.
        func lie(about revision: Int) { lie.withLock { $0 = revision } }

        func entries(of document: DocumentID, from revision: Int, limit: Int) throws(JournalError)
            -> [JournalEntry]
        {
            lied(try base.entries(of: document, from: revision, limit: limit))
        }

        func entries(of document: DocumentID, upTo revision: Int, limit: Int) throws(JournalError)
            -> [JournalEntry]
        {
            lied(try base.entries(of: document, upTo: revision, limit: limit))
        }

        private func lied(_ entries: [JournalEntry]) -> [JournalEntry] {
            let lie = lie.withLock { $0 }
            return entries.map { entry in
                guard entry.revision == lie,
                    let change = try? Change(decoding: entry.body, revision: entry.revision)
                else { return entry }
                var other = Change(
                    revision: change.revision, kind: change.kind, patch: change.patch,
                    actor: change.actor, time: change.time,
                    label: change.label)
                other.priorHash = change.priorHash.map { ShortHash(byte: ~UInt8($0.bits >> 8)) }
                return JournalEntry(
                    document: entry.document, revision: entry.revision, body: other.encoded(),
                    following: entry.previousChain)
            }
        }

        func checkpoint(of document: DocumentID, notAfter revision: Int) throws(JournalError)
            -> Checkpoint?
        { nil }
    }

    private func restarted(_ journal: LyingJournal) throws -> LocalDaemon {
        let first = try LocalDaemon(journal: journal)
        for value in ["0", "1", "2"] { _ = try first.menu("PUT", "", value) }
        _ = try first.menu("PUT", "/tags/end")
        first.stop()
        let second = try LocalDaemon(journal: journal)
        #expect(try second.value() == 2)
        return second
    }

    @Test func `10: what is checked outlives a restart`() throws {
        let daemon = try restarted(LyingJournal())
        #expect(try daemon.menu("POST", "/undo").json["version"] == 1)
        #expect(try daemon.value() == 1)
    }

    /// The change after a version notes what it was.
    @Test(arguments: [3, 2])
    func
        `10: a document that is not what the reversion was made from, or would not become what it was, is not reverted`(
            revision: Int
        ) throws
    {
        let journal = LyingJournal()
        let daemon = try restarted(journal)
        journal.lie(about: revision)
        let refused = try daemon.menu("POST", "/undo")
        #expect(refused.status == 409 && refused.code == "version-mismatch")
        let status = try daemon.menu("GET", "/status").json
        #expect(try daemon.value() == 2 && status["revision"] == 3)
        #expect(status["lastError"]?["code"] == "version-mismatch")
    }
}
