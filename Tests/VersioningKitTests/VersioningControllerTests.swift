import Foundation
import TestSupport
import Testing
import VersioningKit

/// The documents' ways of using a controller.
@Suite struct VersioningControllerTests {
    final class Model {
        var activity = Activity.mock
        var error: (any Error)?
    }

    @Test func `a value that lives elsewhere is tracked, and comes back in two ways`() throws {
        var activity = Activity.mock
        let controller = VersioningController(activity)
        activity.title = "New title"
        controller.append(activity)
        activity = try controller.undo()
        #expect(activity.title == "Title" && !controller.hasUndo && controller.hasRedo)
        try controller.redo(&activity)
        #expect(activity.title == "New title")
        try controller.undo(&activity)
        #expect(activity.title == "Title")
    }

    @Test func `of a root only the property at the key path is tracked`() throws {
        var activity = Activity.mock
        let controller = VersioningController(on: activity, at: \.priority)
        activity.title = "New title"
        controller.append(root: activity)
        #expect(!controller.hasUndo)
        activity.priority = .medium(dueDate: nil)
        controller.append(root: activity)
        try controller.undo(root: &activity)
        #expect(activity.priority == .low && activity.title == "New title")
        try controller.redo(&activity.priority)
        #expect(activity.priority == .medium(dueDate: nil))
        activity.priority = try controller.undo()
        #expect(activity.priority == .low)
    }

    @Test func `a property of an object is undone while the caller has it in hand (B7)`() throws {
        final class Model { var activity = Activity.mock }
        let model = Model()
        let controller = VersioningController(on: model, at: \.activity)
        for title in ["b", "c"] {
            model.activity.title = title
            controller.appendCurrentVersion()
        }
        try controller.undo(&model.activity)
        #expect(model.activity.title == "b" && controller.hasRedo)
        try controller.undo(&model.activity)
        #expect(model.activity.title == "Title" && !controller.hasUndo)
        try controller.redo(&model.activity)
        #expect(model.activity.title == "b" && controller.hasUndo && controller.hasRedo)
        model.activity.title = "d"
        try controller.undo(&model.activity)
        #expect(model.activity.title == "b", "what was not appended is recorded first")
    }

    @Test func `undo of a value in hand is the same as the undo that returns it (B19)`() throws {
        var (one, other) = (Activity.mock, Activity.mock)
        let (first, second) = (VersioningController(one), VersioningController(other))
        for (index, title) in ["b", "c"].enumerated() {
            one.title = title
            other.title = title
            first.append(one)
            second.append(other)
            #expect(first.hasUndo && index < 2)
        }
        one.title = "not appended"
        other.title = "not appended"
        one = try first.undo()
        try second.undo(&other)
        #expect(one.title == "b" && other.title == "b")
        var unrelated = Activity.mock
        try second.redo(&unrelated)
        #expect(unrelated.title == "c" && !second.hasRedo)
    }

    @Test func `a group's greatest age is the same in the library and in the daemon (B26)`() {
        let grouping = Grouping(window: .seconds(1))
        #expect(grouping.max == .seconds(20) && Grouping.windowsMax == 20)
        let clock = TestClock()
        var activity = Activity.mock
        let controller = VersioningController(
            activity, debounceClock: clock, debounceInterval: .seconds(1))
        for edit in 0..<21 {
            activity.title = "\(edit)"
            controller.append(activity)
            clock.advance(by: .milliseconds(990))
        }
        #expect(controller.tags()?.undo.count == 2, "one version, and the first one")
        activity.title = "late"
        controller.append(activity)
        #expect(controller.tags()?.undo.count == 3)
    }

    @Test func `an object's property is read and written`() throws {
        let model = Model()
        let controller = VersioningController(on: model, at: \.activity)
        model.activity.title = "New title"
        controller.appendCurrentVersion()
        try controller.undo()
        #expect(model.activity.title == "Title")
        try controller.redo()
        #expect(model.activity.title == "New title")
        model.activity = try controller.undo()
        #expect(model.activity.title == "Title")
    }

