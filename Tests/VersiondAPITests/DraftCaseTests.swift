import JSONTree
import TestSupport
import Testing

/// The worked cases of drafts, over HTTP against the daemon.
@Suite struct DraftCaseTests {
    @Test(arguments: DraftCase.all)
    func `20: the worked cases have the values that people expect`(one: DraftCase) throws {
        let scene = try DraftScene(one.start)
        for step in try one.steps {
            let answer = try perform(step.action, scene)
            if let places = step.refusal {
                #expect(answer.status == 409 && answer.code == "conflict", "\(step.text)")
                let found = try answer.json["conflicts"]?.elements?.compactMap(\.string)
                #expect(places.isEmpty || found == places, "\(step.text)")
            } else {
                #expect(answer.status == 200, "\(step.text): \(answer.text)")
            }
            if let (ahead, behind) = step.counts {
                #expect(try answer.json["ahead"]?["edits"]?.int == ahead, "\(step.text)")
                #expect(try answer.json["behind"]?["edits"]?.int == behind, "\(step.text)")
            }
            if let value = step.origin {
                #expect(try scene.send("GET", "menu").json == value, "\(step.text)")
            }
            if let value = step.draft {
                #expect(try scene.send("GET", "menu~ada").json == value, "\(step.text)")
            }
        }
    }

    private func perform(_ action: DraftCase.Action, _ scene: DraftScene) throws -> Answer {
        func name(_ isDraft: Bool) -> String { isDraft ? "menu~ada" : "menu" }
        switch action {
        case .edit(let isDraft, let operations):
            return try scene.send(
                "PATCH", name(isDraft), operations.description,
                LocalDaemon.patch.by(isDraft ? "ada" : "bob"))
        case .sharedUndo(let isDraft): return try scene.send("POST", name(isDraft) + "/undo")
        case .ownUndo(let isDraft, let change):
            let actor = isDraft ? "ada" : "cyd"
            let body = change.map { "{\"revision\":\($0)}" } ?? "{\"actor\":\"\(actor)\"}"
            return try scene.send(
                "POST", name(isDraft) + "/undo", body, ["Versiond-Actor": actor])
        case .merge(let side, let place):
            let query = side.map { "?conflict=\($0)" } ?? ""
            let body = place.map { "{\"paths\":[\"\($0)\"]}" } ?? "{}"
            return try scene.send(
                "POST", "menu~ada/merge" + query, body, ["Versiond-Actor": "cyd"])
        case .update(let side):
            let query = side.map { "?conflict=\($0)" } ?? ""
            return try scene.send(
                "POST", "menu~ada/update" + query, "{}", ["Versiond-Actor": "ada"])
        case .count: return try scene.send("GET", "menu~ada/origin")
        }
    }
}
