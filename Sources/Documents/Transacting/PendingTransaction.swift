import DocumentCore
import Journaling
import SelectiveUndo
import Threading

/// A transaction on its way.
struct PendingTransaction: Sendable {
    let request: TransactionRequest
    /// The memory that it may take. Held until it has ended.
    let memory: RequestMemory
    /// So that none of its documents is let go while it loads others.
    private(set) var leases: [HostLease] = []
    /// About how many bytes these take.
    private var heldBytes = 0
    /// In the order of the names' bytes, in which lines are held and parts are numbered.
    private(set) var members: [TransactionRequest.Member] = []
    /// Of each of these, its index in the request, or behind it.
    private var positions: [Int] = []
    /// How many documents of clients it is about.
    private(set) var documentCount = 0
    /// The parts of other transactions that are included, by their documents.
    private var widening = Widening()
    /// The runs whose edits it takes.
    private var runs = TakenRuns()
    /// Made and read outside the lines, by the positions of `members`.
    var groundwork: [Int: Groundwork] = [:]
    /// How often it was tried in vain since it was made wider.
    var attempts = 0
    /// How often it was made wider.
    private(set) var widenings = 0
    /// Parts from this index on are prepared early, on a worker thread; `nil`: none. The lines have
    /// all data for those before it; those after it have not been tried yet.
    var earlyFrom: Int?
    /// Whether it is on a worker thread already, so that it goes before what has not begun.
    private(set) var isBegun: Bool
    /// Whether other processes must not write during the decision.
    var takesTurn = false

    /// The number of invisible versions that an undo has skipped.
    private(set) var passes = 0

    /// It is given up after this number of attempts in vain: other requests came first each time.
    static let attemptsMax = 20
    /// The same of widenings. Each adds at least one part, and all that one document has at once;
    /// only a document that other requests change all the time makes them begin again.
    static let wideningsMax = 1_000
    /// The limit on skipped versions, after which an invisible undo is carried out: each skip
    /// searches all documents again, and other requests must not wait for long.
    private static let passesMax = 100
    /// More parts are prepared early, so that no event loop and no line is held for long.
    static let membersOnLoopMax = 8

    init(_ request: TransactionRequest, _ memory: RequestMemory, isLarge: Bool) {
        self.request = request
        self.memory = memory
        // Other requests may wait for its permit, so it must not wait for them.
        isBegun = isLarge || memory.isPermitted
        order()
        earlyFrom = firstEarly
    }

    /// From where on parts are prepared early before any was tried.
    private var firstEarly: Int? {
        isBegun || members.count > PendingTransaction.membersOnLoopMax ? 0 : nil
    }

    /// A widening does not count as a failed attempt. Results that its lines have already are not
    /// prepared early.
    private mutating func noteWidening() {
        widenings += 1
        attempts = 0
        earlyFrom = firstEarly
    }

    /// Whether a part is prepared early.
    func isEarly(_ index: Int) -> Bool { earlyFrom.map { $0 <= index } ?? false }

    /// Puts the members, and what is taken for the sake of their transactions, in their order.
    /// `keepsEarly`: the requests are the same as before.
    private mutating func order(keepsEarly: Bool = false) {
        let known = [DocumentID: Groundwork](
            uniqueKeysWithValues: groundwork.map {
                (members[$0].document, keepsEarly ? $1 : $1.kept)
            })
        let record = request.record
        let all = widening.members(of: request) + runs.records + (record.map { [$0.member] } ?? [])
        positions = all.indices.sorted { all[$0].document < all[$1].document }
        members = positions.map { index in
            var member = all[index]
            // The daemon's own documents have no key, but for the record of it.
            member.request.token =
                if member.document.isOwn {
                    member.document == record?.document ? record?.token : nil
                } else {
                    request.token
                }
            member.request.isDryRun = request.isDryRun
            return member
        }
        // Once: each document that is held compares it.
        documentCount = members.count { !$0.document.isOwn }
        groundwork = [:]
        for (index, member) in members.enumerated() { groundwork[index] = known[member.document] }
    }