    @Test func `errors go to a property that is named, and nothing throws`() {
        let model = Model()
        let controller = VersioningController(on: model, at: \.activity, storingErrorsAt: \.error)
        model.activity.title = "New title"
        controller.undo()
        #expect(model.activity.title == "Title" && model.error == nil)
    }

    @Test func `the object is held weakly, and a controller without it does nothing`() throws {
        var model: Model? = Model()
        weak let gone = model
        let controller = VersioningController(on: try #require(model), at: \.activity)
        model?.activity.title = "New title"
        controller.appendCurrentVersion()
        model = nil
        #expect(gone == nil)
        try controller.undo()
        #expect(controller.hasRedo)
    }

    @Test func `a controller and its closures go with their owner`() throws {
        final class Owner {
            var activity = Activity.mock
            lazy var controller = VersioningController(on: self, at: \.activity)
        }
        var owner: Owner? = Owner()
        weak let gone = owner
        weak let controller = owner?.controller
        owner?.activity.title = "New title"
        owner?.controller.appendCurrentVersion()
        owner = nil
        #expect(gone == nil && controller == nil)
    }

    @Test func `tags are waypoints, and are listed with nil for versions without`() throws {
        let model = Model()
        let controller = VersioningController(on: model, at: \.activity)
        controller.tagCurrentVersion("original")
        model.activity.title = "New title"
        controller.appendCurrentVersion()
        model.activity.priority = .medium(dueDate: nil)
        controller.tagCurrentVersion("without-child")
        model.activity.childActivities = Activity.mock(count: 3)
        controller.tagCurrentVersion("with-child")
        try controller.undo(to: "without-child")
        #expect(model.activity.childActivities.isEmpty)
        let tags = try #require(controller.tags(inScopeLevel: 0))
        #expect(tags.undo == ["original", nil, "without-child"] && tags.redo == ["with-child"])
        #expect(controller.tags(inScopeLevel: 1) == nil)
        try controller.redo(to: "with-child")
        #expect(model.activity.childActivities.count == 3)
        try controller.undo(to: "original")
        #expect(model.activity.title == "Title")
        // An unused tag, and one in the other direction: nothing happens.
        try controller.undo(to: 12)
        try controller.undo(to: "with-child")
        #expect(model.activity.title == "Title" && controller.hasRedo)
    }

    @Test func `a scope is squashed to one version, or taken back`() throws {
        let model = Model()
        let controller = VersioningController(on: model, at: \.activity)
        model.activity.title = "New title"
        controller.pushNewScope()
        #expect(controller.scopeLevel == 1 && !controller.hasUndo)
        model.activity.priority = .medium(dueDate: nil)
        controller.appendCurrentVersion()
        model.activity.childActivities.append(.mock)
        try controller.popCurrentScope()
        #expect(controller.scopeLevel == 0 && controller.hasUndo)
        try controller.undo()
        #expect(model.activity.childActivities.isEmpty && model.activity.priority == .low)
        #expect(model.activity.title == "New title")
        controller.pushNewScope()
        model.activity.title = "Draft"
        try controller.undoAndPopCurrentScope()
        #expect(model.activity.title == "New title" && controller.scopeLevel == 0)
    }

    @Test func `a whole scope is undone and redone`() throws {
        var activity = Activity.mock
        let controller = VersioningController(activity)
        for title in ["a", "b", "c"] {
            activity.title = title
            controller.append(activity, tag: title)
        }
        try controller.undoCurrentScope(&activity)
        #expect(activity.title == "Title")
        try controller.redoCurrentScope(&activity)
        #expect(activity.title == "c")
        activity = try controller.undo(to: "a")
        #expect(activity.title == "a")
        try controller.redo(&activity, to: "b")
        #expect(activity.title == "b")
    }

    @Test func `a transaction is one version, and a failed one is none`() throws {
        struct Refused: Error {}
        let model = Model()
        let controller = VersioningController(on: model, at: \.activity)
        controller.setWithTransaction { activity in
            activity.title = "New title"
            activity.priority = .medium(dueDate: nil)
        }
        #expect(model.activity.title == "New title")
        #expect(throws: Refused.self) {
            try controller.setWithTransaction { (activity: inout Activity) throws(Refused) in
                activity.title = "lost"
                throw Refused()
            }
        }
        #expect(model.activity.title == "New title")
        try controller.undo()
        #expect(model.activity.title == "Title" && model.activity.priority == .low)
        #expect(!controller.hasUndo)
    }
}

