import Documents
import JSONTree
import Naming

/// Which edits are to be taken back together, as it was asked.
struct SelectionQuery: Sendable {
    private var selection: ChangeSelection
    private let since: StateAddress?
    private let until: StateAddress?

    /// The members of `{"all":{…}}`.
    init(_ body: inout ControlBody) {
        let names = ["actor", "label", "since", "until", "paths"]
        selection = ChangeSelection(
            actor: body.text("actor", "a name").map { Name($0) },
            label: body.text("label", "a text").map { Name($0) })
        since = SelectionQuery.bound("since", &body)
        until = SelectionQuery.bound("until", &body)
        let most = ChangeSelection.placesMax
        let places = body.member("paths", "1 to \(most) JSON Pointers") { value in
            ControlBody.list(value, 1...most) { JSONPointer(parsing: $0) }
        }
        selection.places = places ?? []
        if body.present(names).isEmpty {
            body.fault("", "all says which edits: one of \(names.joined(separator: ", ")).")
        }
    }

    private static func bound(_ name: String, _ body: inout ControlBody) -> StateAddress? {
        body.member(name, "a revision, head, version:N, tag:NAME or a time") { value in
            let address = value.string.flatMap { try? StateAddress($0, named: name) }
            if case .snapshot? = address { return nil }
            return address
        }
    }

    /// The same in a query, where at least one of `parameters` is.
    init?(_ call: Call) throws(Problem) {
        guard SelectionQuery.parameters.contains(where: { call.query($0.name) != nil }) else {
            return nil
        }
        selection = ChangeSelection(
            actor: call.query("actor").map { Name($0) }, label: call.query("label").map { Name($0) }
        )
        since = try call.bound("since")
        until = try call.bound("until")
        selection.places = try DocumentsAPI.pointer(call).map { [$0] } ?? []
    }

    /// What says in a query that a selection is asked about, beside the actor.
    static let parameters = [
        Endpoint.parameter("label", "Name", "What undo of all edits with this label would take."),
        Endpoint.parameter("since", "Address", "Only what came after this state."),
        Endpoint.parameter("until", "Address", "Only what led to this state."),
        Endpoint.pointer,
    ]

    /// Whether it names states that the past must be asked for.
    var hasAddresses: Bool { since != nil || until != nil }

    /// What it means without asking the past.
    var plain: ChangeSelection { selection }

    /// What it means in a document; `nil` if it ends before the document begins. Blocks.
    func bounded(in head: Document, _ past: DocumentPast) throws(Problem) -> ChangeSelection? {
        var bounded = selection
        do throws(ChangeError) {
            bounded.since = try since?.revision(head, past)
        } catch {
            // From before the document on: all of it.
            guard case .notYet = error else { throw Problem(error) }
        }
        do throws(ChangeError) {
            bounded.until = try until?.revision(head, past)
        } catch {
            guard case .notYet = error else { throw Problem(error) }
            return nil
        }
        return bounded
    }
}
