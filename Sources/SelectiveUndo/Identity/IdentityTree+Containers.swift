import JSONTree

/// Searches in the shown tree. A value that was found has an identity from then on.
extension IdentityTree {
    /// The box at a pointer.
    mutating func box(at tokens: ArraySlice<MemberName>) throws(Diverged) -> ID {
        var box = places[0].shown
        for token in tokens { box = try child(token, of: box) }
        return box
    }

    private mutating func child(_ token: MemberName, of box: ID) throws(Diverged) -> ID {
        let content = boxes[box].shownContent
        open(content)
        let found: ID
        switch contents[content].kind {
        case .object(let object):
            found = places[member(token, of: object, content)].shown
        case .array(let array):
            guard let index = token.index(below: arrays[array].runs.visibleCount) else {
                throw Diverged()
            }
            found = places[try element(index, of: array, content)].shown
        case .plain, .text: throw Diverged()
        }
        guard found != IdentityTree.none else { throw Diverged() }
        return found
    }

    /// Makes the parts of a plain container ready for identities.
    mutating func open(_ content: ID) {
        guard case .plain(let value) = contents[content].kind else { return }
        switch value.kind {
        case .object:
            contents[content].kind = .object(ID(objects.count))
            objects.append(ObjectContent(base: value))
        case .array:
            contents[content].kind = .array(ID(arrays.count))
            let isEmpty = value.count == 0
            runCount += 1
            arrays.append(
                ArrayContent(
                    base: value, runs: RunSequence(length: value.count),
                    places: isEmpty ? [] : [IdentityTree.none], starts: isEmpty ? [] : [0]))
        default: break
        }
    }

    /// The place of a member, whether or not anything is there.
    mutating func member(_ name: MemberName, of object: ID, _ content: ID) -> ID {
        if let known = objects[object].places[name] { return known }
        let place = ID(places.count)
        let value = objects[object].base[name]
        let initial = value.map { newBox($0, at: place, by: contents[content].writer) }
        places.append(Place(.member(name), in: content, initial: initial ?? IdentityTree.none))
        objects[object].places[name] = place
        return place
    }

    /// The slot of the element at a visible index.
    private mutating func element(
        _ index: Int, of array: ID, _ content: ID
    ) throws(Diverged) -> ID {
        guard var (run, offset) = arrays[array].runs.run(at: index) else { throw Diverged() }
        if arrays[array].places[run] != IdentityTree.none { return arrays[array].places[run] }
        if offset > 0 { run = splitElements(run, at: offset, array) }
        offset = Int(arrays[array].runs.runs[run].length)
        if offset > 1 { _ = splitElements(run, at: 1, array) }
        guard let value = arrays[array].base[Int(arrays[array].starts[run])] else {
            throw Diverged()
        }
        let place = ID(places.count)
        let box = newBox(value, at: place, by: contents[content].writer)
        places.append(Place(.element(run: run), in: content, initial: box))
        arrays[array].places[run] = place
        return place
    }

    private mutating func splitElements(_ run: ID, at offset: Int, _ array: ID) -> ID {
        let rest = arrays[array].runs.split(run, at: offset)
        runCount += 1
        arrays[array].places.append(IdentityTree.none)
        arrays[array].starts.append(arrays[array].starts[run] + Int32(offset))
        return rest
    }

    /// A new slot immediately before the element that is visible at `index`, or behind everything.
    mutating func newSlot(at index: Int, of array: ID, _ content: ID) throws(Diverged) -> ID {
        var next: ID?
        if let (run, offset) = arrays[array].runs.run(at: index) {
            next = offset > 0 ? splitElements(run, at: offset, array) : run
        } else if index != arrays[array].runs.visibleCount {
            throw Diverged()
        }
        let run = arrays[array].runs.insert(length: 1, before: next)
        runCount += 1
        let place = ID(places.count)
        places.append(Place(.element(run: run), in: content, initial: IdentityTree.none))
        arrays[array].places.append(place)
        arrays[array].starts.append(0)
        return place
    }

    mutating func newBox(_ value: JSON, at place: ID, by writer: ID) -> ID {
        let box = ID(boxes.count)
        boxes.append(Box(writer: writer, place: place, content: newContent(value, of: box, writer)))
        return box
    }

    mutating func newContent(_ value: JSON, of box: ID, _ writer: ID) -> ID {
        contents.append(Content(owner: box, writer: writer, kind: .plain(value)))
        return ID(contents.count - 1)
    }

    /// The text of a string, ready for edits inside it.
    mutating func text(of content: ID) throws(Diverged) -> ID {
        if case .text(let text) = contents[content].kind { return text }
        guard case .plain(let value) = contents[content].kind, let length = value.utf16Count else {
            throw Diverged()
        }
        let piece = TextContent.Piece(source: 0, start: 0, insertedBy: IdentityTree.none)
        texts.append(
            TextContent(
                runs: RunSequence(length: length), pieces: length > 0 ? [piece] : [],
                sources: [value]))
        contents[content].kind = .text(ID(texts.count - 1))
        runCount += 1
        return ID(texts.count - 1)
    }

    /// Cuts a run of text in two, for the text and for the steps that inserted or deleted it.
    mutating func splitText(_ run: ID, at offset: Int, _ text: ID) -> ID {
        let rest = texts[text].runs.split(run, at: offset)
        runCount += 1
        var piece = texts[text].pieces[run]
        piece.start += Int32(offset)
        texts[text].pieces.append(piece)
        if piece.insertedBy != IdentityTree.none { steps[piece.insertedBy].runs.append(rest) }
        for step in piece.deletedBy { steps[step].runs.append(rest) }
        return rest
    }
}
