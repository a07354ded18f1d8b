public import JSONTree

/// A description of a change of a value, in words.
///
/// Names are those of the value after it; names of removed values are those before.
public struct Telling: Sendable {
    /// The sentence.
    public let sentence: Sentence
    /// Short values that were replaced, up to a limit: the old and the new one.
    public let values: [(old: String, new: String)]
    /// How many edits it is about.
    public let count: Int

    /// Edits beyond this number are counted, but not read.
    private static let editsMax = 256
    private static let valuesMax = 3

    /// Describes the effect of a patch on `before`; `identity` are the members that identify
    /// elements. O(edits · depth), and for values replaced as a whole the cost of their
    /// differences.
    public init(_ patch: ReversiblePatch, on before: JSON, identity: [String] = ["id"]) {
        let edits = Telling.parts(of: patch, identity)
        var told: [ToldEdit] = []
        var tree = before
        for edit in edits.prefix(Telling.editsMax) {
            let earlier = tree
            guard (try? tree.apply(edit)) != nil else { break }
            told.append(ToldEdit(edit, from: earlier, to: tree, identity: identity))
        }
        count = edits.count
        sentence = Telling.sentence(told, more: edits.count - told.count)
        let short = told.count < 2 ? [] : told.filter { $0.isShortChange && $0.old?.bool == nil }
        values = short.prefix(Telling.valuesMax).map {
            ($0.old?.inWords ?? "", $0.new?.inWords ?? "")
        }
    }

    /// Describes the differences between two values.
    public init(from before: JSON, to after: JSON, identity: [String] = ["id"]) {
        let options = DiffOptions(identityNames: identity, isShort: false)
        self.init(before.diff(to: after, options: options), on: before, identity: identity)
    }

    /// The edits of a patch; of a value that was replaced as a whole, those inside it.
    private static func parts(of patch: ReversiblePatch, _ identity: [String]) -> [JSONEdit] {
        let options = DiffOptions(identityNames: identity, isShort: false)
        return patch.edits.flatMap { edit -> [JSONEdit] in
            guard case .replace(let place, let old, let new) = edit, old.isContainer,
                old.kind == new.kind
            else { return [edit] }
            return old.diff(to: new, options: options).edits.map { $0.under(place) }
        }
    }

    private static func sentence(_ told: [ToldEdit], more: Int) -> Sentence {
        guard let first = told.first else { return "changed nothing" }
        if told.count == 1, more == 0 { return first.sentence }
        if more == 0, let text = writing(told) { return text }
        let groups = ToldEdit.Group.allCases
            .map { group in told.filter { $0.group == group } }
            .filter { !$0.isEmpty }
        // Equal ones stay in the order of the cases.
        let sorted = groups.enumerated()
            .sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
            .map(\.element)
        let leading = EditGroup(sorted[0]).sentence
        let rest = told.count + more - sorted[0].count
        if rest == 0 { return leading }
        if sorted.count == 2, more == 0 {
            return leading + " and " + EditGroup(sorted[1]).sentence
        }
        return leading + Sentence(.words(" and \(rest) more \(rest == 1 ? "change" : "changes")"))
    }

    /// Several edits inside one text.
    private static func writing(_ told: [ToldEdit]) -> Sentence? {
        let places = Set(told.map { $0.edit.pointers })
        guard places.count == 1, told.allSatisfy({ $0.group == .written }) else { return nil }
        let (removes, inserts) = (told.map(\.removes), told.map(\.inserts))
        let verb =
            !inserts.contains(true)
            ? "deleted words from " : removes.contains(true) ? "rewrote part of " : "wrote in "
        return Sentence(.words(verb)) + told[told.count - 1].trail.phrase
    }
}

extension ToldEdit {
    fileprivate var removes: Bool {
        if case .splice(_, _, let removed, _, _) = edit { !removed.isEmpty } else { false }
    }

    fileprivate var inserts: Bool {
        if case .splice(_, _, _, let inserted, _) = edit { !inserted.isEmpty } else { false }
    }
}

/// Edits of one kind, described together.
private struct EditGroup {
    private let edits: [ToldEdit]

    init(_ edits: [ToldEdit]) {
        self.edits = edits
    }

    var sentence: Sentence {
        if edits.count == 1 { return edits[0].sentence }
        switch edits[0].group {
        case .added: return "added " + names + around("to")
        case .removed: return "removed " + names + around("from")
        case .changedInElement: return changes
        case .changed:
            let article = KeyWords.article(of: edits[0].trail.last?.name ?? "")
            return Sentence(.words("\(verb) \(article)")) + names
        case .moved: return "moved " + names
        case .written: return "wrote in " + places
        }
    }

    /// The verb for edits of members, if it is the same for all.
    private var verb: String {
        if edits.allSatisfy({ $0.old == nil && $0.new != nil }) { return "added" }
        if edits.allSatisfy({ $0.old != nil && $0.new == nil }) { return "removed" }
        return "changed"
    }

    private var names: Sentence {
        .list(edits.map { .object($0.trail.last?.name ?? "the whole document") })
    }

    private func around(_ word: String) -> Sentence {
        let arrays = Set(edits.map { $0.trail.steps.dropLast().last?.name })
        guard arrays.count == 1, let array = arrays.first ?? nil else { return Sentence() }
        return Sentence(.words(" \(word) \(array)"))
    }

    private var places: Sentence {
        let phrases = edits.map(\.trail.phrase)
        guard Set(phrases.map(\.text)).count > 1 else { return phrases[0] }
        return Sentence(.object("\(edits.count) texts"))
    }

    private var changes: Sentence {
        let owners = Set(edits.map(\.trail.ownerKey))
        // The name after the last edit.
        let owner = edits[edits.count - 1].trail.owner?.name ?? ""
        var fields: [String] = []
        for edit in edits {
            let name = edit.trail.last?.name ?? ""
            if !fields.contains(name) { fields.append(name) }
        }
        let article = KeyWords.article(of: fields[0])
        if owners.count == 1 {
            let list = Sentence.list(fields.map { .words($0) })
            return Sentence(.words("changed \(article)")) + list
                + Sentence(.words(" of "), .object(owner))
        }
        let kinds = Set(edits.compactMap { $0.trail.array })
        let kind = kinds.count == 1 ? kinds.first ?? "elements" : "elements"
        let many = Sentence(.object("\(owners.count) \(kind)"))
        return fields.count == 1
            ? Sentence(.words("changed \(article)\(fields[0]) of ")) + many : "changed " + many
    }
}
