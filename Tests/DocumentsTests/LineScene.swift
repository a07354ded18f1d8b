import Naming
import JSONTree
import Journaling
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// A line that is driven by hand: events in, actions out as words. Replies are numbers, counted
/// from 0.
struct LineScene {
    typealias Line = DocumentLine

    private(set) var line: Line
    var now = Timestamp(milliseconds: 0)
    private(set) var requests = 0
    private let replies = NumberedReplies()
    /// The entries that the journal would have by now.
    private(set) var stored: [Change] = []
    private var queued: [JournalEntry] = []
    /// The entries that it has committed.
    private(set) var committed: [JournalEntry] = []
    private var unconfirmed: Line.Unconfirmed?
    private var sequence = 0

    init(
        _ found: LoadedDocument? = nil, at now: Timestamp = Timestamp(milliseconds: 0),
        undoBytesMax: Int = .max, isShared: Bool = false
    ) throws {
        self.now = now
        let id = try #require(DocumentID("menu"))
        line = Line(
            found ?? LoadedDocument(document: .unborn(id)), at: now,
            limits: .standard, undoBytesMax: undoBytesMax, isShared: isShared)
    }

    /// A document with this value, committed.
    static func with(_ value: JSON) throws -> LineScene {
        var scene = try LineScene()
        _ = scene.request(.put(value))
        _ = scene.commit()
        return scene
    }

    /// A scope of ada's whose time is over, in a document that is not what its changes were made
    /// on; and these changes.
    static func damagedScope() throws -> (scene: LineScene, fetched: FetchedChanges) {
        var first = try LineScene.with(0)
        _ = first.request(.scope(100, .discard), "ada")
        _ = first.request(.edit(1), "ada")
        _ = first.request(.tag("here", version: nil, isNew: true), "ada")
        for _ in 1...3 { _ = first.commit() }
        var damaged = first.line.committed
        damaged.tree = 42
        var scene = try LineScene(LoadedDocument(document: damaged))
        scene.now = first.now.advanced(by: 1_000)
        return (scene, first.fetched(0...3))
    }

    // MARK: Events

    /// Receives a request.
    mutating func request(_ action: ChangeRequest.Action, _ actor: Name = "") -> [String] {
        receive(ChangeRequest(action, actor: actor))
    }

    mutating func receive(
        _ request: ChangeRequest, early: Groundwork? = nil, fetched: FetchedChanges? = nil
    ) -> [String] {
        var work = early ?? fetched.map { Groundwork(fetched: $0) }
        return receive(request, &work)
    }

    mutating func receive(_ request: ChangeRequest, _ work: inout Groundwork?) -> [String] {
        var actions: [Line.Action] = []
        let reception = line.receive(request, replies[requests], at: now, &work, &actions)
        let words = note(actions)
        switch reception {
        case .taken:
            requests += 1
            return words
        case .retired: return words + ["retired"]
        case .overtaken: return words + ["overtaken"]
        case .closed: return words + ["closed"]
        case .postponed(nil): return words + ["takes long"]
        case .postponed(let range?):
            return words + ["needs \(range.limit) \(range.direction) from \(range.revision)"]
        }
    }

    /// The next entry in flight is durable.
    mutating func commit() -> [String] {
        sequence += 1
        if !queued.isEmpty {
            let entry = queued.removeFirst()
            committed.append(entry)
            if let change = try? Change(decoding: entry.body, revision: entry.revision) {
                stored.append(change)
            }
        }
        return ended(.success(sequence))
    }

    /// The next entry in flight is not stored.
    mutating func fail(_ error: JournalError) -> [String] {
        if !queued.isEmpty { queued.removeFirst() }
        return ended(.failure(error))
    }

    private mutating func ended(_ result: Result<Int, JournalError>) -> [String] {
        var actions: [Line.Action] = []
        line.commitEnded(result, at: now, &actions)
        return note(actions)
    }

    // Entries of other processes.

    mutating func caughtUp(_ entries: [JournalEntry]) -> [String] {
        var actions: [Line.Action] = []
        line.caughtUp(entries, at: now, &actions)
        return note(actions)
    }

    mutating func passed(_ revision: Int, as sequence: Int) -> [String] {
        var actions: [Line.Action] = []
        let place = EntryPlace(
            sequence: sequence, document: line.committed.id, revision: revision)
        let passage = line.passed(place, &actions)
        return note(actions) + ["\(passage)"]
    }

    mutating func turn(missed: [JournalEntry]) -> [String] {
        var actions: [Line.Action] = []
        let entries = line.turnBegan(missed: missed, at: now, &actions)
        queued += entries
        let revisions = entries.map { "\($0.revision)" }.joined(separator: ", ")
        return note(actions) + ["entries " + revisions]
    }

    mutating func turnFailed(_ error: JournalError) -> [String] {
        var actions: [Line.Action] = []
        line.turnFailed(error, at: now, &actions)
        return note(actions)
    }

