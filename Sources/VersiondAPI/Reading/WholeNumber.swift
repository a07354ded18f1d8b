/// Numbers in their canonical form, so that revisions and counts also compare as text.
enum WholeNumber {
    static func parse(_ text: String) -> Int? {
        Int(text).flatMap { $0 >= 0 && String($0) == text ? $0 : nil }
    }
}
