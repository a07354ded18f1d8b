import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import SelectiveUndo
import VersioningKit

// Every error of the rooms below becomes HTTP words here, without a `default`: a new case must not
// compile until it has its words.

extension Problem {
    init(_ error: ChangeError) {
        switch error {
        case .unknownDocument: self.init(.unknownDocument, "There is no document of this name.")
        case .deleted(let revision): self = Problem.deleted(revision)
        case .purged(let revision): self = Problem.purged(revision)
        case .notDeleted: self.init(.notDeleted, "The document is not deleted.")
        case .exists(let revision): self = Problem.exists(revision)
        case .tooLongToCopy(let changesMax, let bytesMax):
            self = Problem.tooLongToCopy(changesMax, bytesMax)
        case .movedValue(let place, let revision): self = Problem.movedValue(place, revision)
        case .stale(let head): self = Problem.stale(head)
        case .matchRequired(let head): self = Problem.matchRequired(head)
        case .tagExists(let tag): self.init(.tagExists, "The tag \(tag) exists.")
        case .patch(let error): self.init(error)
        case .tooLarge(let max): self = Problem.documentTooLarge("\(max) bytes")
        case .tooManyValues(let max): self = Problem.documentTooLarge("\(max) values")
        case .tooDeep(let max): self.init(.tooDeep, "Arrays and objects nest at most \(max) deep.")
        case .invalid(let violations): self = Problem.schemaViolation(violations)
        case .schemaTooCostly: self = Problem.schemaTooCostly()
        case .quota(let refusal): self = Problem.quota(refusal)
        case .version(let error): self.init(error)
        case .notInEffect(let revision):
            self.init(.notInEffect, "Change \(revision) is not in effect here.")
        case .conflicts(let conflicts): self = Problem.conflict(conflicts)
        case .displaced(let places, let base): self = Problem.displaced(places, since: base)
        case .mergeConflicts(let conflicts, let base):
            self = Problem.conflict(conflicts, since: base)
        case .baseTooOld(let base, let head): self = Problem.baseTooOld(base, head)
        case .changeTooOld(let reached, let head): self = Problem.changeTooOld(reached, head)
        case .earlierLife(let begun): self = Problem.earlierLife(begun)
        case .wrongOwn(let revision, let base): self = Problem.wrongOwn(revision, base)
        case .unknownOwn(let key, let base): self = Problem.unknownOwn(key, base)
        case .nothingOwn(let actor, let isRedo): self = Problem.nothingOwn(actor, isRedo: isRedo)
        case .partOfTransaction(let revisions, let documents):
            self = Problem.partOfTransaction(revisions, documents)
        case .tooManyDocuments(let max):
            self.init(.tooManyDocuments, "At most \(max) documents are changed together.")
        case .tooLargeTogether(let max): self = Problem.tooLargeTogether(max)
        case .outOfReach(let document): self = Problem.outOfReach(document)
        case .deletionForbidden: self = Problem.deletionForbidden()
        case .draft(let error): self.init(error)
        case .overtaken: self.init(JournalError.conflict)
        case .nothingSelected: self = Problem.nothingSelected()
        case .creationStays: self = Problem.creationStays()
        case .tooManyChanges(let max):
            self.init(.tooManyChanges, "At most \(max) changes are taken back at once.")
        case .tooManyTags(let max): self.init(.tooManyTags, "A document has at most \(max) tags.")
        case .foreignScope(let owner): self = Problem.foreignScope(owner)
        case .foreignEdit(let revision, let actor): self = Problem.foreignEdit(revision, actor)
        case .otherRequest(let key, let revision): self = Problem.otherRequest(key, revision)
        case .repeated(let revision):
            self = Problem(.otherRequest, "The request was carried out before.")
                .naming(change: revision)
        case .trimmed(let oldest): self = Problem.trimmed(oldest)
        case .unknownSnapshot(let key): self.init(.unknownSnapshot, "There is no snapshot \(key).")
        case .snapshotExists(let key): self.init(.snapshotExists, "The snapshot \(key) exists.")
        case .tooManySnapshots(let max):
            self.init(.tooManySnapshots, "A document has at most \(max) snapshots.")
        case .notYet: self = Problem.notYet()
        case .unknownRevision(let revision):
            self.init(.unknownRevision, "The document has no revision \(revision).")
        case .otherHistory(let number): self = Problem.otherHistory(number: number)
        case .mismatch(let version): self = Problem.mismatch(version)
        case .journal(let error): self.init(error)
        case .abandoned:
            self.init(.clientGone, "The client closed its side while the past was read.")
        }
    }

