import Glibc

/// One fuzzer: a property that must hold for whatever a seed makes.
struct Fuzzer: Sendable {
    let name: String
    /// Runs once; returns what is wrong, or `nil`.
    let run: @Sendable (_ seed: UInt64) throws -> String?
    /// Seeds in a smoke run.
    var smokeSeeds = 300

    /// Every fuzzer there is.
    static let all: [Fuzzer] = [
        Fuzzer(name: "parser", run: fuzzParser),
        Fuzzer(name: "pointer", run: fuzzPointer),
        Fuzzer(name: "patch", run: fuzzPatch),
        Fuzzer(name: "diff", run: fuzzDiff),
        Fuzzer(name: "text", run: fuzzText, smokeSeeds: 40),
        Fuzzer(name: "coding", run: fuzzCoding),
        Fuzzer(name: "undo", run: fuzzUndo, smokeSeeds: 40),
        Fuzzer(name: "document", run: fuzzDocument, smokeSeeds: 60),
        Fuzzer(name: "tracking", run: fuzzTracking, smokeSeeds: 60),
        Fuzzer(name: "merge", run: fuzzMerging, smokeSeeds: 60),
        Fuzzer(name: "target", run: fuzzTarget),
    ]

    /// Fails on purpose: proof that a failure would be seen.
    static let canary = Fuzzer(name: "canary") { seed in seed == 13 ? "as planned" : nil }

    /// The first failure in a range of seeds, as what to paste into a test.
    func firstFailure(in seeds: some Sequence<UInt64>) -> String? {
        for seed in seeds {
            do {
                guard let fault = try run(seed) else { continue }
                return "versiond-fuzz \(name) \(seed): \(fault)"
            } catch {
                return "versiond-fuzz \(name) \(seed): threw \(error)"
            }
        }
        return nil
    }
}

@main
struct Fuzz {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.dropFirst().first.flatMap { UInt64($0) }) {
        case ("smoke", nil): smoke()
        case (let name?, let seed):
            guard let fuzzer = Fuzzer.all.first(where: { $0.name == name }) else { usage() }
            if let seed { report(fuzzer.firstFailure(in: [seed]), fuzzer) } else { endless(fuzzer) }
        default: usage()
        }
    }

    private static func usage() -> Never {
        let names = Fuzzer.all.map(\.name).joined(separator: " | ")
        print("usage: versiond-fuzz smoke | \(names) [seed]")
        exit(64)
    }

    private static func smoke() {
        guard Fuzzer.canary.firstFailure(in: 0..<20) != nil else {
            print("the canary did not fail")
            exit(1)
        }
        for fuzzer in Fuzzer.all {
            report(fuzzer.firstFailure(in: 0..<UInt64(fuzzer.smokeSeeds)), fuzzer)
        }
    }

    private static func report(_ failure: String?, _ fuzzer: Fuzzer) {
        if let failure {
            print(failure)
            exit(1)
        }
        print("\(fuzzer.name): ok")
    }

    /// Continues with new seeds until a run fails.
    private static func endless(_ fuzzer: Fuzzer) -> Never {
        var seed = UInt64.random(in: 0...(.max / 2))
        while true {
            if let failure = fuzzer.firstFailure(in: seed..<(seed + 1_000)) {
                print(failure)
                exit(1)
            }
            seed += 1_000
            print("\(fuzzer.name): ok up to seed \(seed)")
        }
    }
}
