import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// Rule 27: what a run did is counted as it is in effect, however the index got there.
@Suite struct RunIndexTests {
    @Test func `27: counts of runs are those of a slow count of all changes`() async throws {
        var (counted, undone, other) = (0, 0, 0)
        for seed in Seeds.of(120) {
            var history = try RunHistory(seed: seed)
            for step in 0..<60 {
                await history.step()
                guard step % 7 == 0 else { continue }
                let counts = try await history.model()
                guard try history.counts() == counts else {
                    Issue.record("seed \(seed), step \(step): \(try history.difference(counts))")
                    return
                }
                counted += counts.values.reduce(0) { $0 + $1.edits }
                undone += counts.values.reduce(0) { $0 + $1.undone }
            }
            #expect(
                try history.counts() == history.countsFromTheBeginning(), "seed \(seed)")
            let others = try await history.modelOfOthers()
            #expect(try history.others() == others, "seed \(seed)")
            #expect(try history.others(fromTheBeginning: true) == others, "seed \(seed)")
            other += others.values.reduce(0) { $0 + $1.count }
            #expect(
                try history.order() == history.order(fromTheBeginning: true), "seed \(seed)")
            history.close()
        }
        #expect(
            counted > Seeds.expected(1_000) && undone > Seeds.expected(200)
                && other > Seeds.expected(60),
            "\(counted) edits, \(undone) undone, \(other) other changes")
    }

    @Test func `27: a page leads on until all runs were on one, the newest first`() async throws {
        let history = try RunHistory(seed: 1)
        for number in 0..<25 {
            await history.edit("agent/\(number % 20)", 0)
        }
        let expected = [24, 23, 22, 21, 20] + Array((5..<20).reversed())
        for limit in [1, 3, 7, 20, 50] {
            var (names, before): ([String], Int?) = ([], .max)
            while let number = before {
                var rows = try history.index.rows(upTo: history.journal.lastSequence)
                let page = try rows.page(
                    before: number, limit: limit, RunQuery(), at: Timestamp(milliseconds: 0)
                ) { _ in
                    nil
                }
                #expect(page.runs.count == limit || page.next == nil)
                names += page.runs.map(\.name.text)
                before = page.next
            }
            #expect(names == expected.map { "agent/\($0 % 20)" })
        }
        history.close()
    }

    @Test func `27: the check finds a row with other edits than the changes`() async throws {
        let history = try RunHistory(seed: 1)
        for _ in 0..<9 { await history.edit("agent/1", 0) }
        // A record of the daemon, as of a restore point, which the run has set.
        let own = try #require(DocumentID(DocumentID.ownMark + "record"))
        _ = try await history.store.change(own, ChangeRequest(.put(1), actor: "agent/1"))
        _ = try history.index.rows(upTo: history.journal.lastSequence)
        try until { try history.journal.indexPosition() > 0 }
        for id in [history.ids[0], own] { try RunAudit(history.journal).check(id) }
        history.close()
        let position = try history.journal.indexPosition()
        let key = RunKey.count("agent/1", history.ids[0])
        let stored = try history.journal.indexRows(from: key, before: key + [0], limit: 1)
        var count = try #require(RunCount(bytes: stored[0].value))
        count.edits += 1
        let update = IndexUpdate(from: position, to: position, values: [key: count.bytes])
        _ = try history.journal.commit(JournalBatch(index: update))
        #expect(throws: ChangeError.self) {
            try RunAudit(history.journal).check(history.ids[0])
        }
        try RunAudit(history.journal).check(history.ids[2])
    }

    @Test func `27: after an erasure no row has the run's name`() async throws {
        let history = try RunHistory(seed: 1)
        for document in 0..<2 {
            await history.edit("agent/secret", document)
            let tag = ChangeRequest(.tag("t", version: nil, isNew: false), actor: "agent/secret")
            _ = try await history.store.change(history.ids[document], tag)
        }
        _ = try history.index.rows(upTo: history.journal.lastSequence)
        for document in 0..<2 {
            _ = try await history.store.erase(history.ids[document], ErasureRequest([]))
            let rows = try history.journal.indexRows(from: [], before: [255], limit: 99)
            let names = rows.filter { String(decoding: $0.key, as: UTF8.self).contains("secret") }
            // The run's row is there while it has edits in another document.
            #expect(names.isEmpty == (document == 1))
            #expect(
                !names.contains {
                    String(decoding: $0.key, as: UTF8.self)
                        .contains(history.ids[document].name + "\0")
                })
        }
        #expect(try history.counts().isEmpty)
        history.close()
    }
}

