/// How two trees are compared.
public struct DiffOptions: Sendable {
    /// Members that identify an object in an array, however much else of it changed.
    public var identityNames: [String]
    /// Whether an edit inside a long string is kept as one; otherwise the string is replaced, as
    /// RFC 6902 has it.
    public var hasTextEdits: Bool
    /// Whether a container is replaced where that is shorter than many edits inside it.
    public var isShort: Bool
    /// Whether an object that leaves one array and appears in another is moved; otherwise it is
    /// removed here and added there.
    public var movesBetweenArrays: Bool

    /// Objects in arrays identified by `id`, edits inside text, short patches, and moves inside
    /// each array alone, unless given otherwise.
    public init(
        identityNames: [String] = ["id"], hasTextEdits: Bool = true, isShort: Bool = true,
        movesBetweenArrays: Bool = false
    ) {
        self.identityNames = identityNames
        self.hasTextEdits = hasTextEdits
        self.isShort = isShort
        self.movesBetweenArrays = movesBetweenArrays
    }
}

extension JSON {
    /// The patch that turns this value into `target`.
    ///
    /// Parts with equal hashes are not looked into. Members match by name; elements by content,
    /// then by identity, then by place; moved elements move. Never longer than replacing the whole,
    /// apart from the few operations that a small document takes.
    /// O(what differs · log n) for objects and text, O(n log n) in the length of an array that
    /// differs.
    public func diff(to target: JSON, options: DiffOptions = DiffOptions()) -> ReversiblePatch {
        var (diff, result) = (TreeDiff(options), WeighedEdits())
        diff.compare(self, target, at: .root, &result)
        return moving(to: target, diff) ?? ReversiblePatch(result.edits)
    }

    /// The patch that moves elements to other arrays first, and then does the rest; `nil` if none
    /// does so.
    private func moving(to target: @autoclosure () -> JSON, _ diff: TreeDiff) -> ReversiblePatch? {
        guard diff.mayMoveBetweenArrays else { return nil }
        let target = target()
        var (diff, tree) = (diff, self)
        let moves = ArrayMoves.perform(on: &tree, to: target, identityNames: diff.identityNames)
        if moves.isEmpty { return nil }
        var rest = WeighedEdits()
        diff.compare(tree, target, at: .root, &rest)
        return ReversiblePatch(moves + rest.edits)
    }

    /// The patch with the effect of an RFC 7386 merge patch on this value, that is, `merging`.
    /// Reads the members that the merge patch names, and nothing else. O(merge patch · log n), and
    /// the cost of differences in arrays and text.
    public func edits(
        merging patch: JSON, options: DiffOptions = DiffOptions()
    ) -> ReversiblePatch {
        var (diff, result) = (TreeDiff(options), WeighedEdits())
        diff.merge(self, patch, at: .root, &result)
        return moving(to: merging(patch), diff) ?? ReversiblePatch(result.edits)
    }
}

extension ReversiblePatch {
    /// The patch as it is sent: where its edits are longer than the tree that they lead to, parts
    /// are replaced as a whole instead. It leads to the same tree. O(edits) if nothing is to be
    /// done.
    public func shortened(on tree: JSON) -> ReversiblePatch {
        var weighed = WeighedEdits()
        for edit in edits { weighed.append(edit) }
        guard count > 1, weighed.weight > TreeDiff.rootSlack,
            let after = try? tree.applying(self), weighed.weight > after.byteCount
        else { return self }
        return tree.diff(to: after)
    }
}

/// Edits and about how many bytes they take as a patch.
struct WeighedEdits {
    var edits: [JSONEdit] = []
    var weight = 0

    /// The bytes of `{"op":"…","path":"…"},` around a pointer.
    private static let overhead = 24

    mutating func append(_ edit: JSONEdit) {
        edits.append(edit)
        weight += WeighedEdits.weight(of: edit)
    }

    /// Takes the last edits away, so that there are as many as there were.
    mutating func cut(to former: (count: Int, weight: Int)) {
        edits.removeLast(edits.count - former.count)
        weight = former.weight
    }

    private static func weight(of edit: JSONEdit) -> Int {
        func size(_ pointer: JSONPointer) -> Int {
            pointer.tokens.reduce(overhead) { $0 + $1.byteCount + 1 }
        }
        return switch edit {
        case .add(let pointer, let value): size(pointer) + value.byteCount
        case .remove(let pointer, _): size(pointer)
        case .replace(let pointer, _, let new): size(pointer) + new.byteCount
        case .move(let from, let to): size(from) + size(to)
        case .splice(let pointer, _, let removed, let inserted, _):
            size(pointer) + overhead + min(removed.count, 8) + inserted.count
        }
    }
}

struct TreeDiff {
    private let options: DiffOptions
    let identityNames: [MemberName]
    /// The elements that leave an array and those that appear in one; only where moves are
    /// possible.
    private var strays = ArrayStrays()
    /// Deeper than this a part that differs is replaced: a comparison calls itself for each level.
    private static let depthMax = 512

    init(_ options: DiffOptions) {
        self.options = options
        identityNames = options.identityNames.map { MemberName($0) }
    }

