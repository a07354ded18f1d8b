import JSONTree

/// From patches to steps.
extension IdentityTree {
    /// Adds the steps of a patch for the shown tree, as those of a new writer in effect. The newest
    /// steps win everywhere, so fold and shown state follow at once.
    ///
    /// If it adds the same value that one of the `lost` steps removed, it adds that box: an edit
    /// inside it won over the removal.
    ///
    /// `numbers`: those of the edits, if they are a part of another patch.
    /// O(edits · depth · log n). Fails if the patch does not fit; then the tree is of no more use.
    mutating func record(
        _ patch: ReversiblePatch, over lost: Range<ID> = 0..<0, numbers: [Int]? = nil
    ) throws(Diverged) -> ID {
        let writer = ID(writers.count)
        let first = ID(steps.count)
        writers.append(Writer(steps: first..<first))
        for (index, edit) in patch.edits.enumerated() {
            let next = ID(steps.count)
            let number = Int32(numbers?[index] ?? index)
            defer { for step in next..<ID(steps.count) { steps[step].edit = number } }
            if case .add(let pointer, let value) = edit,
                let box = try removedBox(value, by: lost)
            {
                try restore(box, to: pointer, writer)
            } else if case .move(let from, let to) = edit {
                try move(from, to, writer, overwrites: !patch.removesTargets)
            } else {
                try record(edit, writer)
            }
        }
        writers[writer].steps = first..<ID(steps.count)
        return writer
    }

    /// The box with this value that some steps removed last.
    private mutating func removedBox(
        _ value: JSON, by lost: Range<ID>
    ) throws(Diverged) -> ID? {
        for step in lost.reversed() {
            switch steps[step].action {
            case .remove(let box, _), .setAside(let box, _):
                guard isInEffect(step), exists(box), !isShown(box: box),
                    try render(box) == value
                else { continue }
                return box
            default: continue
            }
        }
        return nil
    }

    /// Where it comes back, it has moved to: so it is one box, whatever is undone.
    private mutating func restore(
        _ box: ID, to pointer: JSONPointer, _ writer: ID
    ) throws(Diverged) {
        tangle(box: box)
        tangle(place: boxes[box].shownPlace)
        let place = try newTangledPlace(pointer)
        add(.restore(box: box, place: place), at: place, writer)
        boxes[box].place = place
        occupy(place, box)
    }

    /// The place that a moved value comes to.
    private mutating func newTangledPlace(_ pointer: JSONPointer) throws(Diverged) -> ID {
        let place = try newPlace(pointer)
        tangle(place: place)
        let container = places[place].container
        if container != IdentityTree.none { tangle.writers.insert(contents[container].writer) }
        return place
    }

    private mutating func record(_ edit: JSONEdit, _ writer: ID) throws(Diverged) {
        switch edit {
        case .add(let pointer, let value):
            create(value, at: try newPlace(pointer), writer)
        case .remove(let pointer, _):
            let box = try box(at: pointer.tokens[...])
            let place = boxes[box].shownPlace
            add(.remove(box: box, place: place), at: place, writer)
            occupy(place, IdentityTree.none)
        case .replace(let pointer, _, let value): try replace(pointer, value, writer)
        case .move(let from, let to): try move(from, to, writer, overwrites: true)
        case .splice(let pointer, let position, let removed, let inserted, let isValue):
            let content = boxes[try box(at: pointer.tokens[...])].shownContent
            let text = try text(of: content)
            if !isValue { texts[text].typedBy.insert(writer) }
            let count = removed.isEmpty ? 0 : JSON.string(bytes: removed).utf16Count ?? 0
            if count > 0 { try delete(count, at: position, text, content, writer) }
            if !inserted.isEmpty { try insert(inserted, at: position, text, content, writer) }
        }
    }

    /// The place that an added value comes to: a member, or a new slot.
    private mutating func newPlace(_ pointer: JSONPointer) throws(Diverged) -> ID {
        guard let token = pointer.tokens.last else { return 0 }
        let content = boxes[try box(at: pointer.tokens.dropLast())].shownContent
        open(content)
        switch contents[content].kind {
        case .object(let object): return member(token, of: object, content)
        case .array(let array):
            let count = arrays[array].runs.visibleCount
            guard let index = token.isEnd ? count : token.index(below: count + 1) else {
                throw Diverged()
            }
            return try newSlot(at: index, of: array, content)
        case .plain, .text: throw Diverged()
        }
    }

