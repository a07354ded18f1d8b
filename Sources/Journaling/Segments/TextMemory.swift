/// The last text of a column after each text of another one: an edit mostly removes the text that
/// the last edit of the same place inserted.
///
/// The text of a column `c` is recalled if it equals the last text of column `c + 1` at the time
/// when column `c - 1` had its present text.
struct TextMemory {
    private struct Place: Hashable {
        let column: UInt8
        let key: [UInt8]
    }

    /// By the column before one that is recalled.
    private var keys: [UInt8: [UInt8]]
    private var texts: [Place: [UInt8]] = [:]
    private let columns: [UInt8]

    /// For some columns that may be recalled.
    init(of columns: Set<UInt8>) {
        self.columns = Array(columns)
        keys = Dictionary(uniqueKeysWithValues: columns.map { ($0 &- 1, []) })
    }

    var isUsed: Bool { !keys.isEmpty }

    /// Whether a text of a column may be recalled, or means something for one that may.
    func isAbout(_ column: UInt8) -> Bool {
        columns.contains { column &- ($0 &- 1) < 3 }
    }

    /// The text that would be recalled for a column; `nil` if there is none.
    func text(for column: UInt8) -> [UInt8]? {
        guard let key = keys[column &- 1] else { return nil }
        return texts[Place(column: column, key: key)]
    }

    /// Notes a text of a column.
    mutating func note(_ text: ArraySlice<UInt8>, in column: UInt8) {
        if keys[column] != nil {
            keys[column] = Array(text)
        } else if let key = keys[column &- 2] {
            texts[Place(column: column &- 1, key: key)] = Array(text)
        }
    }
}
