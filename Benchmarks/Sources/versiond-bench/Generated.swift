import JSONTree

/// Documents of the shapes that matter, the same in every run.
enum Generated {
    /// An array of objects, as catalogues and feeds have it.
    static func catalogue(megabytes: Double) -> JSON {
        let count = Int(megabytes * 1e6 / 170)
        return ["items": JSON(elements: (0..<count).map(item))]
    }

    static func item(_ number: Int) -> JSON {
        [
            "id": JSON(number), "name": JSON("product number \(number)"),
            "price": JSON(number % 997), "available": JSON(number % 3 == 0),
            "tags": ["new", "sale", JSON("t\(number % 10)")],
            "description": JSON("a text of some length about number \(number)"),
        ]
    }

    /// Name, tree, and an operation on one leaf of it.
    static var edits: [(String, JSON, String)] {
        func replace(_ path: String) -> String {
            #"[{"op":"replace","path":"\#(path)","value":4711}]"#
        }
        let numbers = JSON(elements: (0..<100_000).map { JSON($0) })
        let names = JSON(members: (0..<100_000).map { ("name \($0)", JSON($0)) })
        return [
            ("1 KB", catalogue(megabytes: 0.001), replace("/items/3/price")),
            ("1 MB", catalogue(megabytes: 1), replace("/items/3000/price")),
            ("10 MB", catalogue(megabytes: 10), replace("/items/30000/price")),
            ("array of 100,000", numbers, replace("/50000")),
            ("object of 100,000", names, replace("/name 50000")),
            ("insert at 0 of 100,000", numbers, #"[{"op":"add","path":"/0","value":4711}]"#),
        ]
    }

    private static func dearer(_ item: JSON) -> JSON {
        JSON(members: (item.members ?? []).map { ($0.name, $0.name == "price" ? 4711 : $0.value) })
    }

    /// Name, old and new document. The new one shares nothing with the old one.
    static var pairs: [(String, JSON, JSON)] {
        let items = (0..<10_000).map(item)
        let old: JSON = ["items": JSON(elements: items)]
        func changed(_ edit: (inout [JSON]) -> Void) -> JSON {
            var copy = items
            edit(&copy)
            return ["items": JSON(elements: copy)]
        }
        var generator = SplitMix(state: 7)
        let shuffled = items.shuffled(using: &generator)
        let text = String(repeating: "lorem ipsum dolor ", count: 55_000)
        return [
            ("one leaf", old, changed { $0[5_000] = dearer($0[5_000]) }),
            ("one element", old, changed { $0[5_000] = item(77_777) }),
            ("insert", old, changed { $0.insert(item(77_777), at: 5_000) }),
            ("remove", old, changed { $0.remove(at: 5_000) }),
            ("move", old, changed { $0.insert($0.remove(at: 100), at: 9_000) }),
            ("shuffle of 10,000", old, ["items": JSON(elements: shuffled)]),
            ("one letter in 1 MB of text", ["text": JSON(text)], ["text": JSON(text + "x")]),
        ]
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}
