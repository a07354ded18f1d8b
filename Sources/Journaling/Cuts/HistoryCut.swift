/// A place where a history was cut: a backup was restored, or a database lost its last changes.
///
/// Clients may hold numbers of changes that were made after the cut in the history that is lost.
/// The mark makes the numbers of this history differ from those: see `Numbering`.
public struct HistoryCut: Sendable, Equatable {
    /// Greater than the marks of all earlier cuts. Random, because a backup can be restored twice.
    public let mark: Int
    /// The number of the last entry of all documents when the history was cut.
    public let position: Int

    /// The greatest mark: a marked number stays below 2^53, which every JSON parser keeps.
    public static let markMax = 9_007_198
    /// A mark is chosen among this part of the marks that are left: about 2,000 cuts are possible.
    private static let share = 64

    public init(mark: Int, position: Int) {
        self.mark = mark
        self.position = position
    }

    /// The cuts with one more. A cut at the position of the last one replaces it: nothing has that
    /// one's mark. `nil` if no mark is left.
    public static func adding(
        to cuts: [HistoryCut], at position: Int, using generator: inout some RandomNumberGenerator
    ) -> [HistoryCut]? {
        let former = cuts.last?.mark ?? 0
        guard former < markMax else { return nil }
        let most = former + max(1, (markMax - former) / share)
        let cut = HistoryCut(
            mark: Int.random(in: (former + 1)...most, using: &generator), position: position)
        return cuts.filter { $0.position < position } + [cut]
    }
}

// How cuts are stored: `48213@17 50021@90`.

extension HistoryCut {
    /// The text of cuts.
    public static func text(of cuts: [HistoryCut]) -> String {
        cuts.map { "\($0.mark)@\($0.position)" }.joined(separator: " ")
    }

    /// The cuts of a text; `nil` unless marks and positions grow.
    public static func list(of text: some StringProtocol) -> [HistoryCut]? {
        var cuts: [HistoryCut] = []
        for word in text.split(separator: " ") {
            let numbers = word.split(separator: "@").map { Int($0) }
            guard numbers.count == 2, let mark = numbers[0], let position = numbers[1],
                mark > cuts.last?.mark ?? 0, mark <= markMax,
                position > cuts.last?.position ?? -1
            else { return nil }
            cuts.append(HistoryCut(mark: mark, position: position))
        }
        return cuts
    }
}

extension Journal {
    /// Cuts the history here: what is stored from now on has other numbers outside. Returns the
    /// cut.
    @discardableResult
    public func cut() throws(JournalError) -> HistoryCut {
        var generator = SystemRandomNumberGenerator()
        while true {
            let known = self.cuts
            let position = try lastSequenceOfAll()
            guard
                let cuts = HistoryCut.adding(to: known, at: position, using: &generator),
                let cut = cuts.last
            else {
                throw .unavailable("the history was cut too often: no mark is left")
            }
            if try setCuts(cuts, replacing: known) { return cut }
        }
    }
}