    /// Those revisions of which a member was not known to take a part.
    mutating func news(_ revisions: [Int], at index: Int) -> [Int] {
        widening.news(revisions, of: members[index].document)
    }

    /// The parts of transactions that were not known before, of each member whose early result was
    /// refused because of them.
    mutating func earlyParts() -> [(index: Int, revisions: [Int])] {
        let refused = members.indices.compactMap { index -> (index: Int, revisions: [Int])? in
            guard let early = groundwork[index]?.early,
                case .failure(.partOfTransaction(let revisions, _)) = early.result
            else { return nil }
            return (index, revisions)
        }
        let news = widening.news(of: refused.map { (members[$0.index].document, $0.revisions) })
        return zip(refused, news).map { ($0.index, $1.revisions) }
    }

    /// Those of the parts that a member was not found to take yet.
    func missing(_ revisions: [Int], at index: Int) -> [Int] {
        widening.missing(revisions, of: members[index].document)
    }

    /// Also takes the other parts of the transactions that a member takes parts of.
    mutating func widen(
        at index: Int, _ revisions: [Int], head: Int?, by parts: [DocumentRevision]
    ) {
        note(revisions, at: index, head: head, with: parts)
        takeNotedParts()
    }

    /// Notes these parts; `takeNotedParts` takes them.
    mutating func note(
        _ revisions: [Int], at index: Int, head: Int?, with parts: [DocumentRevision]
    ) {
        widening.add(revisions, of: members[index].document, at: head, with: parts)
    }

    mutating func takeNotedParts() {
        order()
        noteWidening()
    }

    /// Leaves the other parts of the transactions that a member keeps parts of.
    mutating func keep(at index: Int, _ revisions: [Int], with parts: [DocumentRevision]) {
        widening.keep(revisions, of: members[index].document, with: parts)
        order()
        noteWidening()
    }

    /// Lets an actor's undo skip an invisible version.
    mutating func pass(at index: Int) {
        passes += 1
        widening.pass(in: members[index].document)
        order()
        noteWidening()
    }

    /// The edits of which it is known whose they are; `nil`: it is not asked.
    var knownEdits: Set<DocumentRevision>? { request.openRuns == nil ? nil : runs.edits }

    /// The edits that early results take, and of which it is not known whose they are. None if the
    /// line of a document has the result, or a refusal to report first.
    var unknownEarlyEdits: Set<DocumentRevision> {
        guard let known = knownEdits else { return [] }
        var edits: Set<DocumentRevision> = []
        for (index, member) in members.enumerated() {
            guard case .success(let prepared)? = groundwork[index]?.early?.result else { return [] }
            edits.formUnion(prepared.flipped.map { DocumentRevision(member.document, $0) })
        }
        return edits.subtracting(known)
    }

    /// Takes edits whose runs have these records, which are in the unit with its parts.
    mutating func take(_ edits: Set<DocumentRevision>, with records: [TransactionRequest.Member]) {
        let isFirst = runs.edits.isEmpty
        runs.note(edits, with: records)
        // A selection is about what there was then, however fast other clients write.
        if !isFirst { noteHeads() }
        order(keepsEarly: isFirst)
        earlyFrom = firstEarly
    }

    private mutating func noteHeads() {
        for (host, member) in zip(hosts, members) where !member.document.isOwn {
            widening.note(head: host.unusedDocument.revision, of: member.document)
        }
    }

    /// Whether the record of a run has changed since it was read.
    func isStale(at index: Int, _ error: ChangeError) -> Bool {
        guard members[index].document.isOwn, case .stale = error else { return false }
        return true
    }

    /// Looks the runs up again.
    mutating func forgetRuns() {
        runs = TakenRuns()
        order(keepsEarly: true)
        earlyFrom = firstEarly
    }

    /// Whether an invisible undo may continue with the next version.
    var mayPass: Bool { passes < PendingTransaction.passesMax }

