import TestSupport
import Testing

/// The whole store under one seed, or several stores on one journal: documents, hosts, feed, scopes, deadlines, journal and crashes,
/// on one thread and with a clock that the seed moves.
@Suite struct StoreSimulationTests {
    @Test(arguments: [1, 2, 3])
    func `whatever happens in whatever order, what was confirmed stays and is seen`(
        stores: Int
    ) throws {
        var transactions = 0
        for seed in Seeds.of(30) {
            let simulation = try StoreSimulation(seed: seed, stores: stores)
            do {
                try simulation.run(steps: 400)
                transactions += simulation.transactions.count
            } catch {
                let how = "SWIFT_DETERMINISTIC_HASHING=1 TEST_SEED=\(seed)"
                Issue.record(
                    "\(how) swift test --filter StoreSimulation, \(stores) stores: \(error)")
                return
            }
        }
        #expect(transactions > Seeds.expected(30), "\(transactions) of several")
    }
}