    private static func documentTooLarge(_ most: String) -> Problem {
        Problem(.documentTooLarge, "A document has at most \(most).")
    }

    private static func nothingSelected() -> Problem {
        Problem(.nothingToUndo, "No edit in effect is one of those that all names.")
            .with("selected", .number(0))
    }

    private static func creationStays() -> Problem {
        Problem(
            .nothingToUndo,
            "What all names made the document, in which there is other work: it stays.")
    }

    private static func notYet() -> Problem {
        Problem(
            .unknownRevision, "There was no document at that time yet.",
            hint: "GET …/history/0 shows when it was made.")
    }

    private static func partOfTransaction(
        _ revisions: [Int], _ documents: [DocumentID]
    ) -> Problem {
        let named = revisions.map { "\($0)" }.joined(separator: ", ")
        let names = JSON(elements: documents.map { JSON($0.name) })
        return Problem(
            .partOfTransaction,
            "Of a transaction over several documents only the part \(named) "
                + "would be taken."
        ).with("documents", .json(names.serialized()))
    }

    private static func tooLargeTogether(_ max: Int) -> Problem {
        Problem(
            .documentsTooLarge,
            "The documents, and what is made of them, take more than \(max >> 20) MiB of memory "
                + "together."
        ).with("bytesMax", .number(max))
    }

    private static func deletionForbidden() -> Problem {
        Problem(
            .forbidden, "Only a token with the right admin may delete it, or bring it back.",
            hint: "What an undo deleted comes back with the right to undo that."
        ).with("right", .text("admin"))
    }

    private static func outOfReach(_ document: DocumentID) -> Problem {
        Problem(
            .forbidden,
            "Another part of the transaction is in \(document.name), which this token "
                + "does not cover.",
            hint: "Send alone to take it here only."
        ).with("document", .text(document.name))
    }

    private static func mismatch(_ version: Int) -> Problem {
        Problem(
            .versionMismatch,
            "The document's content is not that of version \(version); nothing was reverted.")
    }

    private static func deleted(_ revision: Int) -> Problem {
        Problem(
            .documentDeleted, "The document was deleted at revision \(revision)."
        ).with("revision", .number(revision))
    }

    private static func exists(_ revision: Int) -> Problem {
        Problem(
            .documentExists, "There is, or was, a document of this name, at revision \(revision)."
        ).with("revision", .number(revision))
    }

    private static func tooLongToCopy(_ changesMax: Int, _ bytesMax: Int) -> Problem {
        Problem(
            .tooLongToCopy,
            "At most \(changesMax) changes and \(bytesMax >> 20) MiB are copied at once.")
    }

    private static func purged(_ revision: Int) -> Problem {
        Problem(
            .documentPurged, "The document was erased by revision \(revision)."
        ).with("revision", .number(revision))
    }

    private static func named(_ target: Move.Target) -> String {
        switch target {
        case .version(let version): "Version \(version)"
        case .tag(let tag): "The version tagged \(tag)"
        }
    }

    private static func movedValue(_ place: JSONPointer, _ revision: Int) -> Problem {
        Problem(
            .movedValue,
            "Change \(revision) moved something between a place to erase and \(place)."
        ).with("path", .text(place.description)).naming(change: revision)
    }

    private static func matchRequired(_ head: Int) -> Problem {
        Problem(
            .matchRequired, "A change of this document must say what it was written against."
        ).with("head", .number(head)).withField("ETag", "\"\(head)\"")
    }

    private static func nothingOwn(_ actor: Name, isRedo: Bool) -> Problem {
        let name = actor == .nobody ? "an actor without a name" : actor.text
        return Problem(
            isRedo ? .nothingToRedo : .nothingToUndo,
            isRedo
                ? "Nothing that \(name) undid can come back."
                : "Nothing that \(name) made is in effect."
        ).with("available", .number(0))
    }

    private static func foreignScope(_ owner: Name) -> Problem {
        Problem(.foreignScope, "The scope was opened by \(owner).").with("owner", .text(owner.text))
    }

    private static func foreignEdit(_ revision: Int, _ actor: Name) -> Problem {
        Problem(
            .foreignEdit,
            "Change \(revision) was made by \(actor == .nobody ? "somebody else" : actor.text)."
        ).naming(change: revision)
    }

    /// The problem with the change that it is about.
    private func naming(change revision: Int) -> Problem {
        with("change", .json(Array("{\"revision\":\(revision)}".utf8)))
    }

