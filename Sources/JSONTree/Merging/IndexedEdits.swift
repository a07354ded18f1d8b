/// Edits in their order, of which those are found that another edit may meet.
///
/// Skips edits between different names without reading them: the cost depends on the edits that can
/// meet, not on the size of the patches. Elements have no names, so all edits in an array are
/// scanned.
struct IndexedEdits: Sendable {
    /// The transformed form of each edit that is still one edit.
    private var edits: [MergeEdit]
    /// The transformed form of edits that have become none or several.
    private var others: [Int: [MergeEdit]] = [:]
    /// Where they are; made when it is worth it.
    private var trie: PlaceTrie?
    private var searches = 0

    /// The number of searches that scan all edits before an index is made.
    static let searchesWithoutIndex = 8

    init(_ edits: [MergeEdit]) {
        self.edits = edits
    }

    /// All of them, as they are now.
    var all: [MergeEdit] {
        if others.isEmpty { return edits }
        return edits.indices.flatMap { self[$0] }
    }

    mutating func append(_ more: [MergeEdit]) {
        let first = edits.count
        edits += more
        for slot in first..<edits.count { index(edits[slot], slot) }
    }

    /// The transformed form of the edit at this position.
    subscript(slot: Int) -> [MergeEdit] {
        get { others[slot] ?? [edits[slot]] }
        set {
            let known = self[slot]
            others[slot] = newValue.count == 1 ? nil : newValue
            if newValue.count == 1 { edits[slot] = newValue[0] }
            for edit in newValue where !known.contains(where: { edit.isBeside($0) }) {
                index(edit, slot)
            }
        }
    }

    /// Whether no transformed part of an edit can meet another edit.
    func isApart(_ edit: MergeEdit, at slot: Int) -> Bool {
        guard let known = others[slot] else { return edits[slot].isApart(from: edit) }
        return known.allSatisfy { $0.isApart(from: edit) }
    }

    /// The slots of edits that some edits may meet, in order, after a slot.
    mutating func slots(meeting edits: [MergeEdit], after slot: Int = -1) -> [Int] {
        searches += 1
        if trie == nil, searches > IndexedEdits.searchesWithoutIndex { makeIndex() }
        guard let trie else { return Array((slot + 1)..<self.edits.count) }
        var found: [Int] = []
        for edit in edits {
            for place in edit.ends { found += trie.numbers(meeting: place.names) }
        }
        found.sort()
        var last = slot
        return found.filter { next in
            defer { last = max(last, next) }
            return next > last
        }
    }

    private mutating func makeIndex() {
        trie = PlaceTrie()
        for slot in edits.indices { self[slot].forEach { index($0, slot) } }
    }

    private mutating func index(_ edit: MergeEdit, _ slot: Int) {
        for place in edit.ends { trie?.add(slot, at: place.names) }
    }
}

extension MergeEdit {
    /// Where it does something.
    fileprivate var ends: [Place] {
        if case .move(let target) = action { [place, target] } else { [place] }
    }

    /// Whether it is found where another one is: the names on the way are the same.
    func isBeside(_ other: MergeEdit) -> Bool {
        guard place.hasNames(of: other.place) else { return false }
        switch (action, other.action) {
        case (.move(let one), .move(let other)): return one.hasNames(of: other)
        case (.move, _), (_, .move): return false
        default: return true
        }
    }
}
