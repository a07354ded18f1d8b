import ArgumentParser
import Documents
import Journaling
import SQLiteJournaling

/// `versiond check`: reads everything that is stored and says whether it is whole.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check every document: chains, replay and checkpoints. Needs a stopped daemon.")

    @Option(name: .shortAndLong, help: "Where everything is stored (or VERSIOND_DIRECTORY).")
    var directory = DataDirectory.standard

    @Flag(help: "Print one line for each document.")
    var verbose = false

    func run() async throws {
        try DataDirectory.withJournal(in: directory, check)
    }

    private func check(_ journal: SQLiteJournal) throws {
        var (documents, changes, faults) = (0, 0, 0)
        try Audit.forEachDocument(journal) { id in
            documents += 1
            do throws(ChangeError) {
                let report = try Audit.check(id, journal)
                changes += report.changes
                if verbose {
                    print("\(id): \(report.changes) changes, \(report.versions) versions")
                }
            } catch {
                faults += 1
                print("\(id): \(error)")
            }
        }
        print("\(documents) documents, \(changes) changes, \(faults) faults")
        if faults > 0 { throw ExitCode(65) }
    }
}
