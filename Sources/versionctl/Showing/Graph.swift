import JSONTree

/// The tree of versions next to the log: newest first, each in its column.
struct Graph {
    /// The version that each column leads down to.
    private var columns: [Int] = []

    /// The mark of a version, and the lines that lead to it from above.
    mutating func rows(
        of version: Int, parent: Int?, mark: String
    ) -> (joins: [String], prefix: String) {
        var places = columns.indices.filter { columns[$0] == version }
        if places.isEmpty {
            columns.append(version)
            places = [columns.count - 1]
        }
        let place = places[0]
        // Others that lead here end above it, from the right.
        var joins: [String] = []
        for other in places.dropFirst().reversed() {
            joins.append(
                columns.indices.map { $0 == other ? "/" : $0 < other ? "| " : " " }.joined()
                    .trimmed)
            columns.remove(at: other)
        }
        let prefix = columns.indices.map { $0 == place ? mark : "|" }.joined(separator: " ")
        if let parent { columns[place] = parent } else { columns.remove(at: place) }
        return (joins, prefix)
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.last == " " { text = text.dropLast() }
        // The line leads to the column on the left of it.
        return text.hasSuffix(" /") ? text.dropLast(2) + "/" : String(text)
    }
}
