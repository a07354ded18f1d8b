public import JSONTree

/// The budget of a page of drafts, in pairs of edits (`EditBase.pairsMax`): all drafts of a page
/// together cost no more than one draft alone.
public struct DraftWork: Sendable {
    /// A page ends when its drafts have cost this; the last one may exceed it by the cost of
    /// reading. With one draft of the maximal cost, a page takes at most 1.5 s of CPU.
    private static let pageMax = EditBase.pairsMax / 2
    /// Reading a change, and going over it, takes as long as this number of pairs.
    private static let pairsPerChange = 20
    /// And a pair as long as this number of bytes of values.
    private static let bytesPerPair = 100

    private var left = DraftWork.pageMax

    /// A page of which nothing is done.
    public init() {}

    /// Whether the page ends.
    public var isDone: Bool { left <= 0 }

    /// The limit of one draft in pairs: for the first draft of a page, the full limit.
    fileprivate var pairsMax: Int { isBegun ? max(0, left) : EditBase.pairsMax }

    fileprivate var isBegun: Bool { left < DraftWork.pageMax }

    fileprivate mutating func spend(_ pairs: Int) { left -= max(1, pairs) }

    /// The cost of reading a document and its changes.
    static func cost(changes: Int, bytes: Int) -> Int {
        changes * pairsPerChange + bytes / bytesPerPair
    }
}

extension DraftComparison {
    /// The places of conflicts, for a page: without values and authors, which cost more. `nil` if
    /// the rest of the page's budget does not suffice. Empty if the cost exceeds the limit of one
    /// draft.
    public func conflictPlaces(_ work: inout DraftWork) -> [JSONPointer]? {
        let (isFirst, pairsMax) = (!work.isBegun, work.pairsMax)
        work.spend(ahead.readingCost + behind.readingCost)
        do throws(ChangeError) {
            let (places, cost) = try conflictPlaces(pairsMax: pairsMax)
            work.spend(cost)
            return places
        } catch {
            work.spend(pairsMax)
            guard case .baseTooOld = error, !isFirst else { return [] }
            return nil
        }
    }
}
