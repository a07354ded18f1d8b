import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// Numbers of changes as clients see them, and back. After a cut of the history they carry its mark;
// inside, revisions have no gaps.

extension Call {
    /// How numbers of the document that the path names look.
    var numbering: Numbering {
        guard isCut, let id = match?.document else { return .uncut }
        return numbering(of: id)
    }

    /// How numbers of a document look.
    func numbering(of id: DocumentID) -> Numbering {
        isCut ? numberings?.shown(id) ?? .uncut : .uncut
    }

    /// How positions in the order of all documents look.
    var positions: Numbering { numberings?.positions ?? .uncut }

    /// An empty text about the document that the path names.
    func jsonText() -> JSONText { JSONText(numberings, numbering: numbering, for: limitedReach) }

    /// The documents that the client may know of; `nil`: all.
    var limitedReach: Reach? { grant.reach.isAll ? nil : grant.reach }

    /// The tag of a revision of a document: the one that the path names, unless another one is
    /// given.
    func entityTag(_ revision: Int, of id: DocumentID? = nil) -> (name: String, value: String) {
        guard isCut else { return (name: "ETag", value: "\"\(revision)\"") }
        let numbering = id.map { self.numbering(of: $0) } ?? self.numbering
        return (name: "ETag", value: "\"\(numbering.shown(revision))\"")
    }

    /// An error about a document: the one that the path names, unless another one is given.
    func problem(_ error: ChangeError, about id: DocumentID? = nil) -> Problem {
        let shown = error.shown(in: id.map { self.numbering(of: $0) } ?? numbering)
        guard case .partOfTransaction(let revisions, let documents) = shown else {
            return Problem(shown)
        }
        let covered = documents.filter { grant.covers($0.name) }
        return Problem(.partOfTransaction(revisions: revisions, documents: covered))
    }
}

extension Call {
    /// Reads numbers of a document: the one that the path names, unless another one is given.
    func meaning<Value>(
        about id: DocumentID? = nil, _ read: (Numbering) throws(ChangeError) -> Value
    ) throws(Problem) -> Value {
        let numbering = id.map { self.numbering(of: $0) } ?? self.numbering
        do throws(ChangeError) { return try read(numbering) } catch { throw Problem(error) }
    }

    /// The state that an address names.
    func state(
        _ text: String, named name: String, about id: DocumentID? = nil
    ) throws(Problem) -> StateAddress {
        try state(try Address(text, named: name), about: id)
    }

    /// The position in the order of all documents that a client means.
    func position(_ shown: Int) throws(Problem) -> Int {
        do throws(ChangeError) { return try positions.revision(shown) } catch {
            throw Problem(error)
        }
    }
}

extension Problem {
    /// A number of a history that is lost: a backup was restored, or the database lost changes.
    static func otherHistory(number: Int) -> Problem {
        Problem(
            .otherHistory,
            "The number \(number) belongs to a lost history."
        ).with("number", .number(number))
    }
}
