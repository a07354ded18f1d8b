// A tracked property: typing is one version, whoever's clock measures it.
import VersioningKit

struct Form: Versionable, Sendable {
    var title = "Title"

    func addReversions(into reverter: inout some Reverter<Self>) {
        reverter.appendReversion(at: \.title)
    }
}

struct Screen {
    @Versioned(debounceInterval: .seconds(60)) var form = Form()
}

let screen = Screen()
for title in ["N", "Ne", "New"] { screen.form.title = title }
screen.$form.undo()
print(screen.form.title, screen.$form.hasUndo)
screen.$form.redo()
print(screen.form.title)

screen.$form.setWithTransaction { form in
    form.title += " title"
    form.title += "!"
}
print(screen.form.title)
screen.$form.undo()
print(screen.form.title)

// Prints:
// Title false
// New
// New title!
// New
