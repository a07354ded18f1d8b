import Testing

@testable import DocumentCore
@testable import Documents

/// The last changes in memory: what is not durable stays, the rest is bounded.
@Suite struct RecentChangesTests {
    @Test func `changes are found by their revision`() {
        var recent = RecentChanges()
        for revision in 5..<9 {
            recent.append([UInt8(revision)], at: revision, firstUncommitted: 5)
        }
        #expect(
            (0..<12).map { recent[$0]?.first } == (0..<12).map { 5..<9 ~= $0 ? UInt8($0) : nil })
    }

    @Test func `a gap begins anew`() {
        var recent = RecentChanges()
        recent.append([1], at: 1, firstUncommitted: 1)
        recent.append([7], at: 7, firstUncommitted: 7)
        #expect(recent[1] == nil && recent[7] == [7])
    }

    @Test func `what did not become durable is removed`() {
        var recent = RecentChanges()
        for revision in 0..<6 {
            recent.append([UInt8(revision)], at: revision, firstUncommitted: 0)
        }
        recent.removeAll(from: 3)
        #expect(recent[2] == [2] && recent[3] == nil)
        recent.append([33], at: 3, firstUncommitted: 3)
        #expect(recent[3] == [33] && recent[4] == nil)
        recent.removeAll(from: 0)
        #expect(recent[0] == nil)
    }

    @Test func `old ones go by number and by size, and what is not committed never does`() {
        var recent = RecentChanges()
        for revision in 0..<5_000 {
            recent.append([1], at: revision, firstUncommitted: revision)
        }
        #expect(recent[4_999] != nil && recent[3_000] == nil)
        recent = RecentChanges()
        for revision in 0..<5_000 { recent.append([1], at: revision, firstUncommitted: 0) }
        #expect(recent[0] != nil && recent[4_999] != nil)
        recent = RecentChanges()
        for revision in 0..<20 {
            recent.append([UInt8](repeating: 0, count: 100_000), at: revision, firstUncommitted: 20)
        }
        #expect(recent[19] != nil && recent[10] == nil)
        recent.append([UInt8](repeating: 0, count: 1 << 20), at: 20, firstUncommitted: 20)
        #expect(recent[20] != nil)
        recent.noteCommitted(before: 21)
        #expect(recent[20] == nil && recent.weight == 0)
        recent.append([1], at: 21, firstUncommitted: 21)
        #expect(recent[21] == [1])
    }
}
