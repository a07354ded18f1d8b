import JSONTree
import TestSupport
import Testing

@testable import SelectiveUndo

/// Elements, members and letters keep their identity, whichever changes are in effect.
@Suite struct IdentityTreeTests {
    /// A tree of identities and the tree that it shows.
    private struct Scene {
        var identity: IdentityTree
        var tree: JSON

        init(_ tree: JSON) {
            identity = IdentityTree(tree)
            self.tree = tree
        }

        mutating func record(_ operations: String) throws -> IdentityTree.ID {
            let patch = try JSONPatch(JSON(parsing: Array(operations.utf8)))
            let (next, edits) = try tree.applying(patch)
            tree = next
            return try identity.record(edits)
        }

        /// Flips a writer, and shows what that makes. Returns what would have been lost of others.
        mutating func flip(
            _ writer: IdentityTree.ID, to isIn: Bool
        ) throws -> IdentityTree.Loss {
            let loss = identity.flip(writer, to: isIn) { $0 > writer }
            let before = tree
            let patch = try identity.show(on: &tree)
            #expect(try before.applying(patch) == tree, "the patch does what is shown")
            #expect(try identity.render(identity.places[0].occupant) == tree, "fold and shown")
            checkNewest()
            return loss
        }

        /// The recorded newest step of each thing equals the result of a scan of all.
        private func checkNewest() {
            func newest(_ steps: [IdentityTree.ID]) -> IdentityTree.ID {
                steps.last { identity.isInEffect($0) } ?? IdentityTree.none
            }
            #expect(identity.places.allSatisfy { $0.step == newest($0.steps) })
            #expect(identity.boxes.allSatisfy { $0.write == newest($0.writes) })
        }
    }

    @Test func `an element keeps its edits wherever it is moved, and without its neighbours`()
        throws
    {
        var scene = Scene(["list": [1, 2, 3]])
        let added = try scene.record(#"[{"op":"add","path":"/list/0","value":0}]"#)
        let edited = try scene.record(#"[{"op":"replace","path":"/list/2","value":"two"}]"#)
        let moved = try scene.record(#"[{"op":"move","from":"/list/2","path":"/list/0"}]"#)
        #expect(scene.tree == ["list": ["two", 0, 1, 3]])
        #expect(try scene.flip(added, to: false).isEmpty)
        #expect(scene.tree == ["list": ["two", 1, 3]])
        #expect(try scene.flip(moved, to: false).isEmpty)
        #expect(scene.tree == ["list": [1, "two", 3]])
        #expect(try scene.flip(edited, to: false).isEmpty)
        #expect(scene.tree == ["list": [1, 2, 3]])
        for writer in [moved, added, edited] { _ = try scene.flip(writer, to: true) }
        #expect(scene.tree == ["list": ["two", 0, 1, 3]], "the order of coming back is nothing")
    }

    @Test func `letters come back where they were, between what was typed meanwhile`() throws {
        var scene = Scene("abc")
        let deleted = try scene.record(#"[{"op":"str_del","path":"","pos":1,"len":1}]"#)
        let typed = try scene.record(#"[{"op":"str_ins","path":"","pos":1,"str":"X"}]"#)
        #expect(scene.tree == "aXc")
        #expect(try scene.flip(deleted, to: false).isEmpty)
        #expect(scene.tree == "abXc")
        #expect(try scene.flip(typed, to: false).isEmpty)
        #expect(scene.tree == "abc")
    }

    @Test func `what is newest in effect decides, and nothing else`() throws {
        var scene = Scene(["n": 0])
        let writers = try (1...3).map {
            try scene.record(#"[{"op":"replace","path":"/n","value":\#($0)}]"#)
        }
        // Each subset of the writers, in an order that goes to and fro.
        for mask in [0b101, 0b010, 0b111, 0b011, 0b000, 0b110, 0b001, 0b100] {
            for (index, writer) in writers.enumerated() {
                _ = try scene.flip(writer, to: mask >> index & 1 == 1)
            }
            let newest = (0..<3).last { mask >> $0 & 1 == 1 }
            #expect(scene.tree == ["n": JSON((newest ?? -1) + 1)], "\(mask)")
        }
    }

    @Test func `a value in an array is the newest in effect, whatever goes and comes back`() throws
    {
        var random = SeededGenerator(seed: 1)
        var scene = Scene([0])
        var writers: [(writer: IdentityTree.ID, isIn: Bool)] = []
        for value in 1...300 {
            if value % 3 == 0 {
                let index = random.below(writers.count)
                writers[index].isIn.toggle()
                _ = try scene.flip(writers[index].writer, to: writers[index].isIn)
            } else {
                let writer = try scene.record(
                    #"[{"op":"replace","path":"/0","value":\#(value)}]"#)
                writers.append((writer, true))
            }
        }
        for index in writers.indices.reversed() {
            _ = try scene.flip(writers[index].writer, to: false)
        }
        #expect(scene.tree == [0])
    }

    @Test func `work inside what goes is lost, and is named with its place`() throws {
        var scene = Scene([:])
        let made = try scene.record(#"[{"op":"add","path":"/side","value":{"price":1}}]"#)
        let edited = try scene.record(#"[{"op":"replace","path":"/side/price","value":2}]"#)
        let loss = try scene.flip(made, to: false)
        #expect(loss.writers == [edited])
        #expect(loss.places == [JSONPointer(parsing: "/side/price")!])
        #expect(scene.tree == [:])
        #expect(try scene.flip(made, to: true).isEmpty)
        #expect(scene.tree == ["side": ["price": 2]], "hidden, not forgotten")
    }

    @Test func `a patch that does not fit is refused`() {
        var identity = IdentityTree(["list": []])
        let other: JSON = ["list": [1, 2]]
        #expect(throws: IdentityTree.Diverged.self) {
            _ = try identity.record(other.diff(to: ["list": [1]]))
        }
    }
}

/// Positions in runs, against a plain list of them.
@Suite struct RunSequenceTests {
    @Test(arguments: Seeds.of(20, from: 1))
    func `positions are those of the visible units, whatever was cut, hidden and shown`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var sequence = RunSequence(length: 3)
        var model: [(run: Int32, length: Int, isVisible: Bool)] = [(0, 3, true)]
        for _ in 0..<600 {
            let index = random.below(model.count)
            let one = model[index]
            switch random.below(4) {
            case 0:
                let run = sequence.insert(length: 1 + random.below(4), before: one.run)
                model.insert((run, Int(sequence.runs[run].length), true), at: index)
            case 1 where one.length > 1:
                let offset = 1 + random.below(one.length - 1)
                let rest = sequence.split(one.run, at: offset)
                model[index].length = offset
                model.insert((rest, one.length - offset, one.isVisible), at: index + 1)
            default:
                model[index].isVisible.toggle()
                sequence.setVisible(one.run, model[index].isVisible)
            }
        }
        #expect(sequence.inOrder == model.map(\.run))
        var position = 0
        for one in model {
            #expect(sequence.position(of: one.run) == position)
            guard one.isVisible else { continue }
            let found = try #require(sequence.run(at: position + one.length - 1))
            #expect(found.run == one.run && found.offset == one.length - 1)
            position += one.length
        }
        #expect(sequence.visibleCount == position)
        #expect(sequence.run(at: position) == nil, "there is nothing at the end")
        let some = model.enumerated().filter { $0.offset % 3 == 0 }.map(\.element.run)
        #expect(sequence.sorted(some.reversed()) == some)
    }
}
