import ArgumentParser
import Documents
import JSONTree
import Journaling
import Naming

/// `versiond purge`: erases a document, or places in it, for good.
struct Purge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Erase a document, or places in it, for good. Needs a stopped daemon.",
        discussion: """
            What POST …/purge and DELETE …?purge of a running daemon do: nothing of it is left in \
            the data directory, and the erasure is recorded. It cannot be taken back. It may be \
            ended at any time: then it has happened or not, and can be done again.
            """)

    @OptionGroup var choice: JournalChoice

    @Option(
        name: .shortAndLong, parsing: .singleValue,
        help: "A place to erase: a JSON Pointer with * for any element, as in /users/*/email.")
    var path: [String] = []

    @Flag(name: .long, help: "Erase the whole document.")
    var all = false

    @Option(help: "Who does it; recorded with it.")
    var actor = ""

    @Flag(help: "Only print what would be erased.")
    var dryRun = false

    @Argument(help: "The document.")
    var document: String

    func validate() throws {
        if all == !path.isEmpty { throw ValidationError("say --path or --all, and not both") }
    }

    func run() async throws {
        guard let id = DocumentID(document) else {
            throw ValidationError("\(document) is no document's name")
        }
        let places = try path.map { text in
            guard let place = PointerPattern(parsing: text) else {
                throw ValidationError(
                    "\(text) is no JSON Pointer without numbers; * is any element")
            }
            return place
        }
        try choice.writing(mayCreate: false) { try erase(id, places, in: $0) }
    }

    private func erase(
        _ id: DocumentID, _ places: [PointerPattern], in journal: any Journal
    ) throws {
        let request = ErasureRequest(places, actor: Name(actor), isDryRun: dryRun)
        let outcome: ErasureOutcome
        do throws(ChangeError) {
            outcome = try request.carryOut(on: id, in: journal, at: .ofSystem)
        } catch {
            throw Purge.refusal(error, id)
        }
        let count = outcome.erasedCount
        print(dryRun ? "\(count) changes have something of it" : "erased from \(count) changes")
    }

    private static func refusal(_ error: ChangeError, _ id: DocumentID) -> CannotRun {
        switch error {
        case .unknownDocument: .noInput("there is no document \(id)")
        case .purged(let revision): .noInput("\(id) was erased by revision \(revision)")
        case .movedValue(let place, let revision):
            .noInput(
                "change \(revision) moved something between such a place and \(place): "
                    + "name that one, too; nothing is erased")
        case .journal(let error): CannotRun(error) ?? .system("\(error)")
        default: .system("\(error)")
        }
    }
}
