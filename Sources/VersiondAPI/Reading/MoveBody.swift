import AccessControl
import Documents
import JSONTree
import Naming
import SelectiveUndo
import VersioningKit

/// The body of an undo or a redo, and the policy in its query.
struct MoveBody {
    private let policy: ConflictPolicy
    private let count: Int?
    private let address: StateAddress?
    private let isScope: Bool
    private let actor: Name?
    private let revision: Int?
    private let selection: SelectionQuery?

    private static let targets = ["count", "to", "scope", "actor", "revision", "all"]

    init(_ call: Call, isRedo: Bool) throws(Problem) {
        var body = try ControlBody(call)
        count = body.number("count", 1...Int.max)
        let to = body.text("to", "a revision, version:N, tag:NAME or a time")
        isScope = body.member("scope", "true") { $0.bool == true ? true : nil } ?? false
        actor = body.text("actor", "a name").map { Name($0) }
        let shown = body.number("revision", 0...Int.max)
        // What was taken back together comes back by the revision of that undo.
        let selected = isRedo ? nil : body.object("all") { SelectionQuery(&$0) }
        policy = call.conflictPolicy
        let named = body.present(MoveBody.targets)
        if named.count > 1 {
            body.fault("", "Only one of \(named.joined(separator: ", ")) can be meant.")
        }
        try body.finish()
        if policy != .reject, [["actor"], ["revision"], ["all"]].allSatisfy({ named != $0 }) {
            throw Problem(
                .malformedRequest, "conflict is for actor, revision and all only.",
                hint: "Shared undo and redo go along the versions, where nothing is in conflict.")
        }
        address = try to.map { text throws(Problem) in
            try call.state(text, named: "to")
        }
        selection = try selected.map { selected throws(Problem) in
            try call.meaning { numbering throws(ChangeError) in try selected.meant(in: numbering) }
        }
        revision = try shown.map { shown throws(Problem) in
            try call.meaning { numbering throws(ChangeError) in try numbering.revision(shown) }
        }
        if policy == .mine { try call.needsRightToUndoOthers() }
    }

    /// What is meant.
    enum Meaning {
        case own(OwnUndoRequest)
        case all(SelectionQuery, ConflictPolicy)
        case to(StateAddress)
        case scope
        case count(Int)
    }

    func meaning(isRedo: Bool) -> Meaning {
        if let selection { return .all(selection, policy) }
        if let actor { return .own(OwnUndoRequest(.actor(actor), isRedo: isRedo, policy: policy)) }
        if let revision {
            return .own(OwnUndoRequest(.change(revision), isRedo: isRedo, policy: policy))
        }
        if let address { return .to(address) }
        return isScope ? .scope : .count(count ?? 1)
    }
}

extension Call {
    /// For what may take back or hide what others did.
    func needsRightToUndoOthers() throws(Problem) { try needs(.undoOthers) }

    /// For what its endpoint's right is not enough.
    func needs(_ right: Rights) throws(Problem) {
        guard grant.rights.isSuperset(of: right) else {
            throw Problem(AccessControl.Refusal.missingRight(right, name: grant.name))
        }
    }

    /// `?dryRun`: nothing is changed; the response says what would be.
    var isDryRun: Bool { flag("dryRun") }

    /// A query parameter that is `true`, `false` or alone, as the table demands.
    func flag(_ name: String) -> Bool { ["", "true"].contains(query(name)) }
}
