import JSONTree
import Naming
import Testing
import VersioningKit

@testable import DocumentCore

/// A selection that says which revision its oldest edit has.
@Suite struct OldestEditTests {
    /// The revision of the run's first edit.
    private static let first = 51

    /// Many edits, then two of a run among others.
    private static func scene() throws -> PrepareTests.Scene {
        var scene = try PrepareTests.Scene(["a": 0, "b": 0])
        for number in 1...50 { try scene.make(.edit(["a": JSON(number), "b": 0]), "bob") }
        try scene.make(.edit(["a": 50, "b": 0, "c": 1]), "agent/r1")
        try scene.make(.edit(["a": 51, "b": 0, "c": 1]), "bob")
        try scene.make(.edit(["a": 51, "b": 1, "c": 1]), "agent/r1")
        return scene
    }

    private static func undo(since oldest: Int?, also: Set<Int> = []) -> ChangeRequest {
        var selection = ChangeSelection(actor: "agent/r1")
        selection.takesCreation = true
        selection.oldest = oldest
        var request = ChangeRequest(
            .revertAll(selection, also: also, .reject), actor: "agent/r1")
        if !also.isEmpty { request.parts = .these(also) }
        return request
    }

    @Test func `27: an undo reads no change that is older than what it may take`() throws {
        var scene = try OldestEditTests.scene()
        let whole = try scene.prepare(OldestEditTests.undo(since: nil)).change
        #expect(whole?.reversal?.off == [51, 53] && whole?.selection?.oldest == nil)
        let near = scene.changes.filter { $0.revision >= OldestEditTests.first }
        // However many changes the last undo has read.
        scene.own = OwnUndoLookup()
        scene.own.effects = EffectCache(count: 40)
        let bounded = OldestEditTests.undo(since: OldestEditTests.first)
        #expect(try scene.prepare(bounded, near).change == whole)
        scene.own = OwnUndoLookup()
        #expect(throws: PreparationError.self) {
            try scene.prepare(OldestEditTests.undo(since: nil), near)
        }
    }

    @Test func `27: the oldest version that is kept is no creation`() throws {
        var scene = try PrepareTests.Scene(["a": 0])
        var bounds = SettingsChange()
        bounds.historyCount = .to(10)
        try scene.make(.settings(bounds))
        for number in 1...40 { try scene.make(.edit(["a": JSON(number)]), "agent/r1") }
        let root = scene.document.history.state.versions[0].id
        #expect(root > 1, "older versions are forgotten")
        for oldest in [nil, 2] {
            for also in [[], [1], [root]] as [Set<Int>] {
                scene.own = OwnUndoLookup()
                let undo = OldestEditTests.undo(since: oldest, also: also)
                let change = try scene.prepare(undo).change
                #expect(change?.reversal?.off == Array(root + 1...41), "the document stays")
            }
        }
    }

    @Test func `27: a run that created the document, and nothing before it, deletes it`() throws {
        var scene = try PrepareTests.Scene(nil)
        try scene.make(.put(["a": 0]), "agent/r1")
        try scene.make(.edit(["a": 1]), "agent/r1")
        let undo = try scene.prepare(OldestEditTests.undo(since: 0)).change
        #expect(undo?.kind == .delete && undo?.takesBack == 0)
    }
}
