/// Undo and redo for one Swift value in process.
///
/// It drives the same `VersionHistory` as the daemon's documents. A step holds the value before and
/// after; values that share storage (arrays, dictionaries, strings) go on sharing it.
///
/// ```swift
/// var title = VersioningController("Draft")
/// title.append("Draft 2", tag: "sent")
/// title.append("Draft 3")
/// try title.undo()                 // title.value == "Draft 2"
/// try title.perform(.goToTag("sent"))
/// ```
public struct VersioningController<Value: Equatable & Sendable>: Sendable {
    /// The value at the current version.
    public private(set) var value: Value
    /// When quick appends become one version. `append(_:at:)` tells the time.
    public var grouping: Grouping

    private var history: VersionHistory<Step>
    private var lastID = 0

    private struct Step: Sendable {
        let before: Value
        let after: Value
    }

    /// Begins a history at `value`, which is its first version and cannot be undone.
    public init(_ value: Value, grouping: Grouping = .none) {
        self.value = value
        self.grouping = grouping
        history = VersionHistory()
    }

    /// Whether `undo` has somewhere to go in the current scope.
    public var hasUndo: Bool { history.hasUndo }

    /// Whether `redo` has somewhere to go in the current scope.
    public var hasRedo: Bool { history.hasRedo }

    /// How many scopes are open.
    public var scopeLevel: Int { history.scopeLevel }

    /// Every tag, by name.
    public var tags: [String] { history.tags.map(\.name).sorted() }

    /// Records a new value. An equal one records nothing, clears nothing, and takes the tag.
    ///
    /// `time` counts from any fixed moment; it only decides whether the append joins the one
    /// before.
    public mutating func append(_ new: Value, tag: String? = nil, at time: Duration = .zero) {
        if new != value {
            let joins = history.joins(actor: "", at: time, grouping: grouping)
            lastID += 1
            history.append(
                Step(before: value, after: new), id: lastID, joining: joins, at: time,
                grouping: grouping)
            value = new
        }
        if let tag { history.tagCurrent(tag) }
    }

    /// Changes the value in place and records the result as one version.
    public mutating func setWithTransaction<Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Void
    ) throws(Failure) {
        var draft = value
        try body(&draft)
        seal()
        append(draft)
        seal()
    }

    /// Goes one version back.
    public mutating func undo() throws(VersionError) { try perform(.undo(count: 1)) }

    /// Goes one version forth.
    public mutating func redo() throws(VersionError) { try perform(.redo(count: 1)) }

    /// Goes to another version: all the way, or not at all and an error.
    public mutating func perform(_ move: Move) throws(VersionError) {
        let target = try history.target(of: move)
        let route = history.route(to: target)
        if let last = route.redone.last {
            value = last.after
        } else if let last = route.undone.last {
            value = last.before
        }
        history.move(to: target)
    }

    /// Names the current version; an existing name moves.
    public mutating func tagCurrentVersion(_ tag: String) { history.tagCurrent(tag) }

    /// Ends the group of quick appends.
    public mutating func seal() { history.seal() }

    /// Opens a scope: undo and redo stay inside it.
    public mutating func pushNewScope() { history.pushScope() }

    /// Closes the current scope; what was done in it is one version of the scope below.
    public mutating func popCurrentScope() throws(VersionError) {
        let base = try baseValue()
        lastID += 1
        _ = try history.popScope(id: lastID, isChanged: base != value)
    }

    /// Closes the current scope and takes back what was done in it.
    public mutating func undoAndPopCurrentScope() throws(VersionError) {
        value = try baseValue()
        try history.discardScope()
    }

    private func baseValue() throws(VersionError) -> Value {
        let route = history.route(to: try history.scopeBase())
        return route.undone.last?.before ?? value
    }
}
