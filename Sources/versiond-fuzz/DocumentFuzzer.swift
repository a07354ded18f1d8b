import Naming
import Documents
import JSONTree
import Journaling
import SelectiveUndo
import TestSupport
import Threading
import VersioningKit

/// A document against a slow, obvious model: whole copies of every version, by id.
private struct NaiveDocument {
    /// The tracked part of each version that was ever made.
    var versions: [Int: JSON] = [:]
    let ignored: [PointerPattern]

    mutating func note(_ outcome: Outcome) -> String? {
        let document = outcome.document
        let current = document.history.currentID
        let tracked = document.tree.without(ignored)
        switch outcome.change?.kind {
        case .create, .append, .revert, .restore, .popScope(isChanged: true, _):
            versions[current] = tracked
        default: break
        }
        // Of scopes that were over at once, only the last was seen as it closed.
        let known = versions[current] ?? tracked
        versions[current] = known
        return known == tracked ? nil : "version \(current) has another value"
    }

    /// A scope that was over may have become a version.
    mutating func noteClosing(_ outcome: Outcome) -> String? {
        let tracked = outcome.document.tree.without(ignored)
        let known = versions[outcome.document.history.currentID]
        versions[outcome.document.history.currentID] = tracked
        return known == nil || known == tracked ? nil : "closing a scope changed a version"
    }
}

/// Random requests to one document; then a restart, which must find the same.
@Sendable func fuzzDocument(_ seed: UInt64) throws -> String? {
    guard let id = DocumentID("fuzz") else { return "no name" }
    var random = SeededGenerator(seed: seed)
    let journal = InMemoryJournal()
    let time = ManualTime()
    let store = DocumentStore(journal: journal, now: { time.now })
    var settings = SettingsChange()
    if random.once(in: 2) {
        let patterns = ["/id", "/*/id", "/*"].compactMap { PointerPattern(parsing: $0) }
        settings.ignored = [patterns[random.below(3)]]
    }
    if random.once(in: 3) { settings.historyCount = .to(3 + random.below(5)) }
    var model = NaiveDocument(ignored: settings.ignored ?? [])
    var tree = JSON.random(&random, shape: .random(&random))
    var revision = -1
    for step in 0..<60 {
        time.advance(by: random.below(800))
        if case .success(let closed) = perform(.closingExpired, id, store),
            closed.document.revision != revision
        {
            revision = closed.document.revision
            tree = closed.document.tree
            if let fault = model.noteClosing(closed) { return "step \(step): \(fault)" }
        }
        let action: ChangeRequest.Action =
            step == 0 ? .put(tree) : step == 1 ? .settings(settings) : nextAction(tree, &random)
        let request = ChangeRequest(action, actor: random.once(in: 3) ? "b" : "a")
        let expected = try replayed(request, id, journal, time)
        let result = perform(request, id, store)
        let found = Told(result)
        if let expected, expected != found {
            return "step \(step), \(action): \(found), replayed \(expected)"
        }
        guard case .success(let outcome) = result else { continue }
        let gap = outcome.document.revision - revision
        if gap != (outcome.change == nil ? 0 : 1) {
            return "step \(step): revision moved by \(gap)"
        }
        revision = outcome.document.revision
        tree = outcome.document.tree
        if let fault = model.note(outcome) { return "step \(step), \(action): \(fault)" }
    }
    store.close()
    let second = DocumentStore(journal: journal, now: { time.now })
    defer { second.close() }
    guard case .success(let outcome) = perform(ChangeRequest(.put(tree)), id, second),
        outcome.change == nil
    else { return "after a restart the tree differs" }
    if outcome.document.revision != revision { return model.noteClosing(outcome) }
    return model.note(outcome)
}

/// The reported own undo.
private struct Told: Equatable {
    var kind: Change.Kind?
    var tree: JSON?
    var error: ChangeError?

    init(_ result: Result<Outcome, ChangeError>) {
        switch result {
        case .success(let outcome): (kind, tree) = (outcome.change?.kind, outcome.tree)
        case .failure(let error): self.error = error
        }
    }
}

/// The own undo that a store with only the journal reports.
private func replayed(
    _ request: ChangeRequest, _ id: DocumentID, _ journal: any Journal, _ time: ManualTime
) throws -> Told? {
    guard case .revert = request.action else { return nil }
    let store = DocumentStore(journal: journal, now: { time.now })
    defer { store.close() }
    var dryRun = request
    dryRun.isDryRun = true
    return Told(perform(dryRun, id, store))
}

