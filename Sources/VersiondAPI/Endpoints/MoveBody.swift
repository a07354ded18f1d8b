import Documents
import JSONTree
import VersioningKit

/// The body of an undo or a redo.
struct MoveBody {
    let isDryRun: Bool
    private let isForced: Bool
    private let count: Int?
    private let tag: String?
    private let isScope: Bool
    private let actor: String?
    private let change: Int?

    private static let targets = ["count", "to", "scope", "actor", "change"]

    init(_ call: Call) throws(Problem) {
        var body = try ControlBody(call)
        count = body.number("count", 1...Int.max)
        tag = body.text("to", "the name of a tag")
        isScope = body.member("scope", "true") { $0.bool == true ? true : nil } ?? false
        actor = body.text("actor", "a name")
        change = body.number("change", 0...Int.max)
        isDryRun = body.flag("dryRun")
        isForced = body.flag("force")
        let named = body.present(MoveBody.targets)
        if named.count > 1 {
            body.fault("", "Only one of \(named.joined(separator: ", ")) can be meant.")
        }
        if isForced, named != ["actor"], named != ["change"] {
            body.fault("force", "force is for actor and change only.")
        }
        try body.finish()
    }

    /// The edits that are meant past later ones, if any are.
    func reverting(isRedo: Bool) -> Reverting? {
        if let actor { return Reverting(.actor(actor), isRedo: isRedo, isForced: isForced) }
        return change.map { Reverting(.change($0), isRedo: isRedo, isForced: isForced) }
    }

    /// The way along the versions that is meant.
    func move(count step: (Int) -> Move, to: (String) -> Move, scope: Move) -> Move {
        if isScope { return scope }
        return tag.map(to) ?? step(count ?? 1)
    }
}
