extension JSON {
    /// Applies a client's patch: all of it, or nothing and an error.
    ///
    /// The inverse is made in the same walk. O(operations · log n), whatever the document's size.
    public func applying(
        _ patch: JSONPatch, limits: JSONLimits = .standard
    ) throws(JSONPatchError) -> (tree: JSON, patch: ReversiblePatch) {
        let (tree, recorded) = try recording(patch, limits: limits)
        return (tree, recorded.patch)
    }

    /// The same, with the places that the patch's `test` operations relied on.
    public func recording(
        _ patch: JSONPatch, limits: JSONLimits = .standard
    ) throws(JSONPatchError) -> (tree: JSON, recorded: RecordedPatch) {
        var application = PatchApplication(tree: self, limits: limits)
        for (index, operation) in patch.operations.enumerated() {
            do {
                try application.perform(operation)
            } catch {
                throw JSONPatchError(
                    error.reason, operation: index, pointer: error.pointer ?? operation.pointer)
            }
        }
        return (
            application.tree,
            RecordedPatch(ReversiblePatch(application.edits), reads: application.reads)
        )
    }
}

/// A patch half way through its operations.
private struct PatchApplication {
    var tree: JSON
    let limits: JSONLimits
    var edits: [JSONEdit] = []
    var reads: [RecordedPatch.Read] = []
    /// The bytes that the edits record for undo: repeated copies and removals leave no trace in the
    /// tree.
    private var recordedBytes = 0
    /// The length of the texts that `str_replace` operations have searched.
    private var searchedBytes = 0
    /// A search takes a few ns per byte, and a short patch can ask for many.
    private static let searchedBytesMax = 64 << 20
    /// The pairs of bytes in the stretches that were compared word by word.
    private var comparedPairs = 0
    /// Beyond that, a stretch stays whole. The words of one such amount take up to 0.5 s.
    private static let comparedPairsMax = 16 << 20

    init(tree: JSON, limits: JSONLimits) {
        self.tree = tree
        self.limits = limits
    }

    mutating func perform(_ operation: JSONOperation) throws(JSONPatchError) {
        switch operation {
        case .add(let pointer, let value): try add(value, at: pointer)
        case .remove(let pointer): try remove(at: pointer)
        case .replace(let pointer, let value): try replace(at: pointer, with: value)
        case .move(let from, let to): try move(from: from, to: to)
        case .copy(let from, let to):
            guard let value = tree[from] else { throw tree.missing(from) }
            try add(value, at: to)
        case .test(let pointer, let value):
            guard let found = tree[pointer] else { throw tree.missing(pointer) }
            guard found.isNumericallyEqual(to: value) else {
                throw JSONPatchError(.testFailed(found: found), pointer: pointer)
            }
            reads.append(.init(pointer: pointer, editsBefore: edits.count))
        case .insertText(let pointer, let position, let text):
            try splice(pointer, at: position, count: 0, inserting: Array(text.utf8))
        case .deleteText(let pointer, let position, let count):
            try splice(pointer, at: position, count: count, inserting: [])
        case .replaceText(let pointer, let found, let text):
            try replace(Array(found.utf8), in: pointer, with: Array(text.utf8))
        }
    }

    /// RFC 6902 section 4.1: an existing member is replaced, an array's element is pushed aside.
    private mutating func add(_ value: JSON, at pointer: JSONPointer) throws(JSONPatchError) {
        let parent = tree.value(at: pointer.tokens.dropLast())
        if pointer == .root || (parent?.kind == .object && tree[pointer] != nil) {
            return try replace(at: pointer, with: value)
        }
        try checkDepth(pointer, value)
        try tree.insert(value, at: pointer)
        edits.append(.add(settled(pointer, in: parent), value))
        recordedBytes += value.byteCount
        try checkSize()
    }

    private mutating func remove(at pointer: JSONPointer) throws(JSONPatchError) {
        let old = try tree.remove(at: pointer)
        edits.append(.remove(pointer, old))
        recordedBytes += old.byteCount
        try checkSize()
    }

    private mutating func replace(at pointer: JSONPointer, with value: JSON) throws(JSONPatchError)
    {
        try checkDepth(pointer, value)
        let old = try tree.replace(at: pointer, with: value)
        if old == value {
            // Put back: the order of members may differ, and nothing would record that.
            _ = try tree.replace(at: pointer, with: old)
            return
        }
        edits.append(.replacing(pointer, old, value))
        recordedBytes += old.byteCount + value.byteCount
        try checkSize()
    }

