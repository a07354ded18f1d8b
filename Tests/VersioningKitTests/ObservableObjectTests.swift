#if OpenCombine
    import OpenCombine
    import TestSupport
    import Testing
    import VersioningKit

    /// `ObservableObject` models, with the trait `OpenCombine`.
    @Suite struct ObservableObjectTests {
        final class Model: ObservableObject {
            let objectWillChange = ObservableObjectPublisher()
            var activity = Activity.mock {
                willSet { objectWillChange.send() }
            }
            var error: (any Error)?
        }

        @Test func `every change of an observable object is a version by itself`() throws {
            let model = Model()
            let controller = VersioningController(on: model, at: \.activity)
            model.activity.title = "New title"
            model.activity.priority = .medium(dueDate: nil)
            try controller.undo()
            #expect(model.activity.priority == .low && model.activity.title == "New title")
            try controller.undo()
            #expect(model.activity.title == "Title" && !controller.hasUndo)
        }

        @Test func `quick changes are one version, and errors are stored`() {
            let model = Model()
            let clock = TestClock()
            let controller = VersioningController(
                on: model, at: \.activity, storingErrorsAt: \.error, debounceClock: clock,
                debounceInterval: .milliseconds(200))
            for letter in "typed" { model.activity.title.append(letter) }
            controller.undo()
            #expect(model.activity.title == "Title" && model.error == nil)
        }

        @Test func `subscribers are told of commands, and the object is not kept alive`() {
            var model: Model? = Model()
            weak let gone = model
            let controller = model.map { VersioningController(on: $0, at: \.activity) }
            var told = 0
            let subscription = model?.objectWillChange.sink { told += 1 }
            controller?.pushNewScope()
            #expect(told == 1)
            subscription?.cancel()
            model = nil
            #expect(gone == nil)
        }
    }
#endif
