import DocumentCore
import Documents
import JSONTree
import Journaling
import Naming
import SelectiveUndo
import TestSupport
import VersioningKit

@testable import VersioningClient

/// One client of a document over a bad line: requests and answers are lost and come again, changes
/// come late, and now and then the line brings none.
final class SimulatedClient {
    /// A fault that the law must find.
    enum Mutant: CaseIterable {
        /// Each repetition has a key of its own.
        case repeatsWithNewKeys
        /// An own change of the feed is taken for another client's.
        case forgetsItsKeys
        /// Refused edits are not handed back.
        case keepsRefusedEdits
        /// A document that is read again is shown without what waits.
        case givesUpToRead
        /// The undo of a stored step is not sent.
        case undoesHereAlone
    }

    var mutant: Mutant?
    let name: Name
    var replica: Replica
    /// How much of what went wrong is possible; 0: everything works.
    var trouble = 1
    /// The edits that were handed back, as text.
    private(set) var returned = ""
    /// Events that must not happen.
    private(set) var faults: [String] = []
    private let world: SimulatedDaemon
    private var keys = 0
    /// The answer that is on its way, and to which step.
    private var answer: (result: Result<Outcome, ChangeError>, step: Int)?
    /// The revision that an answer has named, and that has not come yet; and of which step.
    private var awaited: (revision: Int, step: Int)?

    init(_ name: Name, _ world: SimulatedDaemon, policy: ConflictPolicy) {
        self.name = name
        self.world = world
        replica = Replica(policy: policy)
    }

    var isIdle: Bool { replica.pending.isEmpty && replica.revision == world.head }

    func newKey() -> String {
        keys += 1
        return "\(name)-\(keys)"
    }

    /// Loads the document.
    func open() {
        if mutant == .givesUpToRead { _ = replica.giveUp() }
        attempt("load") { _ = try replica.load(world.head, world.tree) }
    }

    // MARK: The line

    /// One moment of the line.
    func advance(_ random: inout SeededGenerator) async {
        if trouble == 0 || !random.once(in: 3) { receive(&random) }
        if awaited != nil { return settleAwaited() }
        if let answer {
            if trouble > 0, random.once(in: 4) { return }
            self.answer = nil
            // The answer is lost: the same request goes again.
            if trouble > 0, random.once(in: 5) { return }
            // The feed may have been quicker, and another step is under way.
            return replica.sent?.id == answer.step ? take(answer.result) : ()
        }
        await send(&random)
    }

    private func receive(_ random: inout SeededGenerator) {
        // Changes were missed: it reads the document. What was under way may be in it, where the
        // letters are known that others did, but not whose they are: so not then.
        if trouble > 0, !replica.isSending, random.once(in: 40) { return open() }
        let count = trouble == 0 ? .max : 1 + random.below(4)
        for change in world.changes(after: replica.revision).prefix(count) { deliver(change) }
    }

    private func deliver(_ change: ReplicaChange) {
        let own = change.key.map { $0.hasPrefix("\(name)-") } ?? false
        let seen = ReplicaChange(
            revision: change.revision, patch: change.patch, kind: change.kind,
            key: own && mutant != .forgetsItsKeys ? change.key : nil, wonSince: change.wonSince)
        switch replica.receive(seen) {
        case .shown, .known: break
        case .gap: open()
        }
    }

    private func send(_ random: inout SeededGenerator) async {
        let most = world.operationsMax
        attempt("take") { _ = try replica.take { min($0.count, most) } }
        let request = attempt("submit") { try replica.submit() }
        guard let request, let request, let step = replica.sent else { return }
        if trouble > 0, random.once(in: 5) { return }
        if mutant == .undoesHereAlone, case .command = request {
            return replica.removeFirstCommand()
        }
        let key = mutant == .repeatsWithNewKeys ? newKey() : step.key
        answer = (await world.carryOut(request, key: key, by: name), step.id)
    }

    private func take(_ answer: Result<Outcome, ChangeError>) {
        guard let sent = replica.sent else { return }
        switch answer {
        case .success(let outcome):
            let revision = outcome.change?.revision ?? outcome.revision ?? 0
            if let change = outcome.change, sent.isEdit, change.revision == replica.revision + 1 {
                deliver(world.item(change))
            }
            if replica.sent?.id == sent.id { awaited = (revision, sent.id) }
            settleAwaited()
        case .failure(let error): refused(sent, error)
        }
    }

    /// The answer's revision has come, and the step was not in it: it has changed nothing.
    private func settleAwaited() {
        guard let (revision, step) = awaited, replica.revision >= revision else { return }
        awaited = nil
        guard replica.sent?.id == step else { return }
        let shown = attempt("drop") { try replica.drop() }
        hand(back: shown ?? nil)
    }

    private func refused(_ sent: PendingStep, _ error: ChangeError) {
        switch error {
        case .unknownRevision, .trimmed, .baseTooOld, .wrongOwn, .unknownOwn, .earlierLife:
            attempt("put back") { _ = try replica.putBack() }
            open()
        case .tooLarge where sent.edits.count > 1:
            attempt("halve") { _ = try replica.putBack((sent.edits.count + 1) / 2) }
        default:
            if case .patch(let error) = error {
                faults.append("\(name): what was sent does not fit: \(error)")
            }
            let isTriedAgain = attempt("retry") { try replica.retry() } ?? false
            if isTriedAgain { return }
            let shown = (attempt("refuse") { try replica.refuse() }) ?? nil
            hand(back: shown)
            for revision in shown?.storedParts.reversed() ?? [] {
                replica.add(undoOf: revision, key: newKey())
            }
        }
    }

    private func hand(back shown: Shown?) {
        guard let shown, mutant != .keepsRefusedEdits else { return }
        returned += String(decoding: shown.lost.serialized(), as: UTF8.self)
    }

    @discardableResult
    func attempt<Result>(_ what: String, _ body: () throws -> Result) -> Result? {
        do { return try body() } catch {
            faults.append("\(name): \(what) failed: \(error)")
            return nil
        }
    }
}

extension Replica {
    /// Forgets the command under way, as if it had been carried out.
    fileprivate mutating func removeFirstCommand() {
        pending.removeFirst()
        isSending = false
    }
}
