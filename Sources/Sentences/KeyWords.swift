/// The names of members, as words.
enum KeyWords {
    /// Names that are longer are shown as they are, in quotation marks.
    private static let wordMax = 24

    /// A name as words: `VATRate` is “VAT rate”. A name that is not a word is in quotation marks.
    static func words(_ key: String) -> String {
        guard isWord(key) else { return "“\(key.cut(to: wordMax))”" }
        return pieces(key.cut(to: wordMax)).map { isCapitals($0) ? $0 : $0.lowercased() }
            .joined(separator: " ")
    }

    /// Whether a name reads as a word, not as an identifier: of letters, digits, spaces, `_` and
    /// `-`, without three digits in a row, not a letter and a number, not hexadecimal, and not one
    /// letter of a script in which a word has several.
    static func isWord(_ key: String) -> Bool {
        guard key.count <= wordMax, let first = key.first, first.isLetter else { return false }
        guard key.allSatisfy({ $0.isLetter || $0.isNumber || "_- ".contains($0) }) else {
            return false
        }
        if key.count == 1, first.isCased { return false }
        let isLetterAndNumber = key.count > 1 && key.dropFirst().allSatisfy(\.isNumber)
        return !isLetterAndNumber && !hasThreeDigits(key) && !isHexadecimal(key)
    }

    private static func hasThreeDigits(_ key: String) -> Bool {
        key.split { !$0.isNumber }.contains { $0.count >= 3 }
    }

    private static func isHexadecimal(_ key: String) -> Bool {
        key.count >= 8 && key.allSatisfy { $0.isHexDigit || $0 == "-" }
    }

    /// The name of a member in a sentence: “the price”, but “k49” alone, since it is not a word.
    static func article(of words: String) -> String {
        words.hasPrefix("“") ? "" : "the "
    }

    /// Cut where a word begins: at `_`, `-` and spaces, before a capital, after capitals.
    private static func pieces(_ key: String) -> [String] {
        var pieces: [String] = []
        var word = ""
        let letters = Array(key)
        for (index, letter) in letters.enumerated() {
            if "_- ".contains(letter) {
                pieces.append(word)
                word = ""
                continue
            }
            let endsCapitals =
                index + 1 < letters.count && letters[index + 1].isLowercase
                && word.last?.isUppercase == true
            if letter.isUppercase, word.last?.isLowercase == true || endsCapitals {
                pieces.append(word)
                word = ""
            }
            word.append(letter)
        }
        return (pieces + [word]).filter { !$0.isEmpty }
    }

    private static func isCapitals(_ word: String) -> Bool {
        word.count > 1 && word.allSatisfy { $0.isUppercase || $0.isNumber }
    }

    /// The English singular of a plural word: “dish” for “dishes”.
    static func singular(_ word: String) -> String {
        let lower = word.lowercased()
        if ["ss", "us", "is"].contains(where: lower.hasSuffix) { return word }
        if lower.hasSuffix("ies") { return word.dropLast(3) + "y" }
        if ["ches", "shes", "xes", "sses", "zzes"].contains(where: lower.hasSuffix) {
            return String(word.dropLast(2))
        }
        return lower.hasSuffix("s") ? String(word.dropLast()) : word
    }
}

extension String {
    /// The text on one line, plain, of at most `count` characters.
    func cut(to count: Int) -> String {
        // Of a long text, only the beginning is read.
        let start = unicodeScalars.prefix(16 * count)
        let line = String(start).plain.split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        let shown = line.fitting(count)
        if shown.endIndex == line.endIndex, start.endIndex == endIndex { return line }
        return line.fitting(count - 1).trimmingEnd() + "…"
    }

    /// The beginning that has at most `count` characters. Some scripts and emoji make a character
    /// of several scalars; a few of them, or one character would have no end.
    private func fitting(_ count: Int) -> Substring {
        let scalarsMax = 4 * count
        var (end, scalars) = (startIndex, 0)
        for (place, character) in zip(indices, self).prefix(count) {
            scalars += character.unicodeScalars.count
            if scalars > scalarsMax { break }
            end = index(after: place)
        }
        return end > startIndex
            ? self[..<end] : Substring(unicodeScalars.prefix(scalarsMax))
    }
}

extension Substring {
    fileprivate func trimmingEnd() -> String {
        var text = self
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
