import AccessControl
import Documents
import JSONTree
import Naming
import SelectiveUndo
import VersioningKit

/// The target of an undo or a redo: its body, and the policy in its query.
enum MoveBody {
    case own(OwnUndoRequest)
    case to(StateAddress)
    case scope
    case count(Int)

    init(_ call: Call, isRedo: Bool) throws(Problem) {
        let body = try call.command()
        let named = try body.oneAtMost(of: ["count", "to", "scope", "actor", "revision"]).first
        let policy = call.conflictPolicy
        if policy != .reject, !["actor", "revision"].contains(named) {
            throw Problem(
                .malformedRequest, "conflict requires actor or revision.",
                hint: "Shared undo and redo have no conflicts: omit conflict.")
        }
        switch named {
        case "actor":
            let actor = body.name("actor") ?? .nobody
            self = .own(OwnUndoRequest(.actor(actor), isRedo: isRedo, policy: policy))
        case "revision":
            let revision = try call.meaning { numbering throws(ChangeError) in
                try numbering.revision(body["revision"]?.int ?? 0)
            }
            self = .own(OwnUndoRequest(.change(revision), isRedo: isRedo, policy: policy))
        case "to": self = .to(try call.state(body["to"]?.string ?? "", named: "to"))
        case "scope": self = .scope
        default: self = .count(body["count"]?.int ?? 1)
        }
        if policy == .mine { try call.needsRightToUndoOthers() }
    }
}

extension Call {
    /// Requires the right if the move can undo or hide edits of other actors.
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
