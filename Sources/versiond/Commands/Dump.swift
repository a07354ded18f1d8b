import ArgumentParser
import Documents
import Journaling
import SQLiteJournaling

/// `versiond dump`: a document's journal, one JSON line for each change.
struct Dump: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a document's changes as JSON lines. Needs a stopped daemon.")

    @Option(name: .shortAndLong, help: "Where everything is stored (or VERSIOND_DIRECTORY).")
    var directory = DataDirectory.standard

    @Argument(help: "The document's name.")
    var document: String

    func run() async throws {
        guard let id = DocumentID(document) else {
            throw ValidationError("That is no document's name")
        }
        let data = try DataDirectory(directory, mayCreate: false)
        let journal = try data.openJournal()
        // The directory is ours until the journal is closed.
        defer { withExtendedLifetime(data) { journal.close() } }
        try Audit.forEachChange(of: id, journal) { print(Audit.line($0)) }
    }
}
