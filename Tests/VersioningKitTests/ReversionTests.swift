import Foundation
import TestSupport
import Testing

@testable import VersioningKit

@Suite struct ReversionTests {
    struct User: Versionable {
        var name: String
        var imageData: Data

        func addReversions(into reverter: inout some Reverter<User>) {
            reverter.appendReversion(at: \.name)
            reverter.appendReversion(at: \.imageData)
        }
    }

    struct Whole: Versionable {
        var name: String

        func addReversions(into reverter: inout some Reverter<Self>) {
            reverter.appendOverwriteReversion(at: \.self)
        }
    }

    @Test func `a value is overwritten as a whole (B8)`() throws {
        let original = Whole(name: "a")
        var changed = Whole(name: "b")
        let reversion = try #require(changed.reversion(to: original))
        var other = Whole(name: "c")
        #expect(throws: ReversionError.attemptingToRevertWrongVersion) {
            try reversion.revert(&other)
        }
        try reversion.revert(&changed)
        #expect(changed == original && other.name == "c")
    }

    @Test func `without a change there is no reversion`() {
        let user = User(name: "", imageData: .init())
        #expect(user.reversion(to: user) == nil)
    }

    @Test func `a reversion takes back what changed`() throws {
        var user = User(name: "", imageData: .init())
        let original = user
        user.name = "Johnny"
        try #require(user.reversion(to: original)).revert(&user)
        #expect(user.name == "")
    }

    @Test func `a reversion fits the version that it was made from, and no other`() throws {
        var user = User(name: "", imageData: .init())
        let original = user
        user.name = "Johnny"
        let reversion = try #require(user.reversion(to: original))
        user.name = "Johnny Appleseed"
        let before = user
        #expect(throws: ReversionError.differentVersion) { try reversion.revert(&user) }
        #expect(user == before)
    }

    @Test func `reversions are applied from the newest to the oldest`() throws {
        var user = User(name: "", imageData: .init())
        let original = user
        user.name = "Johnny"
        let first = try #require(user.reversion(to: original))
        let johnny = user
        user.name = "Johnny Appleseed"
        let second = try #require(user.reversion(to: johnny))
        try second.revert(&user)
        #expect(user.name == "Johnny")
        try first.revert(&user)
        #expect(user.name == "")
    }

    @Test func `a property that is not tracked does not count, and stays`() throws {
        var value = Everything()
        let original = value
        value.int = 5
        let reversion = try #require(value.reversion(to: original))
        value.lastUpdated = Date(timeIntervalSince1970: 9)
        try reversion.revert(&value)
        #expect(value.int == 0 && value.lastUpdated == Date(timeIntervalSince1970: 9))
    }

    @Test(arguments: Seeds.of(200, from: 1))
    func `every type is taken back and brought again, whatever changed`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let original = random.everything(nil)
        let changed = random.everything(original)
        var value = changed
        try changed.reversion(to: original)?.revert(&value)
        #expect(value == original)
        try original.reversion(to: changed)?.revert(&value)
        #expect(value == changed)
    }

    @Test func `of a typed letter one letter is kept, of a long text as well`() throws {
        let text = String(repeating: "lorem ipsum é😀 ", count: 1_000)
        var typed = text
        typed.insert("x", at: typed.index(typed.startIndex, offsetBy: 5_000))
        var back = typed
        let reversion = try #require(text.uncheckedReversion(to: typed))
        #expect(Mirror(reflecting: reversion.piece).descendant("text") as? String == "x")
        try #require(typed.reversion(to: text)).revert(&back)
        #expect(back == text)
        try #require(text.reversion(to: typed)).revert(&back)
        #expect(back == typed)
    }

    @Test func `texts that look alike are two texts`() throws {
        var text = "caf\u{e9}"
        let other = "cafe\u{301}"
        try #require(text.reversion(to: other)).revert(&text)
        #expect(text.utf8.elementsEqual(other.utf8))
    }
}

extension SeededGenerator {
    /// A random value, or one that differs from `base` in a few properties.
    mutating func everything(_ base: Everything?) -> Everything {
        var value = base ?? Everything()
        for _ in 0..<(base == nil ? 30 : 5) { change(&value) }
        return value
    }

    private mutating func text() -> String {
        String(
            (0..<below(6)).map { _ in ["a", "é", "e\u{301}", "😀", "\n"][below(5)] as Character })
    }

    private mutating func activity(_ depth: Int = 2) -> Activity {
        let priorities: [Activity.Priority] = [
            .low, .medium(dueDate: nil),
            .medium(dueDate: Date(timeIntervalSince1970: Double(below(3)))),
            .high(dueDate: Date(timeIntervalSince1970: 0), reason: text()),
        ]
        let id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(below(8))))
        let children = depth == 0 ? [] : (0..<below(4)).map { _ in activity(depth - 1) }
        return Activity(
            id: id, title: text(), priority: priorities[below(4)], childActivities: children)
    }

    private mutating func change(_ value: inout Everything) {
        switch below(16) {
        case 0:
            value.int = below(3)
            value.int8 = Int8(below(3))
            value.uint64 = UInt64(below(3))
        case 1:
            value.bool.toggle()
            value.double = Double(below(3))
            value.float = Float(below(3))
        case 2:
            value.string = text()
            value.optionalString = once(in: 2) ? nil : text()
        case 3:
            value.data = Data(text().utf8)
            value.optionalData = once(in: 2) ? nil : Data(text().utf8)
        case 4:
            value.date = Date(timeIntervalSince1970: Double(below(3)))
            value.uuid = UUID()
        case 5: value.set = Set((0..<below(5)).map { _ in text() })
        case 6: value.numbers = (0..<below(6)).map { _ in below(3) }
        case 7: value.words = Dictionary((0..<below(4)).map { _ in (text(), below(3)) }) { $1 }
        case 8: value.activities = (0..<below(5)).map { _ in activity() }
        case 9: value.activities.shuffle(using: &self)
        case 10:
            if !value.activities.isEmpty {
                value.activities[below(value.activities.count)].title = text()
            }
        case 11:
            value.optionalActivities = once(in: 3) ? nil : (0..<below(4)).map { _ in activity() }
        case 12: value.named = Dictionary((0..<below(4)).map { _ in (text(), activity()) }) { $1 }
        case 13: value.optionalNamed = once(in: 3) ? nil : ["a": activity()]
        case 14:
            value.activity = activity()
            value.optionalActivity = once(in: 2) ? nil : activity()
        default:
            value.optionalInt = once(in: 2) ? nil : below(2)
            value.optionalSet = once(in: 2) ? nil : [below(3)]
        }
    }
}
