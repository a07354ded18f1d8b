import AccessControl
import Documents
import JSONTree
import Naming
import SelectiveUndo
import VersioningKit

/// The body of an undo or a redo.
struct MoveBody {
    let isDryRun: Bool
    private let policy: OwnUndoRequest.Policy
    private let count: Int?
    private let tag: String?
    private let isScope: Bool
    private let actor: Name?
    private let change: Int?

    private static let targets = ["count", "to", "scope", "actor", "change"]

    init(_ call: Call) throws(Problem) {
        var body = try ControlBody(call)
        count = body.number("count", 1...Int.max)
        tag = body.text("to", "the name of a tag")
        isScope = body.member("scope", "true") { $0.bool == true ? true : nil } ?? false
        actor = body.text("actor", "a name").map { Name($0) }
        change = body.number("change", 0...Int.max)
        isDryRun = body.flag("dryRun")
        policy = body.conflictPolicy()
        let named = body.present(MoveBody.targets)
        if named.count > 1 {
            body.fault("", "Only one of \(named.joined(separator: ", ")) can be meant.")
        }
        if policy != .refuse, named != ["actor"], named != ["change"] {
            let name = policy == .force ? "force" : "skip"
            body.fault(name, "\(name) is for actor and change only.")
        }
        try body.finish()
        if policy == .force { try call.needsRightToUndoOthers() }
    }

    /// The own undo or redo that is meant, if one is.
    func ownUndo(isRedo: Bool) -> OwnUndoRequest? {
        if let actor { return OwnUndoRequest(.actor(actor), isRedo: isRedo, policy: policy) }
        return change.map { OwnUndoRequest(.change($0), isRedo: isRedo, policy: policy) }
    }

    /// The way along the versions that is meant.
    func move(count step: (Int) -> Move, to: (String) -> Move, scope: Move) -> Move {
        if isScope { return scope }
        return tag.map(to) ?? step(count ?? 1)
    }
}

extension ControlBody {
    /// What `force` and `skip` say about later work of others.
    mutating func conflictPolicy() -> OwnUndoRequest.Policy {
        let (isForced, skips) = (flag("force"), flag("skip"))
        if isForced && skips { fault("", "force hides later work, skip leaves it: choose one.") }
        return isForced ? .force : skips ? .skip : .refuse
    }
}

extension Call {
    /// For what may take back or hide what others did.
    func needsRightToUndoOthers() throws(Problem) {
        guard grant.rights.contains(.undoOthers) else {
            throw Problem(AccessControl.Refusal.missingRight(.undoOthers, name: grant.name))
        }
    }

    /// `?dryRun`: nothing is changed; the response says what would be.
    func isDryRun() throws(Problem) -> Bool { try flag("dryRun") }

    /// A query parameter that is `true`, `false` or alone.
    func flag(_ name: String) throws(Problem) -> Bool {
        switch query(name) {
        case nil, "false": return false
        case "", "true": return true
        default:
            throw Problem(
                .malformedRequest, "\(name) must be true or false.", hint: "Send ?\(name)=true.")
        }
    }
}
