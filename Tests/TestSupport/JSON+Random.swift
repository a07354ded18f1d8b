import JSONTree

/// The shape of random trees. Vary the shape, not only the values.
public struct TreeShape: Sendable {
    public var depth: Int
    public var width: Int

    public init(depth: Int, width: Int) {
        self.depth = depth
        self.width = width
    }

    /// A shape drawn from the generator: sometimes deep, sometimes wide, sometimes tiny.
    public static func random(_ random: inout SeededGenerator) -> TreeShape {
        switch random.below(4) {
        case 0: TreeShape(depth: 1, width: 200)
        case 1: TreeShape(depth: 12, width: 2)
        case 2: TreeShape(depth: 3, width: 8)
        default: TreeShape(depth: 2, width: 3)
        }
    }
}

extension JSON {
    /// Names that implementations get wrong, among plain ones.
    private static let oddNames = [
        "", "/", "~", "~1", "a/b", "m~n", "é", "e\u{301}", " ", "\"", "\\", "-", "0", "01", "id",
        "__proto__", "名前", "\u{1F600}",
    ]
    private static let oddNumbers = [
        "-0", "1e400", "1.0", "1", "-0.0", "0.10", "1E2", "12345678901234567890123",
        "18446744073709551615", "9007199254740993", "-1.50", "1e-7",
    ]

    public static func randomName(_ random: inout SeededGenerator) -> String {
        random.once(in: 3)
            ? oddNames[random.below(oddNames.count)] : "k\(random.below(300))"
    }

    public static func randomText(_ random: inout SeededGenerator) -> String {
        let alphabet: [Character] = Array("abc é\u{301}😀\"\\\n\u{1}名")
        let lengths: [Int] = [0, 3, 14, 15, 40, 300, 2047, 2048, 6000]
        let length = lengths[random.below(random.once(in: 12) ? lengths.count : 5)]
        return String((0..<length).map { _ in alphabet[random.below(alphabet.count)] })
    }

    public static func random(
        _ random: inout SeededGenerator, shape: TreeShape
    ) -> JSON {
        if shape.depth == 0 || random.once(in: 6) { return randomScalar(&random) }
        let inner = TreeShape(depth: shape.depth - 1, width: min(shape.width, 8))
        let count = random.below(shape.width + 1)
        if random.once(in: 2) {
            return JSON(elements: (0..<count).map { _ in .random(&random, shape: inner) })
        }
        return JSON(
            members: (0..<count).map { _ in
                (randomName(&random), JSON.random(&random, shape: inner))
            })
    }

    public static func randomScalar(_ random: inout SeededGenerator) -> JSON {
        switch random.below(7) {
        case 0: return .null
        case 1: return JSON(random.once(in: 2))
        case 2: return JSON(Int(truncatingIfNeeded: random.next()))
        case 3:
            let text = oddNumbers[random.below(oddNumbers.count)]
            guard let number = try? JSON(parsing: text) else { return .null }
            return number
        case 4, 5: return JSON(random.below(5))
        default: return JSON(randomText(&random))
        }
    }

    /// The value with a few random differences: what an editor would send next.
    public func mutated(_ random: inout SeededGenerator, edits: Int) -> JSON {
        (0..<edits).reduce(self) { value, _ in value.mutatedOnce(&random) }
    }

    private func mutatedOnce(_ random: inout SeededGenerator) -> JSON {
        let fresh = JSON.random(&random, shape: TreeShape(depth: 2, width: 3))
        if random.once(in: 12) { return fresh }
        if var elements {
            guard !elements.isEmpty else { return JSON(elements: [fresh]) }
            let index = random.below(elements.count)
            switch random.below(6) {
            case 0: elements.insert(fresh, at: index)
            case 1: elements.remove(at: index)
            case 2:
                elements.insert(elements.remove(at: index), at: random.below(elements.count + 1))
            case 3: elements.shuffle(using: &random)
            default: elements[index] = elements[index].mutatedOnce(&random)
            }
            return JSON(elements: elements)
        }
        if var members {
            guard !members.isEmpty else {
                return JSON(members: [(JSON.randomName(&random), fresh)])
            }
            let index = random.below(members.count)
            switch random.below(5) {
            case 0: members.append((name: JSON.randomName(&random), value: fresh))
            case 1: members.remove(at: index)
            default: members[index].value = members[index].value.mutatedOnce(&random)
            }
            return JSON(members: members.map { ($0.name, $0.value) })
        }
        if let string, string.count > 2 {
            var text = Array(string)
            text.insert(contentsOf: "new", at: random.below(text.count))
            text.remove(at: random.below(text.count))
            return JSON(String(text))
        }
        return fresh
    }
}
