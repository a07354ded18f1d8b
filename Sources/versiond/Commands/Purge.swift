import ArgumentParser
import Documents
import JSONTree
import Journaling
import Naming

/// `versiond purge`: erases a document, or places in it, for good.
struct Purge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Erase a document or places in it. The daemon must be stopped.",
        discussion: """
            Has the effect of POST …/purge and DELETE …?purge: erases the data from the data \
            directory permanently, and records the erasure. An interrupted command has erased all \
            or nothing, and can be repeated.
            """)

    @OptionGroup var choice: JournalChoice

    @Option(
        name: .shortAndLong, parsing: .singleValue,
        help: "A place to erase: a JSON Pointer with * for any element, as in /users/*/email.")
    var path: [String] = []

    @Flag(name: .long, help: "Erase the whole document.")
    var all = false

    @Option(help: "The actor of the erasure, which is recorded.")
    var actor = ""

    @Flag(help: "Print the number of affected changes, and erase nothing.")
    var dryRun = false

    @Argument(help: "The document.")
    var document: String

    func validate() throws {
        if all == !path.isEmpty { throw ValidationError("either --path or --all is required") }
    }

    func run() async throws {
        guard let id = DocumentID(document) else {
            throw ValidationError("\(document) is not a valid document name")
        }
        let places = try path.map { text in
            guard let place = PointerPattern(parsing: text) else {
                throw ValidationError(
                    "\(text) is not a JSON Pointer without numbers; * matches any element")
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
        print(dryRun ? "\(count) changes have the data" : "erased from \(count) changes")
    }

    private static func refusal(_ error: ChangeError, _ id: DocumentID) -> CannotRun {
        switch error {
        case .unknownDocument: .noInput("the document \(id) does not exist")
        case .purged(let revision): .noInput("\(id) was erased by revision \(revision)")
        case .movedValue(let place, let revision):
            .noInput(
                "change \(revision) moved a value between such a place and \(place): "
                    + "also name that place; nothing was erased")
        case .journal(let error): CannotRun(error) ?? .system("\(error)")
        default: .system("\(error)")
        }
    }
}
