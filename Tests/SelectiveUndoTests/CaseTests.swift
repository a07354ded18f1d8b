import Naming
import JSONTree
import SelectiveUndo
import TestSupport
import Testing

/// The worked cases of own undo, on the values.
@Suite struct CaseTests {
    @Test(arguments: UndoCase.all)
    func `12: the worked cases have the values that people expect`(one: UndoCase) throws {
        var scene = UndoScene(try JSON(parsing: one.start))
        var groups: [Name: Int] = [:]
        for step in try one.steps {
            let result = try perform(step, &scene, &groups)
            if let value = step.value { #expect(scene.tree == value, "\(step.text)") }
            guard let result else { continue }
            expect(result, step)
        }
    }

    private func expect(_ result: Result<OwnUndo, OwnUndoError>, _ step: UndoCase.Step) {
        switch result {
        case .success(let reversion):
            #expect(
                step.refusal == nil && reversion.reversal.passed == step.passed ?? [],
                "\(step.text)")
        case .failure(.nothing):
            #expect(step.refusal?.code.hasPrefix("nothing-to-") == true, "\(step.text)")
        case .failure(.notInEffect): #expect(step.refusal?.code == "not-in-effect", "\(step.text)")
        case .failure(.conflicts(let conflicts)):
            #expect(step.refusal?.code == "conflict", "\(step.text)")
            #expect(
                conflicts.flatMap(\.places).map(\.description) == step.refusal?.places,
                "\(step.text)")
            #expect(conflicts.flatMap(\.with) == step.refusal?.with, "\(step.text)")
        case .failure(let error): Issue.record("\(step.text): \(error)")
        }
    }

    private func perform(
        _ step: UndoCase.Step, _ scene: inout UndoScene, _ groups: inout [Name: Int]
    ) throws -> Result<OwnUndo, OwnUndoError>? {
        switch step.action {
        case .edit(let actor, let joins, let base, let operations):
            let patch = try JSONPatch(operations, limits: .standard)
            let group = joins ? groups[actor] : nil
            let revision =
                if let base {
                    try scene.edit(by: actor, on: base, group: group, patch)
                } else {
                    try scene.edit(by: actor, group: group, patch)
                }
            groups[actor] = group ?? revision
        case .put(let actor, let value): groups[actor] = try scene.put(by: actor, value)
        case .shared(let isRedo): #expect(try scene.move(isRedo ? .redo : .undo))
        case .goTo(let version): #expect(try scene.move(.goTo(version)))
        case .discard(let actor, let revisions): return try scene.discard(revisions, by: actor)
        case .change(let revision, let isRedo):
            return try scene.revert(OwnUndoRequest(.change(revision), isRedo: isRedo))
        case .own(let actor, let isRedo, let option):
            let policy: ConflictPolicy =
                option == "force" ? .mine : option == "skip" ? .theirs : .reject
            return try scene.revert(
                OwnUndoRequest(.actor(actor), isRedo: isRedo, policy: policy))
        }
        return nil
    }
}
