import TestSupport
import Testing

@testable import JSONTree

/// Content hashes: the same for equal values, whatever their past, and in every process.
@Suite struct ContentHashTests {
    /// Hashes as journals have them: a change of these makes stored entries unreadable.
    static let stored: [String] = [
        "null", "true", "0", "1.5", "1e400", #""""#, #""text""#, #""a text of more than 14 bytes""#,
        "[]", "[1,2,3]", "{}", #"{"a":1}"#, #"{"a":{"b":[true,null]}}"#,
    ]

    @Test func `different values have different hashes`() throws {
        let hashes = try ContentHashTests.stored.map { try JSON(parsing: $0).contentHash }
        #expect(Set(hashes).count == hashes.count)
        let again = try ContentHashTests.stored.map { try JSON(parsing: $0).contentHash }
        #expect(hashes == again)
    }

    @Test(arguments: Seeds.of(40, from: 1))
    func `the way to a value does not show in its hash`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var tree = JSON.random(&random, shape: .random(&random))
        for _ in 0..<10 {
            let next = tree.mutated(&random, edits: 3)
            let there = try tree.applying(tree.diff(to: next))
            let back = try there.applying(next.diff(to: tree))
            #expect(there.contentHash == next.contentHash)
            #expect(back.contentHash == tree.contentHash)
            #expect(there.contentHash == (try JSON(parsing: there.serialized())).contentHash)
            #expect((next.contentHash == tree.contentHash) == (next == tree))
            tree = there
        }
    }

    @Test func `small differences change the hash`() throws {
        let base = #"{"list":[1,2,3],"text":"some text that is long enough","n":null,"o":{"x":1}}"#
        let others = [
            #"{"list":[1,3,2],"text":"some text that is long enough","n":null,"o":{"x":1}}"#,
            #"{"list":[1,2],"text":"some text that is long enough","n":null,"o":{"x":1}}"#,
            #"{"list":[1,2,3,4],"text":"some text that is long enough","n":null,"o":{"x":1}}"#,
            #"{"list":[[1,2,3]],"text":"some text that is long enough","n":null,"o":{"x":1}}"#,
            #"{"list":[1,2,3],"text":"some text that is long enougg","n":null,"o":{"x":1}}"#,
            #"{"list":[1,2,3],"text":"Some text that is long enough","n":null,"o":{"x":1}}"#,
            #"{"list":[1,2,3],"text":"some text that is long enough","n":false,"o":{"x":1}}"#,
            #"{"list":[1,2,3],"text":"some text that is long enough","o":{"x":1}}"#,
            #"{"list":[1,2,3],"text":"some text that is long enough","n":null,"o":{"y":1}}"#,
            #"{"list":[1,2,3],"text":"some text that is long enough","n":null,"p":{"x":1}}"#,
            #"{"list":[1,2,3],"text":"some text that is long enough","n":null,"o":{"x":1.0}}"#,
            #"{"list":["1",2,3],"text":"some text that is long enough","n":null,"o":{"x":1}}"#,
            #"{"text":[1,2,3],"list":"some text that is long enough","n":null,"o":{"x":1}}"#,
        ]
        let hash = try JSON(parsing: base).contentHash
        for other in others {
            #expect(try JSON(parsing: other).contentHash != hash, "\(other)")
            #expect(try JSON(parsing: other) != JSON(parsing: base))
        }
        let reordered =
            #"{"o":{"x":1},"n":null,"text":"some text that is long enough","list":[1,2,3]}"#
        #expect(try JSON(parsing: reordered).contentHash == hash)
    }

    @Test(arguments: [2, 10, 64, 65, 1_000, 5_000])
    func `the order of elements shows, that of members does not`(count: Int) {
        let numbers = (0..<count).map { JSON($0) }
        #expect(
            JSON(elements: numbers).contentHash != JSON(elements: numbers.reversed()).contentHash)
        let members = (0..<count).map { ("k\($0)", JSON($0)) }
        #expect(JSON(members: members).contentHash == JSON(members: members.reversed()).contentHash)
        let swapped = (0..<count).map { ("k\($0)", JSON(count - 1 - $0)) }
        #expect(JSON(members: members).contentHash != JSON(members: swapped).contentHash)
    }

    @Test func `a value in two places is not one in one place`() {
        let value: JSON = ["a": 1]
        #expect(JSON(elements: [value, value]).contentHash != JSON(elements: [value]).contentHash)
        let both = JSON(members: [("x", value), ("y", value)])
        #expect(both.contentHash != JSON(members: [("x", value), ("z", value)]).contentHash)
        #expect(both.contentHash != JSON(elements: [value, value]).contentHash)
    }
}
