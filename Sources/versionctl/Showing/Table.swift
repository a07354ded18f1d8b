/// Columns of text, each as wide as it must be.
enum Table {
    static func lines(_ rows: [[String]], gap: Int = 2) -> [String] {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], width(of: cell))
            }
        }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                let isLast = row[(column + 1)...].allSatisfy(\.isEmpty)
                if isLast { break }
                line += String(repeating: " ", count: widths[column] - width(of: cell) + gap)
            }
            return line
        }
    }

    /// Visible letters, without color codes.
    private static func width(of text: String) -> Int {
        var (count, isCode) = (0, false)
        for letter in text {
            if letter == "\u{1b}" { isCode = true }
            if !isCode { count += 1 }
            if letter == "m" { isCode = false }
        }
        return count
    }
}
