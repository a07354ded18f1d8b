import JSONTree
import Journaling
import Naming
import SelectiveUndo
import Testing

@testable import DocumentCore
@testable import Documents

/// Own undo reads back as far as it must, and no further.
@Suite struct EffectReaderTests {
    private func reader(
        _ scene: PrepareTests.Scene, knowing known: [Change]? = nil
    ) -> EffectReader {
        EffectReader(
            Preparation(scene.document, ChangeRequest(.delete), scene.context(known)))
    }

    /// Ada's edit of revision 1 is before nine of bob's.
    private func scene() throws -> PrepareTests.Scene {
        var scene = try PrepareTests.Scene()
        try scene.make(.merging(["a": 2]), "ada")
        for number in 0..<9 { try scene.make(.merging(["b": JSON(number)]), "bob") }
        return scene
    }

    @Test func `to undo one's own, what came since is read, and nothing before`() throws {
        let scene = try scene()
        var bob = reader(scene)
        try bob.read(.undo("bob"), atLeast: 0)
        #expect(bob.count == 1 && !bob.isAtEnd)
        var ada = reader(scene)
        try ada.read(.undo("ada"), atLeast: 0)
        #expect(ada.count == 10)
        let line = try ada.effectHistory()
        #expect(line.first == 1 && line.actor(of: 1) == "ada")
        #expect(line.revisionsInEffect == Array(1...10))
    }

    @Test func `what is not at hand is asked for, and what is there is not read again`() throws {
        let scene = try scene()
        var reader = reader(scene, knowing: Array(scene.changes.suffix(4)))
        let error = #expect(throws: PreparationError.self) {
            try reader.read(.undo("ada"), atLeast: 0)
        }
        guard case .needs(let range)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(range.revision == 6 && range.direction == .backward)
        #expect(reader.count == 4)
    }

    @Test func `who has nothing is looked for up to the beginning`() throws {
        let scene = try scene()
        var reader = reader(scene)
        try reader.read(.undo("cyd"), atLeast: 0)
        #expect(reader.isAtEnd && reader.count == 10)
        #expect(try reader.effectHistory().hasEdits(of: "cyd") == false)
    }

    @Test func `an undo leads back to what it took out of effect`() throws {
        var scene = try scene()
        try scene.make(.revert(OwnUndoRequest(.actor("ada"))), "ada")
        var reader = reader(scene)
        try reader.read(.redo("ada"), atLeast: 0)
        #expect(reader.count == 11, "the change that it names is needed, too")
        let line = try reader.effectHistory()
        #expect(line.revisionsInEffect == Array(2...10))
        #expect(line.hasUndone(by: "ada") == true)
    }

    @Test func `more is read if more is wanted`() throws {
        var reader = reader(try scene())
        try reader.read(.undo("bob"), atLeast: 5)
        #expect(reader.count == 5)
        try reader.read(.from(3), atLeast: 0)
        #expect(reader.count == 8)
    }
}