/// Documents that two people and three runs change in every way, and an index that stores its rows
/// after a few entries.
private struct RunHistory {
    struct Place: Hashable {
        let run: Name
        let document: DocumentID
    }

    struct Count: Equatable {
        var edits = 0
        var undone = 0
    }

    /// Does not have the stored index.
    private struct Unindexed: ForwardingJournal {
        let base: any Journal
        func indexPosition() -> Int { 0 }
        func indexRows(from key: [UInt8], before end: [UInt8], limit: Int) -> [IndexRow] { [] }
    }

    let journal = InMemoryJournal()
    let store: DocumentStore
    var index: RunIndex { store.runs }
    let ids: [DocumentID]
    private let queue: CommitQueue
    private let time = ManualTime()
    private var random: SeededGenerator

    private static let actors: [Name] = ["ada", "bob", "agent/1", "agent/2", "team/bot/3"]

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        var options = DocumentStore.Options()
        options.runSteps.page = 3
        options.runSteps.span = 5
        options.runSteps.rows = 6
        store = DocumentStore(journal: journal, options: options, now: { [time] in time.now })
        queue = CommitQueue(journal: journal)
        ids = try ["a", "a~1", "b", "c"].map { try #require(DocumentID($0)) }
    }

    func close() {
        store.close()
        queue.stop()
    }

    func edit(_ actor: Name, _ document: Int) async {
        let value = JSON(members: [("n", JSON(Int.random(in: 0..<1_000_000)))])
        _ = try? await store.change(ids[document], ChangeRequest(.put(value), actor: actor))
    }

    /// One request; many are refused.
    mutating func step() async {
        time.advance(by: random.below(5_000))
        let id = ids[random.below(ids.count)]
        let actor = RunHistory.actors[random.below(RunHistory.actors.count)]
        guard let action = action(actor) else { return await whole(id, actor) }
        _ = try? await store.change(id, ChangeRequest(action, actor: actor))
    }

    private mutating func action(_ actor: Name) -> ChangeRequest.Action? {
        let value = JSON(members: [("m\(random.below(4))", JSON(random.below(100)))])
        let other = RunHistory.actors[random.below(RunHistory.actors.count)]
        switch random.below(30) {
        case 0...11: return .append(.mergePatch(value), tag: nil, grouping: nil)
        case 12: return .put(value)
        case 13, 14: return .revert(OwnUndoRequest(.actor(actor)))
        case 15: return .revert(OwnUndoRequest(.actor(actor), isRedo: true))
        case 16: return .revert(OwnUndoRequest(.actor(other), policy: .theirs))
        case 17:
            return .revert(OwnUndoRequest(.change(random.below(12)), isRedo: random.once(in: 2)))
        case 18: return .move(.undo(count: 1 + random.below(2)))
        case 19: return .move(.redo(count: 1))
        case 20: return .move(.goTo(.version(random.below(12))))
        case 21: return .revertAll(ChangeSelection(actor: other), also: [], .theirs)
        case 22: return .pushScope(lifetime: nil, policy: .pop)
        case 23: return .popScope(isForced: true)
        case 24: return .discardScope(isForced: true, isAll: random.once(in: 2), policy: .theirs)
        case 25: return .tag("t", version: nil, isNew: false)
        case 26: return .undelete
        case 27: return .delete
        default: return nil
        }
    }

    /// A request about a whole history.
    private mutating func whole(_ id: DocumentID, _ actor: Name) async {
        let other = ids[random.below(ids.count)]
        switch random.below(8) {
        case 0:
            var request = CopyRequest(of: other, actor: actor)
            request.isRename = random.once(in: 2)
            _ = try? await store.copy(request, as: id)
        case 1: await erase(id, [])
        case 2: await erase(id, [PointerPattern(parsing: "/m1")].compactMap { $0 })
        default: break
        }
    }

    private func erase(_ id: DocumentID, _ places: [PointerPattern]) async {
        _ = try? await store.erase(id, ErasureRequest(places))
    }

    // MARK: Counts

    func counts() throws -> [Place: Count] {
        try counts(index.rows(upTo: journal.lastSequence))
    }

