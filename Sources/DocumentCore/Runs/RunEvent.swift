import JSONTree
package import Naming

/// The effect of a change on the counts of runs.
package enum RunEvent: Sendable, Equatable {
    /// Nothing.
    case none
    /// An edit of a run, which is in effect.
    case edit(run: Name)
    /// Edits may have gone out of effect or come back: all edits of the document are counted again.
    case recount
}

extension Change {
    /// The effect on the counts of runs.
    package var runEvent: RunEvent {
        switch kind {
        case .touch, .snapshot, .removeSnapshot, .tag, .removeTag, .pushScope, .popScope, .settings,
            .merge, .origin, .copy:
            .none
        case .create: revision == 0 ? (runOfEdit.map { .edit(run: $0) } ?? .none) : .recount
        case .append, .restore, .update:
            // With fewer versions, edits of others were forgotten.
            versionsKept != nil ? .recount : runOfEdit.map { .edit(run: $0) } ?? .none
        case .move, .revert, .discardScope, .delete, .undelete, .purge, .forgotten, .foundation:
            .recount
        }
    }

    /// The run that made it, if it is an edit of a run.
    package var runOfEdit: Name? {
        if case .create = kind { return actor.isRun ? actor : nil }
        return makesVersion && reversal == nil && actor.isRun ? actor : nil
    }

    /// Whether the bytes of a change may mean something for the counts of runs. Reads the first of
    /// them alone: the actors of most changes are not runs.
    package static func mayConcernRuns(_ body: [UInt8]) -> Bool {
        var reader = ByteReader(body)
        do throws(ByteReader.Malformed) {
            _ = try reader.byte()
            switch Change.Kind.Code(rawValue: try reader.byte()) {
            case .tag, .removeTag, .removeSnapshot, .touch: return false
            case .append:
                _ = try reader.byte()
                _ = try reader.optionalText()
                return try reader.name().isRun
            default: return true
            }
        } catch {
            return true
        }
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
