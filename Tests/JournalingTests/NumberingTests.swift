import Journaling
import TestSupport
import Testing

/// How numbers look after a cut of the history (rule 24).
@Suite struct NumberingTests {
    private let cuts = [
        HistoryCut(mark: 40, position: 10), HistoryCut(mark: 50, position: 10),
        HistoryCut(mark: 60, position: 20),
    ]

    @Test func `24: numbers up to a cut keep their form, later ones carry its mark`() {
        let numbering = Numbering(cuts: cuts, lastRevisions: [3, 3, 5])
        #expect(
            (-1...7).map(numbering.shown) == [
                -1, 0, 1, 2, 3, 50_000_000_004, 50_000_000_005, 60_000_000_006, 60_000_000_007,
            ])
        for number in -1...100 {
            #expect(numbering.number(of: numbering.shown(number)) == number)
            #expect(numbering.end(of: numbering.shownEnd(number)) == number)
            #expect(numbering.shown(number) < numbering.shown(number + 1))
        }
    }

    @Test func `24: a number of a lost history is of no change`() {
        let numbering = Numbering(cuts: cuts, lastRevisions: [3, 3, 5])
        for shown in [4, 5, 6, 7, 999_999_999, 41_000_000_004, 50_000_000_006, 61_000_000_006] {
            #expect(numbering.number(of: shown) == nil)
        }
        // The arithmetic of clients: one less than the first number after a cut, one more than the
        // last before it.
        #expect(numbering.number(of: 60_000_000_005) == 5)
        #expect(numbering.end(of: 4) == 4)
        #expect(numbering.end(of: 5) == nil)
    }

    @Test func `24: a document made after a cut has marked numbers alone`() {
        let numbering = Numbering(cuts: cuts, lastRevisions: [-1, -1, -1])
        #expect(numbering.shown(0) == 60_000_000_000)
        #expect(numbering.number(of: 0) == nil)
        #expect(numbering.number(of: -1) == -1, "a feed from the beginning")
    }

    @Test func `24: a history that was never cut looks as it is`() {
        for number in [-1, 0, 7, Numbering.span, 60_000_000_006] {
            #expect(Numbering.uncut.shown(number) == number)
            #expect(Numbering.uncut.number(of: number) == number)
        }
    }

    @Test func `24: positions are counted from the cut, up to the limit of a mark`() {
        let numbering = Numbering(positionsAfter: [HistoryCut(mark: 7, position: 3_000_000_000)])
        #expect(numbering.shown(3_000_000_001) == 7_000_000_001)
        let last = 3_000_000_000 + Numbering.span - 1
        #expect(numbering.number(of: numbering.shown(last)) == last)
        #expect(numbering.number(of: numbering.shown(last + 1)) == nil, "the limit")
    }

    @Test func `24: a mark is greater than all before, random, and keeps numbers exact`() throws {
        var generator = SeededGenerator(seed: 24)
        var cuts: [HistoryCut] = []
        var count = 0
        while let more = HistoryCut.adding(to: cuts, at: count, using: &generator) {
            let mark = try #require(more.last).mark
            #expect(mark > cuts.last?.mark ?? 0 && mark <= HistoryCut.markMax)
            #expect(HistoryCut.list(of: HistoryCut.text(of: more)) == more)
            (cuts, count) = (more, count + 1)
        }
        #expect(count > 500)
        #expect(HistoryCut.markMax * Numbering.span + Numbering.span - 1 < 1 << 53)
        let first = (0..<100).compactMap { _ in
            HistoryCut.adding(to: [], at: 0, using: &generator)?.last?.mark
        }
        #expect(Set(first).count > 95)
    }

    @Test func `24: a cut where nothing was stored since the last one replaces it`() {
        var generator = SeededGenerator(seed: 1)
        let once = HistoryCut.adding(to: [], at: 7, using: &generator) ?? []
        let twice = HistoryCut.adding(to: once, at: 7, using: &generator) ?? []
        #expect(twice.count == 1 && twice[0].mark > once[0].mark)
    }

    @Test(arguments: ["x", "1", "5@1 4@2", "5@2 6@2", "5@1 6", "9007199@1", "0@1"])
    func `24: cuts that cannot be read are not taken for none`(text: String) {
        #expect(HistoryCut.list(of: text) == nil)
    }

    @Test func `24: cuts that were read before another was stored do not replace it`() {
        let known = KnownCuts()
        let whenRead = known.list
        #expect(known.areNone && known.note([cuts[0]], insteadOf: []))
        #expect(!known.note([], insteadOf: whenRead))
        #expect(known.list == [cuts[0]] && !known.areNone)
        #expect(known.note([cuts[0], cuts[2]], insteadOf: [cuts[0]]))
        #expect(known.list == [cuts[0], cuts[2]])
    }
}
