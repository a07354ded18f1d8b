import ArgumentParser
import Journaling

/// `versiond usage`: which documents take the disk.
struct Usage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the documents that use the most storage; the daemon may run.",
        discussion: """
            Prints a line per document: bytes, changes, name. The bytes include changes and \
            checkpoints, without indexes and gaps. Reads the sizes of all changes.
            """)

    @OptionGroup var choice: JournalChoice

    @Option(name: .shortAndLong, help: "The number of documents.")
    var limit = 20

    func run() async throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
        try choice.reading { journal in
            guard let journal = journal as? any UsageReporting else {
                throw CannotRun.system("this journal does not support usage")
            }
            for usage in try journal.usage(limit: limit) {
                print("\(usage.bytes)\t\(usage.entries)\t\(usage.document.name.escaped)")
            }
        }
    }
}
