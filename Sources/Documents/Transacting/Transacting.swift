import Journaling
import SelectiveUndo
import Threading

/// A transaction on its way.
struct Transacting: Sendable {
    typealias Reply = @Sendable (Result<TransactionOutcome, TransactionRefusal>) -> Void

    let request: TransactionRequest
    /// In the order of the names' bytes, in which lines are held and parts are numbered.
    private(set) var members: [TransactionRequest.Member] = []
    /// Of each of these, its place in the request, or behind it.
    private var places: [Int] = []
    /// The parts of other transactions that are taken, too, by their documents.
    private var widening = Widening()
    private let reply: Reply
    /// Made and read outside the lines, by the places of `members`.
    var helps: [Int: PartHelp] = [:]
    /// How often it was tried in vain since it was made wider.
    var attempts = 0
    /// How often it was made wider.
    private(set) var widenings = 0
    /// Parts from this place on are prepared on a worker thread, early; `nil`: none. A line has all
    /// that those before it need; those behind it nobody has looked at yet.
    var earlyFrom: Int?
    /// Whether it is on a worker thread already, so that it goes before what has not begun.
    private(set) var isBegun: Bool
    /// Whether nobody else may write while it is decided.
    var takesTurn = false

    /// How often an undo went on past what nothing can be seen of.
    private(set) var passes = 0

    /// It is given up after so many attempts in vain.
    static let attemptsMax = 20
    /// Each widening adds parts of one document, of which there are at most 100.
    static let wideningsMax = 1_000
    /// An undo of which nothing can be seen is carried out after so many versions: each is looked
    /// for in all documents anew, and nobody waits for long.
    private static let passesMax = 100
    /// More parts are prepared early, so that no event loop and no line is held for long.
    private static let membersOnLoopMax = 8

    init(_ request: TransactionRequest, isLarge: Bool, _ reply: @escaping Reply) {
        self.request = request
        self.reply = reply
        isBegun = isLarge
        order()
        earlyFrom = firstEarly
    }

    /// From where on parts are prepared early before any was tried.
    private var firstEarly: Int? {
        isBegun || members.count > Transacting.membersOnLoopMax ? 0 : nil
    }

    /// Counts a widening. What its lines have found out so far need not be found out early.
    mutating func widen() {
        widenings += 1
        attempts = 0
        earlyFrom = firstEarly
    }

    /// Whether a part is prepared early.
    func isEarly(_ place: Int) -> Bool { earlyFrom.map { $0 <= place } ?? false }

    /// Puts the members, and what is taken for the sake of their transactions, in their order.
    private mutating func order() {
        let fetched = [DocumentID: FetchedChanges](
            uniqueKeysWithValues: helps.map { (members[$0].document, $1.fetched) })
        let all = widening.members(of: request)
        places = all.indices.sorted { all[$0].document < all[$1].document }
        members = places.map { place in
            var member = all[place]
            member.request.token = request.token
            member.request.isDryRun = request.isDryRun
            return member
        }
        helps = [:]
        for (place, member) in members.enumerated() {
            helps[place] = fetched[member.document].map { PartHelp(fetched: $0) }
        }
    }

    /// Those revisions of which a member was not known to take a part.
    mutating func news(_ revisions: [Int], at place: Int) -> [Int] {
        widening.news(revisions, of: members[place].document)
    }

    /// The same with the other parts of the transactions that a member takes parts of.
    func widened(
        at place: Int, _ revisions: [Int], by parts: [DocumentRevision]
    ) -> Transacting {
        var wider = self
        wider.widening.add(revisions, of: members[place].document, with: parts)
        wider.order()
        return wider
    }

    /// The same, and an actor's undo goes on past what nothing can be seen of.
    func passing(at place: Int) -> Transacting {
        var wider = self
        wider.passes += 1
        wider.widening.pass(in: members[place].document)
        wider.order()
        return wider
    }

    /// Whether an undo of which nothing can be seen may go on.
    var mayPass: Bool { passes < Transacting.passesMax }

    var owner: String { request.owner.isEmpty ? members[0].document.name : request.owner }

    /// Drops the early results of lines that are gone: what they rested on may not be stored.
    mutating func dropEarly(notOf hosts: [DocumentHost]) {
        for (place, help) in helps where help.host !== hosts[place] {
            helps[place]?.early = nil
            helps[place]?.fetched.effects = nil
        }
    }

    func refuse(at place: Int, _ refusal: Refusal) {
        reply(
            .failure(
                TransactionRefusal(
                    member: places[place], document: members[place].document, refusal: refusal)))
    }

    /// Replies with what became of all members, by their places here.
    func end(_ outcomes: [Int: TransactionOutcome.Member], isRepeated: Bool = false) {
        let found = places.indices.sorted { places[$0] < places[$1] }.compactMap { place in
            outcomes[place].map { (document: members[place].document, outcome: $0) }
        }
        let outcome = TransactionOutcome(
            found, isDryRun: request.isDryRun, isRepeated: isRepeated)
        let hasChange = found.contains { $0.outcome.change != nil }
        guard request.mustChange, !hasChange else { return reply(.success(outcome)) }
        let reasons = outcomes.mapValues(\.reason).sorted { $0.key < $1.key }
        let first = reasons.first { !$0.value.isAbsence } ?? reasons.first { $0.value.isUndone }
        guard let (place, reason) = first ?? reasons.first else { return reply(.success(outcome)) }
        refuse(at: place, Refusal(reason))
    }
}

extension ChangeError {
    /// Whether there is a document, but nothing to take back in it.
    fileprivate var isUndone: Bool {
        switch self {
        case .notInEffect, .nothingSelected: true
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
