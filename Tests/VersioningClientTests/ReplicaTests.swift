@testable import JSONTree
import TestSupport
import Testing

@testable import VersioningClient

/// Single cases of a replica, as events and what is shown.
@Suite struct ReplicaTests {
    private func loaded(_ value: JSON, _ policy: ConflictPolicy = .mine) throws -> Replica {
        var replica = Replica(policy: policy)
        _ = try replica.load(0, value)
        return replica
    }

    private func change(
        _ revision: Int, _ operations: [JSONOperation], key: String? = nil
    ) -> ReplicaChange {
        ReplicaChange(revision: revision, patch: JSONPatch(operations), kind: "append", key: key)
    }

    private static let text = JSONPointer(names: ["text"])
    private static let title = JSONPointer(names: ["title"])

    private func type(
        _ replica: inout Replica, _ position: Int, _ letters: String, _ group: String
    ) throws {
        let patch = JSONPatch([.insertText(ReplicaTests.text, at: position, letters)])
        _ = try replica.edit(patch, key: group, StepOptions(group: group))
    }

    /// The request for the edit under way.
    private func request(_ replica: inout Replica) throws -> StepRequest.Edit {
        let request = try replica.submit()
        guard case .edit(let edit)? = request else { throw Diverged() }
        return edit
    }

    @Test func `an edit before the document is there is refused`() {
        var replica = Replica()
        #expect(throws: JSONPatchError.self) {
            _ = try replica.edit(JSONPatch([.replace(.root, 1)]), key: "k")
        }
        #expect(replica.pending.isEmpty)
    }

    @Test func `others' letters come to their place while a step can be done again`() throws {
        var replica = try loaded(["text": "abcdefgh"])
        try type(&replica, 0, "X", "one")
        try type(&replica, 0, "YYY", "two")
        _ = try replica.undoHere()
        _ = replica.receive(change(1, [.insertText(ReplicaTests.text, at: 1, "Z")]))
        #expect(replica.value["text"] == "XaZbcdefgh")
        _ = try replica.redoHere(key: "three")
        #expect(replica.value["text"] == "YYYXaZbcdefgh")
    }

    @Test func `steps that were taken back are done again where they were`() throws {
        var replica = try loaded(["text": "abcdef"])
        try type(&replica, 0, "XX", "one")
        try type(&replica, 4, "Y", "two")
        #expect(replica.value["text"] == "XXabYcdef")
        _ = try replica.undoHere()
        _ = try replica.undoHere()
        _ = replica.receive(change(1, [.insertText(ReplicaTests.text, at: 3, "Z")]))
        _ = try replica.redoHere(key: "three")
        _ = try replica.redoHere(key: "four")
        #expect(replica.value["text"] == "XXabYcZdef")
    }

    @Test func `a step on one under way is done again behind its undo`() throws {
        var replica = try loaded(["text": "abcdef"])
        try type(&replica, 0, "XX", "one")
        _ = try replica.take()
        try type(&replica, 4, "Y", "two")
        _ = try replica.undoHere()
        _ = try replica.undoHere()
        #expect(replica.value["text"] == "abcdef")
        // The daemon has the first one, and the undo of it is sent.
        _ = replica.receive(change(1, [.insertText(ReplicaTests.text, at: 0, "XX")], key: "one"))
        #expect(replica.value["text"] == "abcdef")
        _ = try replica.redoHere(key: "three")
        #expect(replica.value["text"] == "abYcdef")
    }

    @Test func `of a step that goes in two requests no other one names the first half`() throws {
        var replica = try loaded(["text": "abcdef", "title": "", "n": 0])
        let first = JSONPatch([
            .replace(JSONPointer(names: ["n"]), 1), .insertText(ReplicaTests.text, at: 0, "XX"),
        ])
        _ = try replica.edit(first, key: "k", StepOptions(group: "one"))
        let second = JSONPatch([
            .insertText(ReplicaTests.text, at: 5, "Y"), .replace(ReplicaTests.title, "mine"),
        ])
        _ = try replica.edit(second, key: "l", StepOptions(group: "two"))
        for (revision, key) in [(1, "ka"), (2, "kb")] {
            let step = try #require(try replica.take { _ in 1 })
            #expect(step.key == key)
            let sent = try request(&replica)
            _ = replica.receive(change(revision, sent.operations.operations, key: key))
        }
        _ = replica.receive(change(3, [.replace(ReplicaTests.title, "theirs")]))
        _ = try replica.take()
        let sent = try request(&replica)
        // It is based on what the daemon has, with both halves.
        #expect(sent.base == 3 && sent.own.isEmpty, "\(sent)")
    }

    @Test func `after a conflict a step and its undo that were not sent leave nothing`() throws {
        var replica = try loaded(["title": "a"])
        _ = try replica.edit(JSONPatch([.replace(ReplicaTests.title, "b")]), key: "k")
        _ = try replica.take()
        _ = try replica.undoHere()
        _ = replica.receive(change(1, [.replace(ReplicaTests.title, "c")]))
        let shown = try replica.putBack(1)
        #expect(replica.pending.isEmpty && replica.value == ["title": "c"], "\(shown)")
    }

    @Test func `an insertion of which a part was stored is handed back whole`() throws {
        var replica = try loaded(["text": ""])
        let letters = String(repeating: "0123456789é\u{1F600}", count: 400_000)
        _ = try replica.edit(
            JSONPatch([.insertText(ReplicaTests.text, at: 0, letters)]), key: "k")
        #expect(replica.value["text"]?.string == letters)
        _ = try replica.take { _ in 1 }
        let sent = try request(&replica)
        _ = replica.receive(change(1, sent.operations.operations, key: "ka"))
        #expect(replica.value["text"]?.string == letters)
        _ = try replica.take { _ in 1 }
        let shown = try #require(try replica.refuse())
        #expect(shown.storedParts == [1])
        // The daemon still has the first part; its undo is to come.
        replica.add(undoOf: 1, key: "u")
        let handed = shown.lost.operations.compactMap { operation in
            if case .insertText(_, _, let text) = operation { text } else { nil }
        }
        #expect(handed.joined() == letters)
        replica.removeCommands()
        #expect(replica.pending.count == 1)
    }

    @Test func `of a long text that was compared what differs is sent`() throws {
        let words = (0..<5_000).map { "word\($0)" }.joined(separator: " ")
        var replica = try loaded(["text": JSON(words)])
        let after: JSON = ["text": JSON(words + " and more")]
        _ = try replica.edit(replica.value.diff(to: after), key: "k")
        _ = try replica.take()
        let sent = try request(&replica)
        #expect(sent.operations.serialized().count < 100)
        #expect(try replica.tree.applying(sent.operations).tree == after)
    }

    @Test func `edits that are taken back at once leave nothing of a refused step`() throws {
        let tree: JSON = ["l": [1, 2, 3]]
        var after = tree
        let there = ReversiblePatch([
            .move(from: JSONPointer(names: ["l", "0"]), to: JSONPointer(names: ["l", "2"])),
            .move(from: JSONPointer(names: ["l", "2"]), to: JSONPointer(names: ["l", "0"])),
        ])
        let steps = try [MergeEdit](RecordedPatch(there), on: &after, origin: 0)
        #expect(steps.count == 2 && steps.shortened.isEmpty)
        #expect(try tree.applying(steps) == tree)
    }
}
