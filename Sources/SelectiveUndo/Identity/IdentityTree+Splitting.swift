import JSONTree

/// Writers of single edits, for undo of a part of a patch.
extension IdentityTree {
    /// Makes each edit of a writer's patch a writer of its own, in effect as the whole is. Returns
    /// them in order; the first one keeps the ID.
    ///
    /// Edits that have their effect only together stay together: a value that is moved onto a
    /// member replaces what an earlier edit removed there. O(what the writer made).
    mutating func split(_ writer: ID) -> [ID] {
        let groups = groups(of: writer)
        guard let first = groups.first, groups.count > 1 else { return [writer] }
        let texts = textSteps(in: writers[writer].steps)
        writers[writer].steps = first
        var parts = [writer]
        for group in groups.dropFirst() {
            let part = ID(writers.count)
            writers.append(Writer(isInEffect: writers[writer].isInEffect, steps: group))
            for step in group { give(step, to: part) }
            if tangle.writers.contains(writer) { tangle.writers.insert(part) }
            parts.append(part)
        }
        for (text, steps) in texts where self.texts[text].typedBy.remove(writer) != nil {
            self.texts[text].typedBy.formUnion(steps.map { self.steps[$0].writer })
        }
        return parts
    }

    /// The numbers of a writer's edits in its patch.
    func edits(of writer: ID) -> ClosedRange<Int>? {
        let steps = writers[writer].steps
        guard let first = steps.first, let last = steps.last else { return nil }
        return Int(self.steps[first].edit)...Int(self.steps[last].edit)
    }

    /// The steps of a writer, by the edits that have their effect together.
    private func groups(of writer: ID) -> [Range<ID>] {
        var groups: [Range<ID>] = []
        for step in writers[writer].steps {
            if let last = groups.last, steps[last.upperBound - 1].edit == steps[step].edit {
                groups[groups.count - 1] = last.lowerBound..<step + 1
            } else {
                groups.append(step..<step + 1)
            }
            guard case .move(_, let place) = steps[step].action else { continue }
            let asideAt = groups.firstIndex { group in
                group.contains { setsAside($0, at: place) }
            }
            guard let asideAt else { continue }
            groups.replaceSubrange(asideAt..., with: [groups[asideAt].lowerBound..<step + 1])
        }
        return groups
    }

    private func setsAside(_ step: ID, at place: ID) -> Bool {
        if case .setAside(_, place) = steps[step].action { true } else { false }
    }

    /// The steps that edit inside a text, by texts.
    private func textSteps(in steps: Range<ID>) -> [ID: [ID]] {
        var found: [ID: [ID]] = [:]
        for step in steps {
            switch self.steps[step].action {
            case .insert(let content), .delete(let content):
                guard case .text(let text) = contents[content].kind else { continue }
                found[text, default: []].append(step)
            default: continue
            }
        }
        return found
    }

    /// Makes a step and what it made another writer's.
    private mutating func give(_ step: ID, to writer: ID) {
        steps[step].writer = writer
        switch steps[step].action {
        case .create(let box, _):
            boxes[box].writer = writer
            give(content: boxes[box].birthContent, to: writer)
        case .write(_, let content): give(content: content, to: writer)
        case .move, .remove, .setAside, .restore, .insert, .delete: break
        }
    }

    /// Including the values inside it.
    private mutating func give(content: ID, to writer: ID) {
        contents[content].writer = writer
        let inner: [ID]
        switch contents[content].kind {
        case .plain, .text: return
        case .object(let object): inner = Array(objects[object].places.values)
        case .array(let array): inner = arrays[array].places.filter { $0 != IdentityTree.none }
        }
        for box in inner.map({ places[$0].initial }) where box != IdentityTree.none {
            boxes[box].writer = writer
            give(content: boxes[box].birthContent, to: writer)
        }
    }

    /// Where a writer's work is in the shown tree, or would be if it were in effect.
    func places(of writer: ID) -> Set<JSONPointer> {
        var found: Set<ID> = []
        for step in writers[writer].steps {
            switch steps[step].action {
            case .create(let box, let place), .move(let box, let place),
                .restore(let box, let place):
                found.insert(isShown(box: box) ? boxes[box].shownPlace : place)
            case .remove(_, let place): found.insert(place)
            case .write(let box, _): found.insert(boxes[box].shownPlace)
            case .insert(let content), .delete(let content):
                found.insert(boxes[contents[content].owner].shownPlace)
            case .setAside: break
            }
        }
        return Set(
            found.filter { $0 != IdentityTree.none && isShown(place: $0) }.map { pointer(to: $0) })
    }
}
