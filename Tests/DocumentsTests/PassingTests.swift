import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// Own undo of old changes skips unrelated packed changes unread, and has the same effect as with
/// reading them.
@Suite struct PassingTests {
    /// A journal in which all but the newest entries are segments of a fixed length.
    struct SegmentedJournal: ForwardingJournal {
        let memory = InMemoryJournal()
        let size: Int
        let read = TestLock(Set<Int>())
        let replays = TestLock(0)

        var base: any Journal { memory }

        func segment(
            of document: DocumentID, holding revision: Int
        ) throws(JournalError) -> Segment? {
            let first = revision / size * size
            let found = try memory.entries(of: document, from: first, limit: size + 1)
            guard found.count > size else { return nil }
            return Segment(
                packing: found.dropLast().map { ($0.revision + 1, $0) }, columns: ChangeColumns())
        }

        func entries(
            of document: DocumentID, from revision: Int, limit: Int
        ) throws(JournalError) -> [JournalEntry] {
            replays.withLock { $0 += 1 }
            return try memory.entries(of: document, from: revision, limit: limit)
        }

        func entries(
            of document: DocumentID, upTo revision: Int, limit: Int
        ) throws(JournalError) -> [JournalEntry] {
            // Small pages, so that the read changes are those that were needed.
            let found = try memory.entries(of: document, upTo: revision, limit: min(limit, 2))
            read.withLock { $0.formUnion(found.map(\.revision)) }
            return found
        }
    }

    /// A document whose changes are in a journal.
    struct Scene {
        var scene: PrepareTests.Scene
        let journal: SegmentedJournal

        init(_ value: JSON?, segment size: Int) throws {
            journal = SegmentedJournal(size: size)
            scene = try PrepareTests.Scene(value)
            scene.document.activity = ActorActivity(block: 4)
            for change in scene.changes { try commit(change, after: .start) }
        }

        private func commit(_ change: Change, after chain: ChainHash) throws {
            let entry = JournalEntry(
                document: scene.document.id, revision: change.revision, body: change.encoded(),
                following: chain, lifecycle: change.kind.traits.lifecycle)
            let fates = try journal.commit(JournalBatch(entries: [entry]))
            #expect(fates == [.stored(sequence: change.revision + 1)])
        }

        @discardableResult
        mutating func make(_ request: ChangeRequest) throws -> Change? {
            let chain = scene.document.chain
            let change = try scene.make(request)
            if let change { try commit(change, after: chain) }
            return change
        }

        mutating func make(_ action: ChangeRequest.Action, _ actor: Name) throws {
            try make(ChangeRequest(action, actor: actor))
        }

        /// The effect of an own undo that reads the journal, and the number of times that it made
        /// the tree behind skipped changes.
        func told(
            _ request: OwnUndoRequest, bytesMax: Int = .max
        ) -> (told: Narrowed.Told, returns: Int) {
            journal.read.withLock { $0 = [] }
            journal.replays.withLock { $0 = 0 }
            let context = RequestContext(
                now: scene.now, limits: .standard,
                known: KnownChanges(
                    RecentChanges(), isUnderLock: false,
                    source: DocumentPast(scene.document.id, journal)),
                oldDistance: 0, undoBytesMax: bytesMax)
            var effects = OwnUndoLookup()
            let told = Narrowed.told(
                ChangeRequest(.revert(request), actor: "ada"), scene.document, context, &effects)
            return (told, journal.replays.withLock(\.self))
        }

        /// The effect of one that has all changes.
        func full(_ request: OwnUndoRequest) -> Narrowed.Told {
            var effects = OwnUndoLookup()
            return Narrowed.told(
                ChangeRequest(.revert(request), actor: "ada"), scene, &effects, longAgo: .max)
        }
    }

    // MARK: Laws

    @Test(arguments: Seeds.of(12))
    func `12: what is passed unread has nothing to do with what is undone`(seed: UInt64) throws {
        _ = try returns(seed)
    }

    @Test func `the law of passing meets rows that are passed`() throws {
        #expect(try (0..<2).map { try returns($0) }.reduce(0, +) > 0)
    }

    /// Compares own undos that pass with those that do not, and returns how often one passed.
    private func returns(_ seed: UInt64) throws -> Int {
        var generator = SeededGenerator(seed: seed)
        var scene = try Scene(Narrowed.value, segment: 2 + generator.below(3))
        var returns = 0
        for step in 0..<120 {
            // One after the other, each in some places for long.
            let actor = Narrowed.actors[generator.once(in: 9) ? generator.below(3) : step / 20 % 3]
            let request = ChangeRequest(
                Narrowed.action(scene.scene, &generator), actor: actor)
            guard (try? scene.make(request)) != nil, step.isMultiple(of: 4) else { continue }
            for _ in 0..<4 {
                let own = Narrowed.own(scene.scene, &generator)
                let found = scene.told(own)
                returns += found.returns
                let place = "\(own) at \(scene.scene.document.revision)"
                #expect(found.told == scene.full(own), "\(place)")
            }
        }
        return returns
    }

