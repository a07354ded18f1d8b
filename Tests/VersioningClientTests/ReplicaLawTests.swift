import TestSupport
import Testing

/// The law of a client: whatever was edited is stored, or pending and shown as pending, or was
/// handed back with the reason.
@Suite struct ReplicaLawTests {
    @Test(arguments: Seeds.of(200))
    func `what was typed is in the document, or waits, or was handed back`(
        seed: UInt64
    ) async throws {
        let simulation = try await ClientSimulation(seed: seed)
        let faults = await simulation.run(steps: 300)
        #expect(faults == [], "seed \(seed)")
    }

    @Test(arguments: Seeds.of(300, from: 1_000))
    func `clients and the daemon come to one value, whatever is edited and undone`(
        seed: UInt64
    ) async throws {
        let simulation = try await CrowdedSimulation(seed: seed)
        let faults = await simulation.run(steps: 150)
        #expect(faults == [], "seed \(seed)")
    }

    @Test(arguments: SimulatedClient.Mutant.allCases)
    func `the law finds a client that is wrong`(mutant: SimulatedClient.Mutant) async throws {
        for seed in 0..<100 as Range<UInt64> {
            let simulation = try await ClientSimulation(seed: seed)
            for client in simulation.clients { client.mutant = mutant }
            if await !simulation.run(steps: 300).isEmpty { return }
        }
        Issue.record("no seed finds \(mutant)")
    }
}
