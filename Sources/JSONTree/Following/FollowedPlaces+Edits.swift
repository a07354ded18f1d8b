// The effects of edits on followed places. Each also applies the edit to `tree`.

extension FollowedPlaces {
    mutating func follow(_ edit: JSONEdit, _ cause: Cause) throws(JSONPatchError) {
        switch edit {
        case .splice: try tree.apply(edit)
        case .replace(let place, let old, let new): try replace(place, old, new, cause)
        case .add(.root, let value): try replace(.root, tree, value, cause)
        case .add(let place, let value):
            if isArray(place.above) {
                try addElement(value, at: place, cause)
            } else {
                try addMember(value, at: place, cause)
            }
        case .remove(let place, let value):
            remove(value, at: place, cause)
            try tree.apply(edit)
        case .move(let from, let to): try move(from, to, cause)
        }
    }

    private func isArray(_ place: JSONPointer) -> Bool { tree[place]?.kind == .array }

    /// The place with the index of a new last element instead of `-`.
    private func resolved(_ place: JSONPointer) -> JSONPointer {
        guard place.tokens.last?.isEnd == true, let array = tree[place.above],
            array.kind == .array
        else { return place }
        return place.above.appending(array.count)
    }

    // MARK: Other content

    /// A container that is replaced by one of its kind is edited: the difference says which
    /// elements are the same. In one of another kind there is nothing to follow.
    private mutating func replace(
        _ place: JSONPointer, _ old: JSON, _ new: JSON, _ cause: Cause
    ) throws(JSONPatchError) {
        let (depth, inside) = (place.count, places.indices.filter { places[$0].isInside(place) })
        guard let first = inside.first else {
            return try tree.apply(.replace(place, old: old, new: new))
        }
        let lost = places[first].tokens[depth].loss.flatMap { $0.former == nil ? nil : $0 }
        let before = lost?.value ?? old
        guard let edits = edits(from: before, to: new) else {
            if lost == nil { loseContent(old, at: depth, inside, cause) }
            return try tree.apply(.replace(place, old: old, new: new))
        }
        if lost != nil { for index in inside { places[index].regainContent(at: depth) } }
        _ = try tree.replace(at: place, with: before)
        for edit in edits { try follow(edit.under(place), cause) }
    }

    /// `nil` if one is not what became of the other.
    private func edits(from before: JSON, to after: JSON) -> [JSONEdit]? {
        guard before.isContainer, before.kind == after.kind else { return nil }
        let edits = before.diff(to: after, options: options).edits
        if case .replace(.root, _, _)? = edits.first { return nil }
        return edits
    }

    private mutating func loseContent(
        _ value: JSON, at depth: Int, _ inside: [Int], _ cause: Cause
    ) {
        var loss = newLoss(value, cause)
        for index in inside {
            loss.former = Array(places[index].tokens[depth...])
            places[index].tokens[depth].loss = loss
        }
    }

    // MARK: Additions

    private mutating func addMember(
        _ value: JSON, at place: JSONPointer, _ cause: Cause
    ) throws(JSONPatchError) {
        let depth = place.count - 1
        let named = places.indices.filter {
            places[$0].isInside(place.above) && places[$0].tokens[depth].name == place.tokens[depth]
        }
        guard let first = named.first, let loss = places[first].tokens[depth].loss,
            loss.former == nil
        else {
            if let old = tree[place] { return try replace(place, old, value, cause) }
            return try tree.apply(.add(place, value))
        }
        for index in named { places[index].tokens[depth].loss = nil }
        try tree.insert(loss.value, at: place)
        try replace(place, loss.value, value, cause)
    }

    private mutating func addElement(
        _ value: JSON, at place: JSONPointer, _ cause: Cause
    ) throws(JSONPatchError) {
        let place = resolved(place)
        guard let back = loss(endedBy: value, at: place, cause) else {
            makeRoom(at: place)
            return try tree.apply(.add(place, value))
        }
        makeRoom(at: place, for: back.id)
        try tree.insert(back.value, at: place)
        try replace(place, back.value, value, cause)
    }

    /// Which lost element an added one is.
    private func loss(
        endedBy value: JSON, at place: JSONPointer, _ cause: Cause
    ) -> Loss? {
        let (depth, index) = (place.count - 1, place.tokens.last?.index(below: .max))
        var found: Loss?
        for other in places where other.isInside(place.above) {
            let token = other.tokens[depth]
            guard let loss = token.loss, loss.former == nil else { continue }
            let isHere = token.index == index
            if comesBack(loss, as: value, isHere: isHere, cause), found == nil || isHere {
                found = loss
            }
        }
        return found
    }

    /// A value with the identity of a lost element is that element, whatever change adds it. An
    /// undo restores the removed value itself; `isHere`: where it was removed.
    private func comesBack(
        _ loss: Loss, as value: JSON, isHere: Bool, _ cause: Cause
    ) -> Bool {
        let (lost, added) = (identity(of: loss.value), identity(of: value))
        if lost != nil || added != nil { return lost == added }
        switch cause.returning {
        case .nothing: return false
        case .removed(let base): return loss.revision > base && loss.value == value
        case .anything:
            if loss.value == value { return isHere || value.isContainer }
            return isHere && value.isContainer && loss.value.kind == value.kind
                && cause.reverted.contains(loss.revision)
        }
    }

