import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import SelectiveUndo
import VersioningKit

// Maps every error of the modules below to a problem. There is no `default`, so a new case does not
// compile without a mapping.

extension Problem {
    init(_ error: ChangeError) {
        switch error {
        case .unknownDocument: self.init(.unknownDocument, "The document does not exist.")
        case .deleted(let revision): self = Problem.deleted(revision)
        case .purged(let revision): self = Problem.purged(revision)
        case .notDeleted: self.init(.notDeleted, "The document is not deleted.")
        case .exists(let revision): self = Problem.exists(revision)
        case .tooLongToCopy(let changesMax, let bytesMax):
            self = Problem.tooLongToCopy(changesMax, bytesMax)
        case .movedValue(let place, let revision): self = Problem.movedValue(place, revision)
        case .stale(let head): self = Problem.stale(head)
        case .matchRequired(let head): self = Problem.matchRequired(head)
        case .tagExists(let tag): self.init(.tagExists, "Tag \(tag) already exists.")
        case .patch(let error): self.init(error)
        case .tooLarge(let max): self = Problem.documentTooLarge("\(max) bytes")
        case .tooManyValues(let max): self = Problem.documentTooLarge("\(max) values")
        case .tooDeep(let max): self.init(.tooDeep, "The limit is \(max) levels.")
        case .invalid(let violations): self = Problem.schemaViolation(violations)
        case .schemaTooCostly: self = Problem.schemaTooCostly()
        case .undoTooLate(let prefix, let within, let oldest):
            self = Problem.undoTooLate(prefix, within, oldest)
        case .runsOpen(let runs): self.init(open: runs)
        case .quota(let refusal): self = Problem.quota(refusal)
        case .version(let error): self.init(error)
        case .notInEffect(let revision):
            self.init(.notInEffect, "Change \(revision) is not in effect.")
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
            self.init(.tooManyDocuments, "One request changes at most \(max) documents.")
        case .tooManyRuns(let max): self = Problem.tooManyRuns(max)
        case .tooLargeTogether(let max): self = Problem.tooLargeTogether(max)
        case .outOfReach: self = Problem.partOutOfReach
        case .deletionForbidden: self = Problem.deletionForbidden()
        case .draft(let error): self.init(error)
        case .overtaken: self.init(JournalError.conflict)
        case .nothingSelected: self = Problem.nothingSelected()
        case .kept: self = Problem(.nothingToUndo, "`keep` keeps all that would be undone.")
        case .keepsParts(let revisions): self = Problem.partOfTransaction(revisions, [])
        case .creationStays: self = Problem.creationStays()
        case .tooManyChanges(let max): self = Problem.tooManyChanges(max)
        case .tooManyTags(let max): self.init(.tooManyTags, "A document has at most \(max) tags.")
        case .foreignScope(let owner): self = Problem.foreignScope(owner)
        case .foreignEdit(let revision, let actor): self = Problem.foreignEdit(revision, actor)
        case .otherRequest(let key, let revision): self = Problem.otherRequest(key, revision)
        case .repeated(let revision): self = Problem.repeated(revision)
        case .trimmed(let oldest): self = Problem.trimmed(oldest)
        case .unknownSnapshot(let key): self = Problem.unknownSnapshot(key)
        case .snapshotExists(let key): self.init(.snapshotExists, "Snapshot \(key) already exists.")
        case .tooManySnapshots(let max): self = Problem.tooManySnapshots(max)
        case .notYet: self = Problem.notYet()
        case .unknownRevision(let revision):
            self.init(.unknownRevision, "Revision \(revision) does not exist.")
        case .otherHistory(let number): self = Problem.otherHistory(number: number)
        case .mismatch(let version): self = Problem.mismatch(version)
        case .indexing: self = Problem.indexing()
        case .journal(let error): self.init(error)
        case .abandoned: self.init(.clientGone, "The client closed the connection.")
        }
    }

    private static func tooManyChanges(_ max: Int) -> Problem {
        Problem(.tooManyChanges, "One request undoes at most \(max) changes.")
    }

    private static func tooManyRuns(_ max: Int) -> Problem {
        Problem(.tooManyDocuments, "One undo takes edits of at most \(max) runs.")
    }

    private static func unknownSnapshot(_ key: Name) -> Problem {
        Problem(.unknownSnapshot, "Snapshot \(key) does not exist.")
    }

    private static func tooManySnapshots(_ max: Int) -> Problem {
        Problem(.tooManySnapshots, "A document has at most \(max) snapshots.")
    }

    private static func documentTooLarge(_ most: String) -> Problem {
        Problem(.documentTooLarge, "A document has at most \(most).")
    }

    private static func repeated(_ revision: Int) -> Problem {
        Problem(.otherRequest, "The request was already carried out.").naming(change: revision)
    }

    private static func nothingSelected() -> Problem {
        Problem(.nothingToUndo, "No edit in effect matches `all`.")
            .with("selected", .number(0))
    }

