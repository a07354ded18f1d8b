import CMeasure
import JSONTree

extension Bench {
    /// The memory of a tree, relative to its text, and for each value in it.
    static func memory() throws {
        print("memory of a tree: × its text, and bytes a value")
        let numbers = JSON(elements: (0..<100_000).map { JSON($0) })
        let names = JSON(members: (0..<100_000).map { ("name \($0)", JSON($0)) })
        for (name, tree) in [
            ("catalogue of 1 MB", Generated.catalogue(megabytes: 1)),
            ("array of 100,000", numbers), ("object of 100,000", names),
        ] {
            let text = tree.serialized()
            let before = allocatedBytes
            let copy = try JSON(parsing: text)
            let taken = Double(allocatedBytes - before)
            let values = Double(copy.valueCount)
            print(
                "  \(name): \(Bench.text(taken / Double(text.count))) ×, "
                    + "\(Bench.text(taken / values)) bytes")
        }
        let tree = Generated.catalogue(megabytes: 10)
        var versions: [JSON] = []
        versions.reserveCapacity(1_000)
        let place = JSONPointer(parsing: "/items/30000/price") ?? .root
        let before = allocatedBytes
        for price in 0..<1_000 { versions.append(try tree.replacing(at: place, with: JSON(price))) }
        let each = (allocatedBytes - before) / versions.count
        print("  one more version of 10 MB, one leaf changed: \(each) bytes")
    }

    static var allocatedBytes: Int { Int(mallinfo2().uordblks) }
}

extension JSON {
    fileprivate var valueCount: Int {
        if let elements { return elements.reduce(1) { $0 + $1.valueCount } }
        if let members { return members.reduce(1) { $0 + $1.value.valueCount } }
        return 1
    }
}
