import Foundation

/// The seeds that laws run with.
///
/// `TEST_FIRST_SEED` makes them others: a search with 25 such rows found five faults. A failure
/// names its seed, and `TEST_SEED` runs that one alone.
public enum Seeds {
    private static func number<Number>(_ name: String, _ read: (String) -> Number?) -> Number? {
        ProcessInfo.processInfo.environment[name].flatMap(read)
    }

    /// The share of a law's seeds to run, of `TEST_SEEDS`: 1 in CI, more to search for long.
    private static let share = number("TEST_SEEDS") { Double($0) } ?? 0.25
    private static let only = number("TEST_SEED") { UInt64($0) }
    private static let first = number("TEST_FIRST_SEED") { UInt64($0) } ?? 0
    /// Above the seeds of all laws together, which begin at different offsets.
    private static let span: UInt64 = 100_000

    /// Of `count` seeds those that run. Laws that are alike begin at different offsets.
    public static func of(_ count: Int, from offset: UInt64 = 0) -> [UInt64] {
        if let only { return [only] }
        let start = first * span + offset
        return (0..<UInt64(max(1, Double(count) * share))).map { start + $0 }
    }

    /// How often a law must have met what it is about, where all its seeds meet it more than
    /// `count` times. Less than all of them may miss it, which says nothing about the law.
    public static func expected(_ count: Int) -> Int {
        only != nil || share < 1 ? -1 : Int(Double(count) * share)
    }
}
