/// The words that the command was given.
enum Arguments {
    /// All but the name of the command. Throws if one is no UTF-8: made readable it would mean
    /// another document, or one for several.
    static func given() throws(Trouble) -> [String] {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = unsafe CommandLine.unsafeArgv[index] else { break }
            guard let word = unsafe String(validatingCString: bytes) else {
                throw Trouble(.usage, "Argument \(index) is not valid UTF-8.")
            }
            words.append(readable(word))
        }
        return words
    }

    /// `-5` is a number and not an option; JSON ignores white space before a number.
    private static func readable(_ word: String) -> String {
        let letters = word.utf8.prefix(2)
        guard letters.count == 2, letters.first == UInt8(ascii: "-"),
            (0x30...0x39).contains(letters.last ?? 0)
        else { return word }
        return " " + word
    }
}
