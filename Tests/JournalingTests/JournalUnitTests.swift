import Journaling
import TestSupport
import Testing

/// Units: entries of several documents that are stored together or not at all, asked of every
/// journal there is.
@Suite struct JournalUnitTests {
    typealias Kind = JournalContractTests.Kind

    /// Makes entries that follow, and remembers where documents end.
    private struct Maker {
        private(set) var heads: [DocumentID: JournalHead] = [:]

        mutating func next(_ name: String, isWrong: Bool = false) throws -> JournalEntry {
            let id = try #require(DocumentID(name))
            let head = heads[id]
            let entry = JournalEntry(
                document: id, revision: (head?.revision ?? -1) + (isWrong ? 2 : 1), body: [7],
                following: head?.chain ?? .start)
            if !isWrong { heads[id] = entry.head }
            return entry
        }
    }

    private func condition(_ name: String, _ head: JournalHead?) throws -> JournalCondition {
        JournalCondition(try #require(DocumentID(name)), endsAt: head)
    }

    @Test(arguments: Kind.allCases)
    func `a unit that does not follow is refused alone, and what rides with it is stored`(
        kind: Kind
    ) throws {
        try JournalContractTests().withJournal(kind) { journal in
            var maker = Maker()
            let before = try [maker.next("a"), maker.next("b")]
            _ = try journal.commit(JournalBatch(entries: before))
            let kept = maker
            let entries = try [
                maker.next("a"), maker.next("b"), maker.next("x", isWrong: true),
                maker.next("c"), maker.next("d"),
            ]
            let fates = try journal.commit(
                JournalBatch(entries: entries, units: [JournalUnit(1..<3), JournalUnit(3..<5)]))
            #expect(
                fates == [
                    .stored(sequence: 3), .refused, .refused, .stored(sequence: 4),
                    .stored(sequence: 5),
                ])
            #expect(try journal.head(of: entries[1].document) == kept.heads[entries[1].document])
            #expect(try journal.head(of: entries[2].document) == nil)
            let all = try journal.documents(prefix: "", after: nil, limit: 10)
            #expect(all.map(\.document.name) == ["a", "b", "c", "d"])
            let places = try journal.entries(after: 2, prefix: "", limit: 10).entries
            #expect(places.map(\.entry.document.name) == ["a", "c", "d"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `a unit rests on what stands before it in its batch`(kind: Kind) throws {
        try JournalContractTests().withJournal(kind) { journal in
            var maker = Maker()
            let first = try maker.next("a")
            let second = try [maker.next("a"), maker.next("b")]
            let wrong = try maker.next("c", isWrong: true)
            let third = try [maker.next("b"), wrong]
            // It rests on the unit that is refused.
            let fourth = try maker.next("b")
            let batch = JournalBatch(
                entries: [first] + second + third + [fourth],
                units: [JournalUnit(1..<3), JournalUnit(3..<5)])
            #expect(
                try journal.commit(batch) == [
                    .stored(sequence: 1), .stored(sequence: 2), .stored(sequence: 3), .refused,
                    .refused, .refused,
                ])
        }
    }

    @Test(arguments: Kind.allCases)
    func `a unit is stored only while other documents end where it knows them to`(
        kind: Kind
    ) throws {
        try JournalContractTests().withJournal(kind) { journal in
            var maker = Maker()
            let prices = try maker.next("prices")
            _ = try journal.commit(JournalBatch(entries: [prices]))
            let (a, b) = (try maker.next("a"), try maker.next("b"))
            let fits = [try condition("prices", prices.head), try condition("absent", nil)]
            let older = maker
            let newer = try maker.next("prices")
            for wrong in [
                [try condition("prices", nil)], [try condition("prices", newer.head)],
                [try condition("absent", prices.head)], fits + [try condition("prices", nil)],
            ] {
                let fates = try journal.commit(JournalBatch(unit: [a, b], if: wrong))
                #expect(fates == [.refused, .refused])
            }
            #expect(
                try journal.commit(JournalBatch(unit: [a, b], if: fits))
                    == [.stored(sequence: 2), .stored(sequence: 3)])
            maker = older
            let names = try journal.documents(prefix: "", after: nil, limit: 10)
            #expect(names.map(\.document.name) == ["a", "b", "prices"], "asking leaves nothing")
            let absent = try maker.next("absent")
            #expect(
                try journal.commit(JournalBatch(entries: [absent])) == [.stored(sequence: 4)])
        }
    }

    @Test(arguments: Kind.allCases)
    func `law: of each unit all is stored or nothing, as the documents' ends say`(
        kind: Kind
    ) throws {
        try JournalContractTests().withJournal(kind) { journal in
            var random = SeededGenerator(seed: 35)
            var stored: [DocumentID: JournalHead] = [:]
            for round in 0..<60 {
                let batch = try self.batch(on: stored, &random)
                var expected: [Bool] = []
                var units = batch.units
                while expected.count < batch.entries.count {
                    let place = expected.count
                    let unit = units.first { $0.places.contains(place) }
                    units.removeAll { $0 == unit }
                    let places = unit?.places ?? place..<(place + 1)
                    var trial = stored
                    let isKept = places.allSatisfy { place in
                        let entry = batch.entries[place]
                        defer { trial[entry.document] = entry.head }
                        return entry.follows(trial[entry.document])
                    }
                    if isKept { stored = trial }
                    expected += places.map { _ in isKept }
                }
                let fates = try journal.commit(batch)
                #expect(fates.map { $0 != .refused } == expected, "round \(round)")
                for (id, head) in stored { #expect(try journal.head(of: id) == head) }
            }
        }
    }

    /// Entries of six documents, of which one in six does not follow, and units among them.
    private func batch(
        on stored: [DocumentID: JournalHead], _ random: inout SeededGenerator
    ) throws -> JournalBatch {
        var heads = stored
        var entries: [JournalEntry] = []
        var units: [JournalUnit] = []
        for _ in 0..<(1 + random.below(5)) {
            let begin = entries.count
            for _ in 0..<(1 + random.below(4)) {
                let id = try #require(DocumentID(["a", "b", "c", "d", "e", "f"][random.below(6)]))
                let isWrong = random.once(in: 12)
                let entry = JournalEntry(
                    document: id, revision: (heads[id]?.revision ?? -1) + (isWrong ? 2 : 1),
                    body: [UInt8(random.below(200))], following: heads[id]?.chain ?? .start)
                entries.append(entry)
                if !isWrong { heads[id] = entry.head }
            }
            if random.once(in: 2) { units.append(JournalUnit(begin..<entries.count)) }
        }
        return JournalBatch(entries: entries, units: units)
    }
}
