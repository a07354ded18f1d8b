import DocumentCore
import JSONTree
import Journaling
import Naming
import SelectiveUndo

/// Finds the newest undo of many edits that holds something of a selection out of effect.
///
/// It is given changes of documents in the order of commits, the newest first. Of each operation
/// the newest reversal decides: what an undo took and another one took again is held by the later
/// one. Only reversals on the current line of a document count, so a document's line is asked for
/// at the first undo of many edits in it. An undo that deleted a document holds all edits in it.
///
/// Which undo is newer is a matter of time: a rename gives a document's changes new numbers.
struct UndoSearch: Sendable {
    /// A document as it is now, as far as the search needs it.
    struct Line: Sendable {
        /// The changes that lead to its value; none if it is deleted.
        let steps: Set<Int>
        /// The deletion by which it is gone.
        let deletion: Int?
    }

    /// An undo of many edits.
    private struct Undo {
        let time: Timestamp
        /// In the order of commits.
        let number: Int
        let place: DocumentRevision

        func isNewer(than other: Undo) -> Bool {
            (time, number) > (other.time, other.number)
        }
    }

    private let selection: ChangeSelection
    private var histories: [DocumentID: History] = [:]
    /// The undos by their numbers, each with the count of the changes that it may hold and that
    /// were not reached yet.
    private var open: [Int: (undo: Undo, count: Int)] = [:]
    private var newest: Undo?
    /// Whether all changes are those of one document, so that they come in the order of their time.
    private let isOfOne: Bool
    /// Whether a change of another document than that of the newest undo is older than the undo.
    private var hasPassed = false

    init(for selection: ChangeSelection, isOfOne: Bool) {
        self.selection = selection
        self.isOfOne = isOfOne
    }

    /// Where the undo is; `nil` if there is none in the changes that were noted.
    var found: DocumentRevision? { newest?.place }

    /// Whether no change that is still to come can alter the result.
    var isEnded: Bool {
        guard let newest, isOfOne || hasPassed else { return false }
        return open.values.allSatisfy { !$0.undo.isNewer(than: newest) }
    }

    /// Whether the line of its document is needed before the change can be noted.
    func needsLine(for change: Change, of document: DocumentID) -> Bool {
        histories[document]?.line == nil && mayHold(change)
    }

    /// `selecting`: the selection in this document.
    mutating func note(
        _ line: Line, selecting selection: ChangeSelection, of document: DocumentID
    ) {
        var history = histories[document] ?? History()
        history.line = line
        history.selection = selection
        for reversal in history.later where line.steps.contains(reversal.revision) {
            history.note(reversal.reversal, number: nil)
        }
        history.later = []
        histories[document] = history
    }

    /// Notes a change that is older than those before.
    mutating func note(_ item: JournalPast.Item) {
        let change = item.change
        if let newest, newest.place.document != item.document {
            hasPassed = hasPassed || change.time < newest.time
        }
        var history = histories[item.document] ?? History()
        defer { histories[item.document] = history }
        let undo = Undo(
            time: change.time, number: item.sequence,
            place: DocumentRevision(item.document, change.revision))
        if let reversal = change.reversal {
            guard let line = history.line else {
                return history.later.append((change.revision, reversal))
            }
            guard line.steps.contains(change.revision) else { return }
            let isOpen = mayHold(change)
            history.note(reversal, number: isOpen ? item.sequence : nil)
            if isOpen { open[item.sequence] = (undo, Set(reversal.undone).count) }
        } else if mayHold(change) {
            guard history.line?.deletion == change.revision else { return }
            history.deletion = item.sequence
            // Until the change is reached that made the document.
            open[item.sequence] = (undo, .max)
        } else {
            reach(change, &history)
        }
    }

    /// Looks up which undos hold an edit or a creation.
    private mutating func reach(_ change: Change, _ history: inout History) {
        let selection = history.selection ?? selection
        let part = selection.part(of: change)
        if let deletion = history.deletion {
            var isCreation = false
            if case .create = change.kind { isCreation = true }
            let isHeld = part != nil || isCreation && selection.includes(creation: change)
            if isHeld, let undo = open[deletion]?.undo { find(undo) }
            if isHeld || isCreation { (open[deletion], history.deletion) = (nil, nil) }
            return
        }
        for (number, isHeld) in history.reach(change, part) {
            guard let (undo, count) = open[number] else { continue }
            open[number] = count > 1 ? (undo, count - 1) : nil
            if isHeld { find(undo) }
        }
    }

    private mutating func find(_ undo: Undo) {
        guard newest.map({ undo.isNewer(than: $0) }) ?? true else { return }
        (newest, hasPassed) = (undo, false)
    }

    /// Whether a change is an undo of many edits that may hold one of the selection.
    private func mayHold(_ change: Change) -> Bool {
        guard change.selection != nil else { return false }
        guard let reversal = change.reversal else { return change.takesBack != nil }
        guard !reversal.undone.isEmpty else { return false }
        guard let wanted = selection.actor, let actor = reversal.actor, !actor.isEmpty else {
            return true
        }
        return actor == wanted
    }

    /// The changes of a document, as far as they were noted.
    private struct History {
        var line: Line?
        /// The selection in it, which is needed from the first undo of many edits on.
        var selection: ChangeSelection?
        /// The reversals noted before the line was known, the newest first.
        var later: [(revision: Int, reversal: Reversal)] = []
        /// Of each change, the reversals that flip it, the newest first.
        var flips: [Int: [Flip]] = [:]
        /// The number of the undo that deleted the document.
        var deletion: Int?

        /// A change that a reversal takes out of effect, or puts back.
        struct Flip {
            /// The number of the reversal, if it is an undo that may hold the change.
            let number: Int?
            /// The operations; all of them, if it is `nil`.
            let operations: [Int]?
        }

        mutating func note(_ reversal: Reversal, number: Int?) {
            // A change that one reversal takes and puts back is in effect.
            for part in reversal.changesOn {
                flips[part.revision, default: []].append(
                    Flip(number: nil, operations: part.operations))
            }
            for part in reversal.changesOff {
                flips[part.revision, default: []].append(
                    Flip(number: number, operations: part.operations))
            }
        }

        /// The undos that flip a change, and whether each holds something of `part` out of effect.
        mutating func reach(_ change: Change, _ part: ChangePart?) -> [Int: Bool] {
            guard let flips = flips.removeValue(forKey: change.revision) else { return [:] }
            var held: [Int: Bool] = [:]
            for number in flips.compactMap(\.number) { held[number] = false }
            guard let part else { return held }
            for operation in part.operations ?? Array(0..<max(1, change.patch.count)) {
                let last = flips.first { $0.operations?.contains(operation) ?? true }
                if let number = last?.number { held[number] = true }
            }
            return held
        }
    }
}
