import Synchronization
import Threading

/// Where the history was cut, as far as this process knows. Every request asks for it: in a history
/// that was never cut, that costs one atomic load.
public final class KnownCuts: Sendable {
    private let cuts = Lock<[HistoryCut]>([])
    private let isCut = Atomic(false)

    public init() {}

    public var areNone: Bool { !isCut.load(ordering: .acquiring) }

    /// The earliest first.
    public var list: [HistoryCut] { areNone ? [] : cuts.withLock { $0 } }

    /// Takes over cuts that were read or stored while `former` were known. Returns whether it has:
    /// not if others were noted meanwhile, since those may have been read later.
    @discardableResult
    public func note(_ new: [HistoryCut], insteadOf former: [HistoryCut]) -> Bool {
        cuts.withLock { cuts in
            guard cuts == former else { return false }
            cuts = new
            isCut.store(!new.isEmpty, ordering: .releasing)
            return true
        }
    }
}
