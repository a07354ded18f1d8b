import Documents
import JSONTree
import Journaling
import SQLiteJournaling
import TestSupport
import Testing
import VersioningKit

/// The behaviour with a faulty journal.
@Suite struct DocumentFaultTests {
    let id = DocumentID("menu")!

    private func store(_ journal: any Journal) -> DocumentStore {
        DocumentStore(journal: journal, now: { Timestamp(milliseconds: 0) })
    }

    @Test(arguments: [FaultyJournal.Fault.full, .unavailable])
    func `a change that was not stored has not happened`(fault: FaultyJournal.Fault) async throws {
        let store = store(FaultyJournal(InMemoryJournal(), plan: [nil, fault]))
        _ = try await store.change(id, ChangeRequest(.put(1)))
        await #expect(throws: ChangeError.self) { try await store.change(id, .append(2)) }
        #expect(try await store.read(id).tree == 1)
        let next = try await store.change(id, .append(3))
        #expect(next.document.revision == 1 && next.document.tree == 3)
        #expect(try await store.change(id, .move(.undo(count: 1))).document.tree == 1)
    }

    @Test(arguments: [FaultyJournal.Fault.storedButUnknown, .lostAndUnknown])
    func `when nobody knows, nothing is written until a restart tells`(
        fault: FaultyJournal.Fault
    ) async throws {
        let base = InMemoryJournal()
        let first = store(FaultyJournal(base, plan: [nil, fault]))
        _ = try await first.change(id, ChangeRequest(.put(1)))
        await #expect(throws: ChangeError.journal(.outcomeUnknown("planned"))) {
            try await first.change(id, .append(2))
        }
        #expect(first.failure != nil)
        await #expect(throws: ChangeError.self) { try await first.change(id, .append(3)) }
        #expect(try await first.read(id).tree == 1, "reading goes on, with what is known")
        let second = store(base)
        let isStored = if case .storedButUnknown = fault { true } else { false }
        #expect(try await second.read(id).tree == (isStored ? 2 : 1))
    }

    @Test func `changes that were prepared on a lost one are lost with it, without a gap`()
        async throws
    {
        let store = store(FaultyJournal(InMemoryJournal(), plan: [nil, .full]))
        _ = try await store.change(id, ChangeRequest(.put(0)))
        let revisions = await withTaskGroup(of: Int?.self) { group in
            for n in 1...50 {
                group.addTask { try? await store.change(id, .append(JSON(n))).document.revision }
            }
            return await group.reduce(into: [Int]()) { all, revision in
                if let revision { all.append(revision) }
            }
        }
        #expect(revisions.sorted() == revisions.indices.map { $0 + 1 })
        let changes = try await store.changes(of: id)
        #expect(changes.map(\.revision) == Array(0...revisions.count))
    }

    @Test func `many writers to one document get gapless revisions, each its own`() async throws {
        let directory = try TemporaryDirectory()
        let journal = try SQLiteJournal(directory: directory.path)
        let store = store(journal)
        _ = try await store.change(id, ChangeRequest(.put(["log": []])))
        let end = try #require(JSONPointer(parsing: "/log/-"))
        let revisions = await withTaskGroup(of: Int?.self) { group in
            for n in 0..<200 {
                group.addTask {
                    let edit = ChangeRequest.Edit.patch(JSONPatch([.add(end, JSON(n))]))
                    let request = ChangeRequest(
                        .append(edit, tag: nil, grouping: nil), actor: "\(n)")
                    return try? await store.change(id, request).document.revision
                }
            }
            return await group.reduce(into: Set<Int>()) { all, revision in
                if let revision { all.insert(revision) }
            }
        }
        #expect(revisions == Set(1...200))
        #expect(try await store.read(id).tree["log"]?.count == 200)
        #expect(try await store.change(id, .move(.undoScope)).document.tree == ["log": []])
        store.close()
        let reopened = try SQLiteJournal(directory: directory.path)
        #expect(try Audit.check(id, reopened).changes == 202)
        reopened.close()
    }

    @Test func `an undo of changes that are on their way finds them, however large`() async throws {
        let store = store(InMemoryJournal())
        _ = try await store.change(id, ChangeRequest(.put("")))
        let large = JSON(String(repeating: "x", count: 200_000))
        await withTaskGroup(of: Void.self) { group in
            for n in 0..<8 {
                group.addTask {
                    let value: JSON = ["n": JSON(n), "large": large]
                    _ = try? await store.change(id, .append(value))
                    await #expect(throws: Never.self) {
                        try await store.change(id, .move(.undo(count: 1)))
                    }
                }
            }
        }
        #expect(try await store.read(id).tree == "")
    }

    @Test func `refusals are answered while others keep writing`() async throws {
        let store = store(InMemoryJournal())
        _ = try await store.change(id, ChangeRequest(.put(0)))
        let stop = TestLock(false)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                group.addTask {
                    var n = 0
                    while !stop.withLock({ $0 }) {
                        n += 1
                        _ = try? await store.change(id, .append(JSON(writer * 1_000_000 + n)))
                    }
                }
            }
            group.addTask {
                for _ in 0..<20 {
                    let stale = ChangeRequest(
                        .put(9), precondition: Precondition(match: .these([99_999_999])))
                    await #expect(throws: ChangeError.self) { try await store.change(id, stale) }
                }
                stop.withLock { $0 = true }
            }
        }
    }

    @Test func `a closed store answers`() async throws {
        let store = store(InMemoryJournal())
        _ = try await store.change(id, ChangeRequest(.put(1)))
        store.close()
        await #expect(throws: ChangeError.self) { try await store.change(id, .append(2)) }
        await #expect(throws: ChangeError.self) { try await store.read(DocumentID("other")!) }
        #expect(try await store.read(id).tree == 1)
    }

    @Test func `an answer that changed nothing waits for what it saw`() async throws {
        let store = store(FaultyJournal(InMemoryJournal(), plan: [nil, nil, .full]))
        _ = try await store.change(id, ChangeRequest(.put(0)))
        _ = try await store.change(id, .append(1))
        // The second request sees the first one's value, which is never stored.
        async let lost = store.change(id, .append(2))
        async let echo = store.change(id, .append(2))
        let results = [try? await lost.document.tree, try? await echo.document.tree]
        let stored = try await store.read(id).tree
        for case let tree? in results { #expect(tree == stored) }
    }
}