    /// Shifts what an element at a place shifts: a new one, which comes after what was lost there,
    /// or a lost one, which is there again.
    private mutating func makeRoom(at place: JSONPointer, for back: Int? = nil) {
        let (depth, target) = (place.count - 1, place.tokens.last?.index(below: .max) ?? 0)
        let rank = back.flatMap { order.firstIndex(of: $0) }
        let isBehind = Set(rank.map { order[($0 + 1)...] } ?? [])
        for index in places.indices where places[index].isInside(place.above) {
            var token = places[index].tokens[depth]
            if let loss = token.loss {
                if loss.former != nil { continue }
                if loss.id == back {
                    token.loss = nil
                    token.name = MemberName("\(target)")
                } else if token.index > target
                    || (token.index == target && isBehind.contains(loss.id))
                {
                    token.shift(by: 1)
                }
            } else if token.index >= target {
                token.shift(by: 1)
            }
            places[index].tokens[depth] = token
        }
        if let rank { order.remove(at: rank) }
    }

    // MARK: Removals and moves

    private mutating func remove(_ value: JSON, at place: JSONPointer, _ cause: Cause) {
        let depth = place.count - 1
        let loss = newLoss(value, cause)
        let isElement = isArray(place.above)
        let rank = isElement ? rank(ofLossAt: place) : 0
        var isLost = false
        for index in places.indices where places[index].isInside(place.above) {
            guard places[index].tokens[depth].name == place.tokens[depth] else { continue }
            if places[index].tokens[depth].loss == nil {
                places[index].tokens[depth].loss = loss
                isLost = true
            } else {
                places[index].tokens[depth].loss?.occupiedBy = nil
            }
        }
        if isElement {
            closeGap(at: place)
            if isLost { order.insert(loss.id, at: rank) }
        }
        vacate(place)
    }

    /// Where an element at a place belongs among the lost ones.
    private func rank(ofLossAt place: JSONPointer) -> Int {
        let (depth, target) = (place.count - 1, place.tokens.last?.index(below: .max) ?? 0)
        var rank = 0
        for other in places where other.isInside(place.above) {
            let token = other.tokens[depth]
            guard let loss = token.loss, token.index <= target,
                let number = order.firstIndex(of: loss.id)
            else { continue }
            rank = max(rank, number + 1)
        }
        return rank
    }

    /// Shifts what the removal of an element shifts.
    private mutating func closeGap(at place: JSONPointer) {
        let (depth, target) = (place.count - 1, place.tokens.last?.index(below: .max) ?? 0)
        for index in places.indices where places[index].isInside(place.above) {
            if places[index].tokens[depth].index > target {
                places[index].tokens[depth].shift(by: -1)
            }
        }
    }

    /// Nothing that was moved there is at a place any more.
    private mutating func vacate(_ place: JSONPointer) {
        for index in places.indices where places[index].isAbsent(at: place) {
            places[index].occupiedBy = nil
        }
    }

    private mutating func move(
        _ from: JSONPointer, _ to: JSONPointer, _ cause: Cause
    ) throws(JSONPatchError) {
        // The moved value itself is not shifted.
        let isMoved = places.map { $0.isAtOrInside(from) }
        let moved = places.indices.filter { isMoved[$0] }.map { places[$0] }
        places = places.indices.filter { !isMoved[$0] }.map { places[$0] }
        if isArray(from.above) { closeGap(at: from) }
        leave(from)
        let value = try tree.remove(at: from)
        let target = resolved(to)
        if isArray(target.above) {
            makeRoom(at: target)
        } else {
            occupy(target, cause)
        }
        let tokens = tokens(of: target)
        try tree.insert(value, at: target)
        places += moved.map { $0.moving(from, to: tokens, cause.revision) }
    }

    /// Another value has gone from a name.
    private mutating func leave(_ place: JSONPointer) {
        let depth = place.count - 1
        for index in places.indices where places[index].isInside(place.above) {
            let token = places[index].tokens[depth]
            if !token.isIndex && token.name == place.tokens[depth] {
                places[index].tokens[depth].loss?.occupiedBy = nil
            }
        }
        vacate(place)
    }

    /// Another value has come to a name.
    private mutating func occupy(_ place: JSONPointer, _ cause: Cause) {
        let depth = place.count - 1
        var loss = newLoss(tree[place] ?? .null, cause)
        loss.occupiedBy = cause.revision
        for index in places.indices {
            if places[index].isAbsent(at: place) { places[index].occupiedBy = cause.revision }
            guard places[index].isInside(place.above),
                places[index].tokens[depth].name == place.tokens[depth]
            else { continue }
            if places[index].tokens[depth].loss == nil { places[index].tokens[depth].loss = loss }
            places[index].tokens[depth].loss?.occupiedBy = cause.revision
        }
    }

    private func tokens(of place: JSONPointer) -> [Token] {
        var here: JSON? = tree
        return place.tokens.map { name in
            let token = Token(name: name, isIndex: here?.kind == .array)
            here = here?[JSONPointer(tokens: [name])]
            return token
        }
    }
}

extension FollowedPlaces.Token {
    fileprivate mutating func shift(by change: Int) { name = MemberName("\(index + change)") }
}

extension FollowedPlaces.Place {
    fileprivate mutating func regainContent(at depth: Int) {
        guard let former = tokens[depth].loss?.former else { return }
        tokens.replaceSubrange(depth..., with: former)
    }

    fileprivate func moving(
        _ from: JSONPointer, to target: [FollowedPlaces.Token], _ revision: Int
    ) -> Self {
        var result = self
        result.tokens = target + tokens[from.count...]
        result.known += target.count - from.count
        result.movedBy = revision
        return result
    }
}
