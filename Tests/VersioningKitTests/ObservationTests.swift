import Observation
import Synchronization
import TestSupport
import Testing
import VersioningKit

/// The expansion of the `@Observable` macro, so that these tests need no macro of ours.
@Observable
private final class Model {
    var activity = Activity.mock
    var other = 0
    var error: (any Error)?

    var registrar: ObservationRegistrar { _$observationRegistrar }
}

@Suite struct ObservationTests {
    @Test func `every change of an observable object is a version by itself`() throws {
        let model = Model()
        let controller = VersioningController(on: model, at: \.activity, using: model.registrar)
        model.activity.title = "New title"
        model.activity.priority = .high(
            dueDate: .init(timeIntervalSince1970: 0), reason: "Important")
        model.activity.childActivities.append(.mock)
        model.other = 5
        try controller.undo()
        #expect(model.activity.childActivities.isEmpty)
        try controller.undo()
        #expect(model.activity.priority == .low)
        try controller.undo()
        #expect(model.activity.title == "Title" && !controller.hasUndo)
        try controller.redo()
        #expect(model.activity.title == "New title" && model.other == 5)
    }

    @Test func `quick changes of an observable object are one version`() throws {
        let model = Model()
        let clock = TestClock()
        let controller = VersioningController(
            on: model, at: \.activity, storingErrorsAt: \.error, using: model.registrar,
            debounceClock: clock, debounceInterval: .milliseconds(200))
        for letter in "typed" {
            model.activity.title.append(letter)
            clock.advance(by: .milliseconds(50))
        }
        clock.advance(by: .seconds(1))
        model.activity.title = "later"
        controller.undo()
        #expect(model.activity.title == "Titletyped")
        controller.undo()
        #expect(model.activity.title == "Title" && model.error == nil)
    }

    @Test func `who observes the property is told of commands`() {
        let model = Model()
        let controller = VersioningController(on: model, at: \.activity, using: model.registrar)
        let told = Mutex(0)
        func watch(_ command: () -> Void) -> Bool {
            let before = told.withLock { $0 }
            withObservationTracking {
                _ = model.activity
            } onChange: {
                told.withLock { $0 += 1 }
            }
            command()
            return told.withLock { $0 } > before
        }
        #expect(watch { controller.pushNewScope() })
        #expect(watch { controller.tagCurrentVersion("here") })
        #expect(watch { controller.appendCurrentVersion() })
        #expect(watch { try? controller.undo() })
    }

    @Test func `an observed object is not kept alive`() {
        var model: Model? = Model()
        weak let gone = model
        let controller = model.map {
            VersioningController(on: $0, at: \.activity, using: $0.registrar)
        }
        model?.activity.title = "New title"
        model = nil
        #expect(gone == nil && controller?.hasUndo == false)
    }
}
