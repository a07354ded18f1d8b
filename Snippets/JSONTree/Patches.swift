// A client's patch gives the new tree and the way back.
import JSONTree

let note: JSON = ["title": "Draft", "tags": ["new"]]
let patch = try JSONPatch(
    JSON(
        parsing: """
            [{"op":"test","path":"/title","value":"Draft"},
             {"op":"replace","path":"/title","value":"Done"},
             {"op":"add","path":"/tags/-","value":"read"}]
            """))
let (after, change) = try note.applying(patch)
print(after)
print(try change.inverse.operations(on: after))
print(try after.applying(change.inverse) == note)

do {
    _ = try after.applying(patch)
} catch {
    print(error)
}

// Prints:
// {"title":"Done","tags":["new","read"]}
// [{"op":"remove","path":"/tags/1"},{"op":"replace","path":"/title","value":"Draft"}]
// true
// the value differs from the tested value at /title (operation 0)
