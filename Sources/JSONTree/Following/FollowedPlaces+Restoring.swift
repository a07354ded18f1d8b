extension FollowedPlaces {
    /// The edits that restore old values.
    public struct Restoration: Sendable {
        /// Made for the state up to which the places were followed.
        public let patch: ReversiblePatch
        /// Whether something comes back that was removed.
        public let isReturn: Bool
    }

    /// Places that cannot be put back without overwriting something else.
    public struct Blocked: Error, Equatable, Sendable {
        /// A place of the old state, and the change that is in the way.
        public struct Place: Equatable, Sendable {
            /// Where it was.
            public let pointer: JSONPointer
            /// The change that is in the way.
            public let revision: Int

            /// A place that cannot be put back.
            public init(pointer: JSONPointer, revision: Int) {
                (self.pointer, self.revision) = (pointer, revision)
            }
        }

        /// All of them, in order.
        public let places: [Place]
    }

    /// Restores the old values at their current places, and removed values at the places where they
    /// were.
    ///
    /// An element that a place is in comes back as it was when it was removed; objects and arrays
    /// with names come back with what is put back in them, and nothing else.
    public func restoration() throws(Blocked) -> Restoration {
        let blocked = blocked
        if !blocked.isEmpty { throw Blocked(places: blocked) }
        var value = tree
        let items = places.map { Item(tokens: $0.tokens, known: $0.known, value: $0.value) }
        let edits = edits(items, in: &value)
        let isReturn = places.contains { place in
            place.value != nil && place.tokens.contains { $0.loss != nil }
        }
        return Restoration(patch: ReversiblePatch(edits), isReturn: isReturn)
    }

    private var blocked: [Blocked.Place] {
        // Two values that lay apart, of which one is in the other now.
        let whole = Set(places.filter { isPresent($0) }.map(\.pointer))
        return places.compactMap { place -> Blocked.Place? in
            let inside = nesting(of: place, in: whole) ? place.movedBy ?? revision : nil
            let other = place.value == nil ? occupant(of: place) : place.obstacle
            return (other ?? inside).map { Blocked.Place(pointer: place.origin, revision: $0) }
        }
    }

    private func isPresent(_ place: Place) -> Bool {
        if place.value != nil { return place.live == place.tokens.count }
        let item = Item(tokens: place.tokens, known: place.known, value: nil)
        return item.unexpected(in: tree) != nil
    }

    private func nesting(of place: Place, in whole: Set<JSONPointer>) -> Bool {
        let end = place.live == place.tokens.count ? place.live - 1 : place.live
        let names = place.tokens.map(\.name)
        return stride(from: 0, through: end, by: 1).contains {
            whole.contains(JSONPointer(tokens: Array(names[..<$0])))
        }
    }

    /// The change that moved a value to a place that had none, if the value is there.
    private func occupant(of place: Place) -> Int? {
        let item = Item(tokens: place.tokens, known: place.known, value: nil)
        return item.unexpected(in: tree) == nil ? nil : place.occupiedBy
    }

    /// A place on its way to being put back, as seen from a container.
    private struct Item {
        var tokens: [Token]
        var known: Int
        let value: JSON?

        var pointer: JSONPointer { JSONPointer(tokens: tokens.map(\.name)) }
        var lossDepth: Int? { tokens.firstIndex { $0.loss != nil } }

        func dropping(_ count: Int) -> Item {
            Item(tokens: Array(tokens[count...]), known: known - count, value: value)
        }

        /// The value at a place that had none: only names in objects count.
        func unexpected(in value: JSON) -> JSON? {
            guard lossDepth == nil else { return nil }
            var here = value[JSONPointer(tokens: tokens[..<max(0, known)].map(\.name))]
            for token in tokens[max(0, known)...] {
                guard here?.kind == .object else { return nil }
                here = here?[JSONPointer(tokens: [token.name])]
            }
            return here
        }
    }

    /// The edits that put items back, which lead `value` on.
    private func edits(_ items: [Item], in value: inout JSON) -> [JSONEdit] {
        var result: [JSONEdit] = []
        func make(_ edits: [JSONEdit]) {
            for edit in edits where (try? value.apply(edit)) != nil { result.append(edit) }
        }
        for item in items where item.lossDepth == nil { make(edits(ofPresent: item, in: value)) }
        // From the last place to the first: what comes back shifts what is behind it.
        for group in groups(of: items) { make(edits(ofLost: group)) }
        return result
    }

    private func edits(ofPresent item: Item, in value: JSON) -> [JSONEdit] {
        let pointer = item.pointer
        guard let then = item.value else {
            return item.unexpected(in: value).map { [.remove(pointer, $0)] } ?? []
        }
        guard let now = value[pointer] else { return [] }
        return now.diff(to: then, options: options).edits.map { $0.under(pointer) }
    }

    /// Items inside one removed value.
    private struct Group {
        let pointer: JSONPointer
        let token: Token
        let loss: Loss
        var items: [Item]
    }

    private func groups(of items: [Item]) -> [Group] {
        var groups: [Int: Group] = [:]
        for item in items where item.value != nil {
            guard let depth = item.lossDepth, let loss = item.tokens[depth].loss else { continue }
            let group = Group(
                pointer: JSONPointer(tokens: item.tokens[...depth].map(\.name)),
                token: item.tokens[depth], loss: loss, items: [])
            groups[loss.id, default: group].items.append(item.dropping(depth + 1))
        }
        let ranks = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        return groups.values.sorted { one, other in
            if one.pointer != other.pointer { return other.pointer < one.pointer }
            return ranks[one.loss.id] ?? 0 > ranks[other.loss.id] ?? 0
        }
    }

    private func edits(ofLost group: Group) -> [JSONEdit] {
        var value = group.loss.value
        if group.token.isIndex {
            let inside = edits(group.items, in: &value)
            // As it was, and then as it is wanted: so it can be known as the one that was removed.
            return [.add(group.pointer, group.loss.value)]
                + inside.map { $0.under(group.pointer) }
        }
        var items = group.items
        if !items.contains(where: \.tokens.isEmpty) {
            value = FollowedPlaces.part(of: value, Array(items.indices), at: 0, &items)
        }
        _ = edits(items, in: &value)
        return [.add(group.pointer, value)]
    }

    /// The part of a removed container that leads to items, which have their places in it after the
    /// restoration. The content of an element belongs to the element.
    private static func part(
        of value: JSON, _ wanted: [Int], at depth: Int, _ items: inout [Item]
    ) -> JSON {
        let inside = wanted.filter { items[$0].tokens.count > depth }
        guard value.isContainer, inside.count == wanted.count else { return value }
        let present = Dictionary(
            grouping: inside.filter { items[$0].tokens[depth].loss == nil },
            by: { items[$0].tokens[depth].name })
        if value.kind == .array {
            let kept = present.keys.compactMap { $0.index(below: .max) }.sorted()
            for index in inside {
                let before = items[index].tokens[depth].index
                let rank = kept.count { $0 < before }
                items[index].tokens[depth].name = MemberName("\(rank)")
            }
            return JSON(
                elements: kept.compactMap { value[JSONPointer(tokens: [MemberName("\($0)")])] })
        }
        var result = JSON(members: [])
        for (name, indices) in present.sorted(by: { $0.key < $1.key }) {
            let place = JSONPointer(tokens: [name])
            guard let member = value[place] else { continue }
            let part = part(of: member, indices, at: depth + 1, &items)
            try? result.insert(part, at: place)
        }
        return result
    }
}

extension FollowedPlaces.Place {
    /// The change that put something else where it was.
    fileprivate var obstacle: Int? {
        tokens.lazy.compactMap { token in
            token.loss.flatMap { $0.occupiedBy ?? ($0.former == nil ? nil : $0.revision) }
        }.first
    }
}
