// The difference of two trees, and two differences brought together.
import JSONTree

let base: JSON = ["todo": ["wash", "cook", "sleep"]]
let mine = base.diff(to: ["todo": ["wash", "cook", "read", "sleep"]])
let theirs = base.diff(to: ["todo": ["cook", "sleep"]])
print(mine.textOperations)
print(theirs.textOperations)

let rebased = try mine.rebased(over: theirs, on: base)
print(rebased.conflicts.isEmpty, rebased.patch.textOperations)
print(try base.applying(theirs).applying(rebased.patch))

// Prints:
// [{"op":"add","path":"/todo/2","value":"read"}]
// [{"op":"remove","path":"/todo/0"}]
// true [{"op":"add","path":"/todo/1","value":"read"}]
// {"todo":["cook","read","sleep"]}
