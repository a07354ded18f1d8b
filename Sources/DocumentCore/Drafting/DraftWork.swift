public import JSONTree

/// What a page of drafts may still cost, in pairs of edits (`EditBase.pairsMax`): all of its drafts
/// together no more than one draft alone.
public struct DraftWork: Sendable {
    /// A page ends when its drafts have cost this; the last one may cost more, for what is read of
    /// it. With one draft that takes as long as a draft may, it is 1.5 s of CPU at most.
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

    /// What one draft may cost in pairs: the first one whatever is allowed.
    fileprivate var pairsMax: Int { isBegun ? max(0, left) : EditBase.pairsMax }

    fileprivate var isBegun: Bool { left < DraftWork.pageMax }

    fileprivate mutating func spend(_ pairs: Int) { left -= max(1, pairs) }

    /// What it took to read a document and its changes.
    static func cost(changes: Int, bytes: Int) -> Int {
        changes * pairsPerChange + bytes / bytesPerPair
    }
}

extension DraftComparison {
    /// The places of conflicts, for a page: without what stands there, and who made it, which costs
    /// more. `nil` if the rest of the page does not suffice to find them. Where it would cost more
    /// than any draft may, none are named.
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
