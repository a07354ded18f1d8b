import JSONTree
import SelectiveUndo

extension Bench {
    /// Own undo past many later edits of others: once, with the line made from the changes, and
    /// then a press with the line kept. Beside it, what the same edits take to be applied to a
    /// tree.
    static func ownUndo() throws {
        print(
            "own undo past later edits: ms to make the line and undo, µs for a press after that, "
                + "and the ratio of the first to applying the edits")
        for count in [100, 1_000, 10_000, 100_000] {
            for (name, start, patch) in [
                ("other fields", fields, otherField), ("the same field", fields, sameField),
                ("one text", text, typed), ("one array", array, pushed),
            ] {
                try ownUndo(count, name, start, patch)
            }
        }
    }

    private static func ownUndo(
        _ count: Int, _ name: String, _ start: JSON, _ patch: (Int, JSON) -> JSONPatch
    ) throws {
        var tree = start
        var patches: [ReversiblePatch] = []
        for number in 0...count {
            let (next, change) = try tree.applying(patch(number, tree))
            patches.append(change)
            tree = next
        }
        let apply = best {
            var copy = start
            for patch in patches { try? copy.apply(patch) }
        }
        let request = OwnUndoRequest(.actor("ada"))
        let once = best {
            guard var line = try? line(start, patches) else { return }
            _ = try? line.revert(request, on: tree)
        }
        var kept = try line(start, patches)
        let press = best(100) {
            for _ in 0..<100 {
                if let undo = try? kept.revert(request, on: tree) { kept.cancel(undo) }
            }
        }
        print(
            "  \(count), \(name): \(milli(once)), \(micro(press)), \(ratio(once, apply)); "
                + "\(kept.byteCount / (count + 1)) bytes an edit")
    }

    private static func line(
        _ start: JSON, _ patches: [ReversiblePatch]
    ) throws -> EffectHistory {
        var line = EffectHistory(start, first: 1, isWhole: true)
        for (index, patch) in patches.enumerated() {
            try line.append(index + 1, by: index == 0 ? "ada" : "bob", group: nil, patch)
        }
        return line
    }

    private static let fields = JSON(members: (0..<1_000).map { ("k\($0)", JSON($0)) })
    private static let text: JSON = ["t": JSON(String(repeating: "lorem ipsum ", count: 2_000))]
    private static let array: JSON = [
        "l": JSON(elements: (0..<2_000).map { JSON(members: [("id", JSON($0))]) })
    ]

    private static func pointer(_ names: String...) -> JSONPointer { JSONPointer(names: names) }

    private static func otherField(_ number: Int, _ tree: JSON) -> JSONPatch {
        JSONPatch([.replace(pointer("k\(number % 1_000)"), JSON(number + 1_000_000))])
    }

    private static func sameField(_ number: Int, _ tree: JSON) -> JSONPatch {
        JSONPatch([.replace(pointer("k0"), JSON(number + 1_000_000))])
    }

    private static func typed(_ number: Int, _ tree: JSON) -> JSONPatch {
        JSONPatch([.insertText(pointer("t"), at: number * 7_919 % 20_000, "x")])
    }

    private static func pushed(_ number: Int, _ tree: JSON) -> JSONPatch {
        JSONPatch([
            .add(pointer("l", "\(number * 7_919 % 2_000)"), JSON(members: [("n", JSON(number))]))
        ])
    }
}