/// Faults of the ancestor (measured there), as rules.
@Suite struct ControllerRuleTests {
    private final class Note {
        var text = Text()

        struct Text: Versionable, Sendable {
            var letters = ""
            var lines: [Int] = []
            var lastUpdated = 0

            func addReversions(into reverter: inout some Reverter<Self>) {
                reverter.appendReversion(at: \.letters)
                reverter.appendReversion(at: \.lines)
            }
        }
    }

    private let note = Note()
    private let clock = TestClock()

    private func debounced() -> VersioningController<Note, Note.Text, ReversionError> {
        VersioningController(
            on: note, at: \.text, debounceClock: clock, debounceInterval: .milliseconds(200))
    }

    private func type(
        _ text: String, _ controller: VersioningController<Note, Note.Text, ReversionError>
    ) {
        for letter in text {
            note.text.letters.append(letter)
            controller.appendCurrentVersion()
            clock.advance(by: .milliseconds(100))
        }
    }

    @Test func `a burst of typing is one version, at once undoable`() throws {
        let controller = debounced()
        type("New title", controller)
        #expect(controller.hasUndo)
        clock.advance(by: .seconds(1))
        type("!", controller)
        try controller.undo()
        #expect(note.text.letters == "New title")
        try controller.undo()
        #expect(note.text.letters == "")
        try controller.redo()
        #expect(note.text.letters == "New title")
    }

    @Test func `undo takes back a pending edit first`() throws {
        let controller = debounced()
        type("a", controller)
        clock.advance(by: .seconds(1))
        note.text.letters = "ab"
        try controller.undo()
        #expect(note.text.letters == "a")
        try controller.redo()
        #expect(note.text.letters == "ab")
    }

    @Test func `a sustained edit has a maximum`() throws {
        let controller = debounced()
        type(String(repeating: "x", count: 50), controller)
        try controller.undo()
        #expect(!note.text.letters.isEmpty && note.text.letters.count < 50)
    }

    @Test func `a tag inside a burst is kept, and ends it`() throws {
        let controller = debounced()
        type("ab", controller)
        controller.tagCurrentVersion("middle")
        type("cd", controller)
        try controller.undo(to: "middle")
        #expect(note.text.letters == "ab")
    }

    @Test func `a pending edit belongs to the scope that it was made in`() throws {
        let controller = debounced()
        note.text.letters = "outside"
        controller.pushNewScope()
        #expect(!controller.hasUndo)
        note.text.letters = "inside"
        try controller.popCurrentScope()
        try controller.undo()
        #expect(note.text.letters == "outside")
        try controller.undo()
        #expect(note.text.letters == "")
    }

    @Test func `changing the debounce loses nothing`() throws {
        let controller = debounced()
        note.text.letters = "pending"
        controller.withDebouncing(clock: clock, interval: .seconds(5))
        note.text.letters = "pending more"
        try controller.undo()
        #expect(note.text.letters == "pending")
    }

    @Test func `ignored properties never break undo, and keep their values`() throws {
        let controller = VersioningController(on: note, at: \.text)
        note.text.letters = "a"
        note.text.lastUpdated = 1
        controller.appendCurrentVersion()
        note.text.lastUpdated = 2
        controller.appendCurrentVersion()
        note.text.letters = "b"
        note.text.lastUpdated = 3
        try controller.undo()
        #expect(note.text.letters == "a" && note.text.lastUpdated == 3)
        try controller.undo()
        #expect(note.text.letters == "" && note.text.lastUpdated == 3)
        try controller.redo()
        #expect(note.text.letters == "a")
    }

