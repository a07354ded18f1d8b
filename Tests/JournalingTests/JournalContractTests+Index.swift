import Journaling
import SQLiteJournaling
import TestSupport
import Testing

/// Rows that are computed from the entries.
extension JournalContractTests {
    private func key(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func update(
        from start: Int, to end: Int, _ values: [(String, String?)]
    ) -> JournalBatch {
        let values = values.map { (key($0), $1.map { key($0) }) }
        return JournalBatch(
            index: IndexUpdate(
                from: start, to: end, values: Dictionary(uniqueKeysWithValues: values)))
    }

    private func texts(_ rows: [IndexRow]) -> [String] {
        rows.map { String(decoding: $0.key + [UInt8(ascii: "=")] + $0.value, as: UTF8.self) }
    }

    @Test(arguments: Kind.allCases)
    func `rows of the index are read in the order of their keys' bytes`(kind: Kind) throws {
        try withJournal(kind) { journal in
            #expect(try journal.indexPosition() == 0)
            #expect(try journal.indexRows(from: [], before: [255], limit: 9).isEmpty)
            let rows = [("b", "2"), ("a", "1"), ("ab", ""), ("b\0", "3"), ("ü", "4")]
            _ = try journal.commit(update(from: 0, to: 7, rows))
            #expect(try journal.indexPosition() == 7)
            let all = try journal.indexRows(from: [], before: [255], limit: 9)
            #expect(texts(all) == ["a=1", "ab=", "b=2", "b\0=3", "ü=4"])
            let some = try journal.indexRows(from: key("ab"), before: key("b\0"), limit: 9)
            #expect(texts(some) == ["ab=", "b=2"])
            let first = try journal.indexRows(from: key("a"), before: [255], limit: 2)
            #expect(texts(first) == ["a=1", "ab="])
        }
    }

    @Test(arguments: Kind.allCases)
    func `an update that begins elsewhere is dropped as a whole`(kind: Kind) throws {
        try withJournal(kind) { journal in
            _ = try journal.commit(update(from: 0, to: 5, [("a", "1"), ("b", "1")]))
            _ = try journal.commit(update(from: 4, to: 9, [("a", nil), ("c", "2")]))
            #expect(try journal.indexPosition() == 5)
            _ = try journal.commit(update(from: 5, to: 6, [("a", nil), ("b", "3"), ("c", nil)]))
            #expect(try journal.indexPosition() == 6)
            #expect(
                texts(try journal.indexRows(from: [], before: [255], limit: 9)) == ["b=3"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `an update of the index is stored beside entries`(kind: Kind) throws {
        try withJournal(kind) { journal in
            let all = try entries("a", 2)
            var batch = update(from: 0, to: 1, [("a", "1")])
            batch.entries = [all[0]]
            #expect(try journal.commit(batch) == [.stored(sequence: 1)])
            // The entry is refused, and the update is not.
            batch = update(from: 1, to: 2, [("a", "2")])
            batch.entries = [all[0]]
            #expect(try journal.commit(batch) == [.refused])
            #expect(
                texts(try journal.indexRows(from: [], before: [255], limit: 9)) == ["a=2"])
        }
    }

    @Test func `the index survives the process`() throws {
        let directory = try TemporaryDirectory()
        let journal = try SQLiteJournal(directory: directory.path)
        _ = try journal.commit(update(from: 0, to: 3, [("a", "1")]))
        journal.close()
        let again = try SQLiteJournal(directory: directory.path)
        #expect(try again.indexPosition() == 3)
        #expect(texts(try again.indexRows(from: [], before: [255], limit: 9)) == ["a=1"])
        again.close()
    }
}