    private static func otherRequest(_ key: Name, _ revision: Int) -> Problem {
        Problem(
            .otherRequest, "The idempotency key \(key) was already used for a different request."
        ).naming(change: revision)
    }

    private static func trimmed(_ oldest: Int) -> Problem {
        Problem(
            .trimmed, "History is kept from revision \(oldest) on."
        ).with("oldest", .number(oldest))
    }

    private static func conflict(_ conflicts: [Conflict]) -> Problem {
        func list(_ values: [JSON]) -> [UInt8] { JSON(elements: values).serialized() }
        let places = Conflict.places(of: conflicts).map { JSON($0.description) }
        let revisions = Conflict.revisions(in: conflicts).map { JSON($0) }
        return Problem(
            .conflict, "Later work of others would be lost."
        ).with("conflicts", .json(list(places))).with("with", .json(list(revisions)))
    }

    private static func conflict(_ conflicts: [MergedEdit.Conflict], since base: Int) -> Problem {
        let (places, revisions) = conflicts.described
        return Problem(
            .conflict, "Since revision \(base) others changed the same places.",
            hint:
                "See what you missed: GET …/feed?cursor=\(base). Send conflict=mine to have yours "
                + "nevertheless, conflict=theirs to have the rest."
        ).with("conflicts", .json(places.serialized())).with(
            "with", .json(JSON(elements: revisions.map { JSON($0) }).serialized())
        )
        .with("base", .number(base))
    }

    private static func displaced(
        _ places: [FollowedPlaces.Blocked.Place], since base: Int
    ) -> Problem {
        let pointers = JSON(elements: places.map { JSON($0.pointer.description) })
        let revisions = JSON(elements: Set(places.map(\.revision)).sorted().map { JSON($0) })
        return Problem(
            .conflict,
            "Where \(pointers.count == 1 ? "this place was" : "these places were") at revision "
                + "\(base), there is something else now.",
            hint: "Restore the object or array that contains it, or the whole."
        ).with("conflicts", .json(pointers.serialized()))
            .with("with", .json(revisions.serialized())).with("base", .number(base))
    }

    private static func baseTooOld(_ base: Int, _ head: Int) -> Problem {
        Problem(
            .baseTooOld, "Too much has happened from revision \(base) to \(head)."
        ).with("head", .number(head))
    }

    private static func changeTooOld(_ reached: Int, _ head: Int) -> Problem {
        Problem(
            .changeTooOld,
            "From revision \(reached) to \(head) alone, more has happened than the daemon has "
                + "memory for."
        ).with("reached", .number(reached)).with("head", .number(head))
    }

    private static func earlierLife(_ begun: Int) -> Problem {
        Problem(
            .earlierLife, "The document began anew at revision \(begun)."
        ).with("begun", .number(begun))
    }

    private static func wrongOwn(_ revision: Int, _ base: Int) -> Problem {
        Problem(
            .wrongOwn,
            "Revision \(revision) is no edit of yours that was sent whole on revision \(base)."
        ).with("own", .number(revision))
    }

    private static func unknownOwn(_ key: Name, _ base: Int) -> Problem {
        Problem(
            .wrongOwn, "No change since revision \(base) has the key \(key).",
            hint: "Send the request with that key first, and this one when it has a response."
        ).with("own", .text(key.text))
    }

    private static func stale(_ head: Int?) -> Problem {
        guard let head else {
            return Problem(
                .staleRevision, "If-Match requires the document to exist, and it does not.",
                hint: "PUT without If-Match makes it.")
        }
        return Problem(
            .staleRevision, "The document is at revision \(head).",
            hint: "See what you missed: GET …/history, then try again with If-Match: \"\(head)\"."
        ).with("head", .number(head)).withField("ETag", "\"\(head)\"")
    }

    init(_ error: VersionError) {
        switch error {
        case .nothingToUndo(let available):
            self = Problem(
                .nothingToUndo, Problem.shortage(available, "undone")
            ).with("available", .number(available))
        case .nothingToRedo(let available):
            self = Problem(
                .nothingToRedo, Problem.shortage(available, "redone")
            ).with("available", .number(available))
        case .unknownVersion(let version):
            self.init(.unknownVersion, "The document has no version \(version).")
        case .unknownTag(let tag): self.init(.unknownTag, "There is no tag \(tag).")
        case .notOnPath(let target):
            self.init(.notOnPath, "\(Problem.named(target)) is not on the way.")
        case .outsideScope:
            self.init(.outsideScope, "The version was made before the current scope was opened.")
        case .rootScope:
            self.init(.rootScope, "Only the root scope is open, and it cannot be closed.")
        }
    }

