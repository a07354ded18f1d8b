import JSONTree

extension JSON {
    /// A small tree in which edits meet often: nested arrays and objects with few names, and texts.
    public static func crowded(_ random: inout SeededGenerator, depth: Int = 3) -> JSON {
        switch random.below(depth == 0 ? 2 : 5) {
        case 0: return JSON(random.below(10))
        case 1: return JSON(randomLetters(&random, upTo: 8))
        case 2, 3:
            return JSON(
                elements: (0..<random.below(5)).map { _ in
                    .crowded(&random, depth: depth - 1)
                })
        default:
            let names = ["a", "b", "0", "1"].filter { _ in random.once(in: 2) }
            return JSON(members: names.map { ($0, .crowded(&random, depth: depth - 1)) })
        }
    }

    /// Letters of one, two and three bytes, and one of two UTF-16 code units.
    public static func randomLetters(_ random: inout SeededGenerator, upTo count: Int) -> String {
        String((0..<random.below(count + 1)).map { _ in "abcdeé名😀".randomElement(using: &random)! })
    }

    /// The addresses of all values in it.
    fileprivate func addresses(under name: [String] = []) -> [[String]] {
        var found = [name]
        for (index, element) in (elements ?? []).enumerated() {
            found += element.addresses(under: name + [String(index)])
        }
        for member in members ?? [] { found += member.value.addresses(under: name + [member.name]) }
        return found
    }
}

extension JSONPatch {
    /// A patch of some operations that fits a tree. `hasTests`: `test` may be among them.
    public static func random(
        _ random: inout SeededGenerator, on tree: JSON, count: Int, hasTests: Bool = false
    ) -> JSONPatch {
        fitting(tree, count) { JSONOperation.random(&random, on: $0, hasTests: hasTests) }
    }

    /// A patch of some text operations for a string.
    public static func randomText(
        _ random: inout SeededGenerator, on text: JSON, count: Int
    ) -> JSONPatch {
        fitting(text, count) { _ in
            random.once(in: 2)
                ? .insertText(.root, at: random.below(12), JSON.randomLetters(&random, upTo: 3))
                : .deleteText(.root, at: random.below(12), count: 1 + random.below(4))
        }
    }

    private static func fitting(
        _ tree: JSON, _ count: Int, _ random: (JSON) -> JSONOperation
    ) -> JSONPatch {
        var (tree, operations) = (tree, [JSONOperation]())
        for _ in 0..<(count * 20) where operations.count < count {
            let operation = random(tree)
            guard let after = try? tree.applying(JSONPatch([operation])).tree else { continue }
            tree = after
            operations.append(operation)
        }
        return JSONPatch(operations)
    }
}

extension JSONOperation {
    fileprivate static func random(
        _ random: inout SeededGenerator, on tree: JSON, hasTests: Bool
    ) -> JSONOperation {
        let addresses = tree.addresses()
        func place() -> JSONPointer {
            JSONPointer(names: addresses[random.below(addresses.count)])
        }
        func target() -> JSONPointer {
            let above = addresses[random.below(addresses.count)]
            let names = ["0", "1", "2", "3", "a", "b", "-"]
            return JSONPointer(names: above + [names[random.below(names.count)]])
        }
        let value = JSON.crowded(&random, depth: 1)
        switch random.below(hasTests ? 9 : 8) {
        case 0, 1: return .add(target(), value)
        case 2: return .remove(place())
        case 3: return .replace(place(), value)
        case 4, 5: return .move(from: place(), to: target())
        case 6:
            return .insertText(
                place(), at: random.below(6), JSON.randomLetters(&random, upTo: 3))
        case 7: return .deleteText(place(), at: random.below(5), count: 1 + random.below(4))
        default:
            let place = place()
            return .test(place, tree[place] ?? .null)
        }
    }
}
