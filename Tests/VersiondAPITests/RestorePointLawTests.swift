import JSONTree
import Journaling
import TestSupport
import Testing

/// Restore points in random histories of several documents and actors.
@Suite struct RestorePointLawTests {
    private final class History: RunScene {
        let daemon: LocalDaemon
        var random: SeededGenerator
        private let names = ["a", "b", "c"]
        /// The values at each restore point, where the document was there.
        private var points: [(name: String, values: [String: JSON])] = []
        /// The values at each position.
        private var positions: [(cursor: Int, values: [String: JSON])] = []
        private var made = 2
        private(set) var restored = 0

        init(seed: UInt64) throws {
            daemon = try LocalDaemon()
            random = SeededGenerator(seed: seed)
            try make(["a": #"{"n":0,"m":0}"#, "b": #"{"n":0,"m":0}"#])
        }

        private var present: [String] { Array(names.prefix(made)) }

        private func values() throws -> [String: JSON] {
            var values: [String: JSON] = [:]
            for name in present { values[name] = try value(name) }
            return values
        }

        func step() throws {
            let actor = ["ada", "bob", "agent/r1", "agent/r2"][random.below(4)]
            let place = random.once(in: 2) ? "/n" : "/m"
            let number = "\(random.below(100))"
            switch random.below(10) {
            case 0: try setPoint()
            case 1 where made < names.count:
                made += 1
                try make(names[made - 1], #"{"n":0,"m":0}"#)
            case 2:
                let both = ["a", "b"].map { ($0, replace(place, number)) }
                _ = try change(actor, both.map { (name: $0.0, operations: $0.1) })
            case 3: _ = try send("POST", "/v1/undo", #"{"all":{"actor":"\#(actor)"}}"#)
            case 4: _ = try send("POST", "/v1/redo", #"{"all":{"actor":"\#(actor)"}}"#)
            case 5 where !points.isEmpty: try restore()
            default: try edit(actor, present[random.below(made)], replace(place, number))
            }
        }

        private func setPoint() throws {
            let name = "p\(random.below(4))"
            let put = try send("PUT", "/v1/restore-points/\(name)", nil)
            #expect([200, 201].contains(put.status), "\(put.text)")
            points.removeAll { $0.name == name }
            points.append((name, try values()))
            positions.append((try put.json["cursor"]?.int ?? 0, try values()))
        }

        /// R14: each document is what it was at the position; R15: what a transaction did is there
        /// in both documents, or in none.
        private func restore() throws {
            let point = points[random.below(points.count)]
            let position = positions[random.below(positions.count)]
            let isNamed = random.once(in: 2)
            let to = isNamed ? "restore-point:\(point.name)" : "cursor:\(position.cursor)"
            let then = isNamed ? point.values : position.values
            for (name, value) in then {
                let read = try daemon.client.request("GET", "/v1/documents/\(name)?at=\(to)")
                #expect(try read.json == value, "\(name) at \(to)")
            }
            let before = try values()
            let answer = try send("POST", "/v1/restore", #"{"to":"\#(to)"}"#)
            #expect(answer.status == 200, "\(answer.text)")
            let after = try values()
            for (name, value) in after { #expect(value == then[name] ?? before[name], "\(name)") }
            restored += 1
        }
    }

    @Test(arguments: Seeds.of(12))
    func `29: a restore to a restore point leads to what was there`(seed: UInt64) throws {
        let history = try History(seed: seed)
        for _ in 0..<120 { try history.step() }
        #expect(history.restored > 0)
    }
}
