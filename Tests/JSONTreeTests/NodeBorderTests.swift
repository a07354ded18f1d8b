import TestSupport
import Testing

@testable import JSONTree

/// Arrays and objects of every size: splits and joins of nodes are invisible.
@Suite struct NodeBorderTests {
    static let sizes = [
        0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1_023, 1_024,
        1_025, 4_095, 4_096, 4_097,
    ]

    private func array(_ count: Int) -> JSON { JSON(elements: (0..<count).map { JSON($0) }) }

    private func object(_ count: Int) -> JSON {
        JSON(members: (0..<count).map { ("k\($0)", JSON($0)) })
    }

    @Test(arguments: sizes)
    func `an array has its elements in their order`(count: Int) throws {
        let tree = array(count)
        #expect(tree.count == count && tree.kind == .array)
        #expect(tree.elements?.map(\.int) == (0..<count).map { $0 })
        for index in Set([0, 1, count / 3, count / 2, count - 2, count - 1]) {
            #expect(tree[index]?.int == ((0..<count).contains(index) ? index : nil))
        }
        #expect(tree[count] == nil)
        #expect(try JSON(parsing: tree.serialized()) == tree)
        #expect(tree.byteCount == tree.serialized().count)
        #expect(tree.valueCount == count + 1)
    }

    @Test(arguments: sizes)
    func `an object has its members in the order in which they came, a large one by name`(
        count: Int
    ) throws {
        let tree = object(count)
        #expect(tree.count == count && tree.kind == .object)
        let names = (0..<count).map { "k\($0)" }
        #expect(tree.members?.map(\.name) == (count > 128 ? names.sorted() : names))
        for index in Set([0, count / 2, count - 1]) where index >= 0 && index < count {
            #expect(tree["k\(index)"]?.int == index)
        }
        #expect(tree["k\(count)"] == nil && tree[""] == nil)
        #expect(try JSON(parsing: tree.serialized()) == tree)
        let shuffled = JSON(members: (0..<count).shuffled().map { ("k\($0)", JSON($0)) })
        #expect(shuffled == tree && shuffled.contentHash == tree.contentHash)
    }

    @Test(arguments: sizes)
    func `an element is put in, changed and taken out anywhere`(count: Int) throws {
        let tree = array(count)
        for index in Set([0, 1, count / 2, max(0, count - 1), count]) where index <= count {
            let place = JSONPointer(names: ["\(index)"])
            var expected = (0..<count).map { $0 }
            expected.insert(-1, at: index)
            let (longer, undo) = try tree.applying(JSONPatch([.add(place, -1)]))
            #expect(longer.elements?.map(\.int) == expected)
            #expect(try longer.applying(undo.inverse) == tree)
            #expect(longer == JSON(elements: expected.map { JSON($0) }))
            let (back, _) = try longer.applying(JSONPatch([.remove(place)]))
            #expect(back == tree && back.contentHash == tree.contentHash)
            let (changed, _) = try longer.applying(JSONPatch([.replace(place, "x")]))
            #expect(changed[index] == "x" && changed.count == count + 1)
        }
        #expect(tree.elements?.count == count, "the old one is as it was")
    }

    @Test(arguments: sizes)
    func `a member is put in, changed and taken out anywhere`(count: Int) throws {
        let tree = object(count)
        for name in ["", "a", "k", "k0", "k1", "k\(count / 2)", "kz", "~", "/"] {
            let place = JSONPointer(names: [name])
            let (changed, undo) = try tree.applying(JSONPatch([.add(place, "new")]))
            #expect(changed[name] == "new")
            #expect(changed.count == count + (tree[name] == nil ? 1 : 0))
            #expect(try changed.applying(undo.inverse) == tree)
            let (without, back) = try changed.applying(JSONPatch([.remove(place)]))
            #expect(without[name] == nil && without.count == changed.count - 1)
            #expect(try without.applying(back.inverse) == changed)
        }
        #expect(tree.count == count)
    }

    @Test(arguments: Seeds.of(20, from: 1))
    func `a long random history of an array is what a list would be`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var list = (0..<random.below(300)).map { $0 }
        var tree = JSON(elements: list.map { JSON($0) })
        var kept: [(JSON, [Int])] = []
        for step in 0..<300 {
            let patch: JSONPatch
            if list.isEmpty || random.below(5) < 3 {
                let index = random.below(list.count + 1)
                list.insert(step, at: index)
                patch = JSONPatch([.add(JSONPointer(names: ["\(index)"]), JSON(step))])
            } else if random.once(in: 3), list.count > 1 {
                let (from, to) = (random.below(list.count), random.below(list.count))
                list.insert(list.remove(at: from), at: to)
                patch = JSONPatch([
                    .move(
                        from: JSONPointer(names: ["\(from)"]), to: JSONPointer(names: ["\(to)"]))
                ])
            } else {
                let index = random.below(list.count)
                list.remove(at: index)
                patch = JSONPatch([.remove(JSONPointer(names: ["\(index)"]))])
            }
            tree = try tree.applying(patch).tree
            if random.once(in: 40) { kept.append((tree, list)) }
        }
        #expect(tree.elements?.map(\.int) == list)
        #expect(tree == JSON(elements: list.map { JSON($0) }))
        for (tree, list) in kept { #expect(tree.elements?.map(\.int) == list) }
    }

    @Test(arguments: Seeds.of(20, from: 1))
    func `a long random history of an object is what a dictionary would be`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // By bytes: names that look alike are two names.
        var names: [[UInt8]: Int] = [:]
        var tree: JSON = [:]
        for step in 0..<400 {
            let name = random.once(in: 4) ? JSON.randomName(&random) : "k\(random.below(200))"
            let place = JSONPointer(names: [name])
            let key = Array(name.utf8)
            if names[key] != nil, random.once(in: 2) {
                names[key] = nil
                tree = try tree.applying(JSONPatch([.remove(place)])).tree
            } else {
                names[key] = step
                tree = try tree.applying(JSONPatch([.add(place, JSON(step))])).tree
            }
        }
        let found = Dictionary(
            uniqueKeysWithValues: (tree.members ?? []).map { (Array($0.name.utf8), $0.value.int) })
        #expect(found.count == names.count)
        for (name, value) in names { #expect(found[name] == value) }
        let members = names.map { (String(decoding: $0.key, as: UTF8.self), JSON($0.value)) }
        #expect(tree == JSON(members: members))
    }
}
