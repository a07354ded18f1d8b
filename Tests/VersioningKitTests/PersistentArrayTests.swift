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

    @Test(arguments: UInt64(1)...10)
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
}
