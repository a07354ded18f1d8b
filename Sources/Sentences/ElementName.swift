import JSONTree

/// The name of an element of an array in a sentence.
struct ElementName {
    let text: String
    /// Whether it is known by something in it, and not only by its position.
    let isOwn: Bool

    /// Members that name an object, in the order in which they are tried.
    private static let names = [
        "name", "title", "label", "subject", "heading", "caption", "text", "displayName",
        "display_name", "username", "email", "slug", "code",
    ]
    private static let textMax = 32
    private static let identityMax = 16

    /// The name of the element at an index of an array, whose elements are called `kind`;
    /// `identity` are the members by which the document's settings identify elements.
    init(of element: JSON?, at index: Int, kind: String, identity: [String]) {
        if let named = ElementName.named(element) {
            (text, isOwn) = (named, true)
        } else if let known = ElementName.known(element, identity) {
            (text, isOwn) = ("\(kind) \(known)", true)
        } else {
            (text, isOwn) = ("\(kind) \(index + 1)", false)
        }
    }

    private static func named(_ element: JSON?) -> String? {
        guard let element else { return nil }
        if element.kind == .object {
            return names.lazy.compactMap { element[$0]?.string?.cut(to: textMax) }
                .first { !$0.isEmpty }
        }
        guard let text = element.string?.cut(to: JSON.shortMax), !text.isEmpty else { return nil }
        return "“\(text)”"
    }

    private static func known(_ element: JSON?, _ identity: [String]) -> String? {
        guard element?.kind == .object else { return nil }
        return identity.lazy.compactMap { name in
            element?[name].flatMap { $0.string ?? $0.numberText }?.cut(to: identityMax)
        }.first { !$0.isEmpty }
    }
}
