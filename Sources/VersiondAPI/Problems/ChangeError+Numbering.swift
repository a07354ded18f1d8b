import Documents
import JSONTree
import Journaling
import SelectiveUndo
import VersioningKit

extension ChangeError {
    /// The error with numbers as clients see them.
    func shown(in numbering: Numbering) -> ChangeError {
        if numbering.isUncut { return self }
        let shown = numbering.shown
        switch self {
        case .deleted(let revision): return .deleted(revision: shown(revision))
        case .purged(let revision): return .purged(revision: shown(revision))
        case .exists(let revision): return .exists(revision: shown(revision))
        case .movedValue(let place, let revision):
            return .movedValue(place: place, revision: shown(revision))
        case .stale(let head): return .stale(head: head.map(shown))
        case .matchRequired(let head): return .matchRequired(head: shown(head))
        case .notInEffect(let revision): return .notInEffect(revision: shown(revision))
        case .conflicts(let conflicts):
            return .conflicts(conflicts.map { $0.shown(in: numbering) })
        case .creationStays(let conflicts):
            return .creationStays(conflicts.map { $0.shown(in: numbering) })
        case .displaced(let places, let base):
            return .displaced(
                places.map { .init(pointer: $0.pointer, revision: shown($0.revision)) },
                since: shown(base))
        case .mergeConflicts(let conflicts, let base):
            return .mergeConflicts(
                conflicts.map { $0.renumbered(shown($0.revision)) }, base: shown(base))
        case .baseTooOld(let base, let head):
            return .baseTooOld(base: shown(base), head: shown(head))
        case .changeTooOld(let reached, let head):
            return .changeTooOld(reached: shown(reached), head: shown(head))
        case .earlierLife(let begun): return .earlierLife(begun: shown(begun))
        case .wrongOwn(let revision, let base):
            return .wrongOwn(revision: shown(revision), base: shown(base))
        case .unknownOwn(let key, let base): return .unknownOwn(key: key, base: shown(base))
        case .partOfTransaction(let revisions, let documents):
            return .partOfTransaction(revisions: revisions.map(shown), documents: documents)
        case .keepsParts(let revisions): return .keepsParts(revisions: revisions.map(shown))
        case .foreignEdit(let revision, let actor):
            return .foreignEdit(revision: shown(revision), actor: actor)
        case .undoTooLate(let prefix, let within, let oldest):
            return .undoTooLate(prefix: prefix, within: within, oldest: shown(oldest))
        case .otherRequest(let key, let revision):
            return .otherRequest(key: key, revision: shown(revision))
        case .repeated(let revision): return .repeated(revision: shown(revision))
        case .trimmed(let oldest): return .trimmed(oldest: shown(oldest))
        case .unknownRevision(let revision): return .unknownRevision(shown(revision))
        case .mismatch(let version): return .mismatch(version: shown(version))
        case .version(.unknownVersion(let version)):
            return .version(.unknownVersion(shown(version)))
        case .version(.notOnPath(Move.Target.version(let version))):
            return .version(.notOnPath(.version(shown(version))))
        case .draft(.needsChanges(let needed, let revision)):
            return .draft(.needsChanges(needed.map(shown), of: shown(revision)))
        case .draft(.mergedSince(let update)): return .draft(.mergedSince(update: shown(update)))
        case .unknownDocument, .notDeleted, .tooLongToCopy, .tagExists, .tooManyTags,
            .unknownSnapshot, .snapshotExists, .tooManySnapshots, .patch, .tooLarge,
            .tooManyValues, .tooDeep, .invalid, .schemaTooCostly, .quota, .version, .nothingOwn,
            .nothingSelected, .kept, .tooManyChanges, .tooManyDocuments, .tooManyRuns,
            .tooLargeTogether, .draft,
            .overtaken,
            .deletionForbidden, .outOfReach, .foreignScope, .notYet, .otherHistory, .journal,
            .abandoned, .indexing, .runsOpen:
            return self
        }
    }
}

extension Conflict {
    /// The conflict with numbers as clients see them.
    func shown(in numbering: Numbering) -> Conflict {
        Conflict(
            change: numbering.shown(change), places: places, with: with.map(numbering.shown))
    }
}
