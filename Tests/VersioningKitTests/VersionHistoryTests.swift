import TestSupport
import Testing
import VersioningKit

/// The rules of undo, on the pure value. Steps are letters; the text is what the steps add up to.
@Suite struct VersionHistoryTests {
    /// A history and the text that it is about.
    struct Typed {
        var history = VersionHistory<Character>()
        var text = ""
        private var lastID = 0

        mutating func type(_ letters: String) {
            for letter in letters {
                lastID += 1
                history.append(letter, id: lastID)
                text.append(letter)
            }
        }

        mutating func perform(_ move: Move) throws(VersionError) {
            let target = try history.target(of: move)
            let route = history.route(to: target)
            for letter in route.undone {
                #expect(text.last == letter, "steps are undone newest first")
                text.removeLast()
            }
            text.append(contentsOf: route.redone)
            history.move(to: target)
        }

        mutating func pop() throws(VersionError) {
            lastID += 1
            _ = try history.popScope(id: lastID, isChanged: true)
        }

        mutating func discard() throws(VersionError) {
            let opening = try history.scopeOpening()
            try perform(.goTo(.version(opening)))
            try history.discardScope()
        }
    }

    @Test func `undo then redo is identity, and state 0 is reachable`() throws {
        var typed = Typed()
        typed.type("abc")
        try typed.perform(.undo(count: 3))
        #expect(typed.text == "" && !typed.history.hasUndo && typed.history.hasRedo)
        #expect(typed.history.currentID == 0)
        try typed.perform(.redo(count: 3))
        #expect(typed.text == "abc" && typed.history.hasUndo && !typed.history.hasRedo)
    }

    @Test func `n changes make n + 1 states`() {
        var typed = Typed()
        typed.type("abcd")
        #expect(typed.history.state.versions.count == 5)
        #expect(typed.history.undoCount == 4 && typed.history.redoCount == 0)
    }