    @Test func `what is told of a segment is what its changes say`() throws {
        let count = try Seeds.of(24).map { try outlines($0) }.reduce(0, +)
        #expect(count > Seeds.expected(200))
    }

    /// Compares the outlines of a history's segments with its changes, and returns the number of
    /// outlined changes.
    private func outlines(_ seed: UInt64) throws -> Int {
        var generator = SeededGenerator(seed: seed)
        var scene = try Scene(Narrowed.value, segment: 1 + generator.below(9))
        for step in 0..<100 {
            var request = ChangeRequest(
                Narrowed.action(scene.scene, &generator),
                actor: Narrowed.actors[step / 10 % 3])
            if step.isMultiple(of: 3) { request.promptBy = "ada" }
            _ = try? scene.make(request)
        }
        var outlines = 0
        for first in stride(from: 0, to: scene.scene.document.revision, by: scene.journal.size) {
            guard
                let segment = try scene.journal.segment(
                    of: scene.scene.document.id, holding: first),
                let outline = try SegmentOutline(segment)
            else { continue }
            outlines += 1
            let changes = scene.scene.changes[outline.revisions]
            let edits = changes.filter { $0.reversal == nil }
            #expect(outline.places == Set(edits.flatMap(\.patch.pointers)), "seed \(seed)")
            #expect(outline.reversals == changes.filter { $0.reversal != nil }, "seed \(seed)")
            let groups = Set(changes.compactMap(\.group).filter { $0 < first })
            #expect(outline.groups == groups, "seed \(seed)")
        }
        return outlines
    }

    // MARK: Cases

    /// Something that others do between many edits of theirs elsewhere.
    struct Between: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Whether it can be passed.
        let isPassed: Bool
        /// Whether nothing can be left out then.
        let isAcross: Bool
        let happens: @Sendable (inout Scene) throws -> Void

        init(
            _ description: String, isPassed: Bool = true, isAcross: Bool = false,
            _ happens: @escaping @Sendable (inout Scene) throws -> Void
        ) {
            testDescription = description
            self.isPassed = isPassed
            self.isAcross = isAcross
            self.happens = happens
        }