    private static func creationStays() -> Problem {
        Problem(
            .nothingToUndo,
            "The selection includes the creation of a document that contains other edits.")
    }

    private static func indexing() -> Problem {
        Problem(.indexing, "The daemon still reads older changes for its index of runs.")
            .withField("Retry-After", "5")
    }

    private static func notYet() -> Problem {
        Problem(
            .unknownRevision, "The document did not exist at that time.")
    }

    private static func partOfTransaction(
        _ revisions: [Int], _ documents: [DocumentID]
    ) -> Problem {
        let named = revisions.map { "\($0)" }.joined(separator: ", ")
        let names = JSON(elements: documents.map { JSON($0.name) })
        return Problem(
            .partOfTransaction,
            "The request would undo or redo only part \(named) of a multi-document transaction."
        ).with("documents", .json(names.serialized()))
    }

    private static func tooLargeTogether(_ max: Int) -> Problem {
        Problem(
            .documentsTooLarge,
            "The documents and their results need more than \(max >> 20) MiB of memory."
        ).with("bytesMax", .number(max))
    }

    private static func deletionForbidden() -> Problem {
        Problem(
            .forbidden, "To delete or restore a document requires the right admin."
        ).with("right", .text("admin"))
    }

    /// Without the name: a token knows of no document that it does not cover.
    private static let partOutOfReach = Problem(
        .forbidden,
        "Another part of the transaction is in a document that the token does not cover. "
            + "Send alone to undo or redo only the parts that it covers.")

    private static func mismatch(_ version: Int) -> Problem {
        Problem(
            .versionMismatch,
            "The content of the document differs from version \(version).")
    }

    private static func deleted(_ revision: Int) -> Problem {
        Problem(
            .documentDeleted, "The document was deleted at revision \(revision)."
        ).with("revision", .number(revision))
    }

    private static func exists(_ revision: Int) -> Problem {
        Problem(
            .documentExists, "The name is in use by a document at revision \(revision)."
        ).with("revision", .number(revision))
    }

