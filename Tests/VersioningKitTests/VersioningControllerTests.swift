import Testing
import VersioningKit

@Suite struct VersioningControllerTests {
    @Test func `undo and redo walk through what was appended`() throws {
        var title = VersioningController("a")
        for text in ["ab", "abc"] { title.append(text) }
        try title.undo()
        #expect(title.value == "ab" && title.hasUndo && title.hasRedo)
        try title.perform(.undoScope)
        #expect(title.value == "a" && !title.hasUndo)
        try title.perform(.redo(count: 2))
        #expect(title.value == "abc" && !title.hasRedo)
        #expect(throws: VersionError.nothingToRedo(available: 0)) { try title.redo() }
    }

    @Test func `an equal value records nothing and keeps redo, and takes the tag`() throws {
        var title = VersioningController("a")
        title.append("b")
        try title.undo()
        title.append("a", tag: "start")
        #expect(title.hasRedo && title.tags == ["start"])
    }

    @Test func `a scope pops to one version, or is taken back`() throws {
        var numbers = VersioningController([1])
        numbers.pushNewScope()
        numbers.append([1, 2])
        numbers.append([1, 2, 3])
        try numbers.popCurrentScope()
        try numbers.undo()
        #expect(numbers.value == [1])
        try numbers.redo()
        numbers.pushNewScope()
        numbers.append([])
        try numbers.undoAndPopCurrentScope()
        #expect(numbers.value == [1, 2, 3] && numbers.scopeLevel == 0)
        #expect(throws: VersionError.rootScope) { try numbers.undoAndPopCurrentScope() }
    }

    @Test func `quick appends are one version`() throws {
        var text = VersioningController(
            "", grouping: Grouping(window: .milliseconds(500), max: .seconds(5)))
        for (index, letters) in ["h", "he", "hey"].enumerated() {
            text.append(letters, at: .milliseconds(100 * index))
        }
        text.append("hey!", at: .seconds(2))
        try text.undo()
        #expect(text.value == "hey")
        try text.undo()
        #expect(text.value == "")
    }

    @Test func `a transaction is one version, and a failed one is none`() throws {
        struct Refused: Error {}
        var numbers = VersioningController([1])
        numbers.setWithTransaction { $0 += [2, 3] }
        #expect(throws: Refused.self) {
            try numbers.setWithTransaction { (numbers: inout [Int]) throws(Refused) in
                numbers = []
                throw Refused()
            }
        }
        #expect(numbers.value == [1, 2, 3])
        try numbers.undo()
        #expect(numbers.value == [1])
    }
}