        static let cases = [
            Between("nothing else") { _ in },
            Between("an undo, and its redo") { scene in
                try scene.make(.move(.undo(count: 1)), "bob")
                try scene.make(.move(.redo(count: 1)), "bob")
            },
            Between("an own undo, and its redo") { scene in
                try scene.make(.revert(OwnUndoRequest(.actor("bob"))), "bob")
                try scene.make(.revert(OwnUndoRequest(.actor("bob"), isRedo: true)), "bob")
            },
            Between("a tag, and a snapshot") { scene in
                try scene.make(.tag("good", version: nil, isNew: true), "bob")
                try scene.make(.snapshot("kept", [JSONPointer(parsing: "/b")!], isNew: true), "bob")
            },
            Between("a member that is moved elsewhere") { scene in
                try scene.make(patch([["op": "move", "from": "/c", "path": "/d"]]), "bob")
            },
            Between("an edit of the same place", isPassed: false) { scene in
                try scene.make(.merging(["a": ["x": 9]]), "bob")
            },
            Between("the whole document is another", isPassed: false) { scene in
                let whole: JSON = [
                    ["op": "replace", "path": "", "value": ["a": ["x": 3], "b": 9]]
                ]
                try scene.make(patch(whole), "bob")
            },
            Between("something is moved there", isPassed: false, isAcross: true) { scene in
                try scene.make(patch([["op": "move", "from": "/c", "path": "/a/x"]]), "bob")
            },
            Between("an undo of it, and the redo", isPassed: false) { scene in
                try scene.make(.revert(OwnUndoRequest(.change(3))), "bob")
                try scene.make(.revert(OwnUndoRequest(.change(3), isRedo: true)), "bob")
            },
            Between("a scope becomes one version", isPassed: false) { scene in
                try scene.make(.pushScope(lifetime: nil, policy: .pop), "bob")
                try scene.make(.merging(["b": -1]), "bob")
                try scene.make(.merging(["b": -2]), "bob")
                try scene.make(.popScope(isForced: false), "bob")
            },
            Between("a long scope becomes one version", isPassed: false) { scene in
                try scene.make(.pushScope(lifetime: nil, policy: .pop), "bob")
                for number in 0..<30 { try scene.make(.merging(["b": JSON(-number)]), "bob") }
                try scene.make(.popScope(isForced: false), "bob")
            },
            Between("an own undo of what is hidden there", isPassed: false, isAcross: true) {
                scene in
                let last = scene.scene.document.revision
                try scene.make(.revert(OwnUndoRequest(.changes([1, last]))), "bob")
            },
            Between("the same of what came later", isPassed: false, isAcross: true) { scene in
                let last = scene.scene.document.revision
                try scene.make(.revert(OwnUndoRequest(.changes([5, last]))), "bob")
            },
            Between("other settings", isPassed: false) { scene in
                var settings = SettingsChange()
                settings.showsPresence = false
                try scene.make(.settings(settings), "bob")
            },
        ]
    }

    @Test(arguments: Between.cases)
    func `12: what others did elsewhere is passed unread, whatever it was`(
        between: Between
    ) throws {
        var scene = try Scene(["a": ["x": 0], "b": 0, "c": 1], segment: 10)
        let actors: [Name] = ["bob", "ada", "ada", "ada", "bob", "cyd"]
        for (number, actor) in actors.enumerated() {
            try scene.make(.merging(["a": ["x": JSON(1 + number)]]), actor)
        }
        for number in 7..<14 { try scene.make(.merging(["b": JSON(number)]), "bob") }
        let first = scene.scene.document.nextRevision
        try between.happens(&scene)
        for number in 0..<60 { try scene.make(.merging(["b": JSON(number)]), "bob") }
        let targets: [OwnUndoRequest.Target] = [
            .actor("cyd"), .change(3), .changes([2, 3, 4]), .changes([2, 6]),
        ]
        for target in targets {
            for policy in [ConflictPolicy.reject, .mine, .theirs] {
                let request = OwnUndoRequest(target, policy: policy)
                let found = scene.told(request)
                #expect(found.told == scene.full(request))
                #expect(found.returns > 0 || between.isAcross, "\(target) \(policy)")
                let read = scene.journal.read.withLock { $0.filter((first..<first + 4).contains) }
                #expect(read.isEmpty == between.isPassed, "\(target) \(policy): \(read)")
            }
        }
    }

    @Test(arguments: [([3], 3...28), ([1, 8], 4...8)])
    func `12: edits of one version are looked at together`(
        revisions: [Int], version: ClosedRange<Int>
    ) throws {
        var scene = try Scene(["a": 0, "b": 0, "c": 0], segment: 4)
        // The one that is undone is the first or the last of its version, and alone in its segment.
        for number in 1...28 {
            let value: JSON =
                revisions.contains(number) ? ["a": JSON(number)] : ["c": JSON(number)]
            let grouping = Grouping.keyed("run", window: .seconds(9))
            let edit = ChangeRequest.Action.append(
                .mergePatch(value), tag: nil, grouping: version.contains(number) ? grouping : nil)
            try scene.make(edit, "ada")
        }
        for number in 0..<60 { try scene.make(.merging(["b": JSON(number)]), "bob") }
        let request = OwnUndoRequest(.changes(revisions), policy: .mine)
        #expect(scene.told(request).told == scene.full(request))
        #expect(scene.journal.read.withLock { $0.isSuperset(of: version) })
    }

    // MARK: Limits

    /// The number of times that an own undo of ada's skipped changes, in a document of about
    /// `bytes`, in which another actor works at her place after each 30 changes elsewhere.
    private func returns(
        _ bytes: Int, changes: Int = 240, bytesMax: Int = .max
    ) throws -> Int {
        let text = JSON(String(repeating: "x", count: bytes))
        var scene = try Scene(["a": 0, "b": 0, "text": text], segment: 10)
        try scene.make(.merging(["a": 1]), "ada")
        for number in 0..<changes {
            let place = number % 30 == 29 ? "a" : "b"
            try scene.make(.merging([place: JSON(number)]), "bob")
        }
        let request = OwnUndoRequest(.change(1), policy: .mine)
        let found = scene.told(request, bytesMax: bytesMax)
        #expect(found.told == scene.full(request) && found.told.error == nil)
        return found.returns
    }

    @Test func `passing and reading take turns as long as the trees cost less`() throws {
        #expect(try returns(100) == 8)
        // As much as reading 100 changes: once for each hundred.
        #expect(try returns(100 * 512) == 3)
    }

    @Test func `a tree of more than 4 MB is not made to pass something`() throws {
        #expect(try returns((4 << 20) - 1_000, changes: 25) == 1)
        #expect(try returns(4 << 20, changes: 25) == 0)
    }

    @Test func `what is passed is held only where half of the room is left`() throws {
        #expect(try returns(50_000, changes: 25, bytesMax: 1 << 20) == 1)
        #expect(try returns(50_000, changes: 25, bytesMax: 100_000) == 0)
    }
}

private func patch(_ patch: JSON) throws -> ChangeRequest.Action {
    .append(.patch(try JSONPatch(patch)), tag: nil, grouping: nil)
}
