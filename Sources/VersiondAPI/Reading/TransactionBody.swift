import AccessControl
import Documents
import JSONTree
import Journaling
import Naming
import SelectiveUndo

/// The body of a transaction: what is wanted of each document.
struct TransactionBody {
    /// A member, before what it names is looked up.
    struct Member {
        let document: DocumentID
        let action: Action
        let precondition: Precondition
        let base: EditBase?
        let label: String?

        /// Whether it names what must be looked up.
        var isLookedUp: Bool { if case .restore = action { true } else { false } }

        enum Action {
            case change(ChangeRequest.Action)
            /// Puts back what stood at places in another state, which is looked up.
            case restore(StateAddress, text: String, [JSONPointer])
        }
    }

    let members: [Member]

    /// Where values stand in the body: in an operation, a patch, a member and their list.
    private static let levelsDown = 3 + JSONPatch.levels

    init(_ call: Call) throws(Problem) {
        var body = try ControlBody(call, levelsDown: TransactionBody.levelsDown)
        let most = TransactionRequest.documentsMax
        let drafts = body.objects("changes", 1...most) { MemberDraft(&$0) }
        try body.finish(
            hint: "-d '{\"changes\":[{\"document\":\"menu\",\"merge\":{\"price\":5}}]}'")
        var members: [Member] = []
        for (place, draft) in drafts.enumerated() {
            do throws(Problem) {
                members.append(try draft.member(call))
            } catch {
                throw error.about(draft.document?.name ?? "", member: place)
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
                .malformedRequest, "Members \(first) and \(place) are about one document.",
                hint: "Put all that is to be done to a document into one patch."
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

/// A member as it stands in the body.
private struct MemberDraft {
    let document: DocumentID?
    private let form: (name: String, value: JSON)?
    private let restore: (from: String?, places: [JSONPointer])?
    private let undone: Int?
    private let match: Precondition.Revisions?
    private let noneMatch: Precondition.Revisions?
    private let base: StateAddress?
    private let own: [EditBase.Own]
    private let policy: ConflictPolicy?
    private let label: String?
    private let tag: String?

    private static let forms = ["value", "patch", "merge", "restore", "undo", "delete"]

    init(_ body: inout ControlBody) {
        document = body.member("document", "a name of 1 to \(DocumentID.bytesMax) bytes") {
            $0.string.flatMap { DocumentsAPI.reachable($0) }
        }
        if body.present(["document"]).isEmpty { body.fault("document", "Each names its document.") }
        let named = body.present(MemberDraft.forms)
        if named.count > 1 {
            body.fault("", "Only one of \(named.joined(separator: ", ")) can be meant.")
        }
        form = named.first.flatMap { name in body.member(name).map { (name, $0) } }
        restore =
            named == ["restore"]
            ? body.object("restore") { inner in
                (inner.text("from", "an address"), DocumentsAPI.pointers(&inner))
            } : nil
        undone =
            named == ["undo"]
            ? body.object("undo") { $0.number("revision", 0...Int.max) } ?? nil : nil
        match = MemberDraft.revisions("match", &body)
        noneMatch = MemberDraft.revisions("noneMatch", &body)
        base = body.address("base")
        own = MemberDraft.own(&body)
        policy = body.member("conflict", "reject, mine or theirs") { value in
            value.string.flatMap { ConflictPolicy(word: $0) }
        }
        label = body.text("label", "a text")
        tag = body.text("tag", "a name")
        checkForm(named, &body)
    }

    private func checkForm(_ named: [String], _ body: inout ControlBody) {
        if named.isEmpty, match == nil, noneMatch == nil {
            body.fault(
                "",
                "Say what is to be done: one of \(MemberDraft.forms.joined(separator: ", ")); "
                    + "or match or noneMatch alone, as a condition.")
        }
        if named == ["undo"], undone == nil { body.fault("undo", "undo is {\"revision\":n}.") }
        if named == ["restore"], restore?.from == nil {
            body.fault("restore", "restore is {\"from\":address}, with paths or without.")
        }
        if named == ["delete"], form?.value.bool != true {
            body.fault("delete", "delete must be true.")
        }
        let isEdit = ["value", "patch", "merge"].contains(named.first ?? "")
        if base != nil, !isEdit { body.fault("base", "base is for value, patch and merge.") }
        if base == nil, !own.isEmpty { body.fault("own", "own means nothing without base.") }
        if policy != nil, base == nil, named != ["undo"] {
            body.fault("conflict", "conflict is for base and undo.")
        }
        if tag != nil, !isEdit { body.fault("tag", "tag is for value, patch and merge.") }
    }

    /// A revision or `*`.
    private static func revisions(
        _ name: String, _ body: inout ControlBody
    ) -> Precondition.Revisions? {
        body.member(name, "a revision or *") { value in
            if value.string == "*" { return .any }
            let number = value.int ?? value.string.flatMap { WholeNumber.parse($0) }
            return number.flatMap { $0 >= 0 ? .these([$0]) : nil }
        }
    }

    private static func own(_ body: inout ControlBody) -> [EditBase.Own] {
        let what = "up to \(EditBase.ownMax) revisions or idempotency keys"
        let own = body.member("own", what) { value -> [EditBase.Own]? in
            guard let elements = value.elements, elements.count <= EditBase.ownMax else {
                return nil
            }
            let own = elements.compactMap { element -> EditBase.Own? in
                element.int.map { .revision($0) } ?? element.string.map { .key(Name($0)) }
            }
            return own.count == elements.count ? own : nil
        }
        return own ?? []
    }

    func member(_ call: Call) throws(Problem) -> TransactionBody.Member {
        guard let document else { throw Problem(.malformedRequest, "A member has no document.") }
        try call.checkReach(of: document)
        let action = try action(call)
        let isDelete = form?.name == "delete"
        try call.needs(isDelete ? .admin : form == nil ? .read : .write)
        if policy == .mine, undone != nil { try call.needsRightToUndoOthers() }
        let numbering = call.numbering(of: document)
        return TransactionBody.Member(
            document: document, action: action,
            precondition: Precondition(
                match: numbering.revisions(match), noneMatch: numbering.revisions(noneMatch)),
            base: try call.meaning(about: document) { numbering throws(ChangeError) in
                try editBase(numbering)
            },
            label: try label.map { text throws(Problem) in try call.name(text, of: "label").text })
    }

    private func editBase(_ numbering: Numbering) throws(ChangeError) -> EditBase? {
        guard let base else { return nil }
        return EditBase(
            try numbering.state(base), own: try numbering.own(own), policy: policy ?? .reject)
    }

    private func action(_ call: Call) throws(Problem) -> TransactionBody.Member.Action {
        guard let form else { return .change(.nothing) }
        switch form.name {
        case "restore":
            let from = restore?.from ?? "head"
            return .restore(
                try call.state(from, named: "from", about: document), text: from,
                restore?.places ?? [.root])
        case "undo":
            let revision = try call.meaning(about: document) { numbers throws(ChangeError) in
                try numbers.revision(undone ?? 0)
            }
            return .change(
                .revert(OwnUndoRequest(.change(revision), policy: policy ?? .reject)))
        case "delete": return .change(.delete)
        case "value" where tag == nil: return .change(.put(form.value))
        default:
            let name = try tag.map { tag throws(Problem) in
                Name(try Limits.checkName(tag, "A tag"))
            }
            return .change(.append(try call.edit(form.name, form.value), tag: name, grouping: nil))
        }
    }
}
