import Documents
import JSONTree
import Journaling

// Maps the errors of drafts to problems.

extension Problem {
    init(_ error: DraftError) {
        switch error {
        case .noOrigin: self = Problem.noOrigin()
        case .originGone(let origin): self = Problem.originGone(origin)
        case .otherHistory(let origin): self = Problem.otherHistory(origin)
        case .originOutOfReach(let origin): self = Problem.originOutOfReach(origin)
        case .originForbidden(let origin): self = Problem.originForbidden(origin)
        case .conflicts(let conflicts): self = Problem(conflicts, JSONText(), .uncut)
        case .notInConflict(let place, let others): self = Problem.notInConflict(place, others)
        case .needsChanges(let needed, let revision): self = Problem.needsChanges(needed, revision)
        case .movedPart(let place): self = Problem.movedPart(place)
        case .mergedSince(let update): self = Problem.mergedSince(update)
        case .overlapping(let document, let drafts):
            self = Problem.overlapping(document, drafts)
        }
    }

    private static func noOrigin() -> Problem {
        Problem(.noOrigin, "The document has no origin.")
    }

    private static func originGone(_ origin: DocumentID) -> Problem {
        Problem(
            .originGone, "The origin \(origin) does not exist, or another document has its name."
        ).with("origin", .text(origin.name))
    }

    private static func otherHistory(_ origin: DocumentID) -> Problem {
        Problem(
            .otherHistory, "\(origin) is not the origin of the draft."
        ).with("origin", .text(origin.name))
    }

    private static func originOutOfReach(_ origin: DocumentID) -> Problem {
        Problem(
            .forbidden,
            "The token does not cover \(origin), the origin of the draft.",
            hint:
                "Use this token to read and edit the draft. To compare, update or merge it, use a "
                + "token that covers both documents."
        ).with("document", .text(origin.name))
    }

    private static func originForbidden(_ origin: DocumentID) -> Problem {
        Problem(
            .forbidden, "A merge requires the right write for \(origin), the origin.",
            hint: "Ask an actor with this right to send POST …/merge."
        ).with("right", .text("write")).with("document", .text(origin.name))
    }

    /// `text` is an empty text for the draft; `origin` numbers the revisions of the origin.
    init(_ conflicts: [DraftConflict], _ text: JSONText, _ origin: Numbering) {
        let places = conflicts.map { JSON($0.place.description) }
        let with = Set(conflicts.flatMap(\.with)).sorted().map { JSON(origin.shown($0)) }
        var shown = text
        shown.array(conflicts) { $0.describe($1, with: origin) }
        self = Problem(
            .conflict, "The draft and its origin changed the same places."
        ).with("conflicts", .json(JSON(elements: places).serialized()))
            .with("with", .json(JSON(elements: with).serialized()))
            .with("places", .json(shown.bytes))
    }

    private static func notInConflict(_ place: JSONPointer, _ others: [JSONPointer]) -> Problem {
        let places = JSON(elements: others.map { JSON($0.description) })
        return Problem(
            .malformedRequest, "\(place) is not in conflict.",
            hint: "Name only places in `conflicts`."
        ).with("path", .text(place.description)).with("conflicts", .json(places.serialized()))
    }

    private static func needsChanges(_ needed: [Int], _ revision: Int) -> Problem {
        let list = JSON(elements: needed.map { JSON($0) })
        let names = needed.map { "\($0)" }.joined(separator: ", ")
        return Problem(
            .needsChanges, "Change \(revision) depends on \(names)."
        ).with("needs", .json(list.serialized()))
    }

    private static func movedPart(_ place: JSONPointer) -> Problem {
        Problem(
            .movedValue, "A value was moved between a selected place and \(place)."
        ).with("path", .text(place.description))
    }

    private static func overlapping(_ document: DocumentID, _ drafts: [DocumentID]) -> Problem {
        let names = drafts.map(\.name)
        return Problem(
            .overlappingDrafts,
            drafts.contains(document)
                ? "The merge of \(drafts.last ?? document) changes another draft, \(document)."
                : "The merges of \(names.joined(separator: " and ")) both change \(document)."
        ).with("document", .text(document.name))
            .with("documents", .json(JSON(elements: names.map { JSON($0) }).serialized()))
    }

    private static func mergedSince(_ update: Int) -> Problem {
        Problem(
            .merged, "A merge of the draft contains the update \(update).")
    }
}
