import Foundation
import Journaling
import PostgreSQLJournaling
import SQLiteJournaling
import TestSupport
import Testing

/// The promises of the comment on `Journal`, tested on every journal.
@Suite struct JournalContractTests {
    enum Kind: CaseIterable, Sendable {
        case inMemory, sqlite
        /// In which everything but the newest entry of each document is packed at once.
        case packed
        /// In a database of its own on a real server, if there is one here.
        case postgresql
        /// The same, packed at once.
        case packedPostgreSQL

        var isPacked: Bool { self == .packed || self == .packedPostgreSQL }

        static var allCases: [Kind] {
            [.inMemory, .sqlite, .packed]
                + (PostgreSQLServer.isHere ? [.postgresql, .packedPostgreSQL] : [])
        }
    }

    private struct PackedJournal: ForwardingJournal {
        let packable: any Packable
        var base: any Journal { packable }

        func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
            let fates = try packable.commit(batch)
            try packable.packAll()
            return fates
        }
    }

    func withJournal(_ kind: Kind, _ body: (any Journal) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        let journal: any Journal =
            switch kind {
            case .inMemory: InMemoryJournal()
            case .sqlite: try SQLiteJournal(directory: directory.path)
            case .packed: PackedJournal(packable: try SQLiteJournal(directory: directory.path))
            case .postgresql: try JournalContractTests.postgreSQLJournal()
            case .packedPostgreSQL:
                PackedJournal(packable: try JournalContractTests.postgreSQLJournal())
            }
        try body(journal)
        journal.close()
    }

    static func postgreSQLJournal() throws -> PostgreSQLJournal {
        let server = try #require(PostgreSQLServer.shared)
        return try PostgreSQLJournal(
            #require(PostgreSQLAddress(try server.newSchema())), now: PostgreSQLServer.time())
    }

    /// `count` entries of a document, one after the other.
    func entries(
        _ name: String, _ count: Int, after last: JournalEntry? = nil
    ) throws -> [JournalEntry] {
        let id = try #require(DocumentID(name))
        var entries: [JournalEntry] = []
        var chain = last?.chain ?? .start
        for revision in 0..<count {
            let revision = revision + (last?.revision ?? -1) + 1
            let entry = JournalEntry(
                document: id, revision: revision, body: Array("\(name) \(revision)".utf8),
                following: chain, lifecycle: revision == 0 ? .begins : .goesOn)
            chain = entry.chain
            entries.append(entry)
        }
        return entries
    }

    @Test(arguments: Kind.allCases)
    func `what was committed is read back in order, page by page`(kind: Kind) throws {
        try withJournal(kind) { journal in
            let all = try entries("a", 25)
            let id = all[0].document
            #expect(
                try journal.commit(JournalBatch(entries: all))
                    == (1...25).map { .stored(sequence: $0) })
            #expect(try journal.entries(of: id, from: 0, limit: 100) == all)
            #expect(try journal.entries(of: id, from: 10, limit: 5) == Array(all[10..<15]))
            #expect(try journal.entries(of: id, from: 25, limit: 5).isEmpty)
            #expect(try journal.head(of: id) == JournalHead(revision: 24, chain: all[24].chain))
        }
    }

    @Test(arguments: Kind.allCases)
    func `large entries are handed out a few at a time, and at least one`(kind: Kind) throws {
        try withJournal(kind) { journal in
            let id = try #require(DocumentID("large"))
            var chain = ChainHash.start
            let all = [6, 1, 1, 1, 1, 1, 1].enumerated().map { revision, megabytes in
                let entry = JournalEntry(
                    document: id, revision: revision,
                    body: [UInt8](repeating: 7, count: megabytes << 20), following: chain)
                chain = entry.chain
                return entry
            }
            _ = try journal.commit(JournalBatch(entries: all))
            #expect(try journal.entries(of: id, from: 0, limit: 9).map(\.revision) == [0])
            #expect(
                try journal.entries(of: id, from: 1, limit: 9).map(\.revision) == [1, 2, 3, 4])
            #expect(try journal.entries(of: id, from: 5, limit: 9).map(\.revision) == [5, 6])
            for last in 0..<9 {
                let found = try journal.entries(of: id, upTo: last, limit: 9)
                let end = min(last, 6)
                #expect(found == Array(all[(end + 1 - found.count)...end]) && !found.isEmpty)
                let bytes = found.dropFirst().reduce(0) { $0 + $1.body.count }
                #expect(bytes < JournalPage.bytesMax)
            }
            #expect(try journal.entries(of: id, upTo: 6, limit: 2) == Array(all[5...6]))
            #expect(try journal.entries(of: id, upTo: -1, limit: 2).isEmpty)
            let pages = try [0, 1, 5].map { try journal.entries(after: $0, prefix: "", limit: 9) }
            #expect(pages.map(\.end) == [1, 5, 7] && pages.map(\.entries.count) == [1, 4, 2])
        }
    }

    @Test(arguments: Kind.allCases)
    func `entries of many documents are read in the order of commits, by prefix`(kind: Kind) throws
    {
        try withJournal(kind) { journal in
            let (first, other) = (try entries("a/1", 3), try entries("b", 2))
            #expect(journal.lastSequence == 0)
            _ = try journal.commit(JournalBatch(entries: [first[0], other[0], first[2], first[1]]))
            #expect(journal.lastSequence == 3, "a refused entry has no number")
            _ = try journal.commit(JournalBatch(entries: [other[1], first[2]]))
            let all = try journal.entries(after: 0, prefix: "", limit: 9)
            #expect(all.entries.map(\.entry) == [first[0], other[0], first[1], other[1], first[2]])
            #expect(all.entries.map(\.sequence) == [1, 2, 3, 4, 5] && all.end == 5)
            let page = try journal.entries(after: 1, prefix: "a/", limit: 1)
            #expect(page.entries.map(\.entry) == [first[1]] && page.end == 3)
            let rest = try journal.entries(after: page.end, prefix: "a/", limit: 9)
            #expect(rest.entries.map(\.sequence) == [5] && rest.end == 5)
            #expect(try journal.entries(after: 5, prefix: "", limit: 9).end == 5)
            #expect(
                try journal.entries(after: 0, prefix: "c", limit: 9).end == 5, "all was looked at")
        }
    }

    @Test(arguments: Kind.allCases)
    func `an entry that does not follow is refused and the others are stored`(kind: Kind) throws {
        try withJournal(kind) { journal in
            let (first, other) = (try entries("a", 5), try entries("b", 2))
            let batch = [first[0], first[2], other[0], first[1], first[1], other[1]]
            #expect(
                try journal.commit(JournalBatch(entries: batch)) == [
                    .stored(sequence: 1), .refused, .stored(sequence: 2), .stored(sequence: 3),
                    .refused, .stored(sequence: 4),
                ])
            #expect(
                try journal.entries(of: first[0].document, from: 0, limit: 9)
                    == Array(first[..<2]))
            #expect(try journal.entries(of: other[0].document, from: 0, limit: 9) == other)
        }
    }

    @Test(arguments: Kind.allCases)
    func `an entry's fate is the number that it is read under`(kind: Kind) throws {
        try withJournal(kind) { journal in
            let (first, other) = (try entries("a", 9), try entries("b", 9))
            var expected: [Int: JournalEntry] = [:]
            // Two writers, each in its own batches, with some entries that come too early.
            for index in 0..<9 {
                let batches = [
                    [first[index], first[min(index + 2, 8)]],
                    [other[min(index + 1, 8)], other[index]],
                ]
                for batch in batches {
                    let fates = try journal.commit(JournalBatch(entries: batch))
                    #expect(fates.count == batch.count)
                    for (fate, entry) in zip(fates, batch) {
                        if case .stored(let sequence) = fate { expected[sequence] = entry }
                    }
                }
            }
            let all = try journal.entries(after: 0, prefix: "", limit: 99).entries
            #expect(all.count == 18 && expected.count == 18)
            for (sequence, entry) in all { #expect(expected[sequence] == entry) }
            #expect(all.map(\.sequence) == all.map(\.sequence).sorted())
        }
    }

    @Test(arguments: Kind.allCases)
    func `of a batch that is one unit all is stored, or nothing`(kind: Kind) throws {
        try withJournal(kind) { journal in
            let (a, b) = (try entries("a", 3), try entries("b", 3))
            #expect(
                try journal.commit(JournalBatch(unit: a + b[..<1]))
                    == (1...4).map { .stored(sequence: $0) })
            let late = try entries("c", 2) + [b[2]]
            #expect(
                try journal.commit(JournalBatch(unit: late))
                    == late.map { _ in .refused })
            #expect(try journal.head(of: late[0].document) == nil)
            #expect(try journal.entries(after: 0, prefix: "", limit: 10).entries.count == 4)
            #expect(
                try journal.commit(JournalBatch(unit: [b[1], b[2]]))
                    == [.stored(sequence: 5), .stored(sequence: 6)])
        }
    }

    @Test(arguments: Kind.allCases)
    func `an entry with another past is refused`(kind: Kind) throws {
        try withJournal(kind) { journal in
            let all = try entries("a", 2)
            let stranger = JournalEntry(
                document: all[0].document, revision: 1, body: [1], following: .start)
            let fates = try journal.commit(JournalBatch(entries: [all[0], stranger]))
            #expect(fates == [.stored(sequence: 1), .refused])
            #expect(
                try journal.commit(JournalBatch(entries: [all[1]])) == [.stored(sequence: 2)])
        }
    }

    @Test(arguments: Kind.allCases)
    func `the newest checkpoint that is not too new is found`(kind: Kind) throws {
        try withJournal(kind) { journal in
            // So far apart that both are kept.
            let all = try entries("a", 18_001)
            let id = all[0].document
            let checkpoints = [9_000, 18_000].map {
                Checkpoint(document: id, revision: $0, chain: all[$0].chain, body: [1, 2])
            }
            _ = try journal.commit(JournalBatch(entries: all, checkpoints: checkpoints))
            #expect(try journal.checkpoint(of: id, notAfter: 8_999) == nil)
            #expect(try journal.checkpoint(of: id, notAfter: 17_999) == checkpoints[0])
            #expect(try journal.checkpoint(of: id, notAfter: .max) == checkpoints[1])
        }
    }

    @Test(arguments: Kind.allCases)
    func `of many checkpoints the newest stays, and older ones further apart`(kind: Kind) throws {
        try withJournal(kind) { journal in
            let all = try entries("a", 40_000)
            let id = all[0].document
            for start in stride(from: 0, to: all.count, by: 1_000) {
                let entries = Array(all[start..<(start + 1_000)])
                let entry = entries[999]
                let checkpoint = Checkpoint(
                    document: id, revision: entry.revision, chain: entry.chain, body: [1])
                _ = try journal.commit(JournalBatch(entries: entries, checkpoints: [checkpoint]))
            }
            let places = Array(stride(from: 0, to: all.count, by: 500)) + [all.count - 1]
            let found = try places.map { try journal.checkpoint(of: id, notAfter: $0) }
            let revisions = Set(found.compactMap { $0?.revision })
            #expect(revisions.contains(39_999))
            #expect((3...7).contains(revisions.count), "\(revisions.sorted())")
            for (revision, found) in zip(places, found) {
                let replayed = revision - (found?.revision ?? 0)
                let most = max(CheckpointThinning.gapMin, all.count - revision)
                #expect(replayed <= most, "\(revision)")
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a checkpoint is what it was, however it is stored by now`(kind: Kind) throws {
        try withJournal(kind) { journal in
            var random = SeededGenerator(seed: 1)
            let all = try entries("a", 60_000)
            var (content, contents) = ([12] as [UInt8], [Int: [UInt8]]())
            for start in stride(from: 0, to: all.count, by: 2_000) {
                let entries = Array(all[start..<(start + 2_000)])
                content += (0..<3_000).map { _ in UInt8(random.below(256)) }
                let entry = entries[1_999]
                contents[entry.revision] = content
                let checkpoint = Checkpoint(
                    document: entry.document, revision: entry.revision, chain: entry.chain,
                    body: CheckpointBody.compressed(content))
                _ = try journal.commit(JournalBatch(entries: entries, checkpoints: [checkpoint]))
            }
            var found: Set<Int> = []
            for place in [12_000, 20_001, 44_000, 44_001, 60_000] {
                let checkpoint = try journal.checkpoint(of: all[0].document, notAfter: place)
                guard let checkpoint else { continue }
                found.insert(checkpoint.revision)
                #expect(checkpoint.chain == all[checkpoint.revision].chain)
                let content = contents[checkpoint.revision]
                #expect(try CheckpointBody.content(of: checkpoint.body) == content)
                // A reader gets the content of a delta.
                let isDelta = kind.isPacked && checkpoint.revision != 59_999
                #expect((checkpoint.body == content) == isDelta)
            }
            #expect(found == [19_999, 39_999, 59_999])
        }
    }

    @Test(arguments: Kind.allCases)
    func `documents are listed in byte order, by prefix, after a name`(kind: Kind) throws {
        try withJournal(kind) { journal in
            for name in ["b/2", "é", "b/1", "e\u{301}", "a", "b", "z"] {
                _ = try journal.commit(JournalBatch(entries: try entries(name, 2)))
            }
            func names(_ prefix: String, after: String? = nil, limit: Int = 100) throws -> [[UInt8]]
            {
                try journal.documents(prefix: prefix, after: after, limit: limit).map {
                    Array($0.document.name.utf8)
                }
            }
            func bytes(_ names: String...) -> [[UInt8]] { names.map { Array($0.utf8) } }
            #expect(try names("") == bytes("a", "b", "b/1", "b/2", "e\u{301}", "z", "é"))
            #expect(try names("b") == bytes("b", "b/1", "b/2"))
            #expect(try names("b", after: "b") == bytes("b/1", "b/2"))
            #expect(try names("b", after: "a") == bytes("b", "b/1", "b/2"))
            #expect(try names("b", after: "c").isEmpty && names("z", after: "z").isEmpty)
            #expect(try names("b/1", after: nil) == bytes("b/1"))
            #expect(try names("", limit: 2) == bytes("a", "b"))
            #expect(try journal.documents(prefix: "a", after: nil, limit: 1)[0].revision == 1)
        }
    }

    @Test(arguments: Kind.allCases)
    func `a deleted document is listed as deleted until it begins again`(kind: Kind) throws {
        try withJournal(kind) { journal in
            let first = try entries("a", 1)[0]
            let end = JournalEntry(
                document: first.document, revision: 1, body: [], following: first.chain,
                lifecycle: .ends)
            let again = JournalEntry(
                document: first.document, revision: 2, body: [], following: end.chain,
                lifecycle: .begins)
            _ = try journal.commit(JournalBatch(entries: [first, end]))
            #expect(try journal.documents(prefix: "", after: nil, limit: 9)[0].isDeleted)
            _ = try journal.commit(JournalBatch(entries: [again]))
            #expect(try !journal.documents(prefix: "", after: nil, limit: 9)[0].isDeleted)
        }
    }

    @Test(arguments: Kind.allCases)
    func `empty and binary bodies come back`(kind: Kind) throws {
        try withJournal(kind) { journal in
            let id = try #require(DocumentID("binary"))
            let empty = JournalEntry(
                document: id, revision: 0, body: [], following: .start, lifecycle: .begins)
            let binary = JournalEntry(
                document: id, revision: 1, body: Array(0...255), following: empty.chain)
            _ = try journal.commit(JournalBatch(entries: [empty, binary]))
            #expect(try journal.entries(of: id, from: 0, limit: 9) == [empty, binary])
        }
    }
}

@Suite struct SQLiteJournalTests {
    private func fill(_ directory: TemporaryDirectory, _ name: String, _ count: Int) throws {
        let journal = try SQLiteJournal(directory: directory.path)
        var chain = ChainHash.start
        let id = try #require(DocumentID(name))
        for revision in 0..<count {
            let entry = JournalEntry(
                document: id, revision: revision, body: [UInt8(revision & 0xff)], following: chain,
                lifecycle: revision == 0 ? .begins : .goesOn)
            _ = try journal.commit(JournalBatch(entries: [entry]))
            chain = entry.chain
        }
        journal.close()
    }

    @Test func `what was committed is there after opening again`() throws {
        let directory = try TemporaryDirectory()
        try fill(directory, "a", 10)
        let first = try SQLiteJournal(directory: directory.path)
        #expect(try first.entries(of: #require(DocumentID("a")), from: 0, limit: 99).count == 10)
        first.close()
        let second = try SQLiteJournal(directory: directory.path)
        #expect(try second.entries(of: #require(DocumentID("a")), from: 0, limit: 99).count == 10)
        second.close()
    }

    @Test func `a history that has become shorter is not opened without a word`() throws {
        let directory = try TemporaryDirectory()
        try fill(directory, "a", 5)
        let older = try Data(contentsOf: URL(filePath: directory.path + "/journal.sqlite"))
        let another = try TemporaryDirectory()
        try fill(another, "a", 20)
        // The database of an earlier day next to the mark of a later one.
        try older.write(to: URL(filePath: another.path + "/journal.sqlite"))
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: another.path + "/journal.sqlite" + suffix)
        }
        #expect {
            try SQLiteJournal(directory: another.path)
        } throws: { error in
            if case JournalError.corrupt = error { true } else { false }
        }
        let accepted = try SQLiteJournal(directory: another.path, acceptingLoss: true)
        #expect(
            try accepted.entries(of: #require(DocumentID("a")), from: 0, limit: 99).count == 5)
        accepted.close()
    }

    @Test func `a changed byte in an entry is found`() throws {
        let directory = try TemporaryDirectory()
        let journal = try SQLiteJournal(directory: directory.path)
        let id = try #require(DocumentID("a"))
        let body = Array("a body that can be found in the file".utf8)
        let first = JournalEntry(
            document: id, revision: 0, body: body, following: .start, lifecycle: .begins)
        let second = JournalEntry(document: id, revision: 1, body: [2], following: first.chain)
        _ = try journal.commit(JournalBatch(entries: [first, second]))
        journal.close()
        let url = URL(filePath: directory.path + "/journal.sqlite")
        var bytes = [UInt8](try Data(contentsOf: url))
        let place = try #require(bytes.firstRange(of: body))
        bytes[place.lowerBound + 3] ^= 1
        try Data(bytes).write(to: url)
        let damaged = try SQLiteJournal(directory: directory.path)
        #expect {
            try damaged.entries(of: id, from: 0, limit: 9)
        } throws: { error in
            if case JournalError.corrupt = error { true } else { false }
        }
        damaged.close()
    }
}

// MARK: Rewriting

extension JournalContractTests {
    /// Rewrites every body with a function, unless it is the end that is refused.
    private final class Rewriting: EntryRewriting {
        let change: (JournalEntry) -> String
        let leavesNothing = false
        var isWanted = true
        var isAdding = true
        var meanwhile: (() throws -> Void)?

        init(_ change: @escaping (JournalEntry) -> String) {
            self.change = change
        }

        func body(of entry: JournalEntry) throws(JournalError) -> [UInt8] {
            do { try meanwhile?() } catch { throw .unavailable("\(error)") }
            meanwhile = nil
            return Array(change(entry).utf8)
        }

        func end(after head: JournalHead) -> RewritingEnd {
            guard isWanted else { return .nothing }
            if !isAdding { return .stored }
            return .adding(
                JournalEntry(
                    document: DocumentID("a")!, revision: head.revision + 1,
                    body: Array("end".utf8), following: head.chain))
        }
    }

    @Test(arguments: Kind.allCases)
    func `a document is rewritten: revisions and numbers stay, bodies and chain change`(
        kind: Kind
    ) throws {
        try withJournal(kind) { journal in
            let (old, other) = (try entries("a", 9), try entries("b", 3))
            for index in 0..<9 {
                let batch = index < 3 ? [old[index], other[index]] : [old[index]]
                _ = try journal.commit(JournalBatch(entries: batch))
            }
            let id = old[0].document
            let checkpoint = Checkpoint(
                document: id, revision: 8, chain: old[8].chain, body: Array("secret".utf8))
            _ = try journal.commit(JournalBatch(checkpoints: [checkpoint]))
            let rewriting = Rewriting { "new \($0.revision)" }
            rewriting.isWanted = false
            #expect(try journal.rewrite(id, by: rewriting) == false)
            #expect(try journal.entries(of: id, from: 0, limit: 99) == old, "nothing happened")
            rewriting.isWanted = true
            #expect(try journal.rewrite(id, by: rewriting) && journal.lastSequence == 13)
            let new = try journal.entries(of: id, from: 0, limit: 99)
            #expect(
                new.map { String(decoding: $0.body, as: UTF8.self) }
                    == (0...8).map { "new \($0)" } + ["end"])
            #expect(new.map(\.revision) == Array(0...9))
            #expect(zip(new, new.dropFirst()).allSatisfy { $1.previousChain == $0.chain })
            #expect(new[0].lifecycle == .begins)
            #expect(
                try journal.head(of: id) == JournalHead(revision: 9, chain: new[9].chain))
            let all = try journal.entries(after: 0, prefix: "", limit: 99)
            #expect(all.entries.map(\.sequence) == Array(1...13))
            #expect(all.entries.filter { $0.entry.document == id }.map(\.entry) == new)
            #expect(try journal.entries(of: other[0].document, from: 0, limit: 9) == other)
            #expect(try journal.checkpoint(of: id, notAfter: 99) == nil)
            _ = try journal.commit(JournalBatch(checkpoints: [checkpoint]))
            #expect(try journal.checkpoint(of: id, notAfter: 99) == nil, "it comes too late")
            let next = try entries("a", 1, after: new[9])
            #expect(try journal.commit(JournalBatch(entries: next)) == [.stored(sequence: 14)])
            #expect(try journal.commit(JournalBatch(entries: [old[8]])) == [.refused])
        }
    }

    @Test(arguments: Kind.allCases.filter { $0 != .inMemory })
    func `what is committed while a document is rewritten is rewritten, too`(kind: Kind) throws {
        try withJournal(kind) { journal in
            let all = try entries("a", 6)
            _ = try journal.commit(JournalBatch(entries: Array(all[..<3])))
            let rewriting = Rewriting { "new \($0.revision)" }
            rewriting.meanwhile = {
                _ = try journal.commit(JournalBatch(entries: Array(all[3...])))
            }
            #expect(
                try journal.rewrite(all[0].document, by: rewriting) && journal.lastSequence == 7)
            let bodies = try journal.entries(of: all[0].document, from: 0, limit: 9).map(\.body)
            #expect(
                bodies.map { String(decoding: $0, as: UTF8.self) }
                    == (0..<6).map { "new \($0)" } + ["end"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `entries are rewritten without another one behind them`(kind: Kind) throws {
        try withJournal(kind) { journal in
            let (old, other) = (try entries("a", 5), try entries("b", 2))
            _ = try journal.commit(JournalBatch(entries: other + old))
            let id = old[0].document
            let rewriting = Rewriting { "new \($0.revision)" }
            rewriting.isAdding = false
            #expect(try journal.rewrite(id, by: rewriting) && journal.lastSequence == 7)
            let new = try journal.entries(of: id, from: 0, limit: 99)
            #expect(new.map(\.revision) == [0, 1, 2, 3, 4])
            #expect(new.allSatisfy { String(decoding: $0.body, as: UTF8.self).hasPrefix("new") })
            let all = try journal.entries(after: 0, prefix: "", limit: 99)
            #expect(all.entries.map(\.sequence) == Array(1...7))
            #expect(all.entries.map(\.entry) == other + new)
            let stale = Checkpoint(document: id, revision: 4, chain: old[4].chain, body: [1])
            let fresh = Checkpoint(document: id, revision: 4, chain: new[4].chain, body: [2])
            for checkpoint in [stale, fresh] {
                _ = try journal.commit(JournalBatch(checkpoints: [checkpoint]))
            }
            #expect(try journal.checkpoint(of: id, notAfter: 9) == fresh)
            let next = try entries("a", 1, after: new[4])
            #expect(try journal.commit(JournalBatch(entries: next)) == [.stored(sequence: 8)])
        }
    }

    @Test(arguments: Kind.allCases)
    func `a page after -1 begins with the first entry, as one after 0`(kind: Kind) throws {
        try withJournal(kind) { journal in
            _ = try journal.commit(JournalBatch(entries: try entries("a", 3)))
            let page = try journal.entries(after: -1, prefix: "", limit: 9)
            #expect(page.entries.map(\.sequence) == [1, 2, 3])
        }
    }

    @Test(arguments: Kind.allCases)
    func `whoever reports usage names the largest documents first`(kind: Kind) throws {
        try withJournal(kind) { journal in
            _ = try journal.commit(JournalBatch(entries: try entries("small", 2)))
            _ = try journal.commit(JournalBatch(entries: try entries("large", 40)))
            _ = try journal.commit(JournalBatch(entries: try entries("\0own", 80)))
            let base = (journal as? PackedJournal)?.packable ?? journal
            guard let reporting = base as? any UsageReporting else {
                #expect(kind == .inMemory)
                return
            }
            let usage = try reporting.usage(limit: 9)
            #expect(usage.map(\.document.name) == ["large", "small"])
            #expect(usage.map(\.entries) == [40, 2])
            #expect(usage[0].bytes > usage[1].bytes && usage[1].bytes > 0)
            #expect(try reporting.usage(limit: 1).count == 1)
            let all = try reporting.usage(ofPrefix: "")
            #expect(all.bytes == usage.reduce(0) { $0 + $1.bytes })
            #expect(all.documents == usage.count)
            let first = try reporting.usage(ofPrefix: usage[0].document.name)
            #expect(first == PrefixUsage(documents: 1, bytes: usage[0].bytes))
            #expect(try reporting.usage(ofPrefix: "zz").bytes == 0)
        }
    }

    @Test(arguments: Kind.allCases)
    func `a document that there is not is not rewritten`(kind: Kind) throws {
        try withJournal(kind) { journal in
            let id = try #require(DocumentID("a"))
            #expect(try journal.rewrite(id, by: Rewriting { _ in "x" }) == false)
            #expect(journal.lastSequence == 0)
        }
    }
}
