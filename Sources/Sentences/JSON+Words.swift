import JSONTree

extension JSON {
    /// The limit on characters of a text in a sentence.
    static let shortMax = 24

    /// Whether a sentence can contain it as it is.
    var isShort: Bool {
        if isContainer { return false }
        guard kind == .string else { return true }
        // A character has at most some bytes: so long texts are not counted.
        return byteCount <= 8 * JSON.shortMax && (string?.count ?? 0) <= JSON.shortMax
    }

    /// The value in few words. Numbers are as they were written.
    var inWords: String {
        switch kind {
        case .null: "empty"
        case .bool: bool == true ? "on" : "off"
        case .number: numberText?.cut(to: JSON.shortMax) ?? ""
        case .string: string.map { $0.isEmpty ? "empty" : "“\($0.cut(to: JSON.shortMax))”" } ?? ""
        case .array: count == 1 ? "1 element" : "\(count) elements"
        case .object: count == 1 ? "1 field" : "\(count) fields"
        }
    }

    /// Whether it is empty in the eyes of a reader.
    var isBlank: Bool { kind == .null || string == "" }
}
