package import Naming
import SelectiveUndo

/// The effect of a change on the counts of runs.
package enum RunEvent: Sendable, Equatable {
    /// Nothing.
    case none
    /// An edit of a run, which is in effect.
    case edit(run: Name)
    /// The edits of a few revisions went out of effect. `of`: their author, if the undo was about
    /// all edits of one actor. `by`: the actor, if it was not about a selection.
    case undo([Int], of: Name?, by: Name?)
    /// Edits may have gone out of effect or come back: all edits of the document are counted again.
    case recount

    /// The limit on edits that are looked up one by one.
    static let undoneMax = 32
}

extension Change {
    /// The effect on the counts of runs.
    package var runEvent: RunEvent {
        switch kind {
        case .touch, .snapshot, .removeSnapshot, .tag, .removeTag, .pushScope, .settings, .merge,
            .origin, .copy, .popScope(isChanged: true, _):
            .none
        case .create: revision == 0 ? (runOfEdit.map { .edit(run: $0) } ?? .none) : .recount
        case .append, .restore, .update:
            // With fewer versions, edits of others were forgotten.
            versionsKept != nil ? .recount : runOfEdit.map { .edit(run: $0) } ?? .none
        case .revert(let reversal)
        where reversal.redone.isEmpty && reversal.off.count <= RunEvent.undoneMax:
            .undo(
                reversal.off, of: selection?.isAllOfActor == true ? selection?.actor : nil,
                by: selection == nil ? actor : nil)
        // The steps of a scope that changed nothing leave the line.
        case .popScope, .move, .revert, .discardScope, .delete, .undelete, .purge, .forgotten,
            .foundation:
            .recount
        }
    }

    /// The run that made it, if it is an edit of a run.
    package var runOfEdit: Name? {
        if case .create = kind { return actor.isRun ? actor : nil }
        return makesVersion && reversal == nil && actor.isRun ? actor : nil
    }

    /// The run that made it, if it is not an edit: then no undo of the run takes it.
    package var runOfOther: Name? { actor.isRun && runOfEdit == nil ? actor : nil }

    /// Whether an entry may mean something for the counts of runs: of most entries the first few
    /// bytes show that they are of an actor that is not a run.
    package static func mayConcernRuns(_ body: [UInt8], at revision: Int) -> Bool {
        let bytes = body.span
        guard bytes.count > 4 else { return true }
        switch Change.Kind.Code(rawValue: bytes[1]) {
        // They have the actor and other names.
        case .tag, .removeTag, .removeSnapshot: return body.contains(UInt8(ascii: "/"))
        // Format, kind, no tag, actor.
        case .touch where bytes[2] == 0: return mayHaveRun(bytes, at: 3)
        // Format, kind, joins, no tag, actor.
        case .append where bytes[3] == 0: return mayHaveRun(bytes, at: 4)
        // Format, kind, actor.
        case .create where revision == 0: return mayHaveRun(bytes, at: 2)
        default: return true
        }
    }

    /// Whether the name at a place may be that of a run: a short one without a slash is not.
    private static func mayHaveRun(_ bytes: Span<UInt8>, at place: Int) -> Bool {
        let first = place + 1
        guard bytes[place] < 128, first + Int(bytes[place]) <= bytes.count else { return true }
        for index in first..<(first + Int(bytes[place])) where bytes[index] == UInt8(ascii: "/") {
            return true
        }
        return false
    }
}

extension Name {
    /// Whether it is the name of a run: one below another name.
    package var isRun: Bool {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { return false }
        return slash != text.utf8.startIndex && text.utf8.index(after: slash) != text.utf8.endIndex
            && !text.utf8.contains(0)
    }
}
