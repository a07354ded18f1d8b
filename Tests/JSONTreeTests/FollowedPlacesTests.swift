import TestSupport
import Testing

@testable import JSONTree

/// Places of an old state, followed to where they are now, and put back there.
@Suite struct FollowedPlacesTests {
    /// Two arrays of elements, each with a number of its own that nothing but this test knows.
    private struct History {
        var random: SeededGenerator
        var tree: JSON = ["a": [], "b": [["k": 0, "v": 0]]]
        var states: [JSON] = []
        var patches: [(patch: ReversiblePatch, isUndo: Bool)] = []
        private var next = 1
        private var undoable: [ReversiblePatch] = []

        init(seed: UInt64, count: Int) throws {
            random = SeededGenerator(seed: seed)
            states = [tree]
            for _ in 0..<count { try step() }
        }

        private mutating func step() throws {
            if random.once(in: 4), let last = undoable.popLast() {
                return try make(last.inverse, isUndo: true)
            }
            let edit = edit()
            undoable.append(ReversiblePatch([edit]))
            try make(ReversiblePatch([edit]), isUndo: false)
        }

        mutating func make(_ patch: ReversiblePatch, isUndo: Bool) throws {
            try tree.apply(patch)
            patches.append((patch, isUndo))
            states.append(tree)
        }

        private mutating func edit() -> JSONEdit {
            let name = random.once(in: 2) ? "a" : "b"
            let count = tree[name]?.count ?? 0
            let place = JSONPointer(names: [name])
            let index = count > 0 ? random.below(count) : 0
            switch random.below(count == 0 ? 1 : 5) {
            case 0:
                next += 1
                let index = random.below(count + 1)
                return .add(place.appending(index), ["k": JSON(next), "v": 0])
            case 1, 2: return .remove(place.appending(index), tree[name]?[index] ?? .null)
            case 3:
                let other = random.once(in: 2) ? "a" : "b"
                let free = (tree[other]?.count ?? 0) - (other == name ? 1 : 0)
                return .move(
                    from: place.appending(index),
                    to: JSONPointer(names: [other]).appending(random.below(free + 1)))
            default:
                next += 1
                let value = place.appending(index).appending(MemberName("v"))
                return .replace(value, old: tree[value] ?? .null, new: JSON(next))
            }
        }

        func elements(_ tree: JSON) -> [(place: JSONPointer, value: JSON)] {
            ["a", "b"].flatMap { name in
                (tree[name]?.elements ?? []).enumerated().map {
                    (JSONPointer(names: [name, String($0.offset)]), $0.element)
                }
            }
        }

        func followed(_ places: [JSONPointer], from start: Int) throws -> FollowedPlaces {
            var followed = FollowedPlaces(
                places, in: states[start], at: start, options: DiffOptions(isShort: false))
            for (offset, change) in patches[start...].enumerated() {
                try followed.follow(
                    change.patch, at: start + offset + 1,
                    returning: change.isUndo ? .anything : .nothing)
            }
            return followed
        }
    }

    @Test func `25: law: restore changes nothing but the elements that it is about`() throws {
        var (present, returned) = (0, 0)
        for seed in Seeds.of(2_000) {
            var history = try History(seed: seed, count: 4 + Int(seed % 40))
            let start = history.random.below(history.states.count)
            let then = history.elements(history.states[start]).shuffled(using: &history.random)
            let chosen = Array(then.prefix(1 + history.random.below(3)))
            guard !chosen.isEmpty else { continue }
            let followed = try history.followed(chosen.map(\.place), from: start)
            let restoration = try followed.restoration()
            let after = try history.tree.applying(restoration.patch)
            let keys = Set(chosen.map { $0.value["k"] })
            for (_, value) in chosen {
                let found = history.elements(after).filter { $0.value["k"] == value["k"] }
                #expect(found.map(\.value) == [value], "seed \(seed): \(history.tree) → \(after)")
                let before = history.elements(history.tree).filter { $0.value["k"] == value["k"] }
                if before.isEmpty { returned += 1 } else { present += 1 }
            }
            for name in ["a", "b"] {
                func others(_ tree: JSON) -> [JSON] {
                    (tree[name]?.elements ?? []).filter { !keys.contains($0["k"]) }
                }
                #expect(others(after) == others(history.tree), "seed \(seed)")
            }
            try history.make(restoration.patch, isUndo: true)
            let again = try history.followed(chosen.map(\.place), from: start).restoration()
            #expect(again.patch.isEmpty, "seed \(seed): it is as it was")
        }
        #expect(present > Seeds.expected(500) && returned > Seeds.expected(500))
    }

    @Test func `25: law: what was removed comes back between the neighbours that it had`() throws {
        for seed in Seeds.of(500) {
            var random = SeededGenerator(seed: seed)
            let count = 2 + random.below(8)
            var tree = JSON(elements: (0..<count).map { JSON($0) })
            let then = tree
            var followed = FollowedPlaces(
                (0..<count).map { JSONPointer(names: [String($0)]) }, in: tree, at: 0,
                options: DiffOptions(isShort: false))
            for revision in 1...(1 + random.below(count)) {
                let index = random.below(tree.count)
                let place = JSONPointer(names: [String(index)])
                let patch = ReversiblePatch([.remove(place, tree[index] ?? .null)])
                try followed.follow(patch, at: revision)
                try tree.apply(patch)
            }
            #expect(try tree.applying(followed.restoration().patch) == then, "seed \(seed)")
        }
    }
}