    private var indexFromTheBeginning: RunIndex {
        RunIndex(Unindexed(base: journal), queue, CommittedEntries(after: 0))
    }

    func countsFromTheBeginning() throws -> [Place: Count] {
        try counts(indexFromTheBeginning.rows(upTo: journal.lastSequence))
    }

    private func counts(_ rows: IndexRows) throws -> [Place: Count] {
        var rows = rows
        var counts: [Place: Count] = [:]
        for run in RunHistory.actors {
            for (document, count) in try rows.counts(of: run, prefix: "", after: nil, limit: .max)
            where count.edits > 0 {
                counts[Place(run: run, document: document)] = Count(
                    edits: count.edits, undone: count.undone)
            }
        }
        return counts
    }

    /// The changes of runs that are not edits, with their kinds.
    func others(fromTheBeginning: Bool = false) throws -> [Place: [String]] {
        let index = fromTheBeginning ? indexFromTheBeginning : index
        var rows = try index.rows(upTo: journal.lastSequence)
        var others: [Place: [String]] = [:]
        for run in RunHistory.actors {
            for (document, change) in try rows.others(of: run, prefix: "", after: nil, upTo: nil) {
                others[Place(run: run, document: document), default: []].append(
                    "\(change.revision) \(change.kind)")
            }
        }
        return others
    }

    /// The same by a check of every change by itself.
    func modelOfOthers() async throws -> [Place: [String]] {
        var others: [Place: [String]] = [:]
        for id in ids {
            guard let (head, past) = try? await store.past(of: id) else { continue }
            for change in try changes(of: head, past)
            where change.actor.text.contains("/") && change.kind != .create
                && (!change.makesVersion || change.reversal != nil)
            {
                others[Place(run: change.actor, document: id), default: []].append(
                    "\(change.revision) \(change.kind.name)")
            }
        }
        return others
    }

    /// The changes of a document, without those of a life that continued under another name: they
    /// count there.
    private func changes(
        of head: Document, _ past: DocumentPast
    ) throws -> ArraySlice<Change> {
        let all = try past.changes(from: 0, limit: head.revision + 1)
        let end = all.lastIndex { change in
            change.renamedTo != nil
                && all.first { $0.revision > change.revision && $0.isTurn }?.kind != .undelete
        }
        return all.suffix(from: end.map { $0 + 1 } ?? 0)
    }

    /// The runs in the order of their last edits.
    func order(fromTheBeginning: Bool = false) throws -> [Name] {
        let index = fromTheBeginning ? indexFromTheBeginning : index
        var rows = try index.rows(upTo: journal.lastSequence)
        return try rows.page(before: .max, limit: 99, RunQuery(), at: Timestamp(milliseconds: 0)) {
            _ in
            nil
        }.runs.map(\.name)
    }

    func difference(_ model: [Place: Count]) throws -> String {
        let counts = try counts()
        return Set(counts.keys).union(model.keys).filter { counts[$0] != model[$0] }.map {
            "\($0.run) in \($0.document): \(counts[$0] as Any), not \(model[$0] as Any)"
        }.joined(separator: "; ")
    }

    /// The counts by a slow check of every change by itself.
    func model() async throws -> [Place: Count] {
        var counts: [Place: Count] = [:]
        for id in ids {
            guard let (head, past) = try? await store.past(of: id) else { continue }
            let changes = try changes(of: head, past)
            let line = Set(head.history.stepsBack)
            for change in changes where change.actor.text.contains("/") {
                let isCreation = change.kind == .create
                guard isCreation || change.makesVersion && change.reversal == nil else { continue }
                let flip = changes.last { later in
                    line.contains(later.revision)
                        && later.reversal?.flipped.contains(change.revision) == true
                }
                let isOwn =
                    flip?.actor == change.actor && flip?.selection == nil
                    && flip?.reversal?.off.contains(change.revision) == true
                if isOwn, line.contains(change.revision) { continue }
                let place = Place(run: change.actor, document: id)
                counts[place, default: Count()].edits += 1
                let isInEffect = try past.isInEffect(change, at: head) ?? false
                if !isInEffect { counts[place, default: Count()].undone += 1 }
            }
        }
        return counts
    }
}

extension Change {
    /// Whether it begins or ends a life of its document.
    fileprivate var isTurn: Bool { kind.traits.lifecycle != .goesOn }
}
