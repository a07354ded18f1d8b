/// A tag as clients send it back (RFC 9110 section 8.8.3).
struct EntityTag {
    let text: Substring
    let isWeak: Bool

    /// The revision that it is the tag of; `nil` for a tag that we never gave.
    var revision: Int? {
        // The form that a compressing proxy makes of it.
        let plain = text.hasSuffix("-gzip") ? text.dropLast(5) : text
        // Tags compare as bytes: "07" is not the tag of revision 7.
        return WholeNumber.parse(String(plain))
    }

    /// The tags of a list; `nil` if it is none. A tag may have commas in it.
    static func list(_ value: String) -> [EntityTag]? {
        var tags: [EntityTag] = []
        var rest = value[...]
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
            if rest.isEmpty { return tags }
            let isWeak = rest.hasPrefix("W/")
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.popFirst() == "\"", let end = rest.firstIndex(of: "\"") else { return nil }
            tags.append(EntityTag(text: rest[..<end], isWeak: isWeak))
            rest = rest[rest.index(after: end)...].drop { $0 == " " || $0 == "\t" }
            guard rest.isEmpty || rest.first == "," else { return nil }
        }
    }
}
