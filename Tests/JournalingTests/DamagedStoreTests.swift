import Foundation
import Journaling
import TestSupport
import Testing

@testable import SQLiteJournaling

/// The journal's behaviour with missing or damaged files: it reports them, or nothing differs.
struct DamagedStoreTests {
    private let directory: TemporaryDirectory
    private let names = ["a", "b", "c"]

    init() throws {
        directory = try TemporaryDirectory()
    }

    // MARK: Stores

    /// Commits `count` entries of three documents, one at a time.
    private func fill(_ journal: SQLiteJournal, _ count: Int) throws {
        var chains = Array(repeating: ChainHash.start, count: names.count)
        for number in 0..<count {
            let (which, revision) = (number % names.count, number / names.count)
            let entry = JournalEntry(
                document: try #require(DocumentID(names[which])), revision: revision,
                body: Array("entry \(number)".utf8), following: chains[which],
                lifecycle: revision == 0 ? .begins : .goesOn)
            let fates = try journal.commit(JournalBatch(entries: [entry]))
            #expect(fates == [.stored(sequence: number + 1)])
            chains[which] = entry.chain
        }
    }

    /// A store as a kill leaves it: a database, a log and a mark.
    private func killed(_ count: Int) throws -> String {
        let live = directory.path + "/live"
        try FileManager.default.createDirectory(atPath: live, withIntermediateDirectories: true)
        let journal = try SQLiteJournal(directory: live)
        try fill(journal, count)
        let copy = directory.path + "/killed"
        try FileManager.default.copyItem(atPath: live, toPath: copy)
        journal.close()
        try FileManager.default.removeItem(atPath: live)
        try? FileManager.default.removeItem(atPath: copy + "/journal.sqlite-shm")
        return copy
    }

    private func stopped(_ count: Int, isPacked: Bool = false) throws -> String {
        let path = directory.path + "/stopped"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let journal = try SQLiteJournal(directory: path)
        try fill(journal, count)
        if isPacked { try journal.packAll() }
        journal.close()
        return path
    }

    /// Everything that is stored, read in every way there is; an error if any way fails.
    private func contents(_ journal: SQLiteJournal) throws -> [String] {
        var all = try journal.documents(prefix: "", after: nil, limit: 99).map {
            "\($0.document) \($0.revision) \($0.isDeleted)"
        }
        for name in names {
            let id = try #require(DocumentID(name))
            all += try journal.entries(of: id, from: 0, limit: 999).map { "\($0)" }
            all.append("\(String(describing: try journal.head(of: id)))")
        }
        let page = try journal.entries(after: 0, prefix: "", limit: 999)
        all += page.entries.map { "\($0.sequence) \($0.entry)" }
        return all + ["\(journal.lastSequence)"]
    }

    /// The findings in a store after some of its bytes have changed.
    private enum Finding: Equatable {
        case same, told, silent
    }

    private func finding(_ path: String, _ expected: [String]) -> Finding {
        guard let journal = try? SQLiteJournal(directory: path) else { return .told }
        defer { journal.close() }
        guard let found = try? contents(journal) else { return .told }
        return found == expected ? .same : .silent
    }

    private func expected(_ path: String) throws -> [String] {
        let copy = try copied(path)
        let journal = try SQLiteJournal(directory: copy)
        defer { journal.close() }
        return try contents(journal)
    }

    private func copied(_ path: String) throws -> String {
        let copy = directory.path + "/copy"
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        return copy
    }

    private func change(
        _ path: String, _ file: String, _ body: (inout [UInt8]) -> Void
    ) throws -> String {
        let copy = try copied(path)
        let url = URL(filePath: copy + "/" + file)
        var bytes = [UInt8](try Data(contentsOf: url))
        body(&bytes)
        try Data(bytes).write(to: url)
        return copy
    }

    private func size(_ path: String, _ file: String) throws -> Int {
        try Data(contentsOf: URL(filePath: path + "/" + file)).count
    }

    // MARK: Rules

