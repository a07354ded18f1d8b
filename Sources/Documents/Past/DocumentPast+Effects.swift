import DocumentCore
import Journaling
import SelectiveUndo
import VersioningKit

extension DocumentPast {
    /// The limit on later changes that are read; beyond it, the result is unknown.
    private static let laterMax = 10_000

    /// Whether a change still has its effect in the document as it is at `head`: it is on the
    /// current line, and not undone. `nil` if that is too long ago. O(changes since then). Blocks.
    public func isInEffect(_ change: Change, at head: Document) throws(ChangeError) -> Bool? {
        if change.revision < head.oldestRevision { return nil }
        switch change.kind {
        case .delete: return head.life == .deleted && head.revision == change.revision
        case .purge(let places) where places.isEmpty: return false
        case .create: return head.exists && head.history.state.versions[0].id == change.revision
        case .undelete:
            let later = try changes(from: change.revision + 1, limit: 1)
            return head.exists && later.allSatisfy { $0.kind.traits.lifecycle == .goesOn }
        default: break
        }
        guard head.exists, change.makesVersion else { return head.exists && !change.makesVersion }
        guard head.revision - change.revision <= DocumentPast.laterMax else { return nil }
        let line = Set(head.history.stepsBack.prefix { $0 >= change.revision })
        guard line.contains(change.revision) else { return false }
        var effects = BackwardEffectScan()
        var last = head.revision
        while last > change.revision {
            let page = try changes(upTo: last, limit: last - change.revision)
            for later in page.reversed() where line.contains(later.revision) {
                if let reversal = later.reversal { effects.note(reversal) }
            }
            guard let first = page.first else { break }
            last = first.revision - 1
        }
        guard let reversal = change.reversal else { return effects.isInEffect(change.revision) }
        return reversal.off.allSatisfy { effects.isInEffect($0, unlessNoted: false) == false }
            && reversal.on.allSatisfy { effects.isInEffect($0) }
    }
}
