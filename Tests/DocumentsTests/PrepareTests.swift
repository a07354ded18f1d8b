import Naming
import JSONTree
import Journaling
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// `prepare`, asked directly: a document and a request in, a change or a reason out.
@Suite struct PrepareTests {
    /// A document that advances by prepared changes, and all its changes.
    struct Scene {
        var document: Document
        var changes: [Change] = []
        var own = OwnUndoLookup()
        var merging: MergeProgress?
        var now = Timestamp(milliseconds: 1_000)
        var oldDistance = OwnUndoLookup.oldDistance
        var undoBytesMax = Int.max

        init(_ value: JSON? = ["a": 1, "list": [1, 2, 3]]) throws {
            document = .unborn(try #require(DocumentID("menu")))
            if let value { try make(.put(value)) }
        }

        func context(_ known: [Change]? = nil) -> RequestContext {
            var fetched = FetchedChanges()
            for change in known ?? changes { fetched.add([change]) }
            return RequestContext(
                now: now, limits: .standard,
                known: KnownChanges(RecentChanges(), fetched, isUnderLock: false),
                oldDistance: oldDistance,
                undoBytesMax: undoBytesMax)
        }

        mutating func prepare(
            _ request: ChangeRequest, _ known: [Change]? = nil
        ) throws(PreparationError) -> Prepared {
            try document.prepare(request, context(known), &own, &merging)
        }

        /// Prepares a request and carries it out. Returns its change.
        @discardableResult
        mutating func make(_ action: ChangeRequest.Action, _ actor: Name = "") throws -> Change? {
            try make(ChangeRequest(action, actor: actor))
        }

        @discardableResult
        mutating func make(_ request: ChangeRequest) throws -> Change? {
            try adopt(try prepare(request))
        }

        /// Carries out what was prepared.
        @discardableResult
        mutating func adopt(_ prepared: Prepared) throws -> Change? {
            guard let change = prepared.change else { return nil }
            // The document loaded after a restart is the same to the byte.
            let loaded = try document.tree.applying(change.edits)
            #expect(loaded.serialized() == prepared.tree.serialized())
            try document.advance(
                by: change, to: prepared.tree, entry: change.entry(following: document),
                grouping: prepared.grouping)
            own.advance(by: change, to: document)
            changes.append(change)
            return change
        }

        /// The error that a request is refused with.
        mutating func refusal(_ request: ChangeRequest) -> ChangeError? {
            do throws(PreparationError) {
                _ = try prepare(request)
                return nil
            } catch {
                if case .refused(let refusal) = error { return refusal }
                return nil
            }
        }

        mutating func refusal(_ action: ChangeRequest.Action, _ actor: Name = "") -> ChangeError? {
            refusal(ChangeRequest(action, actor: actor))
        }
    }

    private func patch(_ text: String) throws -> ChangeRequest.Action {
        .append(.patch(try JSONPatch(JSON(parsing: text))), tag: nil, grouping: nil)
    }

    // MARK: Life

    @Test func `a document begins with a value, at revision 0`() throws {
        var scene = try Scene(nil)
        #expect(scene.document.life == .unborn && scene.document.nextRevision == 0)
        let change = try #require(try scene.make(.put(["a": 1])))
        #expect(change.revision == 0 && change.kind == .create)
        #expect(scene.document.tree == ["a": 1] && scene.document.nextRevision == 1)
        #expect(scene.document.history.currentID == 0 && !scene.document.history.hasUndo)
    }

    @Test(arguments: [
        ChangeRequest.Action.edit(1), .undo, .redo, .delete, .tag("t", version: nil, isNew: false),
        .removeTag("t"), .snapshot("s", [.root], isNew: false), .restore("s"), .removeSnapshot("s"),
        .pushScope(lifetime: nil, policy: .pop), .popScope(isForced: false),
        .settings(SettingsChange()), .revert(OwnUndoRequest(.actor("ada"))),
        .move(.goTo(.version(0))),
    ])
    func `nothing but a value begins a document`(action: ChangeRequest.Action) throws {
        var scene = try Scene(nil)
        #expect(scene.refusal(action) == .unknownDocument)
        scene = try Scene(1)
        try scene.make(.delete)
        #expect(scene.refusal(action) == .deleted(revision: 1))
    }