    /// Nothing that was confirmed before is missing here.
    mutating func confirmLast() -> [String] {
        var actions: [Line.Action] = []
        guard let unconfirmed, line.confirmed(unconfirmed, &actions) else { return ["not final"] }
        return note(actions)
    }

    mutating func seal() -> [String] {
        var actions: [Line.Action] = []
        line.sealed(&actions)
        return note(actions)
    }

    mutating func pass(_ milliseconds: Int) -> [String] {
        now = now.advanced(by: milliseconds)
        var actions: [Line.Action] = []
        let isExpired = line.timeReached(now, &actions)
        return note(actions) + (isExpired ? ["scope expired"] : [])
    }

    mutating func retire() -> [String] {
        var actions: [Line.Action] = []
        let isRetired = line.retire(&actions)
        return note(actions) + (isRetired ? ["retired"] : ["stays"])
    }

    /// Groundwork with an early result of a request on the newest state; `nil` if there is none.
    mutating func prepareEarly(
        _ request: ChangeRequest, fetched: FetchedChanges = .init()
    ) throws -> Groundwork? {
        var work = Groundwork(fetched: fetched)
        try prepareEarly(request, &work)
        return work.early == nil ? nil : work
    }

    mutating func prepareEarly(_ request: ChangeRequest, _ work: inout Groundwork) throws {
        try work.prepare(request, on: line.base(at: now), limits: .standard)
    }

    /// As after a restart: the same document, and nothing in memory but its newest state.
    func reloaded(at time: Timestamp? = nil) throws -> LineScene {
        var scene = try LineScene(
            LoadedDocument(document: line.committed, requests: line.requests), at: time ?? now)
        scene.stored = stored
        return scene
    }

    mutating func adoptVersions(of checkpointed: Document, madeFrom original: Document) {
        line.adoptVersions(of: checkpointed, madeFrom: original)
    }

    /// The document as its entries make it.
    func replayed() throws -> Document {
        var document = Document.unborn(line.committed.id)
        for entry in committed { try document.replay(entry) }
        return document
    }

    /// The journal's entries, as they are fetched for a request.
    func fetched(_ revisions: ClosedRange<Int>) -> FetchedChanges {
        var fetched = FetchedChanges()
        fetched.add(stored.filter { revisions.contains($0.revision) })
        return fetched
    }

    // MARK: Actions

    private mutating func note(_ actions: [Line.Action]) -> [String] {
        for case .commit(let entry) in actions { queued.append(entry) }
        for case .confirm(let result) in actions { unconfirmed = result }
        return actions.map(words)
    }

    private func words(_ action: Line.Action) -> String {
        switch action {
        case .commit(let entry): "commit \(entry.revision)"
        case .show: "show \(line.committed.revision)"
        case .publish(.change(let made, let sequence)):
            "publish \(made.change.revision) as \(sequence ?? -1)"
        case .publish(.seal(let document)): "publish seal of \(document.history.currentID)"
        case .note: "note a fault"
        case .reply(let reply, .success(let outcome)):
            "reply \(replies.number(of: reply)): "
                + (outcome.isDryRun
                    ? "dry run"
                    : outcome.change.map { "revision \($0.revision)" } ?? "nothing to do")
        case .reply(let reply, .failure(let refusal)):
            "reply \(replies.number(of: reply)): \(refusal.error)"
        case .resubmit(let request, let reply):
            "resubmit \(replies.number(of: reply)), conflict \(request.conflicts)"
        case .wake(let time): "wake at \(time.milliseconds)"
        case .forget: "forget"
        case .writeCheckpoint: "write a checkpoint"
        case .requestTurn(let revision): "request a turn after \(revision)"
        case .confirm(let result): "confirm \(replies.number(of: result.reply))"
        case .prepareInBackground(_, let reply):
            "prepare \(replies.number(of: reply)) in the background"
        }
    }
}

extension ChangeRequest.Action {
    static func edit(_ value: JSON, window: Int? = nil) -> ChangeRequest.Action {
        let grouping = window.map {
            Grouping(window: .milliseconds($0), max: .milliseconds($0 * 20))
        }
        return .append(.value(value), tag: nil, grouping: grouping)
    }

    static func merging(_ value: JSON) -> ChangeRequest.Action {
        .append(.mergePatch(value), tag: nil, grouping: nil)
    }

    static func typing(_ text: String, at position: Int) -> ChangeRequest.Action {
        let patch = JSONPatch([.insertText(.root, at: position, text)])
        return .append(.patch(patch), tag: nil, grouping: nil)
    }

    static var undo: ChangeRequest.Action { .move(.undo(count: 1)) }
    static var redo: ChangeRequest.Action { .move(.redo(count: 1)) }
    static func scope(_ milliseconds: Int, _ policy: ScopeExpiry.Policy = .pop) -> Self {
        .pushScope(lifetime: .milliseconds(milliseconds), policy: policy)
    }
}
