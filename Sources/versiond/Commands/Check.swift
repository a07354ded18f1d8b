import ArgumentParser
import Documents
import Journaling

/// `versiond check`: reads everything that is stored and says whether it is whole.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the files and all documents without changes; the daemon may run.",
        discussion: """
            Checks the integrity of the database, the number of entries, the high-water mark, and \
            for each document the chain, the replay of all changes, the newest checkpoint and the \
            index of runs. \
            Exit status 65: the check found faults.
            """)

    @OptionGroup var choice: JournalChoice

    @Flag(help: "Print one line per document.")
    var verbose = false

    func run() async throws {
        if try choice.isEmpty() {
            print("the journal is empty: the first start had no space for the tables")
            return print("0 documents, 0 changes, 0 faults")
        }
        var faults = 0
        for fault in try choice.faults() {
            faults += 1
            print("journal: \(fault)")
        }
        do {
            try choice.reading { try check($0, &faults) }
        } catch {
            faults += 1
            print("journal: \(error)")
        }
        if faults > 0 { throw ExitCode(65) }
    }

    private func check(_ journal: any Journal, _ faults: inout Int) throws {
        var (documents, changes) = (0, 0)
        let runs = try RunAudit(journal)
        try Audit.forEachDocument(journal) { id in
            documents += 1
            do throws(ChangeError) {
                let report = try Audit.check(id, journal)
                changes += report.changes
                try runs.check(id)
                if verbose {
                    let name = id.name.escaped
                    print("\(name): \(report.changes) changes, \(report.versions) versions")
                }
            } catch {
                faults += 1
                print("\(id.name.escaped): \("\(error.reason)".escaped)")
            }
        }
        print("\(documents) documents, \(changes) changes, \(faults) faults")
    }
}
