import JSONTree
import Naming
import TestSupport

@testable import VersioningClient

/// Several clients that edit anything in one small document, where edits meet often; now and then
/// one of them takes back what it did, or the daemon undoes a change.
final class CrowdedSimulation {
    private let daemon: SimulatedDaemon
    private let clients: [SimulatedClient]
    private var random: SeededGenerator

    init(seed: UInt64) async throws {
        random = SeededGenerator(seed: seed)
        let daemon = try await SimulatedDaemon(.crowded(&random))
        self.daemon = daemon
        clients = (0..<3).map { number in
            SimulatedClient(Name("c\(number)"), daemon, policy: number == 1 ? .theirs : .mine)
        }
        for client in clients { client.open() }
    }

    /// Returns what is not as it must be at the end.
    func run(steps: Int) async -> [String] {
        for _ in 0..<steps {
            let client = clients[random.below(clients.count)]
            switch random.below(12) {
            case 0, 1, 2: edit(client)
            case 3: undoHere(client)
            case 4: await undoThere()
            default: await client.advance(&random)
            }
        }
        for client in clients { client.trouble = 0 }
        for _ in 0..<1_000 where !clients.allSatisfy(\.isIdle) {
            for client in clients { await client.advance(&random) }
        }
        var faults = clients.flatMap(\.faults)
        for client in clients where client.replica.value != daemon.tree {
            let shown = String(decoding: client.replica.value.serialized(), as: UTF8.self)
            faults.append("\(client.name) shows \(shown)")
        }
        return faults
    }

    private func edit(_ client: SimulatedClient) {
        let tree = client.replica.value
        let options = StepOptions(group: random.once(in: 2) ? "g\(random.below(3))" : nil)
        client.attempt("edit") {
            if random.once(in: 4) {
                let patch = tree.diff(to: .crowded(&random), options: DiffOptions(isShort: false))
                _ = try client.replica.edit(patch, key: client.newKey(), options)
            } else {
                let patch = JSONPatch.random(
                    &random, on: tree, count: 1 + random.below(3), hasTests: random.once(in: 4))
                _ = try client.replica.edit(patch, key: client.newKey(), options)
            }
        }
    }

    private func undoHere(_ client: SimulatedClient) {
        client.attempt("undo") {
            if random.once(in: 2) {
                _ = try client.replica.undoHere()
            } else {
                _ = try client.replica.redoHere(key: client.newKey())
            }
        }
    }

    /// Another client, which is not here, undoes some change.
    private func undoThere() async {
        let body = JSON(members: [("revision", JSON(random.below(daemon.head + 1)))])
        let request = StepRequest.command(name: "undo", body: body)
        _ = await daemon.carryOut(request, key: "root-\(random.next())", by: "root")
    }
}
