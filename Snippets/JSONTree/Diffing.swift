// The difference of two trees, and its inverse.
import JSONTree

let base: JSON = ["todo": ["wash", "cook", "sleep"]]
let target: JSON = ["todo": ["cook", "sleep"], "done": ["wash"]]
let patch = base.diff(to: target)
print(patch.textOperations)
print(try base.applying(patch) == target)
print(try target.applying(patch.inverse))

// Prints:
// [{"op":"remove","path":"/todo/0"},{"op":"add","path":"/done","value":["wash"]}]
// true
// {"todo":["wash","cook","sleep"]}
