/// A patch that knows its inverse: what a change stores.
///
/// It is made while operations are applied or two trees are compared, when both the old and the new
/// value are at hand. `test` operations leave nothing in it.
public struct ReversiblePatch: Sendable, Equatable {
    package var edits: [JSONEdit]
    /// Whether a move onto a member removes what was there. That held for patches that were stored
    /// in form 1; since then the moved value overwrites it, as another value would.
    package var removesTargets = false

    package init(_ edits: [JSONEdit] = []) {
        self.edits = edits
    }

    /// The patch that changes nothing.
    public static let empty = ReversiblePatch()

    /// Whether it changes nothing.
    public var isEmpty: Bool { edits.isEmpty }

    /// The number of edits.
    public var count: Int { edits.count }

    /// The patch that takes this one back. O(n).
    public var inverse: ReversiblePatch {
        ReversiblePatch(edits.reversed().map(\.inverse))
    }

    /// Adds what `next` does to what this patch does.
    public mutating func append(_ next: ReversiblePatch) {
        if edits.isEmpty { edits = next.edits } else { edits += next.edits }
    }

    /// Whether it changes the value at `place`, something in it, or something that it is in.
    public func touches(_ place: JSONPointer) -> Bool {
        pointers.contains { $0.meets(place) }
    }

    /// The length of the values that it puts in and takes away, as text. O(edits).
    public var byteCount: Int {
        edits.reduce(0) { $0 + $1.byteCount }
    }

    /// How many values it puts in and takes away, with all in them. O(edits).
    public var valueCount: Int {
        edits.reduce(0) { $0 + $1.valueCount }
    }

    /// The places that it touches.
    public var pointers: [JSONPointer] {
        edits.flatMap(\.pointers)
    }

    /// The patch with `null` for each value: it says where something was done, and takes little.
    public var outline: ReversiblePatch {
        ReversiblePatch(
            edits.map { edit in
                switch edit {
                case .add(let pointer, _): .add(pointer, .null)
                case .remove(let pointer, _): .remove(pointer, .null)
                case .replace(let pointer, _, _): .replace(pointer, old: .null, new: .null)
                case .move: edit
                case .splice(let pointer, let position, _, _, let isValue):
                    .splice(pointer, at: position, removed: [], inserted: [], isValue: isValue)
                }
            })
    }
}

/// One reversible step inside a tree.
package enum JSONEdit: Sendable, Equatable {
    /// A new member, or a new element before the one at the index.
    case add(JSONPointer, JSON)
    case remove(JSONPointer, JSON)
    case replace(JSONPointer, old: JSON, new: JSON)
    /// Removes a value and adds it at a place that is new when it is gone.
    case move(from: JSONPointer, to: JSONPointer)
    /// Replaces text inside a string; the position counts UTF-16 code units. `isValue`: the edit
    /// was found by comparing whole strings, not made inside the text.
    case splice(
        JSONPointer, at: Int, removed: [UInt8], inserted: [UInt8], isValue: Bool = false)

    var inverse: JSONEdit {
        switch self {
        case .add(let pointer, let value): .remove(pointer, value)
        case .remove(let pointer, let value): .add(pointer, value)
        case .replace(let pointer, let old, let new): .replace(pointer, old: new, new: old)
        case .move(let from, let to): .move(from: to, to: from)
        case .splice(let pointer, let position, let removed, let inserted, let isValue):
            .splice(
                pointer, at: position, removed: inserted, inserted: removed, isValue: isValue)
        }
    }

    fileprivate var byteCount: Int {
        switch self {
        case .add(_, let value), .remove(_, let value): value.byteCount
        case .replace(_, let old, let new): old.byteCount + new.byteCount
        case .move: 0
        case .splice(_, _, let removed, let inserted, _): removed.count + inserted.count
        }
    }

    fileprivate var valueCount: Int {
        switch self {
        case .add(_, let value), .remove(_, let value): value.valueCount
        case .replace(_, let old, let new): old.valueCount + new.valueCount
        case .move, .splice: 0
        }
    }

    package var pointers: [JSONPointer] {
        switch self {
        case .add(let pointer, _), .remove(let pointer, _), .replace(let pointer, _, _),
            .splice(let pointer, _, _, _, _):
            [pointer]
        case .move(let from, let to): [from, to]
        }
    }

    /// The same edit of the value at `place`.
    package func under(_ place: JSONPointer) -> JSONEdit {
        func down(_ pointer: JSONPointer) -> JSONPointer {
            JSONPointer(tokens: place.tokens + pointer.tokens)
        }
        return switch self {
        case .add(let pointer, let value): .add(down(pointer), value)
        case .remove(let pointer, let value): .remove(down(pointer), value)
        case .replace(let pointer, let old, let new): .replace(down(pointer), old: old, new: new)
        case .move(let from, let to): .move(from: down(from), to: down(to))
        case .splice(let pointer, let position, let removed, let inserted, let isValue):
            .splice(
                down(pointer), at: position, removed: removed, inserted: inserted,
                isValue: isValue)
        }
    }

    /// The edit that puts `new` in the place of `old`: a splice where that is shorter.
    package static func replacing(_ pointer: JSONPointer, _ old: JSON, _ new: JSON) -> JSONEdit {
        guard let splice = TextSplice.between(old, new) else {
            return .replace(pointer, old: old, new: new)
        }
        return .splice(
            pointer, at: splice.position, removed: splice.removed, inserted: splice.inserted,
            isValue: true)
    }
}

