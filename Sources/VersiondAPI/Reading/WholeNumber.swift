/// Numbers as we write them: revisions and counts compare as text, too.
enum WholeNumber {
    static func parse(_ text: String) -> Int? {
        Int(text).flatMap { $0 >= 0 && String($0) == text ? $0 : nil }
    }
}
