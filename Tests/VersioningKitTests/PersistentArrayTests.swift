import TestSupport
import Testing
import VersioningKit

@Suite struct PersistentArrayTests {
    @Test(arguments: [0, 1, 31, 32, 33, 1_023, 1_024, 1_025, 40_000])
    func `it holds what was appended`(count: Int) {
        let array = PersistentArray(0..<count)
        #expect(array.count == count)
        #expect(array.elementsEqual(0..<count))
    }

    @Test(arguments: Seeds.of(10, from: 1))
    func `copies never see each other's changes`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var pairs: [(PersistentArray<Int>, [Int])] = [(PersistentArray([0]), [0])]
        for _ in 0..<300 {
            var (array, model) = pairs[random.below(pairs.count)]
            if random.once(in: 2) {
                for _ in 0..<random.below(200) {
                    array.append(model.count)
                    model.append(model.count)
                }
            } else {
                let index = random.below(model.count)
                let value = random.below(1_000)
                array[index] = value
                model[index] = value
            }
            pairs.append((array, model))
        }
        for (array, model) in pairs { #expect(array.elementsEqual(model)) }
    }

    private final class Store: PackedElements {
        let elements: [Int]
        var count: Int { elements.count }
        init(_ elements: some Sequence<Int>) { self.elements = Array(elements) }
        subscript(index: Int) -> Int { elements[index] }
    }

    @Test(arguments: Seeds.of(60, from: 1))
    func `an array that has gone on adopts what was packed meanwhile`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var array = PersistentArray<Int>()
        var model: [Int] = []
        for _ in 0..<6 {
            change(&array, &model, random.below(300), &random)
            let original = array
            let store = Store(original.prefix(random.below(original.count + 1)))
            change(&array, &model, random.below(30), &random)
            guard let packed = array.adopting(store, madeFrom: original) else {
                let changed = store.elements.indices.filter { store[$0] != model[$0] }
                #expect(changed.count > store.count / 4)
                continue
            }
            #expect(packed.elementsEqual(model))
            let changed = try #require(packed.packedElements?.changed)
            #expect(changed == store.elements.indices.filter { store[$0] != model[$0] })
            array = packed
        }
    }

    @Test func `an array that has nothing to do with it adopts nothing that it has not`() {
        let store = Store(0..<100)
        let other = PersistentArray((0..<100).map { -$0 })
        #expect(other.adopting(store, madeFrom: PersistentArray(0..<100)) == nil)
        #expect(other.adopting(store, madeFrom: PersistentArray(packed: store)) == nil)
    }

    private func change(
        _ array: inout PersistentArray<Int>, _ model: inout [Int], _ count: Int,
        _ random: inout SeededGenerator
    ) {
        for _ in 0..<count {
            let value = random.below(1_000)
            if model.isEmpty || !random.once(in: 4) {
                array.append(value)
                model.append(value)
            } else {
                let index = random.below(model.count)
                array[index] = value
                model[index] = value
            }
        }
    }
}
