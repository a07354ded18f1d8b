/// The search for the correct spelling of a name.
public enum NearName {
    /// The letters that may be inserted, removed or replaced.
    private static let distanceMax = 2

    /// The name that differs least, if it is near.
    public static func nearest(to name: String, among names: [String]) -> String? {
        let wanted = Array(name)
        let near = names.map { ($0, distance(Array($0), wanted)) }.min { $0.1 < $1.1 }
        return near.flatMap { $0.1 <= distanceMax ? $0.0 : nil }
    }

    /// The number of letters to insert, remove or replace; some larger number if it is more than
    /// `distanceMax`.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        if abs(one.count - other.count) > distanceMax { return .max }
        var row = Array(0...other.count)
        for (index, letter) in one.enumerated() {
            var corner = row[0]
            row[0] = index + 1
            for (place, second) in other.enumerated() {
                let step = min(row[place], row[place + 1]) + 1
                (corner, row[place + 1]) = (
                    row[place + 1], min(step, corner + (letter == second ? 0 : 1))
                )
            }
            if row.allSatisfy({ $0 > distanceMax }) { return .max }
        }
        return row[other.count]
    }
}
