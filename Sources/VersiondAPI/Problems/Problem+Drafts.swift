import Documents
import JSONTree
import Journaling

// What can be in the way of drafts.

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
        }
    }

    private static func noOrigin() -> Problem {
        Problem(.noOrigin, "The document is no draft: it knows of no origin.")
    }

    private static func originGone(_ origin: DocumentID) -> Problem {
        Problem(
            .originGone, "The origin \(origin) is gone, or another document has its name."
        ).with("origin", .text(origin.name))
    }

    private static func otherHistory(_ origin: DocumentID) -> Problem {
        Problem(
            .otherHistory, "\(origin) is not the document that the draft is from.",
            hint: "Name the one that has its history: it was renamed, or copied with its history."
        ).with("origin", .text(origin.name))
    }

    private static func originOutOfReach(_ origin: DocumentID) -> Problem {
        Problem(
            .forbidden,
            "The origin of the draft is \(origin), which this token does not cover.",
            hint: "The draft itself can be read and edited. Comparing, updating and merging it "
                + "needs a token that covers both."
        ).with("document", .text(origin.name))
    }

    private static func originForbidden(_ origin: DocumentID) -> Problem {
        Problem(
            .forbidden, "Merging needs the right to write \(origin), the origin.",
            hint: "Ask somebody who may: POST …/merge with their token."
        ).with("right", .text("write")).with("document", .text(origin.name))
    }

    /// `text` is an empty one about the draft, `origin` how numbers of the origin look.
    init(_ conflicts: [DraftConflict], _ text: JSONText, _ origin: Numbering) {
        let places = conflicts.map { JSON($0.place.description) }
        let with = Set(conflicts.flatMap(\.with)).sorted().map { JSON(origin.shown($0)) }
        var shown = text
        shown.array(conflicts) { $0.describe($1, with: origin) }
        self = Problem(
            .conflict, "The draft and its origin have changed the same places.",
            hint: "Decide places: {\"resolve\":{\"/price\":\"draft\"}}; or send conflict=draft or "
                + "conflict=origin for all of them."
        ).with("conflicts", .json(JSON(elements: places).serialized()))
            .with("with", .json(JSON(elements: with).serialized()))
            .with("places", .json(shown.bytes))
    }

    private static func notInConflict(_ place: JSONPointer, _ others: [JSONPointer]) -> Problem {
        let places = JSON(elements: others.map { JSON($0.description) })
        return Problem(
            .malformedRequest, "\(place) is not in conflict.",
            hint: "Decide places that a conflict names; leave this one out."
        ).with("path", .text(place.description)).with("conflicts", .json(places.serialized()))
    }

    private static func needsChanges(_ needed: [Int], _ revision: Int) -> Problem {
        let list = JSON(elements: needed.map { JSON($0) })
        let names = needed.map { "\($0)" }.joined(separator: ", ")
        return Problem(
            .needsChanges, "Change \(revision) does nothing without \(names)."
        ).with("needs", .json(list.serialized()))
    }

    private static func movedPart(_ place: JSONPointer) -> Problem {
        Problem(
            .movedValue, "A value was moved between a chosen place and \(place)."
        ).with("path", .text(place.description))
    }

    private static func mergedSince(_ update: Int) -> Problem {
        Problem(
            .merged, "The draft was merged since the update \(update), which the merge rests on.")
    }
}
