// Reading, looking into, changing and writing a JSON value.
import JSONTree

let menu = try JSON(parsing: #"{"dish":"soup","price":4.50,"with":["bread","salt"]}"#)
print(menu["price"]?.numberText ?? "")
print(menu["with"]?[0]?.string ?? "")

let place = JSONPointer(parsing: "/price")!
let dearer = try menu.replacing(at: place, with: 5)
print(dearer)
print(menu == dearer, menu.byteCount, menu.height)

// Prints:
// 4.50
// bread
// {"dish":"soup","price":5,"with":["bread","salt"]}
// false 52 2