    private static func tooLongToCopy(_ changesMax: Int, _ bytesMax: Int) -> Problem {
        Problem(
            .tooLongToCopy,
            "A copy has at most \(changesMax) changes and \(bytesMax >> 20) MiB.")
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
            "Change \(revision) moved a value between a selected place and \(place)."
        ).with("path", .text(place.description)).naming(change: revision)
    }

    private static func matchRequired(_ head: Int) -> Problem {
        Problem(
            .matchRequired, "The change has no If-Match."
        ).with("head", .number(head)).withField("ETag", "\"\(head)\"")
    }

    private static func nothingOwn(_ actor: Name, isRedo: Bool) -> Problem {
        let name = actor == .nobody ? "an actor without a name" : actor.text
        return Problem(
            isRedo ? .nothingToRedo : .nothingToUndo,
            isRedo
                ? "No undo by \(name) can be redone."
                : "No edit by \(name) is in effect."
        ).with("available", .number(0))
    }

    private static func foreignScope(_ owner: Name) -> Problem {
        Problem(.foreignScope, "\(owner) opened the scope.").with("owner", .text(owner.text))
    }

    private static func foreignEdit(_ revision: Int, _ actor: Name) -> Problem {
        Problem(
            .foreignEdit,
            "Change \(revision) is by " + (actor == .nobody ? "another actor." : "\(actor.text).")
        ).naming(change: revision)
    }

    /// Adds the revision of the change that caused the problem.
    private func naming(change revision: Int) -> Problem {
        with("change", .json(Array("{\"revision\":\(revision)}".utf8)))
    }

    private static func otherRequest(_ key: Name, _ revision: Int) -> Problem {
        Problem(
            .otherRequest, "Another request used the idempotency key \(key)."
        ).naming(change: revision)
    }

    private static func trimmed(_ oldest: Int) -> Problem {
        Problem(
            .trimmed, "The history begins at revision \(oldest)."
        ).with("oldest", .number(oldest))
    }

    private static func conflict(_ conflicts: [Conflict]) -> Problem {
        func list(_ values: [JSON]) -> [UInt8] { JSON(elements: values).serialized() }
        let places = Conflict.places(of: conflicts).map { JSON($0.description) }
        let revisions = Conflict.revisions(in: conflicts).map { JSON($0) }
        return Problem(
            .conflict, "The undo or redo would hide later changes by other actors."
        ).with("conflicts", .json(list(places))).with("with", .json(list(revisions)))
    }

    private static func conflict(_ conflicts: [MergedEdit.Conflict], since base: Int) -> Problem {
        let (places, revisions) = conflicts.described
        return Problem(
            .conflict, "Other clients changed the same places after revision \(base)."
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
            "A place of revision \(base) now holds another value. "
                + "Restore the object or array that contains it, or the whole document."
        ).with("conflicts", .json(pointers.serialized()))
            .with("with", .json(revisions.serialized())).with("base", .number(base))
    }

    private static func baseTooOld(_ base: Int, _ head: Int) -> Problem {
        Problem(
            .baseTooOld, "The changes from revision \(base) to \(head) exceed the limit of a merge."
        ).with("head", .number(head))
    }

    private static func changeTooOld(_ reached: Int, _ head: Int) -> Problem {
        Problem(
            .changeTooOld,
            "The changes from revision \(reached) to \(head) exceed the limit of an own undo."
        ).with("reached", .number(reached)).with("head", .number(head))
    }

    private static func earlierLife(_ begun: Int) -> Problem {
        Problem(
            .earlierLife, "The document was created again at revision \(begun)."
        ).with("begun", .number(begun))
    }

    private static func wrongOwn(_ revision: Int, _ base: Int) -> Problem {
        Problem(
            .wrongOwn,
            "Revision \(revision) is not a complete edit of yours with base \(base)."
        ).with("own", .number(revision))
    }

    private static func unknownOwn(_ key: Name, _ base: Int) -> Problem {
        Problem(
            .wrongOwn, "No change after revision \(base) has the idempotency key \(key)."
        ).with("own", .text(key.text))
    }

    private static func stale(_ head: Int?) -> Problem {
        guard let head else {
            return Problem(.staleRevision, "The document does not exist, and If-Match requires it.")
        }
        return Problem(
            .staleRevision, "The document is at revision \(head)."
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
            self.init(.unknownVersion, "Version \(version) does not exist.")
        case .unknownTag(let tag): self.init(.unknownTag, "Tag \(tag) does not exist.")
        case .notOnPath(let target):
            self.init(.notOnPath, "\(Problem.named(target)) is not on the path.")
        case .outsideScope:
            self.init(.outsideScope, "The version is older than the current scope.")
        case .rootScope:
            self.init(.rootScope, "The document has no open scope.")
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
            case .tooManyOperations, .tooMuchToSearch: .tooManyOperations
            case .textNotFound: .textNotFound
            case .textNotUnique: .textNotUnique
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
        if case .textNotUnique(let count, let positions) = error.reason {
            problem = problem.with("count", .number(count)).with(
                "positions", .json(JSON(elements: positions.map { JSON($0) }).serialized()))
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
                .overtaken, "Other daemons wrote first each time."
            ).withField("Retry-After", "1")
        case .full(let reason): self.init(.journalFull, "Nothing was stored: \(reason).")
        case .unavailable(let reason):
            self = Problem(
                .journalUnavailable, "The journal is unavailable: \(reason)."
            ).withField("Retry-After", "5")
        case .stopped(let reason):
            self.init(.journalUnavailable, "The journal is closed for writing: \(reason).")
        case .outcomeUnknown(let reason):
            self.init(.outcomeUnknown, "The disk did not confirm the change: \(reason).")
        case .uncertain(let reason):
            self = Problem(
                .journalUncertain, "The commit is uncertain: \(reason)."
            ).withField("Retry-After", "5")
        case .leftovers(let reason):
            self.init(
                .erasureUnfinished,
                "The history is erased, and the disk still holds erased data: \(reason).")
        case .corrupt(let reason): self.init(.damagedJournal, "\(reason).")
        }
    }

    init(_ fault: HTTPFault) {
        switch fault {
        case .ambiguousFraming(let reason):
            self.init(.badFraming, "The framing is invalid: \(reason).")
        case .badField(let reason): self.init(.badField, "The header is invalid: \(reason).")
        case .tooManyFields(let max):
            self.init(.tooManyFields, "A request has at most \(max) header fields.")
        case .badTarget(let reason):
            self.init(.badTarget, "The request target is invalid: \(reason).")
        case .targetTooLong(let max):
            self.init(.targetTooLong, "A request target has at most \(max) bytes.")
        case .unknownMethod(let method):
            self.init(.unknownMethod, "Method \(method) is unknown.")
        case .bodyTooLarge(let max): self.init(.bodyTooLarge, "A body has at most \(max) bytes.")
        case .tooManyStreams(let max):
            self = Problem(
                .tooManyStreams,
                max.map { "The limit is \($0) open streams." } ?? "The limit is reached."
            ).withField("Retry-After", "30")
        case .tooMuchToSend:
            self = Problem(
                .tooMuchToSend, "Other large responses use the available memory."
            ).withField("Retry-After", "5")
        case .tooMuchToReceive:
            self = Problem(
                .tooMuchToReceive, "Other large bodies use the available memory."
            ).withField("Retry-After", "1")
        case .stopping:
            self = Problem(.stopping, "The daemon is stopping.")
                .withField("Retry-After", "1")
        }
    }
}

extension [MergedEdit.Conflict] {
    /// The places without repetition, and the revisions.
    var described: (places: JSON, revisions: [Int]) {
        var seen: Set<JSONPointer> = []
        let places = map(\.pointer).filter { seen.insert($0).inserted }
        return (
            JSON(elements: places.map { JSON($0.description) }),
            Set(map(\.revision)).sorted()
        )
    }
}
