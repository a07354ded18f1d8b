package import Naming
import SelectiveUndo
import VersioningKit

/// Counts the edits of runs in a document, and notes their other changes, from all of its changes.
package struct RunRecount {
    /// Whether the document is there, and since which revision.
    private let isAlive: Bool
    private let birth: Int
    /// The steps of the current line.
    private let line: Set<Int>
    /// The newest reversal of each edit: whether it put the edit back, and the actor who undid it
    /// alone.
    private var flips: [Int: (isOn: Bool, by: Name?)] = [:]
    /// Whether the life that the next deletion ended was brought back.
    private var isBack = false
    /// Whether the older changes are those of a life that continued under another name: its edits
    /// count there.
    private var isElsewhere = false
    /// The result. The number of the last edit is unknown: 0.
    package private(set) var counts: [Name: RunCount] = [:]
    package private(set) var others: [Name: OtherChanges] = [:]

    /// Of a document; its changes are to be noted. O(steps of the current line).
    package init(_ document: Document) {
        isAlive = document.life == .alive
        birth = document.birth
        line = Set(document.history.stepsBack)
    }

    /// Notes a change: all of them, the newest first. O(1), and for a reversal O(edits in it).
    package mutating func note(_ change: Change) {
        switch change.kind {
        case .undelete: isBack = true
        case .delete:
            if change.renamedTo != nil, !isBack { isElsewhere = true }
            isBack = false
        default: break
        }
        if let reversal = change.reversal, line.contains(change.revision) {
            let actor = change.selection == nil ? change.actor : nil
            for (revisions, isOn) in [(reversal.on, true), (reversal.off, false)] {
                for revision in revisions where flips[revision] == nil {
                    flips[revision] = (isOn, actor)
                }
            }
        }
        if let run = change.runOfEdit { count(change, of: run) }
        if !isElsewhere, let run = change.runOfOther {
            others[run, default: OtherChanges()].note(change)
        }
    }

    private mutating func count(_ change: Change, of run: Name) {
        var count = counts[run] ?? RunCount(at: change.time, last: 0)
        defer { counts[run] = count }
        // No edit that may come back is older.
        count.noteBeginning(of: change)
        if isElsewhere { return }
        let flip = line.contains(change.revision) ? flips[change.revision] : nil
        if let flip, !flip.isOn, flip.by == run { return count.noteOccurrence(of: change) }
        count.note(change)
        if !isInEffect(change) { count.undone += 1 }
    }

    private func isInEffect(_ change: Change) -> Bool {
        guard isAlive, change.revision >= birth else { return false }
        if case .create = change.kind { return true }
        return line.contains(change.revision) && flips[change.revision]?.isOn != false
    }
}
