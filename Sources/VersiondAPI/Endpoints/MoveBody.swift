import Documents
import JSONTree
import VersioningKit

/// The body of an undo or a redo.
struct MoveBody {
    private let body: JSON
    let isDryRun: Bool
    private let isForced: Bool

    private static let targets = ["count", "to", "scope", "actor", "change"]

    init(_ call: Call) throws(Problem) {
        body = try call.command(MoveBody.targets + ["dryRun", "force"])
        isDryRun = try MoveBody.flag("dryRun", body)
        isForced = try MoveBody.flag("force", body)
        let body = body
        let named = MoveBody.targets.filter { body[$0] != nil }
        guard named.count <= 1 else {
            throw Problem(
                .malformedRequest, "Only one of count, to, scope, actor and change can be meant.",
                hint: "Leave out all but one of \(named.joined(separator: ", ")).")
        }
        if isForced, named != ["actor"], named != ["change"] {
            throw Problem(
                .malformedRequest, "force is for actor and change only.",
                hint: "Without them there is nothing that later edits could touch.")
        }
    }

    private static func flag(_ name: String, _ body: JSON) throws(Problem) -> Bool {
        guard let value = body[name] else { return false }
        guard let flag = value.bool else {
            throw Problem(.malformedRequest, "\(name) must be true or false.")
        }
        return flag
    }

    /// The edits that are meant past later ones, if any are.
    func reverting(isRedo: Bool) throws(Problem) -> Reverting? {
        if let value = body["actor"] {
            guard let actor = value.string else {
                throw Problem(.malformedRequest, "actor must be a name.")
            }
            return Reverting(.actor(actor), isRedo: isRedo, isForced: isForced)
        }
        guard let value = body["change"] else { return nil }
        guard let revision = value.int, revision >= 0 else {
            throw Problem(.malformedRequest, "change must be the revision of an edit.")
        }
        return Reverting(.change(revision), isRedo: isRedo, isForced: isForced)
    }

    /// The way along the versions that is meant.
    func move(
        count: (Int) -> Move, to: (String) -> Move, scope: Move
    ) throws(Problem) -> Move {
        if let number = body["count"] {
            guard let number = number.int, number >= 1 else {
                throw Problem(.malformedRequest, "count must be a number from 1 on.")
            }
            return count(number)
        }
        if let tag = body["to"] {
            guard let tag = tag.string else {
                throw Problem(.malformedRequest, "to must be the name of a tag.")
            }
            return to(tag)
        }
        if let flag = body["scope"] {
            guard flag.bool == true else {
                throw Problem(.malformedRequest, "scope can only be true.")
            }
            return scope
        }
        return count(1)
    }
}
