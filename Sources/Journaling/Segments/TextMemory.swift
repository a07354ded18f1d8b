/// The texts that stood last in a column, beside each text of another: what an edit takes away is
/// mostly what the last edit of the same place has put there.
///
/// The text of a column `c` is recalled if it is the one that stood last in column `c + 1` while
/// column `c - 1` had the text that it has now.
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