    /// The hosts that it holds, in the order of the members.
    var hosts: [DocumentHost] { leases.map(\.host) }

    /// One of them.
    func host(at index: Int) -> DocumentHost { leases[index].host }

    /// Drops the groundwork for lines that are gone: it may not be stored, or was rewritten since.
    mutating func dropOldGroundwork() {
        let hosts = hosts
        for (index, work) in groundwork where work.host !== hosts[index] {
            groundwork[index] = nil
        }
    }

    /// Searches its documents again.
    mutating func letGo() {
        leases = []
        heldBytes = 0
    }

    /// Holds a document; throws if all take more memory than they may.
    mutating func hold(_ lease: HostLease) throws(ChangeError) {
        leases.append(lease)
        // The daemon's own documents are small, but may have many versions.
        if !lease.host.id.isOwn { heldBytes += lease.host.unusedDocument.weight }
        try memory.check(heldBytes, isAlone: documentCount == 1)
    }

    /// Throws if it takes more memory than it may, with `bytes` besides its documents.
    func checkMemory(_ bytes: Int) throws(ChangeError) {
        try memory.check(heldBytes + bytes, isAlone: documentCount == 1)
    }

    /// About how many bytes a member and its groundwork take.
    func weight(at index: Int) -> Int { groundwork.weight(of: members[index], at: index) }

    /// The same as `checkMemory` when a part was prepared; `bytes` is what all members and their
    /// groundwork take. If there is no more memory, the changes read are dropped when they take a
    /// quarter of it: they are read again when needed.
    mutating func makeRoom(_ bytes: inout Int) throws(ChangeError) {
        let most = memory.bytesMax / 4
        if memory.isAll, bytes > most,
            groundwork.values.reduce(0, { $0 + $1.fetched.memory }) > most
        {
            for index in groundwork.keys { groundwork[index]?.fetched.letGo() }
            bytes = groundwork.weight(for: members)
        }
        try checkMemory(bytes)
    }

    /// The refusal of a member, by its index here.
    func refusal(at index: Int, _ refusal: Refusal) -> TransactionRefusal {
        TransactionRefusal(
            member: positions[index], document: members[index].document, refusal: refusal)
    }

    func refusal(at index: Int, _ error: ChangeError) -> TransactionRefusal {
        refusal(at: index, Refusal(error))
    }

    /// The outcome of the request, from those of the members by their positions here.
    func outcome(
        _ outcomes: [Int: TransactionOutcome.Member], isRepeated: Bool = false
    ) throws(TransactionRefusal) -> TransactionOutcome {
        // No client sees a document of the daemon's own.
        let outcomes = outcomes.filter { !members[$0.key].document.isOwn }
        let found = positions.indices.sorted { positions[$0] < positions[$1] }.compactMap { index in
            outcomes[index].map { (document: members[index].document, outcome: $0) }
        }
        let outcome = TransactionOutcome(
            found, named: request.members.count { !$0.document.isOwn }, isDryRun: request.isDryRun,
            isRepeated: isRepeated)
        let hasChange = found.contains { $0.outcome.change != nil }
        guard request.mustChange, !hasChange else { return outcome }
        let reasons = outcomes.mapValues(\.reason).sorted { $0.key < $1.key }
        let first = reasons.first { !$0.value.isAbsence } ?? reasons.first { $0.value.isUndone }
        guard let (index, reason) = first ?? reasons.first else { return outcome }
        var refusal = refusal(at: index, reason)
        refusal.members = found
        throw refusal
    }
}

extension ChangeError {
    /// Whether there is a document, but nothing to undo in it.
    fileprivate var isUndone: Bool {
        switch self {
        case .notInEffect, .nothingSelected, .kept: true
        default: false
        }
    }
}

extension TransactionOutcome.Member {
    /// Why it changed nothing.
    fileprivate var reason: ChangeError {
        switch self {
        case .done: .nothingSelected
        case .absent(let error): error
        case .skipped(let conflicts): .conflicts(conflicts)
        }
    }
}
