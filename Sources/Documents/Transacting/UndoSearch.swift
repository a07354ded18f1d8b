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
/// at the first undo of many edits in it.
struct UndoSearch: Sendable {
    /// A document as it is now, as far as the search needs it.
    struct Line: Sendable {
        /// The changes that lead to its value; none if it is deleted.
        let steps: Set<Int>
        /// The deletion by which it is gone.
        let deletion: Int?
    }

    private let selection: ChangeSelection
    private var histories: [DocumentID: History] = [:]
    /// By their numbers in the order of commits, the undos, and the count of the changes that each
    /// may hold and that were not reached yet.
    private var open: [Int: Int] = [:]
    /// The newest undo that was found, with its number.
    private var newest: (number: Int, place: DocumentRevision)?

    init(for selection: ChangeSelection) {
        self.selection = selection
    }

    /// Where the undo is; `nil` if there is none in the changes that were noted.
    var found: DocumentRevision? { newest?.place }

    /// Whether no change that is still to come can alter the result.
    var isEnded: Bool {
        guard let newest else { return false }
        return open.keys.allSatisfy { $0 <= newest.number }
    }

    /// Whether the line of its document is needed before the change can be noted.
    func needsLine(for change: Change, of document: DocumentID) -> Bool {
        histories[document]?.line == nil && mayHold(change)
    }

    mutating func note(_ line: Line, of document: DocumentID) {
        var history = histories[document] ?? History()
        history.line = line
        for reversal in history.later where line.steps.contains(reversal.revision) {
            history.note(reversal.reversal, number: nil)
        }
        history.later = []
        histories[document] = history
    }

    /// Notes a change that is older than those before. `creation`: reads the change by which a
    /// document was made.
    mutating func note(
        _ item: JournalPast.Item, creation: (Int) throws(ChangeError) -> Change
    ) throws(ChangeError) {
        let change = item.change
        var history = histories[item.document] ?? History()
        defer { histories[item.document] = history }
        if let deleted = change.takesBack, mayHold(change) {
            guard history.line?.deletion == change.revision,
                selection.includes(creation: try creation(deleted))
            else { return }
            return find(item.sequence, DocumentRevision(item.document, change.revision))
        }
        if let reversal = change.reversal {
            guard let line = history.line else {
                return history.later.append((change.revision, reversal))
            }
            guard line.steps.contains(change.revision) else { return }
            let isOpen = mayHold(change)
            history.note(reversal, number: isOpen ? item.sequence : nil)
            if isOpen { open[item.sequence] = Set(reversal.undone).count }
            history.revisions[item.sequence] = change.revision
            return
        }
        for (number, isHeld) in history.reach(change, selection.part(of: change)) {
            if let count = open[number] { open[number] = count > 1 ? count - 1 : nil }
            guard isHeld, let revision = history.revisions[number] else { continue }
            find(number, DocumentRevision(item.document, revision))
        }
    }

    private mutating func find(_ number: Int, _ place: DocumentRevision) {
        if newest.map({ $0.number < number }) ?? true { newest = (number, place) }
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

    /// What is known of a document.
    private struct History {
        var line: Line?
        /// The reversals noted before the line was known, the newest first.
        var later: [(revision: Int, reversal: Reversal)] = []
        /// Of each change, the reversals that flip it, the newest first.
        var flips: [Int: [Flip]] = [:]
        /// The revisions of the undos, by their numbers in the order of commits.
        var revisions: [Int: Int] = [:]

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
