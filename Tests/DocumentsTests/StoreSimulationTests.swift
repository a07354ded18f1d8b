import Foundation
import Testing

/// The whole store under one seed, or several stores on one journal: documents, hosts, feed, scopes, deadlines, journal and crashes,
/// on one thread and with a clock that the seed moves.
@Suite struct StoreSimulationTests {
    /// `VERSIOND_SEEDS=10000` runs as many; `VERSIOND_SEED=17` runs that one.
    private static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let one = environment["VERSIOND_SEED"].flatMap({ UInt64($0) }) { return [one] }
        return Array(0..<(environment["VERSIOND_SEEDS"].flatMap { UInt64($0) } ?? 30))
    }()

    @Test(arguments: [1, 2, 3])
    func `whatever happens in whatever order, what was confirmed stays and is seen`(
        stores: Int
    ) throws {
        var transactions = 0
        for seed in StoreSimulationTests.seeds {
            let simulation = try StoreSimulation(seed: seed, stores: stores)
            do {
                try simulation.run(steps: 400)
                transactions += simulation.transactions.count
            } catch {
                let how = "SWIFT_DETERMINISTIC_HASHING=1 VERSIOND_SEED=\(seed)"
                Issue.record(
                    "\(how) swift test --filter StoreSimulation, \(stores) stores: \(error)")
                return
            }
        }
        #expect(transactions > StoreSimulationTests.seeds.count, "\(transactions) of several")
    }
}
