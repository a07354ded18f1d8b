// Saving the properties of an object together, and putting them back.
import VersioningKit

class FavoriteFruits: RestorableObject {
    @Restorable var rank1 = "Apple"
    @Restorable var rank2 = "Banana"
}

let favorites = FavoriteFruits()
favorites.takeSnapshot(withKey: "BackupResults")
favorites.rank1 = "Banana"
favorites.rank2 = "Apple"
print(try favorites.properties(withKey: "BackupResults").rank1)
favorites.restore(withKey: "BackupResults")
print(favorites.rank1, favorites.rank2)

// Prints:
// Apple
// Apple Banana
