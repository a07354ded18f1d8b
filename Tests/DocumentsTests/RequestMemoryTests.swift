import JSONTree
import Journaling
import TestSupport
import Testing
import Threading

@testable import DocumentCore
@testable import Documents

/// The memory of requests about several documents, with small limits.
@Suite(.timeLimit(.minutes(5))) struct RequestMemoryTests {
    private typealias Result = Swift.Result<TransactionOutcome, TransactionRefusal>

    private let time = ManualTime()
    private let ids = (0..<20).map { DocumentID("d\($0)")! }
    private let draft = DocumentID("d0~ada")!
    /// Each document takes about 24 KB.
    private let text = JSON(String(repeating: "x", count: 20_000))
    /// Ten of them fit, twenty do not.
    private let most = 400 << 10

    private func store(
        isShared: Bool = false, _ options: DocumentStore.Options
    ) -> DocumentStore {
        DocumentStore(
            journal: InMemoryJournal(isShared: isShared), options: options,
            now: { [time] in time.now })
    }

    private func small(isShared: Bool = false) async throws -> DocumentStore {
        let store = store(isShared: isShared, .init(requestBytesMax: most))
        try await fill(store)
        return store
    }

    private func fill(_ store: DocumentStore) async throws {
        for id in ids {
            _ = try await store.change(id, ChangeRequest(.put(["text": text])))
        }
    }

    private func merging(_ count: Int, _ patch: JSON = ["n": 1]) -> TransactionRequest {
        request(count) { _ in ChangeRequest(.append(.mergePatch(patch), tag: nil, grouping: nil)) }
    }

    private func request(
        _ count: Int, _ make: (DocumentID) -> ChangeRequest
    ) -> TransactionRequest {
        TransactionRequest(ids.prefix(count).map { .init($0, make($0)) })
    }

    private func transact(_ store: DocumentStore, _ request: TransactionRequest) async -> Result {
        await withCheckedContinuation { continuation in
            store.transact(request) { result in
                continuation.resume(
                    returning: result.map { outcome in
                        // As when the response is made.
                        var outcome = outcome
                        outcome.memory = nil
                        return outcome
                    })
            }
        }
    }

    private func refusal(_ result: Result) -> ChangeError? {
        if case .failure(let refusal) = result { refusal.refusal.error } else { nil }
    }

    /// All that was reserved is given back: one who asks for all of it gets it.
    private func isGivenBack(_ store: DocumentStore) async {
        await withCheckedContinuation { continuation in
            let most = store.options.requestBytesMax
            _ = store.requests.async(of: "one", weight: most) { _ in continuation.resume() }
        }
    }

    @Test(arguments: [false, true])
    func `19: documents of a transaction do not push each other out (A2)`(
        isShared: Bool
    ) async throws {
        let store = store(isShared: isShared, .init(loadedMax: 3))
        try await fill(store)
        let done = try await transact(store, merging(20)).get()
        #expect(done.members.count == 20 && done.leader == DocumentRevision(ids[0], 1))
        let undo = request(20) { _ in
            var request = ChangeRequest(.takeBack([1], isRedo: false, .reject))
            request.parts = .these([1])
            return request
        }
        let undone = try await transact(store, undo).get()
        #expect(undone.members.allSatisfy { $0.outcome.change?.revision == 2 })
        await isGivenBack(store)
        store.close()
    }

    @Test(arguments: [false, true])
    func `19: what takes too much together is refused with its limit, and not done (A1)`(
        isShared: Bool
    ) async throws {
        let store = try await small(isShared: isShared)
        for isDryRun in [true, false] {
            var request = merging(20)
            request.isDryRun = isDryRun
            #expect(refusal(await transact(store, request)) == .tooLargeTogether(max: most))
        }
        for id in ids { #expect(try await store.read(id).revision == 0) }
        await isGivenBack(store)
        let done = try await transact(store, merging(10)).get()
        #expect(done.members.allSatisfy { $0.outcome.change?.revision == 1 })
        await isGivenBack(store)
        store.close()
    }

    @Test(arguments: [false, true])
    func `18: what an undo makes of small documents counts (A1)`(isShared: Bool) async throws {
        let store = try await small(isShared: isShared)
        for id in ids {
            _ = try await store.change(id, .append(1))
        }
        let undo = { (count: Int) in
            self.request(count) { _ in ChangeRequest(.takeBack([1], isRedo: false, .reject)) }
        }
        #expect(refusal(await transact(store, undo(20))) == .tooLargeTogether(max: most))
        for id in ids { #expect(try await store.read(id).tree == 1) }
        await isGivenBack(store)
        _ = try await transact(store, undo(2)).get()
        #expect(try await store.read(ids[1]).tree == ["text": text])
        await isGivenBack(store)
        store.close()
    }

    @Test func `19: what is put back counts before it is done (A1)`() async throws {
        let store = try await small()
        let values = request(20) { _ in
            ChangeRequest(
                .putBack(
                    FollowedPlaces(
                        [.root], in: ["text": self.text], at: 0, options: DiffOptions()),
                    steps: []))
        }
        #expect(refusal(await transact(store, values)) == .tooLargeTogether(max: most))
        await isGivenBack(store)
        store.close()
    }

    @Test func `what is about one document is not refused, and runs alone`() async throws {
        let store = store(.init(requestBytesMax: 16 << 10))
        try await fill(store)
        let one = try await transact(store, merging(1)).get()
        #expect(one.members.first?.outcome.change?.revision == 1)
        #expect(refusal(await transact(store, merging(2))) == .tooLargeTogether(max: 16 << 10))
        await isGivenBack(store)
        store.close()
    }

    @Test func `20: a draft and its origin are not refused, and run alone`() async throws {
        let store = store(.init(requestBytesMax: 16 << 10))
        try await fill(store)
        _ = try await store.copy(CopyRequest(of: ids[0]), as: draft)
        let edit = ChangeRequest(.append(.mergePatch(["n": 1]), tag: nil, grouping: nil))
        _ = try await store.change(draft, edit)
        #expect(try await store.compare(DraftRequest(draft)).ahead.patch.count == 1)
        let merged = try await store.merge(DraftRequest(draft))
        #expect(merged.origin.tree == ["text": text, "n": 1])
        let nothing = try await store.update(DraftRequest(draft))
        #expect(nothing.change == nil)
        await isGivenBack(store)
        store.close()
    }

    @Test(arguments: [false, true])
    func `requests that need all of the memory are carried out one after the other`(
        isShared: Bool
    ) async throws {
        let store = try await small(isShared: isShared)
        let results = await withTaskGroup(of: Result.self) { group in
            for number in 0..<12 {
                group.addTask { await transact(store, merging(10, ["n": JSON(number)])) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.allSatisfy { refusal($0) == nil })
        #expect(try await store.read(ids[9]).revision == 12)
        await isGivenBack(store)
        store.close()
    }

    @Test func `an outcome holds its memory until the response is made`() async throws {
        let store = try await small()
        var outcome: TransactionOutcome? = try await store.transact(merging(10))
        #expect(outcome?.members.count == 10)
        let hasBegun = Lock(false)
        _ = store.requests.async(of: "one", weight: most) { _ in hasBegun.withLock { $0 = true } }
        #expect(!store.requests.runNext() && !hasBegun.withLock { $0 })
        outcome = nil
        try await until { hasBegun.withLock { $0 } }
        store.close()
    }

    @Test func `a permit is given back however a request ends`() async throws {
        let store = try await small()
        var stale = merging(10)
        stale.members[9].request.precondition.match = .these([7])
        #expect(refusal(await transact(store, stale)) == .stale(head: 0))
        await isGivenBack(store)
        var nothing = merging(10, [:])
        nothing.isDryRun = true
        #expect(try await transact(store, nothing).get().leader == nil)
        await isGivenBack(store)
        var repeatable = merging(10)
        repeatable.token = RequestToken(key: "k", fingerprint: JSON(6).contentHash)
        #expect(try await !transact(store, repeatable).get().isRepeated)
        #expect(try await transact(store, repeatable).get().isRepeated)
        await isGivenBack(store)
        store.close()
        let closed = refusal(await transact(store, merging(10)))
        #expect(closed == .journal(.stopped("the store is closed")))
    }
}
