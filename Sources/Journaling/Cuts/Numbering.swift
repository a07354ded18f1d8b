/// How numbers of changes look outside the daemon, for one document or for the whole journal.
///
/// Inside, revisions have no gaps. Outside, a number after a cut carries the mark of the cut:
/// `mark × 10^9 + number`. So numbers grow within a history, stay JSON numbers, and differ from
/// those of a history that was lost.
public struct Numbering: Sendable, Equatable {
    /// The factor of a mark: also the limit on numbers after a cut. A greater number has a form,
    /// but is not accepted.
    public static let span = 1_000_000_000

    private struct Part: Sendable, Equatable {
        let mark: Int
        /// The last number before the cut; -1 if the document was made after it.
        let last: Int
        /// Subtracted from numbers after the cut.
        let offset: Int
    }

    private let parts: [Part]

    /// Of a history that was never cut: numbers look as they are.
    public static let uncut = Numbering(parts: [])

    private init(parts: [Part]) {
        self.parts = parts
    }

    /// Of a document: of each cut, the last revision that is before it.
    public init(cuts: [HistoryCut], lastRevisions: [Int]) {
        parts = zip(cuts, lastRevisions).map { Part(mark: $0.mark, last: $1, offset: 0) }
    }

    /// Of positions in the journal. They are counted from the cut: a journal may have more changes
    /// than fit behind a mark.
    public init(positionsAfter cuts: [HistoryCut]) {
        parts = cuts.map { Part(mark: $0.mark, last: $0.position, offset: $0.position) }
    }

    /// A number as clients see it.
    public func shown(_ number: Int) -> Int {
        guard let part = parts.last(where: { number > $0.last }) else { return number }
        return part.mark * Numbering.span + number - part.offset
    }

    /// The number that a client means; `nil` if it is of another history.
    ///
    /// With a mark of this history, numbers before its cut are also accepted: a client may have
    /// subtracted 1.
    public func number(of shown: Int) -> Int? {
        guard let first = parts.first else { return shown }
        guard shown >= Numbering.span else { return shown <= first.last ? shown : nil }
        let (mark, rest) = shown.quotientAndRemainder(dividingBy: Numbering.span)
        guard let index = parts.firstIndex(where: { $0.mark == mark }) else { return nil }
        let number = rest + parts[index].offset
        let next = parts.dropFirst(index + 1).first
        return number <= next?.last ?? .max ? number : nil
    }

    /// The end of a range: the number after one that is known. A client may have added 1.
    public func end(of shown: Int) -> Int? { number(of: shown - 1).map { $0 + 1 } }

    /// The end of a range as clients see it.
    public func shownEnd(_ end: Int) -> Int { shown(end - 1) + 1 }

    /// Whether numbers look as they are.
    public var isUncut: Bool { parts.isEmpty }
}
