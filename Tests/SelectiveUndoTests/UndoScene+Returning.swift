import JSONTree
import SelectiveUndo
import TestSupport
import Testing

extension UndoScene {
    /// The value, and the changes in effect.
    typealias State = (tree: JSON, inEffect: [Int])

    var state: State { (tree, revisionsInEffect) }

    /// Expects that a request is carried out and leads back to a state. Returns whether it was
    /// carried out.
    mutating func returns(
        to state: State, by request: OwnUndoRequest, seed: UInt64
    ) throws -> Bool {
        let result = try revert(request)
        guard case .success = result else {
            Issue.record("seed \(seed): the return is refused: \(result)")
            return false
        }
        #expect(tree == state.tree, "seed \(seed)")
        #expect(revisionsInEffect == state.inEffect, "seed \(seed)")
        return true
    }
}
