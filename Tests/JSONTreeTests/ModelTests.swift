import TestSupport
import Testing

@testable import JSONTree

/// Patches, merge patches and pointers against a slow, obvious model.
@Suite struct ModelTests {
    static let seeds = Seeds.of(80, from: 1)

    /// An operation in both worlds.
    struct Operation {
        let json: JSONOperation
        let perform: (inout NaiveJSON) throws -> Void
    }

    private func pointer(_ path: [String]) -> JSONPointer { JSONPointer(names: path) }

    /// An existing place, or one next to it.
    private func path(_ model: NaiveJSON, _ random: inout SeededGenerator) -> [String] {
        let paths = model.paths
        var path = paths[random.below(paths.count)]
        switch random.below(8) {
        case 0: path.append("\(random.below(4))")
        case 1: path.append("-")
        case 2: path.append(JSON.randomName(&random))
        case 3 where !path.isEmpty: path[path.count - 1] = "\(random.below(6))"
        default: break
        }
        return path
    }

    private func operation(_ model: NaiveJSON, _ random: inout SeededGenerator) -> Operation {
        let place = path(model, &random)
        let other = path(model, &random)
        let value = JSON.random(&random, shape: TreeShape(depth: 2, width: 3))
        let naive = NaiveJSON(value)
        switch random.below(5) {
        case 0:
            return Operation(json: .add(pointer(place), value)) { try $0.add(naive, at: place) }
        case 1: return Operation(json: .remove(pointer(place))) { try $0.remove(at: place) }
        case 2:
            return Operation(json: .replace(pointer(place), value)) {
                try $0.replace(at: place, with: naive)
            }
        case 3:
            return Operation(json: .move(from: pointer(place), to: pointer(other))) {
                try $0.move(from: place, to: other)
            }
        default:
            return Operation(json: .copy(from: pointer(place), to: pointer(other))) {
                try $0.copy(from: place, to: other)
            }
        }
    }

    @Test(arguments: seeds)
    func `every operation does what the model does, or both refuse it`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var tree = JSON.random(&random, shape: TreeShape(depth: 3, width: 4))
        var model = NaiveJSON(tree)
        var (done, refused) = (0, 0)
        for _ in 0..<60 {
            let operation = operation(model, &random)
            var next = model
            do {
                try operation.perform(&next)
            } catch {
                #expect(throws: JSONPatchError.self, "\(operation.json) on \(tree)") {
                    try tree.applying(JSONPatch([operation.json]))
                }
                refused += 1
                continue
            }
            let (after, patch) = try tree.applying(JSONPatch([operation.json]))
            #expect(NaiveJSON(after) == next, "\(operation.json) on \(tree)")
            #expect(after.valueCount == next.valueCount, "\(operation.json) on \(tree)")
            #expect(try after.applying(patch.inverse) == tree)
            // A copy of a copy grows fast.
            if after.byteCount < 20_000 { (tree, model) = (after, next) }
            done += 1
        }
        #expect(done > 5 && refused > 5, "both happen")
    }

    @Test(arguments: seeds)
    func `a patch is all or nothing`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let tree = JSON.random(&random, shape: TreeShape(depth: 3, width: 4))
        var model = NaiveJSON(tree)
        var operations: [JSONOperation] = []
        var failing: Int?
        for index in 0..<(1 + random.below(6)) where failing == nil {
            let operation = operation(model, &random)
            operations.append(operation.json)
            if (try? operation.perform(&model)) == nil { failing = index }
        }
        let before = tree.serialized()
        do {
            let (after, patch) = try tree.applying(JSONPatch(operations))
            #expect(failing == nil)
            #expect(NaiveJSON(after) == model)
            #expect(try after.applying(patch.inverse) == tree)
            #expect(try tree.applying(patch) == after)
        } catch {
            #expect(error.operation == failing, "\(error)")
        }
        #expect(tree.serialized() == before)
    }

    @Test(arguments: seeds)
    func `a merge patch does what the pseudocode of RFC 7396 says`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let target = JSON.random(&random, shape: TreeShape(depth: 3, width: 3))
            let patch =
                random.once(in: 2)
                ? target.mutated(&random, edits: 3)
                : JSON.random(&random, shape: TreeShape(depth: 3, width: 3))
            let merged = target.merging(patch)
            #expect(NaiveJSON(merged) == NaiveJSON(target).merging(NaiveJSON(patch)))
            #expect(merged.merging(patch) == merged, "once more changes nothing")
            let edits = target.edits(merging: patch)
            #expect(try target.applying(edits).serialized() == merged.serialized())
            #expect(try merged.applying(edits.inverse) == target)
            #expect(merged.edits(merging: patch).isEmpty)
        }
    }

    @Test(arguments: seeds)
    func `every value is found by its pointer, and nothing beside it`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let tree = JSON.random(&random, shape: TreeShape(depth: 4, width: 4))
        let model = NaiveJSON(tree)
        for path in model.paths {
            let address = pointer(path)
            let found = try #require(tree[address], "\(address)")
            #expect(NaiveJSON(found) == (try model.value(at: path)))
            let again = try #require(JSONPointer(parsing: address.description))
            #expect(again == address && again.hashValue == address.hashValue)
            #expect(tree[pointer(path + ["nothing of this name"])] == nil)
            #expect(tree[pointer(path + ["999999"])] == nil)
        }
    }

    @Test(arguments: seeds)
    func `text is what the model writes, and is read back`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let tree = JSON.random(&random, shape: .random(&random))
        let model = NaiveJSON(tree)
        #expect(NaiveJSON(try JSON(parsing: model.json)) == model)
        #expect(NaiveJSON(try JSON(parsing: tree.serialized())) == model)
        #expect(NaiveJSON(try JSON(parsing: tree.prettyPrinted())) == model)
    }

    @Test(arguments: seeds)
    func `composing and compacting change nothing about what a patch does`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let start = JSON.random(&random, shape: TreeShape(depth: 3, width: 4))
        var tree = start
        var all = ReversiblePatch.empty
        for _ in 0..<12 {
            let next = tree.mutated(&random, edits: 2)
            all = all.composed(with: tree.diff(to: next))
            tree = next
        }
        #expect(try start.applying(all) == tree)
        #expect(try tree.applying(all.inverse) == start)
        let compacted = all.compacted
        #expect(compacted.count <= all.count)
        #expect(try start.applying(compacted) == tree)
        #expect(try tree.applying(compacted.inverse) == start)
        #expect(try start.applying(all.shortened(on: start)) == tree)
    }
}