    @Test func `a deleted document comes back with a new history`() throws {
        var scene = try Scene(1)
        try scene.make(.edit(2))
        try scene.make(.tag("t", version: nil, isNew: false))
        try scene.make(.delete)
        #expect(scene.document.life == .deleted && scene.document.nextRevision == 4)
        let change = try #require(try scene.make(.put(3)))
        #expect(change.kind == .create && change.revision == 4)
        #expect(!scene.document.history.hasUndo && scene.document.history.tags.isEmpty)
        #expect(scene.refusal(.undo) == .version(.nothingToUndo(available: 0)))
    }

    // MARK: Conditions

    /// Condition, and whether it holds at revision 2.
    static let conditions: [(Precondition, Bool)] = [
        (Precondition(), true),
        (Precondition(match: .any), true),
        (Precondition(match: .these([2])), true),
        (Precondition(match: .these([0, 1, 2])), true),
        (Precondition(match: .these([1])), false),
        (Precondition(match: .these([3])), false),
        (Precondition(match: .these([])), false),
        (Precondition(noneMatch: .any), false),
        (Precondition(noneMatch: .these([2])), false),
        (Precondition(noneMatch: .these([1])), true),
        (Precondition(noneMatch: .these([])), true),
        (Precondition(match: .these([2]), noneMatch: .these([1])), true),
        (Precondition(match: .these([2]), noneMatch: .these([2])), false),
    ]

    @Test(arguments: conditions)
    func `a condition is about the head`(condition: Precondition, holds: Bool) throws {
        var scene = try Scene(0)
        try scene.make(.edit(1))
        try scene.make(.edit(2))
        for action in [ChangeRequest.Action.edit(3), .undo, .edit(2), .delete] {
            let request = ChangeRequest(action, precondition: condition)
            #expect(scene.refusal(request) == (holds ? nil : .stale(head: 2)))
        }
    }

    @Test func `a condition about no document holds before it begins and after its end`() throws {
        var scene = try Scene(nil)
        let new = ChangeRequest(.put(1), precondition: Precondition(noneMatch: .any))
        let old = ChangeRequest(.put(1), precondition: Precondition(match: .any))
        #expect(scene.refusal(new) == nil && scene.refusal(old) == .stale(head: nil))
        try scene.make(.put(0))
        #expect(scene.refusal(new) == .stale(head: 0) && scene.refusal(old) == nil)
        try scene.make(.delete)
        #expect(scene.refusal(new) == nil && scene.refusal(old) == .stale(head: nil))
    }

    @Test func `where a match is required, only questions come without one`() throws {
        var scene = try Scene(0)
        var change = SettingsChange()
        change.requiresMatch = true
        try scene.make(.settings(change))
        #expect(scene.refusal(.edit(1)) == .matchRequired(head: 1))
        var request = ChangeRequest(.edit(1), precondition: Precondition(match: .these([1])))
        #expect(scene.refusal(request) == nil)
        request.precondition = Precondition()
        request.isDryRun = true
        #expect(scene.refusal(request) == .matchRequired(head: 1), "a dry run shows what would be")
        request.isQuestion = true
        #expect(scene.refusal(request) == nil)
        #expect(scene.refusal(.closingExpired) == nil, "time needs no permission")
    }

    // MARK: Edits

