import JSONTree
import TestSupport
import Testing

/// The worked cases of own undo, over HTTP against the daemon.
@Suite struct OwnUndoCaseTests {
    /// Discarding chosen changes is what a scope does; it has tests of its own.
    static let cases = UndoCase.all.filter { !$0.script.contains("D a") }

    @Test(arguments: cases)
    func `12: the worked cases have the values that people expect`(one: UndoCase) throws {
        let daemon = try LocalDaemon()
        #expect(try daemon.menu("PUT", "", one.start).status == 201)
        let steps = try one.steps
        for (index, step) in steps.enumerated() {
            let answer = try perform(step, followedBy: steps[(index + 1)...], daemon)
            if let refusal = step.refusal {
                #expect(answer.status == 409 && answer.code == refusal.code, "\(step.text)")
                if refusal.code == "conflict" {
                    let places = JSON(elements: refusal.places.map { JSON($0) })
                    let with = JSON(elements: refusal.with.map { JSON($0) })
                    #expect(try answer.json["conflicts"] == places, "\(step.text)")
                    #expect(try answer.json["with"] == with, "\(step.text)")
                }
            } else {
                #expect(answer.status == 200, "\(step.text): \(answer.body)")
            }
            if let passed = step.passed {
                let list = JSON(elements: passed.map { JSON($0) })
                #expect(try answer.json["change"]?["passed"] == list, "\(step.text)")
            }
            if let value = step.value { #expect(try daemon.value() == value, "\(step.text)") }
        }
        try checkReplay(daemon)
    }

    /// The feed's changes lead from the first value to the last.
    private func checkReplay(_ daemon: LocalDaemon) throws {
        let page = try daemon.menu("GET", "/feed?cursor=-1&limit=500").json
        var value = JSON.null
        for change in try #require(page["events"]?.elements) {
            let patch = try JSONPatch(try #require(change["patch"]), limits: .standard)
            value = try value.applying(patch).tree
        }
        #expect(try daemon.value() == value)
    }

    private func perform(
        _ step: UndoCase.Step, followedBy rest: ArraySlice<UndoCase.Step>, _ daemon: LocalDaemon
    ) throws -> Answer {
        switch step.action {
        case .edit(let actor, let joins, let base, let operations):
            // Edits that the next one joins are quick ones.
            let next = rest.lazy.compactMap { step -> Bool? in
                if case .edit(actor, let joins, _, _) = step.action { joins } else { nil }
            }.first
            let quick = joins || next == true ? "?debounce=1h" : ""
            let query = base.map { "?base=\($0)&conflict=mine" } ?? quick
            return try daemon.menu(
                "PATCH", query, operations.description,
                LocalDaemon.patch.by(actor.text))
        case .put(let actor, let value):
            return try daemon.menu("PUT", "", value.description, ["Versiond-Actor": actor.text])
        case .shared(let isRedo): return try daemon.menu("POST", isRedo ? "/redo" : "/undo")
        case .goTo(let version):
            return try daemon.menu("POST", "/goto", "{\"to\":\"version:\(version)\"}")
        case .change(let revision, let isRedo):
            return try daemon.menu("POST", isRedo ? "/redo" : "/undo", "{\"revision\":\(revision)}")
        case .own(let actor, let isRedo, let option):
            let policies = ["force": "mine", "skip": "theirs"]
            let query = option.flatMap { policies[$0] }.map { "?conflict=\($0)" } ?? ""
            return try daemon.menu(
                "POST", (isRedo ? "/redo" : "/undo") + query, "{\"actor\":\"\(actor)\"}",
                ["Versiond-Actor": actor.text])
        case .discard: return try daemon.menu("GET")
        }
    }
}
