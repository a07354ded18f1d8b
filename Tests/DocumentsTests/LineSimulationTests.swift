import Naming
import JSONTree
import Journaling
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// A line driven by a seed: random requests, failing commits, other writers to the journal, slow
/// reads, and time. The journal decides which results are right.
@Suite struct LineSimulationTests {
    @Test(arguments: Seeds.of(100))
    func `a line never shows or confirms what the journal does not have`(seed: UInt64) throws {
        var simulation = try LineSimulation(seed: seed)
        try simulation.run(steps: 150)
        try simulation.finish()
    }
}

/// The journal, what is in flight, and what clients have received.
struct LineSimulation {
    private typealias Line = DocumentLine

    private let id: DocumentID
    private var random: SeededGenerator
    private var line: Line
    private var now = Timestamp(milliseconds: 0)
    /// The journal: the entries that are stored.
    private var entries: [JournalEntry] = []
    /// Entries that wait for their commit. Those after a failure are refused by the journal's rule.
    private var queue: [JournalEntry] = []
    private var replies: [Int: Result<Outcome, Refusal>] = [:]
    private let numbered = NumberedReplies()
    private var asked = 0
    /// Requests whose old changes are being read, or that wait for their turn on a reader thread.
    private var reading: [(ChangeRequest, Int, Groundwork)] = []
    /// Requests that found the line retired.
    private var waiting: [(ChangeRequest, Int)] = []
    /// Commits of the lines that were left behind.
    private var oldLines: [(Line, [JournalEntry])] = []
    private var shown: Int?
    private var published: [Int] = []
    private var hasFaults = true

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        id = try #require(DocumentID("menu"))
        line = Line(LoadedDocument(document: .unborn(id)), at: now, limits: .standard)
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            switch random.below(20) {
            case 0..<9: try request()
            case 9..<14: try commit()
            case 14..<17: try read()
            case 17: pass()
            case 18: send { line, actions in line.sealed(&actions) }
            default: if random.once(in: 4) { writeElsewhere() }
            }
            carryOutAgain()
            try check()
        }
    }

    // MARK: Events

    private mutating func send(_ event: (inout Line, inout [Line.Action]) -> Void) {
        var actions: [Line.Action] = []
        event(&line, &actions)
        run(actions)
    }

    private mutating func request() throws {
        let number = asked
        asked += 1
        receive(randomRequest(), number)
    }

    private mutating func receive(
        _ request: ChangeRequest, _ number: Int, _ given: Groundwork? = nil
    ) {
        var actions: [Line.Action] = []
        var work = given
        let reception = line.receive(request, numbered[number], at: now, &work, &actions)
        run(actions)
        switch reception {
        case .taken: break
        case .retired: waiting.append((request, number))
        case .closed, .overtaken, .postponed:
            var next = work ?? Groundwork()
            if case .closed = reception { next.noteClosed() } else { next.noteOvertaken() }
            if case .postponed(let range?) = reception { next.fetched.add(changes(range)) }
            reading.append((request, number, next))
        }
    }

    /// A request whose changes were read is received again; often with an early result, which
    /// others may have overtaken by then.
    private mutating func read() throws {
        guard !reading.isEmpty else { return }
        var (request, number, work) = reading.remove(at: random.below(reading.count))
        if !work.needsEarly || random.once(in: 3) { return receive(request, number, work) }
        do throws(PreparationError) {
            try work.prepare(request, on: line.base(at: now), limits: .standard)
        } catch {
            guard case .needs(let range) = error else { return }
            work.fetched.add(changes(range))
        }
        reading.append((request, number, work))
    }

    private func changes(_ range: ChangeRange) -> [Change] {
        entries.compactMap { entry in
            guard abs(entry.revision - range.revision) < 4 else { return nil }
            return try? Change(decoding: entry.body, revision: entry.revision)
        }
    }

    /// The journal's rule: an entry is stored if it follows the last one. Now and then it fails.
    private mutating func fate(
        of entry: JournalEntry
    ) -> Result<Int, JournalError> {
        if hasFaults, random.once(in: 12) {
            return .failure(random.once(in: 2) ? .full("") : .unavailable(""))
        }
        guard entry.revision == entries.count,
            entry.previousChain == entries.last?.chain ?? .start
        else { return .failure(.conflict) }
        entries.append(entry)
        return .success(entries.count)
    }

    private mutating func commit() throws {
        if let (old, queued) = oldLines.first {
            // The commits of an old line end before those of the new one.
            oldLines.removeFirst()
            var old = old
            for entry in queued {
                var actions: [Line.Action] = []
                old.commitEnded(fate(of: entry), at: now, &actions)
                try #require(actions.allSatisfy { if case .show = $0 { false } else { true } })
                run(actions)
            }
            return
        }
        guard !queue.isEmpty else { return }
        let result = fate(of: queue.removeFirst())
        let time = now
        send { $0.commitEnded(result, at: time, &$1) }
    }

    private mutating func pass() {
        now = now.advanced(by: [1, 50, 400, 5_000][random.below(4)])
        var isExpired = false
        let time = now
        send { isExpired = $0.timeReached(time, &$1) }
        if isExpired {
            let number = asked
            asked += 1
            receive(.closingExpired, number)
        }
    }

    /// Another process writes to the document.
    private mutating func writeElsewhere() {
        guard let found = replayed(), found.exists else { return }
        var other = Line(LoadedDocument(document: found), at: now, limits: .standard)
        var actions: [Line.Action] = []
        var nothing: Groundwork?
        _ = other.receive(
            ChangeRequest(.edit(JSON(random.below(1_000))), actor: "elsewhere"), numbered[0],
            at: now, &nothing, &actions)
        for case .commit(let entry) in actions { entries.append(entry) }
    }

    /// If the line is retired, the host loads the document again and repeats the requests that
    /// found it so.
    private mutating func carryOutAgain() {
        if line.isRetired {
            oldLines.append((line, queue))
            queue = []
            line = Line(
                LoadedDocument(document: replayed() ?? .unborn(id)), at: now, limits: .standard)
            reading = reading.map { ($0.0, $0.1, Groundwork(fetched: $0.2.fetched)) }
        }
        let again = waiting
        waiting = []
        for (request, number) in again { receive(request, number) }
    }

    private func replayed() -> Document? {
        var document = Document.unborn(id)
        for entry in entries { _ = try? document.replay(entry) }
        document.history.seal()
        return document.life == .unborn ? nil : document
    }

    // MARK: Actions

    private mutating func run(_ actions: [Line.Action]) {
        for action in actions {
            switch action {
            case .commit(let entry): queue.append(entry)
            case .show: shown = line.committed.revision
            case .publish(.change(let made, let sequence?)):
                published.append(made.change.revision)
                if entries[sequence - 1].revision != made.change.revision {
                    Issue.record("published under another number")
                }
            case .reply(let reply, let result):
                let number = numbered.number(of: reply)
                if replies.updateValue(result, forKey: number) != nil {
                    Issue.record("request \(number) received two replies")
                }
                confirm(result)
            case .resubmit(let request, let reply):
                waiting.append((request, numbered.number(of: reply)))
            case .publish(.seal), .note, .forget, .wake, .writeCheckpoint: break
            case .publish(.change(_, sequence: nil)):
                Issue.record("published without a number")
            case .requestTurn, .confirm, .prepareInBackground:
                Issue.record("nobody else writes to the journal")
            }
        }
    }

    /// A reply is durable.
    private func confirm(_ result: Result<Outcome, Refusal>) {
        guard case .success(let outcome) = result else { return }
        if let change = outcome.change, !outcome.isDryRun {
            let stored = entries.indices.contains(change.revision) ? entries[change.revision] : nil
            #expect(stored?.body == change.encoded(), "a confirmed change is in the journal")
        }
        #expect(outcome.document.nextRevision <= entries.count, "it rests on nothing else")
    }

    // MARK: Checks

    private func check() throws {
        try #require(line.isConsistent)
        if let shown { try #require(shown < entries.count) }
        try #require(zip(published, published.dropFirst()).allSatisfy(<))
    }

    /// All ends well: commits in flight end, all requests have a reply, and a restart finds the
    /// same document.
    mutating func finish() throws {
        // An edit notices changes of other processes, unless it meets a fault.
        hasFaults = false
        receive(ChangeRequest(.put("the end")), asked)
        asked += 1
        for _ in 0..<10_000 where !isQuiet {
            carryOutAgain()
            try commit()
            try read()
        }
        try #require(isQuiet, "everything comes to an end")
        try #require(replies.count == asked)
        let found = replayed()
        #expect(found?.tree ?? .null == line.committed.tree)
        #expect(found?.chain ?? .start == line.committed.chain)
        #expect(
            found?.history.state.versions.count
                == (found == nil ? nil : line.committed.history.state.versions.count))
    }

    private var isQuiet: Bool {
        queue.isEmpty && reading.isEmpty && waiting.isEmpty && oldLines.isEmpty && !line.isRetired
    }

    // MARK: Requests

    private mutating func randomRequest() -> ChangeRequest {
        let actor: Name = ["ada", "bob", ""][random.below(3)]
        var request = ChangeRequest(randomAction(actor), actor: actor)
        request.isDryRun = random.once(in: 10)
        if random.once(in: 10) {
            request.token = RequestToken(
                key: "\(random.below(20))", fingerprint: JSON(1).contentHash)
        }
        return request
    }

    private mutating func randomAction(_ actor: Name) -> ChangeRequest.Action {
        if line.prepared.life != .alive { return .put(["a": 0, "b": [1, 2]]) }
        switch random.below(24) {
        case 0..<8:
            return .edit(
                ["a": JSON(random.below(9)), "b": [1, JSON(random.below(9))]],
                window: random.once(in: 2) ? 100 : nil)
        case 8..<11: return .move(.undo(count: 1 + random.below(3)))
        case 11..<13: return .move(.redo(count: 1 + random.below(2)))
        case 13..<16: return .revert(OwnUndoRequest(.actor(actor)))
        case 16: return .revert(OwnUndoRequest(.actor(actor), isRedo: true))
        case 17: return .scope(1_000, random.once(in: 2) ? .discard : .pop)
        case 18: return .popScope(isForced: true)
        case 19: return .tag("t\(random.below(3))", version: nil, isNew: false)
        case 20: return .move(.goTo(.tag("t\(random.below(3))")))
        case 21: return .snapshot("s", [.root], isNew: false)
        case 22: return .restore("s")
        default: return random.once(in: 8) ? .delete : .move(.goTo(.version(random.below(9))))
        }
    }
}