@Suite struct DeadlineSchedulerTests {
    @Test func `what was over before a document is loaded is closed, and so is what comes after`()
        async throws
    {
        let id = try #require(DocumentID("menu"))
        let (journal, time) = (InMemoryJournal(), ManualTime(milliseconds: 0))
        let before = DocumentStore(journal: journal, now: { time.now })
        _ = try await before.change(id, ChangeRequest(.put(1)))
        _ = try await before.change(id, ChangeRequest(.scope(400)))
        time.advance(by: 500)
        // A scheduler that is quicker than the thread that loads.
        let later = TestLock<DocumentStore?>(nil)
        let store = DocumentStore(
            journal: journal, now: { time.now },
            schedule: { id, due in
                if due <= time.now { later.withLock { $0 }?.checkDeadlines(id) }
            })
        later.withLock { $0 = store }
        defer { later.withLock { $0 = nil } }
        func untilClosed() async throws {
            try await until { try await store.read(id).history.scopeLevel == 0 }
        }
        try await untilClosed()
        _ = try await store.change(id, ChangeRequest(.scope(400)))
        time.advance(by: 500)
        store.checkDeadlines(id)
        try await untilClosed()
        #expect(try await store.read(id).revision == 4)
    }

    @Test func `a quiet group is sealed by the clock, and not before`() async throws {
        let id = try #require(DocumentID("menu"))
        let (clock, time) = (TestClock(), ManualTime(milliseconds: 0))
        let scheduler = DeadlineScheduler(clock: clock, now: { time.now })
        let scheduled = TestLock<[Timestamp]>([])
        let store = DocumentStore(
            journal: InMemoryJournal(), now: { time.now },
            schedule: { id, time in
                scheduled.withLock { $0.append(time) }
                scheduler.schedule(id, at: time)
            })
        let (checks, checked) = AsyncStream<[Timestamp]>.makeStream()
        let task = Task {
            await scheduler.run { id in
                scheduled.withLock { $0 = [] }
                store.checkDeadlines(id)
                checked.yield(scheduled.withLock { $0 })
            }
        }
        var wakeUps = checks.makeAsyncIterator()
        let grouping = Grouping(window: .milliseconds(500), max: .seconds(10))
        func edit(_ value: JSON) async throws {
            let request = ChangeRequest(.append(.value(value), tag: nil, grouping: grouping))
            _ = try await store.change(id, request)
        }
        func pass(_ milliseconds: Int) {
            time.advance(by: milliseconds)
            clock.advance(by: .milliseconds(milliseconds))
        }
        _ = try await store.change(id, ChangeRequest(.put(0)))
        try await edit(1)
        await clock.untilSleeping()
        pass(400)
        try await edit(2)
        #expect(try await store.read(id).history.openGroup != nil)
        pass(100)
        #expect(
            await wakeUps.next() == [Timestamp(milliseconds: 900)], "scheduled again, not sealed")
        #expect(try await store.read(id).history.openGroup != nil)
        await clock.untilSleeping()
        pass(400)
        #expect(await wakeUps.next() == [])
        #expect(try await store.read(id).history.openGroup == nil)
        #expect(try await store.read(id).revision == 2, "sealing writes nothing")
        task.cancel()
        await task.value
    }
}