    private static func shortage(_ available: Int, _ verb: String) -> String {
        available == 0
            ? "Nothing can be \(verb) in the current scope."
            : available == 1
                ? "Only 1 version can be \(verb) in the current scope."
                : "Only \(available) versions can be \(verb) in the current scope."
    }

    init(_ error: JSONPatchError) {
        let kind: Kind =
            switch error.reason {
            case .malformed: .malformedPatch
            case .tooManyOperations: .tooManyOperations
            case .testFailed: .testFailed
            case .missing, .noContainer, .indexOutOfRange, .impossible, .notAString,
                .textOutOfRange:
                .patchDoesNotApply
            case .tooDeep: .tooDeep
            case .tooLarge, .tooManyValues: .documentTooLarge
            }
        var problem = Problem(kind, error.description)
        if let operation = error.operation {
            problem = problem.with("operation", .number(operation))
        }
        if let pointer = error.pointer {
            problem = problem.with("path", .text(pointer.description))
        }
        if case .testFailed(let found?) = error.reason, found.byteCount <= 1024 {
            problem = problem.with("found", .json(found.serialized()))
        }
        self = problem
    }

    init(_ error: JSONParseError) {
        let kind: Kind = error.reason == .tooManyValues ? .documentTooLarge : .malformedJSON
        self = Problem(kind, "The body has \(error.description).")
            .with("offset", .number(error.offset)).with("reason", .text(error.reason.rawValue))
    }

    init(_ error: JournalError) {
        switch error {
        case .conflict:
            self = Problem(
                .overtaken, "Other changes came first, and this one was not stored."
            ).withField("Retry-After", "1")
        case .full(let reason): self.init(.journalFull, "Nothing was stored: \(reason).")
        case .unavailable(let reason):
            self = Problem(
                .journalUnavailable, "The journal cannot be reached: \(reason)."
            ).withField("Retry-After", "5")
        case .stopped(let reason):
            self.init(.journalUnavailable, "Nothing was stored, and nothing will be: \(reason).")
        case .outcomeUnknown(let reason):
            self.init(.outcomeUnknown, "The disk did not confirm the change: \(reason).")
        case .uncertain(let reason):
            self = Problem(
                .journalUncertain, "The change may be stored or not: \(reason)."
            ).withField("Retry-After", "5")
        case .leftovers(let reason):
            self.init(
                .erasureUnfinished,
                "It is erased from the history; something of it is left on the disk: \(reason).")
        case .corrupt(let reason): self.init(.damagedJournal, "\(reason).")
        }
    }

    init(_ fault: HTTPFault) {
        switch fault {
        case .ambiguousFraming(let reason): self.init(.badFraming, "Refused: \(reason).")
        case .badField(let reason): self.init(.badField, "Refused: \(reason).")
        case .tooManyFields(let max):
            self.init(.tooManyFields, "A request has at most \(max) header fields.")
        case .badTarget(let reason):
            self.init(.badTarget, "The request target is refused: \(reason).")
        case .targetTooLong(let max):
            self.init(.targetTooLong, "A request target has at most \(max) bytes.")
        case .unknownMethod(let method):
            self.init(.unknownMethod, "The method \(method) is not known.")
        case .bodyTooLarge(let max): self.init(.bodyTooLarge, "A body has at most \(max) bytes.")
        case .tooManyStreams(let max):
            self = Problem(
                .tooManyStreams,
                "\(max.map { "\($0)" } ?? "As many as may") follow a feed already."
            ).withField("Retry-After", "30")
        case .tooMuchToSend:
            self = Problem(
                .tooMuchToSend, "Other large responses are under way and take all the room."
            ).withField("Retry-After", "5")
        case .tooMuchToReceive:
            self = Problem(
                .tooMuchToReceive, "Other large bodies are being received and take all the room."
            ).withField("Retry-After", "1")
        case .stopping:
            self = Problem(.stopping, "The daemon is about to stop; nothing was done.")
                .withField("Retry-After", "1")
        }
    }
}

extension [MergedEdit.Conflict] {
    /// The places, each once, and the revisions.
    var described: (places: JSON, revisions: [Int]) {
        var seen: Set<JSONPointer> = []
        let places = map(\.pointer).filter { seen.insert($0).inserted }
        return (
            JSON(elements: places.map { JSON($0.description) }),
            Set(map(\.revision)).sorted()
        )
    }
}
