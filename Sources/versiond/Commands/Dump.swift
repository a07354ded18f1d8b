import ArgumentParser
import Documents
import Journaling

/// `versiond dump`: a document's journal, one JSON line for each change.
struct Dump: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the changes of a document as JSON lines; the daemon may run.")

    @OptionGroup var choice: JournalChoice

    @Argument(help: "The name of the document.")
    var document: String

    func run() async throws {
        guard let id = DocumentID(document) else {
            throw ValidationError("the name of the document is invalid")
        }
        try choice.reading { journal in
            guard try journal.head(of: id) != nil else {
                throw CannotRun.noInput("the document \(id) does not exist")
            }
            try Audit.forEachChange(of: id, journal) { print(Audit.line($0)) }
        }
    }
}