    @Test func `empty undo and redo are errors that say how much there is`() {
        var typed = Typed()
        typed.type("a")
        #expect(throws: VersionError.nothingToUndo(available: 1)) {
            try typed.perform(.undo(count: 2))
        }
        #expect(throws: VersionError.nothingToRedo(available: 0)) {
            try typed.perform(.redo(count: 1))
        }
        #expect(typed.text == "a")
    }

    @Test func `an append after undo forks, and the old future stays reachable`() throws {
        var typed = Typed()
        typed.type("ab")
        try typed.perform(.undo(count: 1))
        typed.type("x")
        #expect(!typed.history.hasRedo)
        try typed.perform(.goTo(.version(2)))
        #expect(typed.text == "ab")
        try typed.perform(.goTo(.version(3)))
        #expect(typed.text == "ax")
        try typed.perform(.undo(count: 1))
        try typed.perform(.redo(count: 1))
        #expect(typed.text == "ax")
    }

    @Test func `undo and redo to a tag end on the tagged version`() throws {
        var typed = Typed()
        typed.type("a")
        typed.history.tagCurrent("first")
        typed.type("bc")
        typed.history.tagCurrent("third")
        try typed.perform(.undoTo(.tag("first")))
        #expect(typed.text == "a")
        try typed.perform(.undoTo(.tag("first")))
        #expect(typed.text == "a")
        try typed.perform(.redoTo(.tag("third")))
        #expect(typed.text == "abc")
        #expect(throws: VersionError.notOnPath(.tag("first"))) {
            try typed.perform(.redoTo(.tag("first")))
        }
        #expect(throws: VersionError.unknownTag("no")) { try typed.perform(.undoTo(.tag("no"))) }
        #expect(typed.text == "abc")
    }

    @Test func `a tag on the first version can be undone to`() throws {
        var typed = Typed()
        typed.history.tagCurrent("start")
        typed.type("ab")
        try typed.perform(.undoTo(.tag("start")))
        #expect(typed.text == "" && typed.history.redoCount == 2)
    }

    @Test func `a tag is unique, and naming again moves it`() {
        var typed = Typed()
        typed.type("a")
        typed.history.tagCurrent("here")
        typed.type("b")
        typed.history.tagCurrent("here")
        #expect(typed.history.version(tagged: "here") == 2)
        typed.history.removeTag("here")
        #expect(typed.history.version(tagged: "here") == nil)
    }

    @Test func `undo and redo stay inside the current scope`() throws {
        var typed = Typed()
        typed.type("ab")
        try typed.perform(.undo(count: 1))
        typed.history.pushScope()
        #expect(typed.history.scopeLevel == 1 && !typed.history.hasUndo && !typed.history.hasRedo)
        typed.type("xy")
        try typed.perform(.undoScope)
        #expect(typed.text == "a" && typed.history.redoCount == 2)
        #expect(throws: VersionError.nothingToUndo(available: 0)) {
            try typed.perform(.undo(count: 1))
        }
        #expect(throws: VersionError.outsideScope) { try typed.perform(.goTo(.version(2))) }
    }

    @Test func `pop makes one version of the scope below, with the tag of its last version`() throws
    {
        var typed = Typed()
        typed.type("a")
        typed.history.pushScope()
        typed.type("xyz")
        typed.history.tagCurrent("end")
        try typed.pop()
        #expect(typed.history.scopeLevel == 0)
        #expect(typed.history.version(tagged: "end") == typed.history.currentID)
        try typed.perform(.undo(count: 1))
        #expect(typed.text == "a")
        try typed.perform(.redo(count: 1))
        #expect(typed.text == "axyz")
    }

    @Test func `pop without a net change makes no version and keeps redo`() throws {
        var typed = Typed()
        typed.type("ab")
        try typed.perform(.undo(count: 1))
        typed.history.pushScope()
        #expect(try typed.history.popScope(id: 9, isChanged: false) == nil)
        #expect(typed.history.hasRedo)
        try typed.perform(.redo(count: 1))
        #expect(typed.text == "ab")
    }

    @Test func `discard undoes the scope, and redo below is what it was`() throws {
        var typed = Typed()
        typed.type("ab")
        try typed.perform(.undo(count: 1))
        typed.history.pushScope()
        typed.type("xyz")
        try typed.discard()
        #expect(typed.text == "a" && typed.history.scopeLevel == 0)
        try typed.perform(.redo(count: 1))
        #expect(typed.text == "ab")
    }

    @Test func `the root scope cannot be closed`() {
        var typed = Typed()
        typed.type("a")
        #expect(throws: VersionError.rootScope) { try typed.pop() }
        #expect(throws: VersionError.rootScope) { try typed.discard() }
        #expect(typed.text == "a" && typed.history.hasUndo)
    }

    @Test func `scopes nest`() throws {
        var typed = Typed()
        typed.type("a")
        typed.history.pushScope()
        typed.type("b")
        typed.history.pushScope()
        typed.type("cd")
        try typed.pop()
        try typed.perform(.undo(count: 1))
        #expect(typed.text == "ab")
        try typed.perform(.redo(count: 1))
        try typed.pop()
        try typed.perform(.undo(count: 1))
        #expect(typed.text == "a")
    }

    @Test(arguments: Seeds.of(40, from: 1))
    func `random walks agree with a history of whole copies`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var typed = Typed()
        var copies: [Int: String] = [0: ""]
        for _ in 0..<200 {
            let move: Move =
                switch random.below(6) {
                case 0: .undo(count: 1 + random.below(3))
                case 1: .redo(count: 1 + random.below(3))
                case 2: .goTo(.version(random.below(copies.count)))
                case 3: .undoScope
                default: .undo(count: 0)
                }
            if move == .undo(count: 0) {
                typed.type(String("abcdefgh".randomElement(using: &random) ?? "a"))
                copies[typed.history.currentID] = typed.text
            } else {
                try? typed.perform(move)
            }
            #expect(typed.text == copies[typed.history.currentID])
        }
        let restored = try #require(VersionHistory(state: typed.history.state))
        #expect(restored.currentID == typed.history.currentID)
    }
}
