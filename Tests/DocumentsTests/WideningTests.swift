import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import Testing

@testable import DocumentCore
@testable import Documents

/// Rule 18 and 19: an undo of a selection takes whole transactions, however these overlap, and it
/// ends. A slow model computes the same parts: it adds what is missing until nothing is.
@Suite struct WideningTests {
    @Test func `18: an undo of overlapping transactions takes the parts that a slow model takes`()
        async throws
    {
        var (deleted, widened) = (0, 0)
        for seed in Seeds.of(120) {
            var history = try OverlappingHistory(seed: seed)
            for _ in 0..<7 { try await history.step() }
            let named = history.someDocuments()
            let model = try await history.model(of: named)
            let result = await history.undo(named)
            switch (result, model.isEmpty) {
            case (.failure(let refusal), true):
                if case .creationStays = refusal.refusal.error { break }
                #expect(refusal.refusal.error.isAbsence, "seed \(seed)")
            case (.failure(let refusal), false):
                Issue.record("seed \(seed): \(refusal.refusal.error)")
                return
            case (.success, _):
                guard try await history.isAs(model) else {
                    Issue.record("seed \(seed): the values are not those of the model")
                    return
                }
                deleted += model.deleted.count
                if model.taken.keys.contains(where: { !named.contains($0) }) { widened += 1 }
            }
            history.store.close()
        }
        #expect(
            deleted > Seeds.expected(30) && widened > Seeds.expected(15),
            "\(deleted) deleted, \(widened) reach others")
    }
}

/// Documents that two people make and change, often several together; every edit adds one member.
private struct OverlappingHistory {
    typealias Revisions = [DocumentID: Set<Int>]

    /// The parts that an undo includes.
    struct Model {
        var taken: Revisions = [:]
        var deleted: Set<DocumentID> = []
        /// Of each document, the members that are left.
        var members: [DocumentID: Set<String>] = [:]
        var isEmpty: Bool { taken.values.allSatisfy(\.isEmpty) && deleted.isEmpty }
    }

    let store: DocumentStore
    private let ids: [DocumentID]
    private var random: SeededGenerator
    private var made: Set<DocumentID> = []
    private var number = 0
    /// The member that each change made.
    private var names: [DocumentID: [Int: String]] = [:]

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        let time = ManualTime()
        store = DocumentStore(journal: InMemoryJournal(), now: { time.now })
        ids = try ["v", "w", "x", "y", "z"].map { try #require(DocumentID($0)) }
    }

    mutating func step() async throws {
        let actor: Name = random.once(in: 4) ? "bob" : "ada"
        let chosen = someDocuments().prefix(random.once(in: 4) ? 1 : 4)
        number += 1
        let (name, value) = ("m\(number)", JSON(members: [("m\(number)", JSON(number))]))
        let members = chosen.map { id in
            let isNew = made.insert(id).inserted
            return TransactionRequest.Member(
                id,
                ChangeRequest(
                    isNew ? .put(value) : .append(.mergePatch(value), tag: nil, grouping: nil),
                    actor: actor))
        }
        for (id, member) in try await transact(TransactionRequest(members)).get().members {
            let revision = try #require(member.change?.revision)
            names[id, default: [:]][revision] = name
        }
    }

    mutating func someDocuments() -> [DocumentID] {
        var chosen: [DocumentID] = []
        for id in ids where random.once(in: 2) { chosen.append(id) }
        return chosen.isEmpty ? [ids[random.below(ids.count)]] : chosen
    }

    private func transact(
        _ request: TransactionRequest
    ) async -> Result<TransactionOutcome, TransactionRefusal> {
        await withCheckedContinuation { continuation in
            store.transact(request) { continuation.resume(returning: $0) }
        }
    }

    private static var selection: ChangeSelection {
        var selection = ChangeSelection(actor: "ada")
        selection.takesCreation = true
        return selection
    }

    /// Undoes all that ada did in some documents, as `POST /v1/undo` does.
    func undo(_ named: [DocumentID]) async -> Result<TransactionOutcome, TransactionRefusal> {
        var request = TransactionRequest(
            named.map { id in
                .init(
                    id, ChangeRequest(.nothing, actor: "cyd"),
                    takingBack: .revertAll(Self.selection, also: [], .mine), .mine)
            })
        request.mustChange = true
        request.widens = true
        return await transact(request)
    }

    func model(of named: [DocumentID]) async throws -> Model {
        var histories: [DocumentID: [Change]] = [:]
        for id in made { histories[id] = try await store.changes(of: id) }
        var taken: Revisions = [:]
        while true {
            var next = taken
            for (id, history) in histories where named.contains(id) {
                let own = own(history, taken[id] ?? [])
                for part in own {
                    for (other, changes) in histories {
                        let leader = history[part].transaction?.leader
                        let same = changes.filter {
                            $0.transaction != nil && $0.transaction?.leader == leader
                        }
                        next[other, default: []].formUnion(same.map(\.revision))
                    }
                }
            }
            if next == taken { break }
            taken = next
        }
        return model(histories, taken, named)
    }

    /// The parts that an undo includes in a named document, without those for others' sake.
    private func own(_ history: [Change], _ others: Set<Int>) -> Set<Int> {
        let isAll = history.allSatisfy { $0.actor == "ada" } || others.contains(0)
        let meant = history.filter {
            isAll || others.contains($0.revision) || $0.actor == "ada" && $0.revision > 0
        }
        return Set(meant.filter { $0.transaction != nil }.map(\.revision))
    }

    private func model(
        _ histories: [DocumentID: [Change]], _ taken: Revisions, _ named: [DocumentID]
    ) -> Model {
        var model = Model(taken: taken)
        for (id, history) in histories {
            let (isNamed, parts) = (named.contains(id), taken[id] ?? [])
            let isOwn = history.allSatisfy { $0.actor == "ada" }
            if parts.contains(0) || isNamed && isOwn { model.deleted.insert(id) }
            let left = history.filter { change in
                let isMeant = isNamed && change.actor == "ada" && change.revision > 0
                if isMeant { model.taken[id, default: []].insert(change.revision) }
                return !parts.contains(change.revision) && !isMeant
            }
            model.members[id] = Set(left.compactMap { names[id]?[$0.revision] })
        }
        return model
    }

    /// Whether the documents are what a model says.
    func isAs(_ model: Model) async throws -> Bool {
        for id in made {
            guard let document = try? await store.read(id) else {
                guard model.deleted.contains(id) else { return false }
                continue
            }
            if model.deleted.contains(id) { return false }
            let members = Set((document.tree.members ?? []).map(\.name))
            guard members == model.members[id] else { return false }
        }
        return true
    }
}