extension JSON {
    /// The patch that puts `value` in the place of the whole.
    public func replaced(by value: JSON) -> ReversiblePatch {
        ReversiblePatch([.replace(.root, old: self, new: value)])
    }
}

extension ReversiblePatch {
    /// The patch in strict RFC 6902, for the tree that it is applied to.
    ///
    /// RFC 6902 has no text operations, so an edit inside a string becomes a `replace` of the
    /// string.
    public func operations(on tree: JSON) throws(JSONPatchError) -> JSONPatch {
        var tree = tree
        var operations: [JSONOperation] = []
        let needsTree = hasTextEdits
        var replacedBytes = 0
        for edit in edits {
            if needsTree { try tree.apply(edit) }
            if case .splice(let pointer, _, _, _, _) = edit {
                // One replacement for all edits in a row inside one string.
                if case .replace(pointer, _)? = operations.last { operations.removeLast() }
                replacedBytes += tree[pointer]?.byteCount ?? 0
                operations.append(.replace(pointer, tree[pointer] ?? .null))
            } else {
                operations += edit.operations
            }
        }
        // Strings that are replaced in turn, again and again, would outweigh the whole.
        if replacedBytes / 2 > tree.byteCount { return JSONPatch([.replace(.root, tree)]) }
        return JSONPatch(operations)
    }

    /// Whether it edits inside strings, so that strict RFC 6902 needs the tree.
    public var hasTextEdits: Bool {
        edits.contains { if case .splice = $0 { true } else { false } }
    }

    /// The patch with text operations for edits inside strings (JSON Patch Extended).
    public var textOperations: JSONPatch {
        JSONPatch(edits.flatMap(\.operations))
    }
}

extension JSONEdit {
    /// The edit as operations; a splice becomes text operations.
    var operations: [JSONOperation] {
        switch self {
        case .add(let pointer, let value): return [.add(pointer, value)]
        case .remove(let pointer, _): return [.remove(pointer)]
        case .replace(let pointer, _, let new): return [.replace(pointer, new)]
        case .move(let from, let to): return JSONEdit.moves(from: from, to: to)
        case .splice(let pointer, let position, let removed, let inserted, _):
            var operations: [JSONOperation] = []
            if !removed.isEmpty {
                let count = UTF16Offsets.count(removed[...])
                operations.append(.deleteText(pointer, at: position, count: count))
            }
            if !inserted.isEmpty {
                let text = String(decoding: inserted, as: UTF8.self)
                operations.append(.insertText(pointer, at: position, text))
            }
            return operations
        }
    }

    /// A move as operations.
    ///
    /// An element may move into the one behind it, which has its index once it is gone. RFC 6902
    /// forbids that address, so it changes places with the other one first.
    private static func moves(from: JSONPointer, to: JSONPointer) -> [JSONOperation] {
        guard from.isProperPrefix(of: to), let index = from.tokens.last?.index(below: .max) else {
            return [.move(from: from, to: to)]
        }
        let behind = from.above.appending(index + 1)
        return [.move(from: from, to: behind), .move(from: behind, to: to)]
    }

    /// The one move that would be written as this one and `next`, or whose inverse would; `nil` if
    /// they are two. The inverse of a patch is read as the inverse of the patch as it is read.
    fileprivate func joined(ifHalfOf next: JSONEdit) -> JSONEdit? {
        guard case .move(let from, let behind) = self, case .move(behind, let to) = next,
            from.isProperPrefix(of: to) && behind.isBehind(from)
                || to.isProperPrefix(of: from) && behind.isBehind(to)
        else { return nil }
        return .move(from: from, to: to)
    }

    /// Whether it moves a value to its own place.
    fileprivate var isNothing: Bool {
        if case .move(let from, let to) = self { from == to } else { false }
    }
}

extension JSONPointer {
    /// Whether it is the place behind an element.
    fileprivate func isBehind(_ element: JSONPointer) -> Bool {
        guard let index = element.tokens.last?.index(below: .max) else { return false }
        return self == element.above.appending(index + 1)
    }
}

extension [JSONEdit] {
    /// Adds an edit in the form in which it is read: joined with the one before it if both are
    /// halves of a move. Reading gives the written edits: a client that merges with the patch must
    /// not see another edit.
    mutating func join(_ edit: JSONEdit) {
        if let whole = last?.joined(ifHalfOf: edit) {
            self[count - 1] = whole
        } else {
            append(edit)
        }
    }
}

extension ReversiblePatch {
    /// The patch as a reader of its operations sees it: a move written as two halves is one, and
    /// edits without effect are left out. Both sides must merge with the same edits. O(edits).
    package var asRead: ReversiblePatch {
        let hasHalves = zip(edits, edits.dropFirst()).contains { $0.joined(ifHalfOf: $1) != nil }
        guard hasHalves || edits.contains(where: \.isNothing) else { return self }
        var result: [JSONEdit] = []
        for edit in edits where !edit.isNothing { result.join(edit) }
        return ReversiblePatch(result)
    }
}