    @Test func `an append that changes nothing tracked makes no version and keeps redo`() throws {
        let controller = VersioningController(on: note, at: \.text)
        note.text.letters = "a"
        try controller.undo()
        note.text.lastUpdated = 7
        controller.appendCurrentVersion()
        #expect(controller.hasRedo && !controller.hasUndo)
    }

    @Test func `an unchanged append takes the tag, and sending it again changes nothing`() throws {
        var text = Note.Text()
        let controller = VersioningController(text)
        text.letters = "a"
        controller.append(text)
        controller.append(text, tag: "sent")
        controller.append(text, tag: "sent")
        #expect(try #require(controller.tags(inScopeLevel: 0)).undo == [nil, "sent"])
    }

    @Test func `squashing keeps the tag of the last version`() throws {
        var text = Note.Text()
        let controller = VersioningController(text)
        controller.pushNewScope()
        for letters in ["first", "last"] {
            text.letters = letters
            controller.append(text, tag: letters)
        }
        try controller.popCurrentScope()
        #expect(try #require(controller.tags(inScopeLevel: 0)).undo == [nil, "last"])
    }

    @Test func `a scope without a net change leaves no version, and keeps redo`() throws {
        let controller = VersioningController(on: note, at: \.text)
        note.text.letters = "a"
        try controller.undo()
        controller.pushNewScope()
        note.text.letters = "b"
        controller.appendCurrentVersion()
        note.text.letters = ""
        try controller.popCurrentScope()
        #expect(!controller.hasUndo && controller.hasRedo)
        try controller.redo()
        #expect(note.text.letters == "a")
    }

    @Test func `pop and discard at the root do nothing`() throws {
        let controller = VersioningController(on: note, at: \.text)
        note.text.letters = "a"
        try controller.undoAndPopCurrentScope()
        try controller.popCurrentScope()
        #expect(note.text.letters == "a" && controller.hasUndo && controller.scopeLevel == 0)
    }

    @Test func `redo to a tag at the version we are at does nothing`() throws {
        let controller = VersioningController(on: note, at: \.text)
        controller.tagCurrentVersion("start")
        note.text.letters = "a"
        try controller.undo()
        try controller.redo(to: "start")
        #expect(note.text.letters == "")
    }

    @Test func `undo with nothing to undo changes nothing`() throws {
        let controller = VersioningController(on: note, at: \.text)
        try controller.undo()
        try controller.redo()
        #expect(note.text.letters == "" && !controller.hasUndo && !controller.hasRedo)
    }

    @Test func `a failed reversion loses nothing`() throws {
        @ThrowingVersioned var text = Note.Text()
        text.lines = [1, 2, 3]
        text.lines = [1, 2, 3, 4]
        let right = text
        $text.setWithoutTracking(Note.Text())
        #expect(throws: ReversionError.differentVersion) { try $text.undo() }
        #expect(text.lines == [] && $text.hasUndo)
        $text.setWithoutTracking(right)
        try $text.undo()
        #expect(text.lines == [1, 2, 3])
        try $text.undo()
        try $text.redo()
        #expect(text.lines == [1, 2, 3])
    }

    @Test func `concurrent appends keep consistent steps`() async throws {
        let controller = VersioningController(Note.Text())
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for step in 0..<100 {
                        var text = Note.Text()
                        text.letters = "\(worker) \(step)"
                        controller.append(text)
                        if step % 10 == 0 { _ = try? controller.undo() as Note.Text }
                        _ = controller.hasRedo
                    }
                }
            }
        }
        while controller.hasUndo { _ = try controller.undo() as Note.Text }
        #expect(try controller.undo() == Note.Text())
    }
}
