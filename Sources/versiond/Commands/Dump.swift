import ArgumentParser
import Documents
import Journaling

/// `versiond dump`: a document's journal, one JSON line for each change.
struct Dump: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a document's changes as JSON lines, also while the daemon runs.")

    @OptionGroup var choice: JournalChoice

    @Argument(help: "The document's name.")
    var document: String

    func run() async throws {
        guard let id = DocumentID(document) else {
            throw ValidationError("That is no document's name")
        }
        try choice.reading { journal in
            guard try journal.head(of: id) != nil else {
                throw CannotRun.noInput("there is no document \(id)")
            }
            try Audit.forEachChange(of: id, journal) { print(Audit.line($0)) }
        }
    }
}
