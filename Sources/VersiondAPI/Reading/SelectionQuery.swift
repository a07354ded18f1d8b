import Documents
import JSONTree
import Journaling
import Naming

/// A selection of edits to undo together, as the client sent it.
struct SelectionQuery: Sendable {
    private var selection: ChangeSelection
    private var since: StateAddress?
    private var until: StateAddress?

    /// The members of `{"all":{…}}`.
    init(_ body: JSON) throws(Problem) {
        let names = ["actor", "label", "since", "until", "paths"]
        if body.present(names).isEmpty {
            throw Problem(
                malformed: "/all",
                "all requires at least one of \(names.joined(separator: ", ")).")
        }
        selection = ChangeSelection(actor: body.name("actor"), label: body.name("label"))
        since = body.state("since")
        until = body.state("until")
        selection.places = body.list("paths") { JSONPointer(parsing: $0) } ?? []
    }

    /// The selection without a read of the past; `nil` if it names states that must be read.
    var plain: ChangeSelection? {
        var plain = selection
        plain.since = since?.bound
        plain.until = until?.bound
        let isSinceKnown = (since == nil) == (plain.since == nil)
        let isUntilKnown = (until == nil) == (plain.until == nil)
        return isSinceKnown && isUntilKnown ? plain : nil
    }

    /// The selection in many documents, which have only the time in common.
    func ofMany() throws(Problem) -> ChangeSelection {
        func hint(_ name: String) -> String {
            "A time, for example \"\(name)\":\"2026-01-31T12:00:00Z\", or name one document."
        }
        var many = selection
        many.since = try since?.boundOfMany("since", hint: hint("since"))
        many.until = try until?.boundOfMany("until", hint: hint("until"))
        many.takesCreation = true
        return many
    }

    /// The same with the states that a client means.
    func meant(in numbering: Numbering) throws(ChangeError) -> SelectionQuery {
        var meant = self
        if let since { meant.since = try numbering.state(since) }
        if let until { meant.until = try numbering.state(until) }
        return meant
    }

    /// The selection in a document. Blocks.
    func bounded(
        in head: Document, _ past: DocumentPast, for call: Call
    ) throws(Problem) -> ChangeSelection {
        var bounded = selection
        bounded.since = try since?.bound(in: head, past, for: call)
        bounded.until = try until?.bound(in: head, past, for: call)
        return bounded
    }
}

extension StateAddress {
    /// A time bounds as it is, though it may be before the document.
    fileprivate var bound: ChangeSelection.Bound? {
        if case .time(let time) = self { .time(time) } else { nil }
    }

    /// The bound in a document. Blocks.
    func bound(
        in head: Document, _ past: DocumentPast, for call: Call
    ) throws(Problem) -> ChangeSelection.Bound {
        if let bound { return bound }
        do throws(ChangeError) { return .revision(try revision(head, past)) } catch {
            throw call.problem(error, about: head.id)
        }
    }

    /// The bound in many documents, which have only the time in common.
    /// `hint`: how the time is written; by default in a query.
    func boundOfMany(
        _ name: String, hint: String? = nil
    ) throws(Problem) -> ChangeSelection.Bound {
        if let bound { return bound }
        throw Problem(
            .malformedRequest, "For several documents, \(name) must be a time.",
            hint: hint ?? "Example: \(name)=2026-01-31T12:00:00Z. In a query, + is %2B.")
    }
}