    @Test func `a database that cannot be opened is an error, and nothing is freed twice (D1)`() {
        for _ in 0..<10 {
            #expect(throws: SQLiteError.self) {
                try SQLiteConnection(path: directory.path + "/no/such.sqlite", mode: .readOnly)
            }
        }
    }

    @Test func `a log that a kill left is not opened silently shorter (D4)`() throws {
        let path = try killed(69)
        let whole = try expected(path)
        let size = try size(path, "journal.sqlite-wal")
        for place in stride(from: 0, to: size, by: size / 60) {
            let flipped = try change(path, "journal.sqlite-wal") { $0[place] ^= 4 }
            #expect(finding(flipped, whole) != .silent, "a flipped bit at \(place)")
            let cut = try change(path, "journal.sqlite-wal") { $0.removeSubrange(place...) }
            #expect(finding(cut, whole) != .silent, "cut at \(place)")
        }
        let bare = try copied(path)
        try FileManager.default.removeItem(atPath: bare + "/journal.sqlite-wal")
        #expect(finding(bare, whole) == .told)
    }

    @Test func `a damaged or missing high-water mark is told (D4)`() throws {
        let path = try killed(12)
        let whole = try expected(path)
        for place in 0..<(try size(path, "high-water")) {
            let flipped = try change(path, "high-water") { $0[place] ^= 1 }
            #expect(finding(flipped, whole) == .told, "a flipped bit at \(place)")
            let cut = try change(path, "high-water") { $0.removeSubrange(place...) }
            #expect(finding(cut, whole) == .told, "cut at \(place)")
        }
        let bare = try copied(path)
        try FileManager.default.removeItem(atPath: bare + "/high-water")
        #expect(finding(bare, whole) == .told)
    }

    @Test func `a mark of the older format is read, and written anew`() throws {
        let path = try stopped(12)
        let whole = try expected(path)
        let journal = try SQLiteJournal(directory: path)
        let chain = try #require(
            try journal.entries(after: 11, prefix: "", limit: 1).entries.first
        ).entry.chain
        journal.close()
        let hex = chain.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let text = HighWaterMark.olderText(of: "12 \(hex)")
        try Data(text.utf8).write(to: URL(filePath: path + "/high-water"))
        #expect(finding(try copied(path), whole) == .same)
        let short = HighWaterMark.olderText(of: "13 \(hex)")
        try Data(short.utf8).write(to: URL(filePath: path + "/high-water"))
        #expect(finding(try copied(path), whole) == .told)
    }

    @Test func `a journal of an older version needs no mark, and has one from then on`() throws {
        let path = try stopped(12)
        let whole = try expected(path)
        let database = try SQLiteConnection(path: path + "/journal.sqlite", mode: .readWrite)
        try database.execute("PRAGMA application_id = 0")
        try FileManager.default.removeItem(atPath: path + "/high-water")
        #expect(finding(path, whole) == .same)
        try FileManager.default.removeItem(atPath: path + "/high-water")
        #expect(finding(path, whole) == .told)
    }

    @Test func `a database without its entries is not filled anew`() throws {
        let path = try stopped(3)
        try FileManager.default.removeItem(atPath: path + "/journal.sqlite")
        #expect(throws: JournalError.self) { try SQLiteJournal(directory: path) }
        #expect(!FileManager.default.fileExists(atPath: path + "/journal.sqlite"))
    }

    @Test func `a clean stop leaves no log (D10)`() throws {
        let path = try stopped(30)
        let files = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        #expect(files == ["high-water", "journal.sqlite", "reserve"])
    }

    @Test func `opening leaves nothing in the log that a power cut takes back (D9)`() throws {
        let path = try killed(30)
        let whole = try expected(path)
        let journal = try SQLiteJournal(directory: path)
        defer { journal.close() }
        // The content of the database alone, without the log.
        #expect(try size(path, "journal.sqlite-wal") == 0)
        let bare = try copied(path)
        for suffix in ["-wal", "-shm"] {
            try FileManager.default.removeItem(atPath: bare + "/journal.sqlite" + suffix)
        }
        #expect(finding(bare, whole) == .same)
    }

    @Test(arguments: [false, true])
    func `what was deleted or not is compared with what is packed (D2)`(isPacked: Bool) throws {
        let path = try stopped(69, isPacked: isPacked)
        let copy = try copied(path)
        try SQLiteConnection(path: copy + "/journal.sqlite", mode: .readWrite)
            .execute("UPDATE document SET deleted = 1 WHERE name = CAST('c' AS BLOB)")
        #expect(try SQLiteCheck.faults(in: path) == [])
        #expect(try SQLiteCheck.faults(in: copy).count == 1)
    }

    /// All bytes with `TEST_EVERY_BYTE=1`, some hundreds otherwise.
    @Test(arguments: [false, true])
    func `a flipped bit is told by opening, reading or checking, or is harmless (D2)`(
        isPacked: Bool
    ) throws {
        let path = try stopped(69, isPacked: isPacked)
        let whole = try expected(path)
        let size = try size(path, "journal.sqlite")
        let isThorough = ProcessInfo.processInfo.environment["TEST_EVERY_BYTE"] != nil
        var silent: [Int] = []
        // Among the second ones are the declarations of the tables.
        let places =
            Array(stride(from: 0, to: size, by: isThorough ? 1 : size / 300))
            + Array(stride(from: 3_000, to: 4_096, by: 9))
        for seed in Seeds.of(places.count) {
            let place = places[Int(seed % UInt64(places.count))]
            let bit = UInt8(1) << UInt8(place % 8)
            let flipped = try change(path, "journal.sqlite") { $0[place] ^= bit }
            let isFaulty = !((try? SQLiteCheck.faults(in: flipped)) ?? ["not readable"]).isEmpty
            if finding(flipped, whole) == .silent && !isFaulty { silent.append(place) }
        }
        #expect(silent == [])
    }

    @Test func `checking changes nothing (D2)`() throws {
        for path in [try stopped(12), try killed(12)] {
            func files() throws -> [String: Data] {
                var found: [String: Data] = [:]
                for name in try FileManager.default.contentsOfDirectory(atPath: path) {
                    if name.hasSuffix("-shm") { continue }
                    found[name] = try Data(contentsOf: URL(filePath: path + "/" + name))
                }
                return found
            }
            let before = try files()
            #expect(try SQLiteCheck.faults(in: path) == [])
            let journal = try SQLiteJournal(readingFrom: path)
            _ = try contents(journal)
            journal.close()
            #expect(try files() == before)
        }
    }
}