/// Random requests while what is ignored changes now and then: undo never trips over what it may
/// not touch, and never touches it.
@Sendable func fuzzTracking(_ seed: UInt64) throws -> String? {
    guard let id = DocumentID("fuzz") else { return "no name" }
    var random = SeededGenerator(seed: seed)
    let store = DocumentStore(journal: InMemoryJournal(), now: { ManualTime().now })
    defer { store.close() }
    let names = ["a", "b", "c"]
    var ignored: [String] = []
    var tree = JSON(members: names.map { ($0, .random(&random, shape: .random(&random))) })
    for step in 0..<80 {
        var action = ChangeRequest.Action.put(tree)
        switch step == 0 ? 0 : random.below(8) {
        case 0: break
        case 1, 2: action = .move(.undo(count: 1 + random.below(4)))
        case 3: action = .move(.redo(count: 1 + random.below(4)))
        case 4: action = .move(.goTo(.version(random.below(step))))
        case 5 where random.once(in: 3):
            ignored = names.filter { _ in random.once(in: 3) }
            var change = SettingsChange()
            change.ignored = ignored.compactMap { PointerPattern(parsing: "/" + $0) }
            action = .settings(change)
        case 6:
            let (from, to) = (names[random.below(3)], names[random.below(3)])
            let move: JSON = [["op": "move", "from": JSON("/" + from), "path": JSON("/" + to)]]
            action = .append(.patch(try JSONPatch(move)), tag: nil, grouping: nil)
        default:
            let members = names.map { name -> (String, JSON) in
                let value = tree[name] ?? .null
                return (name, random.once(in: 2) ? value : value.mutated(&random, edits: 1))
            }
            action = .append(.value(JSON(members: members)), tag: nil, grouping: nil)
        }
        let result = perform(ChangeRequest(action), id, store)
        if case .failure(.mismatch) = result { return "step \(step), \(action): mismatch" }
        guard case .success(let outcome) = result else { continue }
        if case .move = action,
            let name = ignored.first(where: { tree[$0] != outcome.document.tree[$0] })
        {
            return "step \(step), \(action): /\(name) is ignored and was touched"
        }
        tree = outcome.document.tree
    }
    return nil
}

private func nextAction(_ tree: JSON, _ random: inout SeededGenerator) -> ChangeRequest.Action {
    let grouping = Grouping(window: .milliseconds(400), max: .seconds(2))
    switch random.below(16) {
    case 0: return .move(.undo(count: 1 + random.below(3)))
    case 1: return .move(.redo(count: 1 + random.below(3)))
    case 2: return .move(.goTo(.version(random.below(60))))
    case 3: return .move(random.once(in: 2) ? .undoScope : .redoScope)
    case 4: return .tag("t\(random.below(4))", version: nil, isNew: false)
    case 5: return .move(random.once(in: 2) ? .undoTo(.tag("t1")) : .goTo(.tag("t2")))
    case 6:
        return .pushScope(
            lifetime: random.once(in: 3) ? .milliseconds(1_000) : nil,
            policy: random.once(in: 2) ? .pop : .discard)
    case 7:
        return random.once(in: 2)
            ? .popScope(isForced: true)
            : .discardScope(isForced: true, isAll: false, policy: .theirs)
    case 10: return .restore("s\(random.below(2))")
    case 11:
        let places = ["", "/id", "/0"].compactMap { JSONPointer(parsing: $0) }
        return .snapshot("s\(random.below(2))", [places[random.below(3)]], isNew: false)
    case 8, 9:
        let target: OwnUndoRequest.Target =
            random.once(in: 2) ? .change(random.below(60)) : .actor(random.once(in: 2) ? "a" : "b")
        return .revert(
            OwnUndoRequest(
                target, isRedo: random.once(in: 3), policy: random.once(in: 3) ? .mine : .reject))
    default:
        return .append(.value(tree.mutated(&random, edits: 1)), tag: nil, grouping: grouping)
    }
}

func perform(
    _ request: ChangeRequest, _ id: DocumentID, _ store: DocumentStore
) -> Result<Outcome, ChangeError> {
    let answer = Lock<Result<Outcome, ChangeError>?>(nil)
    store.change(id, request) { result in
        answer.withLock { $0 = result.mapError(\.error) }
        answer.signal()
    }
    return answer.withLock(when: { $0 != nil }) { $0 ?? .failure(.unknownDocument) }
}
