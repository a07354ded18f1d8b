public import DocumentCore
public import Naming

/// Which runs are asked about.
public struct RunQuery: Sendable {
    /// In documents whose names begin with this.
    public var prefix = ""
    /// Runs of this actor alone.
    public var parent: Name?
    /// Runs that this person or program asked for.
    public var requester: Name?
    public var effect: RunEffect?
    /// Whether it is open.
    public var isOpen: Bool?
    /// The open runs that are listed also without an edit in the documents.
    public var unedited = Unedited.none

    /// Which open runs are listed without an edit.
    public enum Unedited: Sendable {
        case none, all
        /// Those of an actor and below.
        case of(Name)
    }

    /// The last edit came after this, and no later than that.
    public var since, until: Timestamp?
    /// The same by positions in the order of commits.
    public var positionSince, positionUntil: Int?
    /// A text, in lower case, in the name, the label or a requester.
    public var text: String?

    public init() {}

    func wants(_ run: Run) -> Bool {
        if let requester, !run.requesters.contains(requester) { return false }
        if let effect, run.effect != effect { return false }
        if let isOpen, (run.expiry != nil) != isOpen { return false }
        if let since, run.times.upperBound <= since { return false }
        if let until, run.times.upperBound > until { return false }
        if let positionSince, run.position <= positionSince { return false }
        if let positionUntil, run.position > positionUntil { return false }
        guard let text else { return true }
        let words = [run.name.text, run.label ?? ""] + run.requesters.map(\.text)
        return words.contains { $0.lowercased().contains(text) }
    }

    /// Whether open runs are listed without an edit.
    var listsUnedited: Bool {
        if case .none = unedited { return false }
        return isOpen ?? true
    }

    /// Whether a run is listed without an edit, if it is open.
    func listsUnedited(_ name: Name) -> Bool {
        guard listsUnedited else { return false }
        if case .of(let owner) = unedited { return name.isOne(of: owner) }
        return true
    }

    func mayWant(_ name: Name) -> Bool {
        parent.map { name != $0 && name.isOne(of: $0) } ?? true
    }
}
