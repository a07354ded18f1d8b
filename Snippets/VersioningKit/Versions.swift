// A versionable type by hand, a controller, tags and a scope.
import VersioningKit

struct Note: Versionable, Sendable {
    var title = "Draft"
    var lines: [String] = []
    var lastUpdated = 0

    func addReversions(into reverter: inout some Reverter<Self>) {
        reverter.appendReversion(at: \.title)
        reverter.appendReversion(at: \.lines)
    }
}

final class Model {
    var note = Note()
}

let model = Model()
let controller = VersioningController(on: model, at: \.note)
model.note.title = "Plan"
controller.tagCurrentVersion("named")
model.note.lines.append("buy milk")
model.note.lastUpdated = 7
try controller.undo(to: "named")
print(model.note.title, model.note.lines, model.note.lastUpdated)

controller.pushNewScope()
model.note.lines = ["one"]
controller.appendCurrentVersion()
model.note.lines += ["two"]
try controller.popCurrentScope()
try controller.undo()
print(model.note.lines, controller.hasRedo)

// Prints:
// Plan [] 7
// [] true
