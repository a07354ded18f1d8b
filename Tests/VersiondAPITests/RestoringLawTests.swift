import JSONTree
import Journaling
import SQLiteJournaling
import TestSupport
import Testing

/// Restore of an element after random histories of three people, over HTTP.
@Suite struct RestoringLawTests {
    /// Two arrays of elements that have numbers.
    private final class History {
        let daemon: LocalDaemon
        var random: SeededGenerator
        /// The value at each revision.
        private(set) var states: [JSON] = []
        private var next = 0
        /// The member that identifies elements.
        let key: String

        init(_ daemon: LocalDaemon, seed: UInt64, key: String) throws {
            self.daemon = daemon
            self.key = key
            random = SeededGenerator(seed: seed)
            try daemon.put(#"{"a":[],"b":[]}"#)
            try note()
        }

        func note() throws {
            let status = try daemon.menu("GET", "/status").json["revision"]?.int ?? 0
            let value = try daemon.value()
            while states.count <= status { states.append(value) }
        }

        func step() throws {
            let actor = ["ada", "bob", "cyd"][random.below(3)]
            let fields = ["Versiond-Actor": actor]
            switch random.below(8) {
            case 0: _ = try daemon.menu("POST", random.once(in: 2) ? "/undo" : "/redo")
            case 1:
                let verb = random.once(in: 2) ? "/undo" : "/redo"
                _ = try daemon.menu("POST", verb, "{\"actor\":\"\(actor)\"}", fields)
            default:
                try daemon.succeed(
                    "PATCH", "", "[\(try operation())]", LocalDaemon.patch.by(actor))
            }
            try note()
        }

        private func operation() throws -> String {
            let value = try daemon.value()
            let name = random.once(in: 2) ? "a" : "b"
            let count = value[name]?.count ?? 0
            let index = count > 0 ? random.below(count) : 0
            next += 1
            switch random.below(count == 0 ? 1 : 5) {
            case 0:
                return "{\"op\":\"add\",\"path\":\"/\(name)/\(random.below(count + 1))\","
                    + "\"value\":{\"\(key)\":\(next),\"v\":[]}}"
            case 1: return "{\"op\":\"remove\",\"path\":\"/\(name)/\(index)\"}"
            case 2:
                let other = random.once(in: 2) ? "a" : "b"
                let free = (value[other]?.count ?? 0) - (other == name ? 1 : 0)
                return "{\"op\":\"move\",\"from\":\"/\(name)/\(index)\","
                    + "\"path\":\"/\(other)/\(random.below(free + 1))\"}"
            default:
                return "{\"op\":\"add\",\"path\":\"/\(name)/\(index)/v/0\",\"value\":\(next)}"
            }
        }

        /// Restores an element of an old state. Returns whether it was not there any more.
        func restore() throws -> Bool? {
            let start = random.below(states.count)
            let name = random.once(in: 2) ? "a" : "b"
            let elements = states[start][name]?.elements ?? []
            guard !elements.isEmpty else { return nil }
            let index = random.below(elements.count)
            let before = try daemon.value()
            let answer: Answer
            if random.once(in: 3) {
                answer = try daemon.client.request(
                    "POST", "/v1/transactions", LocalDaemon.json,
                    body: "{\"changes\":[{\"document\":\"menu\",\"restore\":"
                        + "{\"from\":\"\(start)\",\"paths\":[\"/\(name)/\(index)\"]}}]}")
            } else {
                answer = try daemon.menu(
                    "POST", "/restore", "{\"from\":\"\(start)\",\"paths\":[\"/\(name)/\(index)\"]}")
            }
            let after = try daemon.value()
            let text = "\(before) → \(after), for \(elements[index]): \(answer.text)"
            #expect(answer.status == 200, "\(text)")
            let number = elements[index][key]
            func found(_ tree: JSON) -> [JSON] {
                ["a", "b"].flatMap { tree[$0]?.elements ?? [] }.filter { $0[key] == number }
            }
            #expect(found(after) == [elements[index]], "\(text)")
            for name in ["a", "b"] {
                func others(_ tree: JSON) -> [JSON] {
                    (tree[name]?.elements ?? []).filter { $0[key] != number }
                }
                #expect(others(after) == others(before), "\(text)")
            }
            try note()
            return found(before).isEmpty
        }
    }

    /// How many restored elements were there, and how many came back.
    @discardableResult
    private func check(
        _ journal: (any Journal)?, _ seeds: [UInt64]
    ) throws -> (present: Int, returned: Int) {
        var (present, returned) = (0, 0)
        for seed in seeds {
            let daemon = try LocalDaemon(journal: journal)
            let history = try History(daemon, seed: seed, key: seed % 2 == 0 ? "id" : "k")
            for _ in 0..<12 {
                for _ in 0..<5 { try history.step() }
                guard let isReturn = try history.restore() else { continue }
                if isReturn { returned += 1 } else { present += 1 }
            }
            daemon.stop()
        }
        return (present, returned)
    }

    @Test func `25: law: restore acts on the element, whatever three people did since`() throws {
        let (present, returned) = try check(nil, Seeds.of(24))
        #expect(present > Seeds.expected(24) && returned > Seeds.expected(24))
    }

    @Test func `25: law: restore acts on the element, on disk`() throws {
        for seed in Seeds.of(4, from: 100) {
            let directory = try TemporaryDirectory()
            let journal = try SQLiteJournal(directory: directory.path)
            try check(journal, [seed])
            journal.close()
        }
    }
}
