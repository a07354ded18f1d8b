import AccessControl
import Documents
import JSONTree
import Journaling
import Naming
import SelectiveUndo

/// The body of a transaction: a request for each document.
struct TransactionBody {
    /// A member, before what it names is looked up.
    struct Member {
        let document: DocumentID
        let action: Action
        let precondition: Precondition
        let base: EditBase?
        let label: String?

        /// Whether it names a state that must be read first.
        var isLookedUp: Bool { if case .restore = action { true } else { false } }

        enum Action {
            case change(ChangeRequest.Action)
            /// Restores places of another state, which is read first.
            case restore(StateAddress, text: String, [JSONPointer])
        }
    }

    let members: [Member]

    /// The depth of values in the body: in an operation, a patch, a member and their list.
    private static let levelsDown = 3 + JSONPatch.levels

    init(_ call: Call) throws(Problem) {
        let body = try call.command(levelsDown: TransactionBody.levelsDown)
        let changes = body["changes"]?.elements ?? []
        for (place, change) in changes.enumerated() {
            try Member.check(change, at: "/changes/\(place)")
        }
        var members: [Member] = []
        for (place, change) in changes.enumerated() {
            do throws(Problem) {
                members.append(try Member(change, call))
            } catch {
                throw error.about(change["document"]?.string ?? "", member: place)
            }
        }
        self.members = members
        try checkNames()
    }

    private func checkNames() throws(Problem) {
        var seen: [DocumentID: Int] = [:]
        for (place, member) in members.enumerated() {
            guard let first = seen.updateValue(place, forKey: member.document) else { continue }
            throw Problem(
                .malformedRequest, "Members \(first) and \(place) name the same document.",
                hint: "Combine them into one patch."
            ).about(member.document.name, member: place)
        }
    }
}

extension Problem {
    /// The problem, naming the document and the member that it is about.
    func about(_ document: String, member: Int) -> Problem {
        with("document", .text(document)).with("member", .number(member))
    }
}

extension TransactionBody.Member {
    private static let forms = ["value", "patch", "merge", "restore", "undo", "delete"]

    /// Throws if members of a change contradict each other.
    fileprivate static func check(_ body: JSON, at place: String) throws(Problem) {
        let named = try body.oneAtMost(of: forms, at: place).first
        if named == nil, body.present(["match", "noneMatch"]).isEmpty {
            throw Problem(
                malformed: place,
                "A member requires one of \(forms.joined(separator: ", ")), or only a condition "
                    + "(match or noneMatch).")
        }
        let isEdit = ["value", "patch", "merge"].contains(named)
        let isBased = body["base"] != nil
        let rules = [
            ("base", isEdit, "base requires value, patch or merge."),
            ("own", isBased || body["own"]?.count == 0, "own requires base."),
            ("conflict", isBased || named == "undo", "conflict requires base or undo."),
            ("tag", isEdit, "tag requires value, patch or merge."),
        ]
        for (name, isMeant, detail) in rules where body[name] != nil && !isMeant {
            throw Problem(malformed: "\(place)/\(name)", detail)
        }
    }

    /// Reads a change that was checked.
    fileprivate init(_ body: JSON, _ call: Call) throws(Problem) {
        let form = body.present(TransactionBody.Member.forms).first
        document = try body.document("document")
        try call.checkReach(of: document)
        let policy = body["conflict"]?.string.flatMap { ConflictPolicy(word: $0) }
        action = try TransactionBody.Member.action(form, body, policy ?? .reject, document, call)
        try call.needs(form == "delete" ? .admin : form == nil ? .read : .write)
        if policy == .mine, form == "undo" { try call.needsRightToUndoOthers() }
        let numbering = call.numbering(of: document)
        precondition = Precondition(
            match: numbering.revisions(body.revisions("match")),
            noneMatch: numbering.revisions(body.revisions("noneMatch")))
        let state = try call.state(in: body, "base", about: document)
        base = try call.meaning(about: document) { numbering throws(ChangeError) in
            guard let state else { return nil }
            let own = (body["own"]?.elements ?? []).compactMap { own -> EditBase.Own? in
                own.int.map { .revision($0) } ?? own.string.map { .key(Name($0)) }
            }
            return EditBase(
                state, own: try numbering.own(own), policy: policy ?? .reject)
        }
        label = try body["label"]?.string.map { text throws(Problem) in
            try call.name(text, of: "label").text
        }
    }

    private static func action(
        _ form: String?, _ body: JSON, _ policy: ConflictPolicy, _ document: DocumentID,
        _ call: Call
    ) throws(Problem) -> Action {
        guard let form, let value = body[form] else { return .change(.nothing) }
        let tag = body["tag"]?.string
        switch form {
        case "restore":
            let from = value["from"]?.string ?? "head"
            return .restore(
                try call.state(from, named: "from", about: document), text: from,
                value.pointers("paths"))
        case "undo":
            let revision = try call.meaning(about: document) { numbers throws(ChangeError) in
                try numbers.revision(value["revision"]?.int ?? 0)
            }
            return .change(.revert(OwnUndoRequest(.change(revision), policy: policy)))
        case "delete": return .change(.delete)
        case "value" where tag == nil: return .change(.put(value))
        default:
            let name = try tag.map { tag throws(Problem) in
                Name(try Limits.checkName(tag, "A tag"))
            }
            return .change(.append(try call.edit(form, value), tag: name, grouping: nil))
        }
    }
}