    @Test func `the three forms of an edit lead to the same change`() throws {
        for action in [
            .append(.value(["a": 2, "list": [1, 2, 3]]), tag: nil, grouping: nil),
            .append(.mergePatch(["a": 2]), tag: nil, grouping: nil),
            try patch(#"[{"op":"replace","path":"/a","value":2}]"#),
        ] as [ChangeRequest.Action] {
            var scene = try Scene()
            let change = try #require(try scene.make(action, "ada"))
            #expect(change.kind == .append(joins: false, tag: nil) && change.actor == "ada")
            #expect(change.patch.count == 1 && change.patch.pointers.map(\.description) == ["/a"])
            #expect(scene.document.tree == ["a": 2, "list": [1, 2, 3]])
            #expect(try scene.document.tree.applying(change.patch.inverse)["a"] == 1)
        }
    }

    @Test func `an edit that changes nothing is no change`() throws {
        var scene = try Scene()
        let same: [ChangeRequest.Action] = [
            .edit(["list": [1, 2, 3], "a": 1]),
            .append(.mergePatch([:]), tag: nil, grouping: nil),
            .append(.mergePatch(["a": 1, "none": nil]), tag: nil, grouping: nil),
            try patch("[]"),
            try patch(#"[{"op":"test","path":"/a","value":1.0}]"#),
            try patch(#"[{"op":"add","path":"/x","value":1},{"op":"remove","path":"/x"}]"#),
        ]
        for action in same { #expect(try scene.make(action) == nil) }
        #expect(scene.document.revision == 0)
    }

    @Test func `quick edits of one actor join, and those of another do not`() throws {
        var scene = try Scene(0)
        try scene.make(.edit(1, window: 100), "ada")
        scene.now = scene.now.advanced(by: 100)
        #expect(
            try scene.make(.edit(2, window: 100), "ada")?.kind == .append(joins: true, tag: nil))
        #expect(scene.changes.last?.group == 1)
        scene.now = scene.now.advanced(by: 101)
        #expect(
            try scene.make(.edit(3, window: 100), "ada")?.kind == .append(joins: false, tag: nil))
        #expect(scene.changes.last?.group == nil)
        let bob = try #require(try scene.make(.edit(4, window: 100), "bob"))
        #expect(bob.kind == .append(joins: false, tag: nil))
        let again = try #require(try scene.make(.edit(5, window: 100), "ada"))
        #expect(again.kind == .append(joins: false, tag: nil), "the shared line has no holes")
        #expect(again.group == 3, "for her own undo the group goes on")
    }

    @Test func `a clock that steps back does not reorder history`() throws {
        var scene = try Scene(0)
        try scene.make(.edit(1))
        let last = scene.document.time
        scene.now = Timestamp(milliseconds: 0)
        #expect(try scene.make(.edit(2))?.time == last)
        #expect(try scene.make(.undo)?.time == last)
    }

    @Test func `limits hold for every way to change a document`() throws {
        var scene = try Scene(0)
        var limits = JSONLimits.standard
        limits.documentBytesMax = 100
        limits.depthMax = 3
        let long = JSON(String(repeating: "x", count: 200))
        let deep: JSON = [[[[1]]]]
        for action in [
            .edit(long), .put(deep), .append(.mergePatch(["a": long]), tag: nil, grouping: nil),
            .append(.patch(JSONPatch([.replace(.root, deep)])), tag: nil, grouping: nil),
        ] as [ChangeRequest.Action] {
            let context = RequestContext(
                now: scene.now, limits: limits,
                known: KnownChanges(RecentChanges(), isUnderLock: false))
            #expect(throws: PreparationError.self) {
                try scene.document.prepare(
                    ChangeRequest(action), context, &scene.own, &scene.merging)
            }
        }
        #expect(scene.document.revision == 0)
    }

    // MARK: Undo and redo

    @Test func `undo and redo are changes that go along the versions`() throws {
        var scene = try Scene(0)
        for value in 1...4 { try scene.make(.edit(JSON(value))) }
        let undo = try #require(try scene.make(.move(.undo(count: 3)), "ada"))
        #expect(undo.kind == .move(to: 1, direction: .undo) && undo.revision == 5)
        #expect(scene.document.tree == 1)
        #expect(try scene.make(.redo)?.kind == .move(to: 2, direction: .redo))
        #expect(scene.document.tree == 2)
        #expect(try scene.make(.move(.goTo(.version(4))))?.kind == .move(to: 4, direction: .goTo))
        #expect(try scene.make(.move(.goTo(.version(4)))) == nil, "there already")
        #expect(scene.refusal(.move(.undo(count: 5))) == .version(.nothingToUndo(available: 4)))
        #expect(scene.refusal(.redo) == .version(.nothingToRedo(available: 0)))
        #expect(scene.refusal(.move(.goTo(.version(9)))) == .version(.unknownVersion(9)))
    }

    @Test func `without the right, only one's own changes are undone`() throws {
        var scene = try Scene(0)
        try scene.make(.edit(1), "ada")
        try scene.make(.edit(2), "bob")
        var request = ChangeRequest(.move(.undo(count: 2)), actor: "bob")
        request.mayUndoOthers = false
        #expect(scene.refusal(request) == .foreignEdit(revision: 1, actor: "ada"))
        request.action = .undo
        #expect(scene.refusal(request) == nil)
        request.actor = "eve"
        #expect(scene.refusal(request) == .foreignEdit(revision: 2, actor: "bob"))
    }

    @Test func `what was damaged is not undone`() throws {
        var scene = try Scene(0)
        try scene.make(.edit(1))
        try scene.make(.tag("here", version: nil, isNew: true))
        scene.document.tree = 42
        #expect(scene.refusal(.undo) == .mismatch(version: 1))
        #expect(scene.document.tree == 42)
    }

    @Test func `what is needed is said, one range after the other`() throws {
        var scene = try Scene(0)
        for value in 1...6 { try scene.make(.edit(JSON(value))) }
        var known: [Change] = []
        var needed: [Int] = []
        for _ in 0..<10 {
            do throws(PreparationError) {
                _ = try scene.prepare(ChangeRequest(.move(.undo(count: 4))), known)
                break
            } catch {
                guard case .needs(let range) = error else { throw error }
                needed.append(range.revision)
                known.append(scene.changes[range.revision])
            }
        }
        #expect(needed == [6, 5, 4, 3])
    }

    // MARK: Tags, scopes, snapshots, settings

    @Test func `tags name versions and move`() throws {
        var scene = try Scene(0)
        try scene.make(.edit(1))
        #expect(
            try scene.make(.tag("t", version: nil, isNew: true))?.kind == .tag("t", version: 1))
        #expect(
            try scene.make(.tag("t", version: .version(1), isNew: false)) == nil, "it does already")
        #expect(scene.refusal(.tag("t", version: .version(0), isNew: true)) == .tagExists("t"))
        #expect(
            scene.refusal(.tag("u", version: .version(7), isNew: false))
                == .version(.unknownVersion(7)))
        try scene.make(.tag("t", version: .version(0), isNew: false))
        #expect(scene.document.history.version(tagged: "t") == 0)
        #expect(scene.refusal(.removeTag("u")) == .version(.unknownTag("u")))
        try scene.make(.removeTag("t"))
        #expect(scene.document.history.tags.isEmpty)
        #expect(scene.refusal(.move(.goTo(.tag("t")))) == .version(.unknownTag("t")))
    }

    @Test func `a tag on an edit that changes nothing names the current version`() throws {
        var scene = try Scene(0)
        let change = try scene.make(.append(.value(0), tag: "t", grouping: nil))
        #expect(change?.kind == .tag("t", version: 0))
    }

    @Test func `a scope is closed by its owner, or with force`() throws {
        var scene = try Scene(0)
        #expect(scene.refusal(.popScope(isForced: false)) == .version(.rootScope))
        try scene.make(.pushScope(lifetime: nil, policy: .pop), "ada")
        #expect(scene.document.history.scopeLevel == 1)
        #expect(scene.refusal(.popScope(isForced: false), "bob") == .foreignScope(owner: "ada"))
        #expect(scene.refusal(.popScope(isForced: true), "bob") == nil)
        #expect(scene.refusal(.undo) == .version(.nothingToUndo(available: 0)))
        try scene.make(.edit(1), "ada")
        try scene.make(.edit(2), "ada")
        #expect(
            try scene.make(.popScope(isForced: false), "ada")?.kind
                == .popScope(isChanged: true, owner: nil))
        try scene.make(.undo)
        #expect(scene.document.tree == 0, "one version")
    }

    @Test func `a scope in which nothing happened leaves no version`() throws {
        var scene = try Scene(0)
        try scene.make(.pushScope(lifetime: nil, policy: .pop), "ada")
        #expect(
            try scene.make(.popScope(isForced: false), "ada")?.kind
                == .popScope(isChanged: false, owner: nil))
        #expect(!scene.document.history.hasUndo)
    }

    private func ignoring(_ place: String) throws -> SettingsChange {
        var change = SettingsChange()
        change.ignored = [try #require(PointerPattern(parsing: place))]
        return change
    }

    @Test(arguments: [false, true])
    func `a popped scope makes a version, though the short hash of its value is the same`(
        hasIgnored: Bool
    ) throws {
        var scene = try Scene(["n": 0, "live": 0])
        if hasIgnored { try scene.make(.settings(ignoring("/live"))) }
        try scene.make(.edit(["n": 1, "live": 0]))
        let before = scene.document
        let hash = { (number: Int) in
            ShortHash(
                before.settings.tracking.versionHash(of: ["n": JSON(number), "live": 0]))
        }
        let other = try #require((2..<2_000_000).first { hash($0) == hash(1) })
        try scene.make(.pushScope(lifetime: nil, policy: .pop))
        try scene.make(.edit(["n": JSON(other), "live": 0]))
        let popped = try scene.make(.popScope(isForced: false))
        #expect(popped?.kind == .popScope(isChanged: true, owner: nil))
        try scene.make(.undo)
        #expect(scene.document.tree == before.tree)
    }

    @Test(arguments: [false, true])
    func `a popped scope whose changes came to nothing makes no version`(hasIgnored: Bool) throws {
        var scene = try Scene(["n": 0, "live": 0])
        if hasIgnored { try scene.make(.settings(ignoring("/live"))) }
        try scene.make(.edit(["n": 1, "live": 0]))
        try scene.make(.pushScope(lifetime: nil, policy: .pop))
        try scene.make(.edit(["n": 2, "live": 0]))
        try scene.make(.edit(["n": 1, "live": hasIgnored ? 7 : 0]))
        let popped = try scene.make(.popScope(isForced: false))
        #expect(popped?.kind == .popScope(isChanged: false, owner: nil))
        try scene.make(.undo)
        #expect(scene.document.tree == ["n": 0, "live": hasIgnored ? 7 : 0])
    }

    @Test func `a snapshot holds places, and puts them back as one version`() throws {
        var scene = try Scene()
        let place = JSONPointer(names: ["a"])
        try scene.make(.snapshot("s", [place], isNew: true))
        #expect(try scene.make(.snapshot("s", [place], isNew: false)) == nil, "the same again")
        #expect(scene.refusal(.snapshot("s", [place], isNew: true)) == .snapshotExists("s"))
        try scene.make(.edit(["a": 9, "list": []]))
        #expect(try scene.make(.restore("s"))?.kind == .restore("s"))
        #expect(scene.document.tree == ["a": 1, "list": []])
        #expect(try scene.make(.restore("s")) == nil, "nothing to put back")
        #expect(scene.refusal(.restore("u")) == .unknownSnapshot("u"))
        try scene.make(.undo)
        #expect(scene.document.tree["a"] == 9)
        try scene.make(.removeSnapshot("s"))
        #expect(scene.refusal(.removeSnapshot("s")) == .unknownSnapshot("s"))
    }

    @Test func `a place where nothing stood is no null in a checkpoint`() throws {
        var scene = try Scene(["a": 1, "b": nil])
        try scene.make(
            .snapshot("s", [JSONPointer(names: ["b"]), JSONPointer(names: ["c"])], isNew: true))
        var requests = RequestLog()
        let stored = try Document(scene.document.checkpoint(RequestLog()), &requests)
        #expect(stored.snapshots == scene.document.snapshots)
        #expect(stored.snapshots["s"]?.places.map(\.value) == [.some(.null), .none])
    }

    @Test func `an ignored place has no versions, and undo leaves it alone`() throws {
        var scene = try Scene(["a": 1, "seen": 0])
        try scene.make(.settings(ignoring("/seen")))
        #expect(try scene.make(.settings(ignoring("/seen"))) == nil, "set already")
        #expect(try scene.make(.edit(["a": 1, "seen": 1]))?.kind == .touch(tag: nil))
        let both = try #require(try scene.make(.edit(["a": 2, "seen": 2])))
        #expect(both.patch.pointers.map(\.description) == ["/a"])
        #expect(both.untracked.pointers.map(\.description) == ["/seen"])
        try scene.make(.undo)
        #expect(scene.document.tree == ["a": 1, "seen": 2])
    }

    @Test func `members keep their order across a restart, beside an ignored place, too`() throws {
        var scene = try Scene(["t": ["a": 1, "b": 2], "seen": 0])
        try scene.make(.settings(ignoring("/seen")))
        let move = #"{"op":"remove","path":"/t/a"},{"op":"add","path":"/t/a","value":9}"#
        try scene.make(patch(#"[\#(move),{"op":"replace","path":"/seen","value":1}]"#))
        #expect(scene.document.tree == ["t": ["a": 9, "b": 2], "seen": 1])
        try scene.make(patch(#"[\#(move.replacing("9", with: "1"))]"#))
        try scene.make(.undo)
        try scene.make(.undo)
        #expect(scene.document.tree == ["t": ["a": 1, "b": 2], "seen": 1])
    }

    /// `Scene.make` compares what is stored with what is shown, to the byte.
    @Test(arguments: Seeds.of(40))
    func `what is stored leads to what is shown, whatever is ignored`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let first: JSON = ["a": .crowded(&random), "b": .crowded(&random), "0": .crowded(&random)]
        var scene = try Scene(first)
        try scene.make(.settings(ignoring(["/a/b", "/b", "/*/a", "/*/*/b"][Int(seed % 4)])))
        try scene.make(.snapshot("s", [.root], isNew: true))
        for _ in 0..<40 {
            let tree = scene.document.tree
            let action: ChangeRequest.Action? =
                switch random.below(9) {
                case 0: scene.document.history.hasUndo ? .undo : nil
                case 1: scene.document.history.hasRedo ? .redo : nil
                case 2: .restore("s")
                case 3: .edit(tree.mutated(&random, edits: 1 + random.below(3)))
                default:
                    .append(
                        .patch(.random(&random, on: tree, count: 1 + random.below(4))), tag: nil,
                        grouping: nil)
                }
            if let action { try scene.make(action) }
        }
    }

    @Test func `bounds trim old versions, with slack`() throws {
        var scene = try Scene(0)
        try scene.make(.settings(bounded(10)))
        for value in 1...60 { try scene.make(.edit(JSON(value))) }
        let count = scene.document.history.state.versions.count
        #expect(count <= 10 + 1 + 8 + 1 && count >= 10)
        #expect(scene.document.oldestRevision > 0)
        #expect(
            scene.refusal(.move(.goTo(.version(0))))
                == .trimmed(oldest: scene.document.oldestRevision))
    }

    private func bounded(_ count: Int) -> SettingsChange {
        var change = SettingsChange()
        change.historyCount = .to(count)
        return change
    }

    @Test func `what was done in a popped scope costs no steps that can be undone`() throws {
        var scene = try Scene(0)
        try scene.make(.settings(bounded(10)))
        for value in 1...15 { try scene.make(.edit(JSON(value))) }
        try scene.make(.pushScope(lifetime: nil, policy: .pop))
        for value in 16...40 { try scene.make(.edit(JSON(value))) }
        try scene.make(.popScope(isForced: false))
        try scene.make(.edit(41))
        for value in [40, 15, 14, 13, 12, 11, 10, 9, 8, 7] {
            try scene.make(.undo)
            #expect(scene.document.tree == JSON(value))
        }
    }

    @Test func `abandoned futures cannot keep more than four times the bound`() throws {
        var scene = try Scene(0)
        try scene.make(.settings(bounded(10)))
        for value in 1...15 { try scene.make(.edit(JSON(value))) }
        for value in 16...200 {
            try scene.make(.edit(JSON(value)))
            try scene.make(.undo)
            #expect(scene.document.history.state.versions.count <= 4 * 11 + 8 + 1)
        }
        #expect(scene.document.tree == 15)
    }
}
