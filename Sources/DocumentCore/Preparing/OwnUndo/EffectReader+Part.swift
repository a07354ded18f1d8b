import JSONTree
import Naming
import SelectiveUndo

extension EffectReader {
    /// A part of the history. There may be very many, so each has only what it needs.
    enum Part {
        /// An edit, where the patches of the current line alone lead from one tree to the next.
        case edit(Edit)
        indirect case editBetween(Edit, before: JSON, after: JSON)
        indirect case reversal(Reversal, of: Change, before: JSON, after: JSON)
        /// Changes in a row that are left out: all that they made is this difference. With about
        /// how many bytes it takes.
        indirect case rest(before: JSON, after: JSON, Int = Part.treeBytes)

        /// About how many bytes it takes, with its part of the history. Measured: 690 for a value
        /// in an object, 960 for an edit of a text, 1,200 to 1,800 with trees.
        var byteCount: Int {
            switch self {
            case .edit(let edit): edit.byteCount
            case .editBetween(let edit, _, _): edit.byteCount + Part.treeBytes
            case .reversal(let reversal, let change, _, _):
                Part.bytes(of: change.patch) + Part.treeBytes + 64 * reversal.flipped.count
            case .rest(_, _, let bytes): bytes
            }
        }

        /// The usual size of the edits that lead to another tree.
        static let treeBytes = 1 << 10

        static func bytes(of patch: ReversiblePatch) -> Int {
            384 + 512 * patch.count + 3 * patch.byteCount
        }

        var revision: Int? {
            switch self {
            case .edit(let edit), .editBetween(let edit, _, _): edit.revision
            case .reversal(_, let change, _, _): change.revision
            case .rest: nil
            }
        }
    }

    /// The part of a change that a history has.
    struct Edit {
        let revision: Int
        let actor: Name
        /// `nil` also where it belongs to the version before it, whatever that is.
        let group: Int?
        let wonSince: Int?
        let isPart: Bool
        let isUpdate: Bool
        let joinsUnnamed: Bool
        let patch: ReversiblePatch
        /// The numbers of the edits in the change, if the patch has not all of them as they are.
        let numbers: [Int]?

        var byteCount: Int { Part.bytes(of: patch) }

        init(_ change: Change, _ patch: ReversiblePatch) {
            revision = change.revision
            actor = change.actor
            if case .append(joins: false, _) = change.kind {
                group = change.group ?? change.revision
            } else {
                group = change.group
            }
            wonSince = change.wonSince
            isPart = change.isPart
            isUpdate = change.kind == .update
            joinsUnnamed = change.joinsUnnamed
            self.patch = patch
            numbers = patch.numbers(in: change.patch)
        }
    }
}

extension ReversiblePatch {
    /// The numbers of the edits in another patch, from which some were left out; `nil` if it is the
    /// same one. Other edits than those in it have one number: they go out of effect together.
    fileprivate func numbers(in whole: ReversiblePatch) -> [Int]? {
        if count == whole.count && self == whole { return nil }
        var numbers: [Int] = []
        for (number, edit) in whole.edits.enumerated()
        where numbers.count < count && edits[numbers.count] == edit {
            numbers.append(number)
        }
        return numbers.count == count ? numbers : Array(repeating: -1, count: count)
    }
}
