public import Naming
import JSONTree
import SelectiveUndo

/// Random edits of a tree as several people make them: every value is unique, so that nothing that
/// goes wrong looks right by chance.
public struct UndoGenerator {
    public var random: SeededGenerator
    private var next = 0

    public init(_ random: SeededGenerator) {
        self.random = random
    }

    public static let actors: [Name] = ["ada", "bob", "cyd", "dan", "eve"]

    private mutating func fresh() -> JSON {
        next += 1
        switch random.below(8) {
        case 0: return JSON(members: [("v", JSON(next))])
        case 1: return JSON(elements: [JSON(next)])
        case 2: return JSON(elements: [JSON(members: [("w", JSON("t\(next)"))])])
        case 3: return JSON("n\(next)")
        default: return JSON(next)
        }
    }

    private mutating func places(_ tree: JSON) -> [(pointer: JSONPointer, value: JSON)] {
        var found: [(pointer: JSONPointer, value: JSON)] = []
        func look(_ value: JSON, _ names: [String]) {
            found.append((JSONPointer(names: names), value))
            for (index, element) in (value.elements ?? []).enumerated() {
                look(element, names + ["\(index)"])
            }
            for member in value.members ?? [] { look(member.value, names + [member.name]) }
        }
        look(tree, [])
        return found
    }

    private mutating func pick<Element>(_ list: [Element]) -> Element {
        list[random.below(list.count)]
    }

    private mutating func inside(_ container: JSONPointer, _ value: JSON, isNew: Bool)
        -> JSONPointer?
    {
        switch value.kind {
        case .object:
            let names = isNew ? ["x", "y", "z", "o", "l"] : (value.members ?? []).map(\.name)
            return names.isEmpty ? nil : container.appending(pick(names))
        case .array:
            let count = value.count + (isNew ? 1 : 0)
            return count == 0 ? nil : container.appending("\(random.below(count))")
        default: return nil
        }
    }

    /// One operation that fits the tree.
    public mutating func operation(on tree: JSON) -> JSONOperation? {
        let all = places(tree)
        let containers = all.filter { $0.value.isContainer }
        let texts = all.filter { $0.value.kind == .string }
        switch random.below(12) {
        case 0...2:
            let one = pick(containers)
            return inside(one.pointer, one.value, isNew: true).map { .add($0, fresh()) }
        case 3, 4:
            guard
                let one = pick(all.filter { $0.pointer.count > 0 } + [all[0]])
                    as (pointer: JSONPointer, value: JSON)?,
                one.pointer.count > 0 || random.once(in: 8)
            else { return nil }
            return one.pointer.count > 0
                ? .replace(one.pointer, fresh()) : .add(.root.appending("x"), fresh())
        case 5:
            let inner = all.filter { $0.pointer.count > 0 }
            return inner.isEmpty ? nil : .remove(pick(inner).pointer)
        case 6, 7:
            let inner = all.filter { $0.pointer.count > 0 }
            guard !inner.isEmpty else { return nil }
            let from = pick(inner).pointer
            let one = pick(containers)
            return inside(one.pointer, one.value, isNew: true).map { .move(from: from, to: $0) }
        default:
            guard !texts.isEmpty else { return nil }
            return edit(pick(texts))
        }
    }

    private mutating func edit(_ text: (pointer: JSONPointer, value: JSON)) -> JSONOperation {
        let scalars = Array((text.value.string ?? "").unicodeScalars)
        func position(_ index: Int) -> Int { scalars[..<index].reduce(0) { $0 + $1.utf16.count } }
        let start = random.below(scalars.count + 1)
        if start < scalars.count, random.once(in: 3) {
            let end = start + 1 + random.below(min(6, scalars.count - start))
            return .deleteText(
                text.pointer, at: position(start), count: position(end) - position(start))
        }
        next += 1
        let letters = ["p", "q", "é", "😀", "名"]
        let inserted = (0...random.below(3)).map { _ in pick(letters) + "\(next % 10)" }
        return .insertText(text.pointer, at: position(start), inserted.joined())
    }

    /// A patch of one to three operations that fits the tree; `nil` if none was found.
    public mutating func patch(on tree: JSON) -> JSONPatch? {
        var (tree, operations) = (tree, [JSONOperation]())
        let wanted = random.once(in: 4) ? 1 + random.below(3) : 1
        for _ in 0..<(wanted * 4) where operations.count < wanted {
            guard let operation = operation(on: tree),
                let (next, _) = try? tree.applying(JSONPatch([operation]))
            else { continue }
            tree = next
            operations.append(operation)
        }
        return operations.isEmpty ? nil : JSONPatch(operations)
    }

    /// A tree to begin with.
    public mutating func start() -> JSON {
        switch random.below(3) {
        case 0: return ["x": 0, "y": 0, "l": [1, 2, 3], "t": "hello world"]
        case 1: return ["o": ["x": ["y": 1]], "l": [["v": 1], ["v": 2], [3]], "t": "mno"]
        default: return ["t": "", "l": []]
        }
    }
}

extension JSONPointer {
    fileprivate func appending(_ name: String) -> JSONPointer {
        JSONPointer(tokens: tokens + [MemberName(name)])
    }
}
