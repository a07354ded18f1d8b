import Documents
import JSONTree
import Journaling
import Naming

/// Which changes or versions are wanted.
struct ChangeFilter: Sendable {
    private let actor: Name?
    private let label: String?
    private let kind: String?
    private let pointer: JSONPointer?
    private let addresses: (since: Address?, until: Address?)
    /// Changes that `since` includes are left out, and so are those that `until` does not include.
    private var since: ChangeSelection.Bound?
    private var until: ChangeSelection.Bound?
    /// The same in the order of commits.
    private(set) var positions: (since: Int?, until: Int?)
    /// In lower case.
    private let text: String?

    /// Whether everything is wanted.
    let isEmpty: Bool

    private static func parameters(_ bound: String) -> [Endpoint.Parameter] {
        [
            Endpoint.parameter("actor", "Actor", "Limits the result to changes of this actor."),
            Endpoint.parameter("label", "Name", "Limits the result to changes with this label."),
            Endpoint.parameter("kind", "ChangeKind", "Limits the result to changes of this kind."),
            Endpoint.pointer,
            Endpoint.parameter("since", bound, "Limits the result to changes after this state."),
            Endpoint.parameter("until", bound, "Limits the result to changes up to this state."),
            Endpoint.parameter(
                "q", "Name",
                "Limits the result to changes with this text in a label, tag, actor, requester or "
                    + "place."),
        ]
    }

    /// In the history of one document.
    static let parameters = parameters("Address")
    /// In the history of many documents, which share the time and the order of commits.
    static let parametersOfMany = parameters("CommonState")

    /// The problems of an address.
    static let problems: [Problem.Kind] = [
        .unknownRevision, .unknownVersion, .unknownTag, .trimmed,
    ]

    /// - Parameter followsPlace: whether `path` is followed through the history, and not looked
    ///   for here.
    init(_ call: Call, followsPlace: Bool = false) throws(Problem) {
        actor = call.query("actor").map { Name($0) }
        label = call.query("label")
        kind = call.query("kind")
        pointer = followsPlace ? nil : try DocumentsAPI.pointer(call)
        addresses = (try call.bound("since"), try call.bound("until"))
        text = call.query("q")?.lowercased()
        isEmpty = ChangeFilter.parameters.allSatisfy {
            call.query($0.name) == nil || followsPlace && $0.name == "path"
        }
    }

    /// The filter for one document, where any state bounds what is wanted. Blocks.
    func bounded(
        in head: Document, _ past: DocumentPast, for call: Call
    ) throws(Problem) -> ChangeFilter {
        var filter = self
        filter.since = try addresses.since.map { address throws(Problem) in
            try call.bound(at: address, in: head, past)
        }
        filter.until = try addresses.until.map { address throws(Problem) in
            try call.bound(at: address, in: head, past)
        }
        return filter
    }

    /// The filter for many documents: only a time or a position bounds what is wanted.
    func boundedOfMany(_ call: Call) throws(Problem) -> ChangeFilter {
        var filter = self
        let since = try call.boundOfMany(addresses.since, "since")
        let until = try call.boundOfMany(addresses.until, "until")
        (filter.since, filter.positions.since) = (since.time.map { .time($0) }, since.position)
        (filter.until, filter.positions.until) = (until.time.map { .time($0) }, until.position)
        return filter
    }

    /// Whether a change in the order of commits is wanted.
    func wants(_ item: JournalPast.Item) -> Bool {
        if let since = positions.since, item.sequence <= since { return false }
        if let until = positions.until, item.sequence > until { return false }
        return wants([item.change])
    }

    /// Whether any of these changes, which belong together, is all that is wanted.
    func wants(_ changes: [Change], tags: [Name] = []) -> Bool {
        isEmpty || changes.contains { wants($0, tags) }
    }

    private func wants(_ change: Change, _ tags: [Name]) -> Bool {
        if let actor, change.actor != actor { return false }
        if let label, change.label != label { return false }
        if let kind, change.kind.name != kind { return false }
        if let since, since.includes(change) { return false }
        if let until, !until.includes(change) { return false }
        if let pointer, !change.edits.touches(pointer) { return false }
        return text.map { has($0, change, tags) } ?? true
    }

    private func has(_ text: String, _ change: Change, _ tags: [Name]) -> Bool {
        let words =
            [change.label ?? "", change.actor.text, change.promptBy?.text ?? ""]
            + tags.map(\.text)
        return words.contains { $0.lowercased().contains(text) }
            || change.edits.pointers.contains { $0.description.lowercased().contains(text) }
    }
}

extension Call {
    /// `?since=` or `?until=`.
    func bound(_ name: String) throws(Problem) -> Address? {
        guard let text = query(name) else { return nil }
        let address = try Address(text, named: name)
        if address.isRevision { return address }
        throw Problem(
            .malformedRequest, "\(text) is a snapshot and has no position in the history.",
            hint: "Use the version of the snapshot: \(name)=version:3.")
    }

    /// `?cursor=` of lists that begin with the newest: what comes before it.
    func before(in numbering: Numbering) throws(Problem) -> Int {
        if query("cursor") == nil { return Int(Int32.max) }
        let most = numbering.isUncut ? Int(Int32.max) : Limits.sequenceMax
        let shown = try number("cursor", in: 0...most, default: 0)
        guard let end = numbering.end(of: shown) else { throw Problem.otherHistory(number: shown) }
        return end
    }
}
