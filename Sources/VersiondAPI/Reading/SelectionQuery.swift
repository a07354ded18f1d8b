import Documents
import JSONTree
import Journaling
import Naming

/// A selection of edits to undo together, as the client sent it.
struct SelectionQuery: Sendable {
    private var selection: ChangeSelection
    private let since: Address?
    private let until: Address?

    /// The members of `{"all":{…}}`.
    init(_ body: JSON) throws(Problem) {
        let names = ["actor", "label", "since", "until", "paths"]
        if body.present(names).isEmpty {
            throw Problem(
                malformed: "/all",
                "all requires at least one of \(names.joined(separator: ", ")).")
        }
        selection = ChangeSelection(actor: body.name("actor"), label: body.name("label"))
        since = body.address("since")
        until = body.address("until")
        selection.places = body.list("paths") { JSONPointer(parsing: $0) } ?? []
    }

    /// Whether its bounds are the same in all documents, and need not be read.
    var isPlain: Bool {
        [since, until].allSatisfy { address in
            switch address {
            case nil, .state(.time): true
            case .state, .position, .restorePoint: false
            }
        }
    }

    /// The selection in many documents, which have the time and the order of commits in common.
    func ofMany(_ call: Call) throws(Problem) -> SelectionOfMany {
        func hint(_ name: String) -> String {
            "A time, for example \"\(name)\":\"2026-01-31T12:00:00Z\", or name one document."
        }
        let since = try call.boundOfMany(since, "since", hint: hint("since"))
        let until = try call.boundOfMany(until, "until", hint: hint("until"))
        var criteria = selection
        criteria.since = since.time.map { .time($0) }
        criteria.until = until.time.map { .time($0) }
        criteria.takesCreation = true
        return SelectionOfMany(criteria, since: since.position, until: until.position)
    }

    /// The selection in a document. Blocks.
    func bounded(
        in head: Document, _ past: DocumentPast, for call: Call
    ) throws(Problem) -> ChangeSelection {
        var bounded = selection
        bounded.since = try since.map { address throws(Problem) in
            try call.bound(at: address, in: head, past)
        }
        bounded.until = try until.map { address throws(Problem) in
            try call.bound(at: address, in: head, past)
        }
        return bounded
    }
}
