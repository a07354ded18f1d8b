import JSONTree

/// Conversion from identities to JSON. A rendered value is shown from then on.
extension IdentityTree {
    /// The value that the fold gives a box.
    mutating func render(_ box: ID) throws(Diverged) -> JSON {
        let content = content(of: box)
        boxes[box].shownContent = content
        switch contents[content].kind {
        case .plain(let value): return value
        case .object(let object): return try renderObject(object)
        case .array(let array): return try renderArray(array)
        case .text(let text): return try renderText(text)
        }
    }

    private mutating func renderObject(_ object: ID) throws(Diverged) -> JSON {
        var value = objects[object].base
        do {
            for (name, place) in objects[object].places {
                let pointer = JSONPointer(tokens: [name])
                let occupant = places[place].occupant
                showOccupant(of: place, occupant)
                if occupant == IdentityTree.none {
                    if value[name] != nil { _ = try value.remove(at: pointer) }
                } else if value[name] != nil {
                    _ = try value.replace(at: pointer, with: render(occupant))
                } else {
                    try value.insert(render(occupant), at: pointer)
                }
            }
        } catch {
            throw Diverged()
        }
        return value
    }

    private mutating func renderArray(_ array: ID) throws(Diverged) -> JSON {
        var elements: [JSON] = []
        for run in arrays[array].runs.inOrder {
            let place = arrays[array].places[run]
            if place == IdentityTree.none {
                let start = Int(arrays[array].starts[run])
                let length = Int(arrays[array].runs.runs[run].length)
                for index in start..<(start + length) {
                    guard let element = arrays[array].base[index] else { throw Diverged() }
                    elements.append(element)
                }
            } else {
                let occupant = places[place].occupant
                showOccupant(of: place, occupant)
                if occupant != IdentityTree.none { elements.append(try render(occupant)) }
            }
        }
        return JSON(elements: elements)
    }

    private mutating func renderText(_ text: ID) throws(Diverged) -> JSON {
        var bytes: [UInt8] = []
        for run in texts[text].runs.inOrder {
            let isThere = isThere(run, in: text)
            texts[text].runs.setVisible(run, isThere)
            if isThere { bytes += try self.bytes(of: run, in: text) }
        }
        return JSON.string(bytes: bytes)
    }

    /// The UTF-8 of a run.
    func bytes(of run: ID, in text: ID) throws(Diverged) -> [UInt8] {
        let piece = texts[text].pieces[run]
        let length = Int(texts[text].runs.runs[run].length)
        guard
            let bytes = texts[text].sources[piece.source].text(
                utf16: Int(piece.start), count: length)
        else { throw Diverged() }
        return bytes
    }

    /// Shows a box at a place, or none.
    mutating func showOccupant(of place: ID, _ box: ID) {
        places[place].shown = box
        if box != IdentityTree.none { boxes[box].shownPlace = place }
        if case .element(let run) = places[place].slot,
            case .array(let array) = contents[places[place].container].kind
        {
            arrays[array].runs.setVisible(run, box != IdentityTree.none)
        }
    }
}

/// Where things are in the shown tree.
extension IdentityTree {
    func isShown(place: ID) -> Bool {
        var place = place
        // Hidden things may still point at each other; nothing nests deeper than there are boxes.
        for _ in 0...boxes.count {
            let content = places[place].container
            if content == IdentityTree.none { return true }
            let owner = contents[content].owner
            place = boxes[owner].shownPlace
            guard boxes[owner].shownContent == content, places[place].shown == owner else {
                return false
            }
        }
        return false
    }

    func isShown(box: ID) -> Bool {
        let place = boxes[box].shownPlace
        return places[place].shown == box && isShown(place: place)
    }

    /// The address of a place that is shown; of a slot, where its element is or would be.
    func pointer(to place: ID) -> JSONPointer {
        var tokens: [MemberName] = []
        var place = place
        while true {
            switch places[place].slot {
            case .root: return JSONPointer(tokens: tokens.reversed())
            case .member(let name): tokens.append(name)
            case .element(let run):
                guard case .array(let array) = contents[places[place].container].kind else { break }
                tokens.append(MemberName(String(arrays[array].runs.position(of: run))))
            }
            place = boxes[contents[places[place].container].owner].shownPlace
        }
    }

    /// How many containers a place is inside of.
    func depth(of place: ID) -> Int {
        var (depth, place) = (0, place)
        while places[place].container != IdentityTree.none {
            place = boxes[contents[places[place].container].owner].shownPlace
            depth += 1
        }
        return depth
    }
}
