import JSONTree

/// The way to a place in a value, in words: fields by their names, elements by theirs.
struct Trail {
    struct Step {
        let name: String
        let isElement: Bool
        let value: JSON?
        /// The same for one element, however the elements around it move.
        let key: String
    }

    let steps: [Step]

    /// The way to a place in `tree`.
    init(to pointer: JSONPointer, in tree: JSON, identity: [String]) {
        var (steps, place, parent) = ([Step](), tree as JSON?, nil as String?)
        for token in pointer.tokens {
            let text = token.text
            let next: JSON?
            if place?.kind == .array {
                let index = token.isEnd ? place?.count ?? 0 : Int(text) ?? 0
                next = place?[index]
                let kind = parent.map { KeyWords.singular(KeyWords.words($0)) } ?? "element"
                let name = ElementName(of: next, at: index, kind: kind, identity: identity)
                let key = Trail.key(of: next, identity) ?? text
                steps.append(Step(name: name.text, isElement: true, value: next, key: key))
            } else {
                next = place?[text]
                steps.append(Trail.member(text, next, of: parent, identity))
            }
            (place, parent) = (next, text)
        }
        self.steps = steps
    }

    /// A member whose name is not a word is an element of a table: its content may give its name.
    private static func member(
        _ text: String, _ value: JSON?, of parent: String?, _ identity: [String]
    ) -> Step {
        if value?.kind == .object, !KeyWords.isWord(text) {
            let kind = parent.map { KeyWords.singular(KeyWords.words($0)) } ?? "element"
            let name = ElementName(of: value, at: 0, kind: kind, identity: identity)
            let shown = name.isOwn ? name.text : KeyWords.words(text)
            return Step(name: shown, isElement: true, value: value, key: text)
        }
        return Step(name: KeyWords.words(text), isElement: false, value: value, key: text)
    }

    private static func key(of element: JSON?, _ identity: [String]) -> String? {
        guard element?.kind == .object else { return nil }
        return identity.lazy.compactMap { name in
            element?[name].flatMap { $0.string ?? $0.numberText }
        }.first
    }

    var last: Step? { steps.last }

    /// The owner of the place: the innermost element above it.
    var owner: Step? { steps.dropLast().last(where: \.isElement) }

    /// The same for two places in one element.
    var ownerKey: String {
        let index = steps.dropLast().lastIndex(where: \.isElement) ?? -1
        return steps.prefix(index + 1).map(\.key).joined(separator: "/")
    }

    /// The name of the array that the innermost element above the place is in.
    var array: String? {
        guard let index = steps.dropLast().lastIndex(where: \.isElement) else { return nil }
        return steps[..<index].last { !$0.isElement }?.name
    }

    /// Where it is: “the price of Trout (Mains)”.
    var phrase: Sentence {
        guard let last else { return Sentence(.object("the whole document")) }
        let before = steps.dropLast()
        let owners = before.filter(\.isElement).reversed()
        let outer = owners.dropFirst().first.map { " (\($0.name))" } ?? ""
        if last.isElement {
            let around = owners.first.map { " (\($0.name))" } ?? ""
            return Sentence(.object(last.name), .words(around))
        }
        guard let owner = owners.first else {
            let above = before.last.map { " of \(KeyWords.article(of: $0.name))\($0.name)" } ?? ""
            let article = KeyWords.article(of: last.name)
            return Sentence(.words(article), .object(last.name), .words(above))
        }
        let between = before.last.flatMap { $0.isElement ? nil : "\($0.name) " } ?? ""
        let words = between + last.name
        return Sentence(
            .words("\(KeyWords.article(of: words))\(words) of "), .object(owner.name),
            .words(outer))
    }
}
