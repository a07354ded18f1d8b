extension JSON {
    /// Adds a value at a place that is new: a member that is not there, or before an array's
    /// element.
    package mutating func insert(_ value: JSON, at pointer: JSONPointer) throws(JSONPatchError) {
        let token = pointer.tokens.last ?? MemberName("")
        let reason = modifyParent(pointer) { parent -> JSONPatchError.Reason? in
            switch parent.storage {
            case .array(let node):
                guard let index = token.isEnd ? node.count : token.index(below: node.count + 1)
                else { return .indexOutOfRange }
                parent = JSON(.array(node.inserting(value, at: index)))
            case .object(let node): parent = JSON(.object(node.setting(token, to: value)))
            default: return .noContainer
            }
            return nil
        }
        if let reason { throw JSONPatchError(reason, pointer: pointer) }
    }

    /// Removes the value at `pointer`, and returns it.
    package mutating func remove(at pointer: JSONPointer) throws(JSONPatchError) -> JSON {
        guard let token = pointer.tokens.last else {
            throw JSONPatchError(.impossible("the root cannot be removed"), pointer: pointer)
        }
        guard let value = self[pointer] else { throw missing(pointer) }
        _ = modifyParent(pointer) { parent -> JSONPatchError.Reason? in
            switch parent.storage {
            case .array(let node):
                let index = token.index(below: node.count) ?? 0
                parent = JSON(.array(node.removing(at: index)))
            case .object(let node): parent = JSON(.object(node.removing(token)))
            default: return .noContainer
            }
            return nil
        }
        return value
    }

    /// Puts `value` in the place of the value at `pointer`, and returns the old one.
    package mutating func replace(
        at pointer: JSONPointer, with value: JSON
    ) throws(JSONPatchError) -> JSON {
        let old = modify(pointer.tokens[...]) { place in
            let old = place
            place = value
            return old
        }
        guard let old else { throw missing(pointer) }
        return old
    }

    /// The value with `value` at `pointer`, where there must be a value already.
    public func replacing(
        at pointer: JSONPointer, with value: JSON
    ) throws(JSONPatchError) -> JSON {
        var copy = self
        _ = try copy.replace(at: pointer, with: value)
        return copy
    }

    private mutating func modifyParent(
        _ pointer: JSONPointer, _ body: (inout JSON) -> JSONPatchError.Reason?
    ) -> JSONPatchError.Reason? {
        guard !pointer.tokens.isEmpty else { return .impossible("the root has no parent") }
        return modify(pointer.tokens.dropLast(), body) ?? missing(pointer).reason
    }

    /// The reason why there is no value at `pointer`.
    func missing(_ pointer: JSONPointer) -> JSONPatchError {
        for length in pointer.tokens.indices {
            guard let parent = value(at: pointer.tokens[..<length]) else { break }
            if !parent.isContainer { return JSONPatchError(.noContainer, pointer: pointer) }
        }
        let parent = value(at: pointer.tokens.dropLast())
        let isIndex = parent?.kind == .array
        return JSONPatchError(isIndex ? .indexOutOfRange : .missing, pointer: pointer)
    }
}

extension JSON {
    /// Applies a reversible patch, in place where the changed parts have no other reference.
    ///
    /// If it does not fit, the value is as it was.
    public mutating func apply(_ patch: ReversiblePatch) throws(JSONPatchError) {
        for (index, edit) in patch.edits.enumerated() {
            do {
                try apply(edit)
            } catch {
                try apply(ReversiblePatch(Array(patch.edits[..<index])).inverse)
                throw error
            }
        }
    }

    /// The value after a reversible patch.
    public func applying(_ patch: ReversiblePatch) throws(JSONPatchError) -> JSON {
        var copy = self
        try copy.apply(patch)
        return copy
    }

    package mutating func apply(_ edit: JSONEdit) throws(JSONPatchError) {
        switch edit {
        case .add(let pointer, let value): try insert(value, at: pointer)
        case .remove(let pointer, _): _ = try remove(at: pointer)
        case .replace(let pointer, _, let new): _ = try replace(at: pointer, with: new)
        case .move(let from, let to):
            let value = try remove(at: from)
            do {
                try insert(value, at: to)
            } catch {
                try insert(value, at: from)
                throw error
            }
        case .splice(let pointer, let position, let removed, let inserted, _):
            let isDone = modify(pointer.tokens[...]) { text in
                text.splice(at: position, removing: removed, inserting: inserted)
            }
            guard isDone ?? false else { throw JSONPatchError(.textOutOfRange, pointer: pointer) }
        }
    }
}
