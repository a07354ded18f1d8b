import Testing
import VersioningKit

/// The documents of Restore, as tests.
@Suite struct RestorableTests {
    class FavoriteFruits: RestorableObject {
        @Restorable var rank1 = "Apple"
        @Restorable var rank2 = "Banana"
        @Restorable var rank3 = "Watermelon"
        var judges = 3
    }

    final class MoreFruits: FavoriteFruits {
        @Restorable var rank4: String? = nil
    }

    final class Counter {
        var rank1 = "Apple"
        var rank2 = "Banana"
    }

    final class CountedFruits: RestorableObject {
        let counter = Counter()
        var rank1: String {
            get { counter.rank1 }
            set { counter.rank1 = newValue }
        }
        var rank2: String { counter.rank2 }
        var references: [Reference<CountedFruits>] {
            Reference(owner: self, name: "rank1", keyPath: \.rank1)
            Reference(owner: self, name: "rank2", keyPath: \.rank2)
        }
    }

    @Test func `a snapshot puts every property back`() {
        let favorites = FavoriteFruits()
        favorites.takeSnapshot(withKey: "BackupResults")
        favorites.rank1 = "Banana"
        favorites.rank2 = "Apple"
        favorites.judges = 4
        #expect(favorites.restore(withKey: "BackupResults"))
        #expect(favorites.rank1 == "Apple" && favorites.rank2 == "Banana" && favorites.judges == 4)
    }

    @Test func `one property is put back alone`() {
        let favorites = MoreFruits()
        favorites.takeSnapshot(withKey: "BackupResults")
        favorites.rank1 = "Banana"
        favorites.rank2 = "Apple"
        favorites.rank4 = "Plum"
        #expect(favorites.restore(\.$rank1, withKey: "BackupResults"))
        #expect(favorites.rank1 == "Apple" && favorites.rank2 == "Apple")
        #expect(favorites.restore(\.$rank4, withKey: "BackupResults") && favorites.rank4 == nil)
        #expect(!favorites.restore(\.$rank2, withKey: "unknown") && favorites.rank2 == "Apple")
    }

    @Test func `single properties of a snapshot are read by their names`() throws {
        let favorites = FavoriteFruits()
        favorites.takeSnapshot(withKey: "BackupResults")
        favorites.rank1 = "Banana"
        let properties = try favorites.properties(withKey: "BackupResults")
        #expect(properties.rank1 == "Apple" && properties.rank3 == "Watermelon")
        #expect(favorites.rank1 == "Banana")
        #expect(throws: SnapshotError.unknownKey) { _ = try favorites.properties(withKey: 1) }
    }

    @Test func `computed properties belong to a snapshot by reference`() throws {
        let favorites = CountedFruits()
        favorites.takeSnapshot(withKey: 1)
        favorites.counter.rank1 = "Cherry"
        favorites.counter.rank2 = "Plum"
        #expect(try favorites.properties(withKey: 1).rank2 == "Banana")
        favorites.restore(withKey: 1)
        #expect(favorites.rank1 == "Apple")
        // Without a setter it is saved, but not put back.
        #expect(favorites.rank2 == "Plum")
    }

    @Test func `snapshots are replaced, removed, and kept apart by object and key`() throws {
        let (one, other) = (FavoriteFruits(), FavoriteFruits())
        one.takeSnapshot(withKey: "a")
        one.rank1 = "Fig"
        one.takeSnapshot(withKey: "a")
        one.rank1 = "Kiwi"
        #expect(!other.restore(withKey: "a") && !one.restore(withKey: "b"))
        one.restore(withKey: "a")
        #expect(one.rank1 == "Fig")
        one.removeSnapshot(withKey: "a")
        #expect(!one.restore(withKey: "a"))
    }

    @Test func `inherited and optional properties are restored, too`() {
        let fruits = MoreFruits()
        fruits.takeSnapshot(withKey: 0)
        fruits.rank1 = "Lime"
        fruits.rank4 = "Pear"
        fruits.restore(withKey: 0)
        #expect(fruits.rank1 == "Apple" && fruits.rank4 == nil)
    }

    @Test func `snapshots keep no object alive, and a new object finds none of an old one`() {
        for _ in 0..<300 {
            let fruits = FavoriteFruits()
            #expect(!fruits.restore(withKey: "left over"))
            fruits.takeSnapshot(withKey: "left over")
        }
        weak var gone: FavoriteFruits?
        do {
            let fruits = FavoriteFruits()
            fruits.takeSnapshot(withKey: 1)
            gone = fruits
        }
        #expect(gone == nil)
    }
}
