import Naming
/// A value with its history: what a controller guards. It drives the same `VersionHistory` as the
/// daemon's documents; a step holds the reversion to the version before and the one back again.
struct TrackedValue<Value: Versionable> {
    struct Step {
        let undo: Reversion<Value>
        let redo: Reversion<Value>
    }

    /// The value at the current version.
    private(set) var value: Value
    /// When quick appends become one version.
    var grouping = Grouping.none

    private var history = VersionHistory<Step>()
    private var lastID = 0
    private var tags = TagNames()
    /// The fingerprint that the value must have for a move, after it was set without tracking.
    private var origin: Int?

    init(_ value: Value) {
        self.value = value
    }

    var hasUndo: Bool { history.hasUndo }
    var hasRedo: Bool { history.hasRedo }
    var scopeLevel: Int { history.scopeLevel }

    /// Records a value. One that differs in nothing tracked makes no version and clears nothing.
    mutating func append(_ new: Value, at time: Duration) {
        guard let undo = new.uncheckedReversion(to: value),
            let redo = value.uncheckedReversion(to: new)
        else {
            value = new
            return
        }
        let joins = history.joins(actor: .nobody, at: time, grouping: grouping)
        lastID += 1
        history.append(
            Step(undo: undo, redo: redo), id: lastID, joining: joins, at: time, grouping: grouping)
        value = new
    }

    /// Ends the group of quick appends.
    mutating func seal() { history.seal() }

    /// Replaces the value behind the back of the history.
    mutating func setWithoutTracking(_ new: Value) {
        if origin == nil { origin = Fingerprint.of(value) }
        value = new
    }

    /// Forgets every version; the value stays, and is the first one.
    mutating func reset() {
        history = VersionHistory()
        (lastID, tags, origin) = (0, TagNames(), nil)
    }
}

extension TrackedValue {
    /// Goes to another version: all the way, or not at all. There may be nowhere to go.
    mutating func perform(_ move: Move) throws(ReversionError) {
        history.seal()
        guard let target = try? history.target(of: move), target != history.currentID else {
            return
        }
        value = try valueAt(target)
        origin = nil
        history.move(to: target)
    }

    private func valueAt(_ version: Int) throws(ReversionError) -> Value {
        if let origin, Fingerprint.of(value) != origin { throw .differentVersion }
        let route = history.route(to: version)
        var result = value
        for step in route.undone { try step.undo.piece.apply(to: &result) }
        for step in route.redone { try step.redo.piece.apply(to: &result) }
        return result
    }

    mutating func pushScope() { history.pushScope() }

    /// Makes one version of the changes in the current scope. At the root nothing happens.
    mutating func popScope() throws(ReversionError) {
        guard let opening = try? history.scopeOpening() else { return }
        let isChanged = try value.uncheckedReversion(to: valueAt(opening)) != nil
        lastID += 1
        _ = try? history.popScope(id: lastID, isChanged: isChanged)
    }

    /// Undoes the changes in the current scope and closes it. At the root nothing happens.
    mutating func discardScope() throws(ReversionError) {
        guard let opening = try? history.scopeOpening() else { return }
        value = try valueAt(opening)
        origin = nil
        try? history.discardScope()
    }
}

extension TrackedValue {
    /// Names the current version; a name that exists moves.
    mutating func tagCurrent(_ tag: AnyHashable) {
        history.tagCurrent(tags.name(of: tag))
    }

    /// The name of a tag in the history; `nil` if no version has the tag.
    func name(of tag: AnyHashable) -> Name? { tags.known(tag) }

    func tags(inScopeLevel level: Int?) -> (undo: [AnyHashable?], redo: [AnyHashable?])? {
        guard let path = history.path(inScopeLevel: level ?? scopeLevel) else { return nil }
        var byVersion: [Int: AnyHashable] = [:]
        for tag in history.tags.sorted(by: { $0.name < $1.name }) {
            byVersion[tag.version] = tags.tag(named: tag.name)
        }
        return (path.undo.map { byVersion[$0] }, path.redo.map { byVersion[$0] })
    }
}

/// Names for tags of any type, for a history that knows names only.
private struct TagNames {
    private var names: [AnyHashable: Name] = [:]
    private var tags: [Name: AnyHashable] = [:]

    func known(_ tag: AnyHashable) -> Name? { names[tag] }
    func tag(named name: Name) -> AnyHashable? { tags[name] }

    mutating func name(of tag: AnyHashable) -> Name {
        if let name = names[tag] { return name }
        let name = Name("tag \(names.count)")
        names[tag] = name
        tags[name] = tag
        return name
    }
}
