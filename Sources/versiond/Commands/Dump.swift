import ArgumentParser
import Documents
import Journaling
import SQLiteJournaling

/// `versiond dump`: a document's journal, one JSON line for each change.
struct Dump: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a document's changes as JSON lines, also while the daemon runs.")

    @Option(name: .shortAndLong, help: "Where everything is stored (or VERSIOND_DIRECTORY).")
    var directory = DataDirectory.standard

    @Argument(help: "The document's name.")
    var document: String

    func run() async throws {
        guard let id = DocumentID(document) else {
            throw ValidationError("That is no document's name")
        }
        try DataDirectory.withJournal(in: directory) { journal in
            try Audit.forEachChange(of: id, journal) { print(Audit.line($0)) }
        }
    }
}
