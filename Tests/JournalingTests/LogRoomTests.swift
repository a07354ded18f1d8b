import Foundation
import Journaling
import TestSupport
import Testing

@testable import SQLiteJournaling

/// The log is written before it is needed, so that a small commit's sync finds it as long as it was.
struct LogRoomTests {
    private static let pageBytes = 1_024
    private static let frameBytes = pageBytes + 24
    private static let pagesMax = 16_384

    private func room() -> LogRoom {
        LogRoom(pageBytes: LogRoomTests.pageBytes, pagesMax: LogRoomTests.pagesMax)
    }

    @Test(arguments: Seeds.of(20))
    func `small commits find room in the log, and few of them make it`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (room, used, bytes, steps) = (room(), 0, 0, 0)
        while used < LogRoomTests.pagesMax - 1_024 {
            let taken = Int.random(in: 1...6, using: &random)
            let finds = (used + taken) * LogRoomTests.frameBytes <= bytes
            // The first commit of all makes the log, whatever was done before.
            #expect(finds || used == 0)
            used += taken
            bytes = max(bytes, used * LogRoomTests.frameBytes)
            guard let wanted = room.wanted(used: used) else { continue }
            #expect(wanted > bytes && wanted <= LogRoomTests.pagesMax * LogRoomTests.frameBytes)
            #expect(wanted - bytes <= 1_024 * LogRoomTests.frameBytes, "one step takes not long")
            #expect(wanted <= max(2 * used, used + 64) * LogRoomTests.frameBytes, "and little")
            (bytes, steps) = (wanted, steps + 1)
            room.found(bytes: wanted, wanted: wanted)
        }
        #expect(steps < 48)
    }

    @Test func `where there is no room it is not asked for with each commit`() {
        var room = room()
        var asked = 0
        for used in 1...1_000 {
            guard let wanted = room.wanted(used: used) else { continue }
            asked += 1
            room.found(bytes: used * LogRoomTests.frameBytes, wanted: wanted)
        }
        #expect(asked < 16)
    }

    @Test func `a log that began anew is looked at anew`() throws {
        var room = room()
        let first = room.wanted(used: 1)
        let bytes = try #require(first)
        room.found(bytes: bytes, wanted: bytes)
        let second = room.wanted(used: 2)
        #expect(second == nil)
        // Emptied: nothing is known of its size.
        let third = room.wanted(used: 1)
        #expect(third != nil)
    }

    @Test func `beyond where the log is moved no room is made`() {
        var room = room()
        for used in [LogRoomTests.pagesMax - 10, LogRoomTests.pagesMax + 500] {
            guard let wanted = room.wanted(used: used) else { continue }
            #expect(wanted == LogRoomTests.pagesMax * LogRoomTests.frameBytes)
            room.found(bytes: wanted, wanted: wanted)
        }
        let last = room.wanted(used: LogRoomTests.pagesMax + 501)
        #expect(last == nil)
    }

    @Test func `few commits make the log of a journal longer`() throws {
        let directory = try TemporaryDirectory()
        let journal = try SQLiteJournal(directory: directory.path)
        defer { journal.close() }
        let name = try #require(DocumentID("a"))
        var chain = ChainHash.start
        var sizes: Set<Int> = []
        for revision in 0..<400 {
            let entry = JournalEntry(
                document: name, revision: revision, body: [1, 2, 3], following: chain,
                lifecycle: revision == 0 ? .begins : .goesOn)
            _ = try journal.commit(JournalBatch(entries: [entry]))
            chain = entry.chain
            let attributes = try FileManager.default.attributesOfItem(
                atPath: directory.path + "/journal.sqlite-wal")
            sizes.insert(try #require(attributes[.size] as? Int))
        }
        // Each commit writes two pages or more.
        #expect(try #require(sizes.max()) > 400 * 2 * LogRoomTests.frameBytes)
        #expect(sizes.count < 12)
    }
}
