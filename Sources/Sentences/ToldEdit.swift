import JSONTree

/// One edit with the values around it, for its description.
struct ToldEdit {
    let edit: JSONEdit
    /// The way to its place; of a removed value, before the edit.
    let trail: Trail
    /// Of what was moved, the way to where it was.
    let origin: Trail?
    /// The old and the new value at its place; `nil` for none.
    let old: JSON?
    let new: JSON?
    /// Of what was moved in an array, how long that is.
    let arrayCount: Int

    init(_ edit: JSONEdit, from before: JSON, to after: JSON, identity: [String]) {
        self.edit = edit
        let place = edit.place
        let isRemoved = if case .remove = edit { true } else { false }
        trail = Trail(to: place, in: isRemoved ? before : after, identity: identity)
        origin = edit.origin.map { Trail(to: $0, in: before, identity: identity) }
        arrayCount = after[place.parent]?.count ?? 0
        switch edit {
        case .add(_, let value): (old, new) = (nil, value)
        case .remove(_, let value): (old, new) = (value, nil)
        case .replace(_, let gone, let value): (old, new) = (gone, value)
        case .move: (old, new) = (nil, nil)
        case .splice: (old, new) = (before[place], after[place])
        }
    }

    /// The kind of edit: edits of one kind are described together.
    enum Group: Int, CaseIterable {
        case added, removed, changedInElement, changed, moved, written
    }

    var group: Group {
        switch edit {
        case .add where trail.last?.isElement == true: .added
        case .remove where trail.last?.isElement == true: .removed
        case .move: .moved
        case .splice where !isShortChange: .written
        default: trail.owner == nil ? .changed : .changedInElement
        }
    }

    /// Whether both values are short enough for a sentence.
    var isShortChange: Bool {
        guard let old, let new else { return false }
        if case .splice(_, _, _, _, isValue: false) = edit { return false }
        return old.isShort && new.isShort
    }
}

// MARK: Its sentence

extension ToldEdit {
    var sentence: Sentence {
        switch edit {
        case .move(let from, let to): moved(from, to)
        case .add: trail.last?.isElement == true ? added : set
        case .remove: removed
        case .replace: replaced
        case .splice(_, let position, let removed, let inserted, _):
            isShortChange ? replaced : written(at: position, removed, inserted)
        }
    }

    private var name: Sentence.Part { .object(trail.last?.name ?? "the whole document") }

    /// “ to dishes”: what an element came to or went from.
    private func side(_ word: String) -> String {
        guard let around = trail.steps.dropLast().last else { return "" }
        return " \(word) \(around.name)"
    }

    private var added: Sentence { Sentence(.words("added "), name, .words(side("to"))) }

    private var removed: Sentence {
        if trail.last?.isElement == true {
            return Sentence(.words("removed "), name, .words(side("from")))
        }
        return "removed " + trail.phrase
    }

    private var set: Sentence {
        guard let new else { return "added " + trail.phrase }
        if let told = switched(new) { return told }
        guard new.isShort else { return "added " + trail.phrase }
        return "set " + trail.phrase + Sentence(.words(" to "), .new(new.inWords))
    }

    private var replaced: Sentence {
        guard trail.last != nil else {
            return Sentence(.words("replaced "), .object("the whole document"))
        }
        guard let new else { return "changed " + trail.phrase }
        if let told = switched(new) { return told }
        if new.isBlank, old?.isBlank != true { return "cleared " + trail.phrase }
        if let old, old.isShort, new.isShort, trail.last?.isElement == true {
            return Sentence(
                .words("changed "), .old(old.inWords), .words(" to "), .new(new.inWords),
                .words(side("in")))
        }
        if let old, old.isShort, new.isShort {
            let change = Sentence(
                .words(" from "), .old(old.inWords), .words(" to "), .new(new.inWords))
            return "changed " + trail.phrase + change
        }
        return (new.kind == .string ? "rewrote " : "changed ") + trail.phrase
    }

    private static let ticks = ["done", "checked", "completed", "ticked"]

