import Documents
import JSONTree
import Journaling
import Naming
import TestSupport
import VersioningKit

/// Several clients edit one document, each on a state of its own. Requests and responses are lost,
/// and sent again; no edit may be applied twice or lost, and each client must reach the document's
/// value from its responses.
@Sendable func fuzzMerging(_ seed: UInt64) throws -> String? {
    guard let id = DocumentID("merge") else { return "no name" }
    var random = SeededGenerator(seed: seed)
    let store = DocumentStore(journal: InMemoryJournal(), now: { ManualTime().now })
    defer { store.close() }
    let start = JSON.crowded(&random)
    guard case .success = perform(ChangeRequest(.put(start)), id, store) else { return "no start" }
    var trees = [start]
    var clients = (0..<(3 + random.below(3))).map { MergingClient(Name("c\($0)"), start) }
    for step in 0..<60 {
        let index = random.below(clients.count)
        if random.once(in: 8), random.once(in: 2) {
            let move = ChangeRequest(.move(random.once(in: 2) ? .undo(count: 1) : .redo(count: 1)))
            if case .success(let outcome) = perform(move, id, store) {
                trees.append(outcome.document.tree)
            }
            continue
        }
        let edit = clients[index].edit(&random)
        // The first answer may be lost, and the request may come twice.
        for attempt in 0..<(1 + random.below(3)) {
            switch perform(edit.request, id, store) {
            case .success(let outcome):
                if !outcome.isRepeated, outcome.change != nil { trees.append(outcome.tree) }
                if let fault = clients[index].receive(outcome, edit, trees) {
                    return "step \(step) attempt \(attempt): \(fault)"
                }
            case .failure(.wrongOwn), .failure(.mergeConflicts):
                clients[index].catchUp(trees)
            case .failure(let error): return "step \(step): \(error) for \(edit.request)"
            }
        }
        clients[index].goOn(&random, edit, trees)
    }
    return nil
}

private struct MergingClient {
    struct Edit {
        let request: ChangeRequest
        let sent: JSON
    }

    let name: Name
    private var base = 0
    private var own: [Int] = []
    private var tree: JSON
    private var keys = 0
    private var last: Outcome?

    init(_ name: Name, _ tree: JSON) {
        self.name = name
        self.tree = tree
    }

    mutating func edit(_ random: inout SeededGenerator) -> Edit {
        keys += 1
        last = nil
        let patch = JSONPatch.random(
            &random, on: tree, count: 1 + random.below(3), hasTests: random.once(in: 4))
        let sent = (try? tree.applying(patch).tree) ?? tree
        var request = ChangeRequest(
            .append(.patch(patch), tag: nil, grouping: nil), actor: name)
        let policies: [ConflictPolicy] = [.mine, .mine, .theirs, .reject]
        request.base = EditBase(
            .revision(base), own: own.map { .revision($0) }, policy: policies[random.below(4)])
        request.token = RequestToken(
            key: Name("\(name) \(keys)"), fingerprint: JSON("\(patch)").contentHash)
        return Edit(request: request, sent: sent)
    }

    /// The missed edits must lead to the document's value after its edit.
    mutating func receive(_ outcome: Outcome, _ edit: Edit, _ trees: [JSON]) -> String? {
        guard let merge = outcome.merge else { return "the answer does not say what was missed" }
        guard merge.sentTree == edit.sent else { return "another state was merged" }
        if outcome.isRepeated, let last, last.change != nil,
            last.change?.revision != outcome.change?.revision
        {
            return "the request was carried out twice"
        }
        guard (try? edit.sent.applying(merge.missed)) == outcome.tree else {
            return "what was missed leads elsewhere"
        }
        guard outcome.tree == trees[outcome.document.revision] else { return "another value" }
        last = outcome
        return nil
    }

    /// Applies the missed edits, or continues with its own state; or reads the document.
    mutating func goOn(_ random: inout SeededGenerator, _ edit: Edit, _ trees: [JSON]) {
        guard let last else { return catchUp(trees) }
        if let change = last.change, last.merge?.conflicts.isEmpty == true, random.once(in: 2) {
            own.append(change.revision)
            tree = edit.sent
        } else {
            (base, own, tree) = (last.document.revision, [], last.tree)
        }
        // Some read the document only now and then.
        if own.count > 5 { catchUp(trees) }
    }

    mutating func catchUp(_ trees: [JSON]) {
        (base, own, tree) = (trees.count - 1, [], trees[trees.count - 1])
    }
}