    /// RFC 6902 section 4.4: the same as removing the value and adding it at the target.
    private mutating func move(from: JSONPointer, to: JSONPointer) throws(JSONPatchError) {
        guard let value = tree[from] else { throw tree.missing(from) }
        if from == to { return }
        guard !from.isProperPrefix(of: to) else {
            throw JSONPatchError(.impossible("a value cannot be moved into itself"), pointer: to)
        }
        let isElement = to != .root && tree.value(at: to.tokens.dropLast())?.kind == .array
        if to.isProperPrefix(of: from), !isElement {
            // It replaces what it was in. In an array it pushes that aside, and both stay.
            try remove(at: from)
            return try add(value, at: to)
        }
        // The value at the target is removed first, so that the moved value keeps its identity;
        // unless the removal gives the target another address.
        let origin = tree.value(at: from.tokens.dropLast())
        let shifts = origin?.kind == .array && from.above.isProperPrefix(of: to)
        if !shifts, tree.value(at: to.tokens.dropLast())?.kind == .object, let old = tree[to],
            old != value
        {
            try remove(at: to)
        }
        _ = try tree.remove(at: from)
        let parent = tree.value(at: to.tokens.dropLast())
        if parent?.kind == .object, let old = tree[to] {
            edits.append(.remove(from, value))
            if old == value { return }
            return try replace(at: to, with: value)
        }
        try checkDepth(to, value)
        try tree.insert(value, at: to)
        let target = settled(to, in: parent)
        if target == from { return }
        let move = JSONEdit.move(from: from, to: target)
        let isRelied = reads.last?.editsBefore == edits.count
        if isRelied { edits.append(move) } else { edits.join(move) }
        try checkSize()
    }

    private mutating func splice(
        _ pointer: JSONPointer, at position: Int, count: Int, inserting inserted: [UInt8]
    ) throws(JSONPatchError) {
        guard let text = tree[pointer] else { throw tree.missing(pointer) }
        guard text.kind == .string else { throw JSONPatchError(.notAString, pointer: pointer) }
        guard let removed = text.text(utf16: position, count: count) else {
            throw JSONPatchError(.textOutOfRange, pointer: pointer)
        }
        if removed == inserted { return }
        let edit = JSONEdit.splice(pointer, at: position, removed: removed, inserted: inserted)
        try tree.apply(edit)
        edits.append(edit)
        try checkSize()
    }

    /// Stored like the comparison of a whole value: the words that differ, as edits of an author
    /// who saw the text around them.
    private mutating func replace(
        _ found: [UInt8], in pointer: JSONPointer, with inserted: [UInt8]
    ) throws(JSONPatchError) {
        guard let value = tree[pointer] else { throw tree.missing(pointer) }
        guard let text = value.utf8 else { throw JSONPatchError(.notAString, pointer: pointer) }
        guard searchedBytes < PatchApplication.searchedBytesMax else {
            throw JSONPatchError(.tooMuchToSearch(max: PatchApplication.searchedBytesMax))
        }
        searchedBytes += text.count
        let search = TextSearch(for: found.span, in: text.span)
        guard let offset = search.offsets.first else {
            throw JSONPatchError(.textNotFound, pointer: pointer)
        }
        guard search.count == 1 else {
            throw JSONPatchError(
                .textNotUnique(count: search.count, positions: search.positions(in: text)),
                pointer: pointer)
        }
        let range = offset..<(offset + found.count)
        let splice = TextSplice(text, replacing: range, with: inserted)
        comparedPairs += splice.removed.count * splice.inserted.count
        let isByWords = comparedPairs <= PatchApplication.comparedPairsMax
        for edit in splice.edits(at: pointer, isByWords: isByWords) {
            try tree.apply(edit)
            edits.append(edit)
        }
        try checkSize()
    }

    /// The pointer with `-` made the index that it meant, so that the inverse finds the element.
    private func settled(_ pointer: JSONPointer, in parent: JSON?) -> JSONPointer {
        guard let parent, parent.kind == .array, pointer.tokens.last?.isEnd == true else {
            return pointer
        }
        return JSONPointer(tokens: pointer.tokens.dropLast()).appending(parent.count)
    }

    private func checkDepth(_ pointer: JSONPointer, _ value: JSON) throws(JSONPatchError) {
        guard pointer.count + value.height <= limits.depthMax else {
            throw JSONPatchError(.tooDeep(max: limits.depthMax), pointer: pointer)
        }
    }

    /// After every operation, so that a chain of copies is stopped before it grows. A patch may
    /// record at most twice a document: the old one and the new one.
    private func checkSize() throws(JSONPatchError) {
        let max = limits.documentBytesMax
        guard tree.byteCount <= max, recordedBytes / 2 <= max else {
            throw JSONPatchError(.tooLarge(max: max))
        }
        guard tree.valueCount <= limits.valuesMax else {
            throw JSONPatchError(.tooManyValues(max: limits.valuesMax))
        }
    }
}
