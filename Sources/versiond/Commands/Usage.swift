import ArgumentParser
import Journaling

/// `versiond usage`: which documents take the disk.
struct Usage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the documents that take most storage, also while the daemon runs.",
        discussion: """
            A line for each: bytes, changes, name. Bytes are those of its changes and checkpoints, \
            without indexes and gaps. Reads the sizes of all changes.
            """)

    @OptionGroup var choice: JournalChoice

    @Option(name: .shortAndLong, help: "How many documents.")
    var limit = 20

    func run() async throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
        try choice.reading { journal in
            guard let journal = journal as? any UsageReporting else {
                throw CannotRun.system("this journal does not know what documents take")
            }
            for usage in try journal.usage(limit: limit) {
                print("\(usage.bytes)\t\(usage.entries)\t\(usage.document.name.escaped)")
            }
        }
    }
}
