import Foundation
import Journaling
import TestSupport
import Testing

@testable import SQLiteJournaling

/// Erased content is in no file, whenever the process ends.
@Suite struct RewritingTests {
    private let directory: TemporaryDirectory
    private let id = DocumentID("a")!

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Random letters, which do not become shorter when they are packed.
    private static func secret(_ random: inout SeededGenerator) -> [UInt8] {
        (0..<64).map { _ in UInt8(33 + random.below(90)) }
    }

    private final class Blanking: EntryRewriting {
        let leavesNothing = true
        /// Called where the process may end.
        var atEnd: () -> Void = {}

        func body(of entry: JournalEntry) -> [UInt8] { Array("blank".utf8) }

        func end(after head: JournalHead) -> RewritingEnd {
            atEnd()
            return .adding(
                JournalEntry(
                    document: DocumentID("a")!, revision: head.revision + 1, body: [1],
                    following: head.chain))
        }
    }

    /// A journal with secrets in rows, segments and checkpoints. Returns them.
    private func fill(
        _ journal: SQLiteJournal, _ seed: UInt64, packing: Bool
    ) throws -> [[UInt8]] {
        var random = SeededGenerator(seed: seed)
        var (secrets, stored): ([[UInt8]], [[UInt8]]) = ([], [])
        var chain = ChainHash.start
        for revision in 0..<120 {
            secrets.append(Self.secret(&random))
            let entry = JournalEntry(
                document: id, revision: revision, body: secrets[revision], following: chain)
            chain = entry.chain
            var batch = JournalBatch(entries: [entry])
            if revision % 30 == 29 {
                let body = Self.secret(&random)
                stored.append(body)
                batch.checkpoints = [
                    Checkpoint(document: id, revision: revision, chain: chain, body: body)
                ]
            }
            _ = try journal.commit(batch)
            if packing && revision % 40 == 39 { try journal.packAll() }
        }
        return secrets + stored
    }

    private func files() throws -> [(name: String, bytes: Data)] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).map { name in
            (name, try Data(contentsOf: URL(fileURLWithPath: directory.path + "/" + name)))
        }
    }

    private func expectGone(_ secrets: [[UInt8]], _ chains: [ChainHash] = []) throws {
        for (name, bytes) in try files() {
            for secret in secrets {
                // Eight equal bytes in a row are not a coincidence.
                let part = Data(secret[24..<32])
                #expect(bytes.range(of: part) == nil, "a part of a secret is in \(name)")
            }
            for chain in chains {
                #expect(bytes.range(of: Data(chain.bytes)) == nil, "a chain is in \(name)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `nothing of what was erased is in any file, beside a running journal`(
        packing: Bool
    ) throws {
        let journal = try SQLiteJournal(directory: directory.path)
        let secrets = try fill(journal, 1, packing: packing)
        let chain = try #require(try journal.head(of: id)).chain
        let (_, packed) = (try journal.packAll(), try segmentBodies(journal))
        #expect(!packed.isEmpty)
        _ = try journal.rewrite(id, by: Blanking())
        try expectGone(secrets + packed, [chain])
        #expect(try journal.entries(of: id, from: 0, limit: 200).count == 121)
        journal.close()
        try expectGone(secrets + packed, [chain])
        #expect(try SQLiteCheck.faults(in: directory.path).isEmpty)
    }

    /// The bodies of the segments, in parts.
    private func segmentBodies(_ journal: SQLiteJournal) throws -> [[UInt8]] {
        let connection = try SQLiteConnection(
            path: directory.path + "/journal.sqlite", mode: .readOnly)
        let statement = try connection.prepare("SELECT body FROM segment")
        var parts: [[UInt8]] = []
        while try statement.step() {
            let body = statement.bytes(0)
            parts += stride(from: 0, to: body.count - 64, by: 64).map { Array(body[$0..<$0 + 64]) }
        }
        return parts
    }

    @Test func `a mark from before the erasure is the journal's own, until it is replaced`() throws
    {
        let journal = try SQLiteJournal(directory: directory.path)
        let secrets = try fill(journal, 2, packing: true)
        let mark = directory.path + "/high-water"
        let copy = directory.path + ".mark"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let rewriting = Blanking()
        rewriting.atEnd = { try? FileManager.default.copyItem(atPath: mark, toPath: copy) }
        _ = try journal.rewrite(id, by: rewriting)
        journal.close()
        // As if the process had ended right after the commit.
        let connection = try SQLiteConnection(
            path: directory.path + "/journal.sqlite", mode: .readWrite)
        let former = try #require(try HighWaterMark.read(inFile: copy))
        try ErasureState(connection).begin(at: former)
        try FileManager.default.removeItem(atPath: mark)
        try FileManager.default.copyItem(atPath: copy, toPath: mark)
        #expect(try SQLiteCheck.faults(in: directory.path, isInUse: true).isEmpty)
        let again = try SQLiteJournal(directory: directory.path)
        #expect(try again.entries(of: id, from: 0, limit: 200).count == 121)
        #expect(try ErasureState(connection).formerMark == nil, "that is finished now")
        again.close()
        try expectGone(secrets)
    }

    @Test func `what versions before 0.3 deleted is overwritten, too`() throws {
        let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Golden/0.2")
        let old = try #require(
            try FileManager.default.contentsOfDirectory(
                at: golden, includingPropertiesForKeys: nil
            ).first { FileManager.default.fileExists(atPath: $0.path + "/journal.sqlite") })
        for name in try FileManager.default.contentsOfDirectory(atPath: old.path) {
            try FileManager.default.copyItem(
                atPath: old.path + "/" + name, toPath: directory.path + "/" + name)
        }
        let journal = try SQLiteJournal(directory: directory.path)
        func state() throws -> Int {
            try SQLiteConnection(path: directory.path + "/journal.sqlite", mode: .readOnly)
                .integer("SELECT count(*) FROM state WHERE name = 'leftovers'")
        }
        #expect(try state() == 1, "deleted rows were not overwritten")
        _ = try fill(journal, 3, packing: false)
        _ = try journal.rewrite(id, by: Blanking())
        #expect(try state() == 0)
        journal.close()
    }
}