    private mutating func create(_ value: JSON, at place: ID, _ writer: ID) {
        let box = newBox(value, at: place, by: writer)
        add(.create(box: box, place: place), at: place, writer)
        if places[place].isTangled { tangle(box: box) }
        occupy(place, box)
    }

    /// A member is a list of values; an element keeps its identity when its value is replaced.
    private mutating func replace(
        _ pointer: JSONPointer, _ value: JSON, _ writer: ID
    ) throws(Diverged) {
        let box = try box(at: pointer.tokens[...])
        guard case .element = places[boxes[box].shownPlace].slot else {
            return create(value, at: boxes[box].shownPlace, writer)
        }
        let content = newContent(value, of: box, writer)
        let step = ID(steps.count)
        boxes[box].writes.append(step)
        boxes[box].write = step
        boxes[box].shownContent = content
        steps.append(Step(writer: writer, action: .write(box: box, content: content)))
    }

    private mutating func move(
        _ from: JSONPointer, _ to: JSONPointer, _ writer: ID, overwrites: Bool
    ) throws(Diverged) {
        let box = try box(at: from.tokens[...])
        tangle(box: box)
        tangle(place: boxes[box].shownPlace)
        occupy(boxes[box].shownPlace, IdentityTree.none)
        // The target is an address in the tree without the value.
        let place = try newTangledPlace(to)
        if overwrites { setAside(at: place, for: writer) }
        let step = ID(steps.count)
        add(.move(box: box, place: place), at: place, writer)
        boxes[box].place = place
        boxes[box].movedBy = step
        boxes[box].shownMove = step
        occupy(place, box)
    }

    /// A patch that moves a value onto a member removes what is there first. That is hidden by the
    /// move, as a new value would hide it, and only while the move takes effect.
    private mutating func setAside(at place: ID, for writer: ID) {
        guard let last = places[place].steps.last, steps[last].writer == writer,
            case .remove(let box, _) = steps[last].action
        else { return }
        steps[last].action = .setAside(box: box, place: place)
        places[place].steps.removeLast()
    }

    /// Puts a box to a place, in the fold and in the shown tree.
    private mutating func occupy(_ place: ID, _ box: ID) {
        places[place].occupant = box
        showOccupant(of: place, box)
    }

    /// Adds a step that concerns a place.
    private mutating func add(_ action: Step.Action, at place: ID, _ writer: ID) {
        let step = ID(steps.count)
        steps.append(Step(writer: writer, action: action))
        places[place].steps.append(step)
        places[place].step = step
        if places[place].isTangled {
            tangle.steps.append(step)
            tangle.writers.insert(writer)
        }
    }

    private mutating func delete(
        _ count: Int, at position: Int, _ text: ID, _ content: ID, _ writer: ID
    ) throws(Diverged) {
        let step = ID(steps.count)
        steps.append(Step(writer: writer, action: .delete(content: content)))
        var rest = count
        while rest > 0 {
            guard let (found, offset) = texts[text].runs.run(at: position) else { throw Diverged() }
            let run = offset > 0 ? splitText(found, at: offset, text) : found
            let length = Int(texts[text].runs.runs[run].length)
            if length > rest { _ = splitText(run, at: rest, text) }
            texts[text].pieces[run].deletedBy.append(step)
            steps[step].runs.append(run)
            texts[text].runs.setVisible(run, false)
            rest -= min(rest, length)
        }
    }

    private mutating func insert(
        _ bytes: [UInt8], at position: Int, _ text: ID, _ content: ID, _ writer: ID
    ) throws(Diverged) {
        let value = JSON.string(bytes: bytes)
        var next: ID?
        if let (run, offset) = texts[text].runs.run(at: position) {
            next = offset > 0 ? splitText(run, at: offset, text) : run
        } else if position != texts[text].runs.visibleCount {
            throw Diverged()
        }
        let step = ID(steps.count)
        runCount += 1
        let run = texts[text].runs.insert(length: value.utf16Count ?? 0, before: next)
        texts[text].pieces.append(
            TextContent.Piece(
                source: Int32(texts[text].sources.count), start: 0, insertedBy: step))
        texts[text].sources.append(value)
        steps.append(
            Step(writer: writer, action: .insert(content: content), runs: [run]))
    }
}