    /// Whether an element that left an array may be one that appeared in another.
    var mayMoveBetweenArrays: Bool {
        options.movesBetweenArrays && !strays.leaving.isDisjoint(with: strays.arriving)
    }

    /// Adds the edits that turn `old` into `new`.
    mutating func compare(
        _ old: JSON, _ new: JSON, at pointer: JSONPointer, _ result: inout WeighedEdits
    ) {
        if old.isIdentical(to: new) || old == new { return }
        guard pointer.count < TreeDiff.depthMax else { return replace(old, new, pointer, &result) }
        let former = (count: result.edits.count, weight: result.weight)
        switch (old.storage, new.storage) {
        case (.object(let before), .object(let after)): members(before, after, pointer, &result)
        case (.array(let before), .array(let after)):
            var diff = ArrayDiff(before, after, identityNames)
            if options.movesBetweenArrays { strays.add(diff, identityNames) }
            diff.append(to: &result, at: pointer, &self)
        default: return replace(old, new, pointer, &result)
        }
        guard options.isShort else { return }
        let slack = pointer == .root ? TreeDiff.rootSlack : 0
        var whole = WeighedEdits()
        replace(old, new, pointer, &whole)
        if result.weight - former.weight < whole.weight + slack { return }
        result.cut(to: former)
        result.append(whole.edits[0])
    }

    private mutating func replace(
        _ old: JSON, _ new: JSON, _ pointer: JSONPointer, _ result: inout WeighedEdits
    ) {
        if options.movesBetweenArrays { strays.leave(old, identityNames) }
        result.append(
            options.hasTextEdits
                ? .replacing(pointer, old, new) : .replace(pointer, old: old, new: new))
    }

    private mutating func remove(
        _ old: JSON, _ pointer: JSONPointer, _ result: inout WeighedEdits
    ) {
        if options.movesBetweenArrays { strays.leave(old, identityNames) }
        result.append(.remove(pointer, old))
    }

    /// Adds the edits that a merge patch asks for.
    mutating func merge(
        _ old: JSON, _ patch: JSON, at pointer: JSONPointer, _ result: inout WeighedEdits
    ) {
        guard case (.object(let before), .object(let changes)) = (old.storage, patch.storage),
            pointer.count < TreeDiff.depthMax
        else { return compare(old, old.merging(patch), at: pointer, &result) }
        changes.forEach { name, change in
            let old = before.value(for: name)
            switch (old, change.storage) {
            case (let old?, .null): remove(old, pointer.appending(name), &result)
            case (let old?, _): merge(old, change, at: pointer.appending(name), &result)
            case (nil, .null): break
            case (nil, _):
                result.append(.add(pointer.appending(name), JSON.null.merging(change)))
            }
        }
    }

    /// A small document is not replaced for the sake of a few bytes: edits say more about it.
    fileprivate static let rootSlack = 256

    private mutating func members(
        _ before: ObjectNode, _ after: ObjectNode, _ pointer: JSONPointer,
        _ result: inout WeighedEdits
    ) {
        if before.isWide && after.isWide { return sortedMembers(before, after, pointer, &result) }
        if !before.isWide && !after.isWide && before.node.shape.hasSameNames(as: after.node.shape) {
            let shape = before.node.shape
            for slot in 0..<shape.count {
                let (old, new) = (before.node[slot], after.node[slot])
                if old == new { continue }
                compare(old, new, at: pointer.appending(shape.name(slot)), &result)
            }
            return
        }
        var changed: [(MemberName, JSON, JSON)] = []
        before.forEach { name, old in
            guard let new = after.value(for: name) else {
                return remove(old, pointer.appending(name), &result)
            }
            if old != new { changed.append((name, old, new)) }
        }
        for (name, old, new) in changed {
            compare(old, new, at: pointer.appending(name), &result)
        }
        after.forEach { name, new in
            if before.value(for: name) == nil { result.append(.add(pointer.appending(name), new)) }
        }
    }

    /// Both sides sorted by name: one pass, in step, over what they do not share.
    private mutating func sortedMembers(
        _ before: ObjectNode, _ after: ObjectNode, _ pointer: JSONPointer,
        _ result: inout WeighedEdits
    ) {
        let leaves = Node.unsharedLeaves(before.node, after.node)
        let (left, right) = (leaves.left.flatMap(\.members), leaves.right.flatMap(\.members))
        var (i, j) = (0, 0)
        while i < left.count || j < right.count {
            if j == right.count || (i < left.count && left[i].name < right[j].name) {
                remove(left[i].value, pointer.appending(left[i].name), &result)
                i += 1
            } else if i == left.count || right[j].name < left[i].name {
                result.append(.add(pointer.appending(right[j].name), right[j].value))
                j += 1
            } else {
                if left[i].value != right[j].value {
                    let pointer = pointer.appending(left[i].name)
                    compare(left[i].value, right[j].value, at: pointer, &result)
                }
                i += 1
                j += 1
            }
        }
    }
}

extension Node {
    /// The members of a leaf.
    fileprivate var members: [(name: MemberName, value: JSON)] {
        let names = shape.names
        return names.indices.map { (name: names[$0], value: self[$0]) }
    }
}