    /// A truth value: something was ticked, marked, or turned on.
    private func switched(_ value: JSON) -> Sentence? {
        guard let isOn = value.bool, let last = trail.last, !last.isElement else { return nil }
        guard let owner = trail.owner else {
            return Sentence(
                .words("turned "), .object(last.name), .words(isOn ? " on" : " off"))
        }
        if ToldEdit.ticks.contains(last.name) {
            return Sentence(.words(isOn ? "ticked " : "unticked "), .object(owner.name))
        }
        return Sentence(
            .words("marked "), .object(owner.name), .words(" as \(isOn ? "" : "not ")\(last.name)"))
    }

    private func moved(_ from: JSONPointer, _ to: JSONPointer) -> Sentence {
        let around = trail.steps.dropLast().last?.name
        let parent = origin?.steps.dropLast().last?.name
        guard from.parent == to.parent else {
            let way = " from \(parent ?? "the document") to \(around ?? "the document")"
            return Sentence(.words("moved "), name, .words(way))
        }
        guard let start = from.lastIndex, let end = to.lastIndex, trail.last?.isElement == true
        else {
            let old = origin?.last?.name ?? ""
            return Sentence(.words("renamed "), .object(old), .words(" to "), name)
        }
        let places = abs(end - start)
        let steps =
            "\(end < start ? "up" : "down") \(places) \(places == 1 ? "place" : "places") in"
        let way = end == 0 ? "to the top of" : end == arrayCount - 1 ? "to the end of" : steps
        return Sentence(.words("moved "), name, .words(" \(way) \(around ?? "the list")"))
    }

    private func written(at position: Int, _ removed: [UInt8], _ inserted: [UInt8]) -> Sentence {
        let gone = String(decoding: removed, as: UTF8.self)
        let come = String(decoding: inserted, as: UTF8.self)
        let quote = { (text: String, most: Int) in "“\(text.cut(to: most))”" }
        if gone.isEmpty {
            return Sentence(.words("wrote "), .quote(quote(come, 32)), .words(" in "))
                + trail.phrase
        }
        if come.isEmpty {
            return Sentence(.words("deleted "), .quote(quote(gone, 32)), .words(" from "))
                + trail.phrase
        }
        let words = widened(at: position, gone, come)
        guard words.old.count <= JSON.shortMax, words.new.count <= JSON.shortMax else {
            return "rewrote part of " + trail.phrase
        }
        return Sentence(
            .words("changed "), .old(quote(words.old, JSON.shortMax)), .words(" to "),
            .new(quote(words.new, JSON.shortMax)), .words(" in ")) + trail.phrase
    }

    /// Longer texts are described by their differences, not by whole words.
    private static let widenedMax = 4_096

    /// A difference extended to whole words.
    private func widened(at position: Int, _ gone: String, _ come: String) -> (
        old: String, new: String
    ) {
        guard let text = old?.string, text.utf8.count <= ToldEdit.widenedMax,
            position + gone.utf16.count <= text.utf16.count
        else { return (gone, come) }
        let start = text.utf16.index(text.startIndex, offsetBy: position)
        let end = text.utf16.index(start, offsetBy: gone.utf16.count)
        let isWord = { (letter: Character) in letter.isLetter || letter.isNumber }
        let head = String(text[..<start].reversed().prefix(while: isWord).reversed())
        let tail = String(text[end...].prefix(while: isWord))
        return (head + gone + tail, head + come + tail)
    }
}

extension JSONEdit {
    fileprivate var place: JSONPointer {
        switch self {
        case .add(let place, _), .remove(let place, _), .replace(let place, _, _),
            .move(_, let place), .splice(let place, _, _, _, _):
            place
        }
    }

    fileprivate var origin: JSONPointer? {
        if case .move(let from, _) = self { from } else { nil }
    }
}

extension JSONPointer {
    fileprivate var parent: JSONPointer { JSONPointer(tokens: tokens.dropLast()) }

    fileprivate var lastIndex: Int? { tokens.last?.index(below: .max) }
}
