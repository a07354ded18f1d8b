import JSONTree
import Journaling
import TestSupport
import Testing

/// Own undo over long rows of transactions of which nothing can be seen.
@Suite struct TransactionPassingTests {
    private func transact(_ daemon: LocalDaemon, _ actor: String, _ changes: [String]) throws {
        let body = "{\"changes\":[\(changes.joined(separator: ","))]}"
        let fields = ["Content-Type": "application/json"].by(actor)
        let answer = try daemon.client.request("POST", "/v1/transactions", fields, body: body)
        #expect(answer.status == 200, "\(answer.text)")
    }

    private func merge(_ name: String, _ value: Int, _ member: String = "n") -> String {
        #"{"document":"\#(name)","merge":{"\#(member)":\#(value)}}"#
    }

    @Test(arguments: 1...4) func `19: a row of hidden transactions is passed, also after a restart`(
        seed: UInt64
    ) throws {
        let (journal, names) = (InMemoryJournal(), ["a", "b", "c", "d", "e"])
        var (daemon, random) = (try LocalDaemon(journal: journal), SeededGenerator(seed: seed))
        try transact(daemon, "ada", names.map { #"{"document":"\#($0)","value":{"n":0}}"# })
        for number in 1...40 {
            let pair = names.shuffled(using: &random).prefix(Int.random(in: 2...3, using: &random))
            try transact(daemon, "ada", pair.map { merge($0, number) })
            try transact(daemon, "bob", pair.map { merge($0, -number) })
            // More than is read again while others wait.
            for more in 0..<20 {
                try transact(daemon, "bob", names.map { merge($0, 20 * number + more, "m") })
            }
        }
        daemon.stop()
        daemon = try LocalDaemon(journal: journal)
        let fields = ["Content-Type": "application/json"].by("ada")
        let body = #"{"actor":"ada"}"#
        let undone = try daemon.client.request(
            "POST", "/v1/documents/a/undo?conflict=theirs", fields, body: body)
        #expect(undone.status == 200, "\(undone.text)")
        #expect(try undone.json["patch"] == [])
        let again = try daemon.client.request("POST", "/v1/documents/a/undo", fields, body: body)
        #expect(again.code == "nothing-to-undo")
    }
}
