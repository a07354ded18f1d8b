import Naming
import Synchronization
import Threading

/// Decides who may do what, and how often.
public final class AccessControl: Sendable {
    private let list: Lock<AccessList>
    private let replacements = Atomic(0)
    private let budgets = Lock<[Name: Budget]>([:])
    let now: @Sendable () -> Int
    let tickets = Tickets()

    /// `now` returns milliseconds since 1970.
    public init(_ list: AccessList, now: @escaping @Sendable () -> Int) {
        self.list = Lock(list)
        self.now = now
    }

    /// From now on another list counts.
    public func replace(with new: AccessList) {
        list.withLock { $0 = new }
        replacements.add(1, ordering: .sequentiallyConsistent)
    }

    /// How often the list was replaced. A grant that is looked up after this was read is of this
    /// list, or of a newer one.
    var edition: Int { replacements.load(ordering: .sequentiallyConsistent) }

    /// Why somebody is turned away.
    public enum Refusal: Error, Equatable, Sendable {
        /// Nothing was shown, and something is needed.
        case noToken
        case unknownToken
        case expiredToken(name: String)
        case missingRight(Rights, name: String)
        /// The document is not one that the grant is about.
        case outsidePrefix(String, name: String)
        case tooManyRequests(Allowance)
    }

    /// What a client may do. Throws if that is nothing.
    public func grant(of credentials: Credentials) throws(Refusal) -> Grant {
        guard let grant = list.withLock({ $0.grant(of: credentials) }) else {
            switch credentials {
            case .secret, .hash: throw .unknownToken
            case .none, .user: throw .noToken
            }
        }
        if grant.isExpired(at: now()) { throw .expiredToken(name: grant.name) }
        return grant
    }

    /// How much of a rate is left.
    public struct Allowance: Sendable, Equatable {
        public let rate: Grant.Rate
        public let remaining: Int
        /// Seconds until there is more, if nothing remains; otherwise until all is there again.
        public let seconds: Int
    }

    /// Counts a request; `nil` if there is no rate.
    public func count(_ grant: Grant) throws(Refusal) -> Allowance? {
        guard let rate = grant.rate else { return nil }
        let now = now()
        let (isAllowed, allowance) = budgets.withLock { budgets in
            budgets[Name(grant.name), default: Budget(rate, at: now)].take(rate, at: now)
        }
        guard isAllowed else { throw .tooManyRequests(allowance) }
        return allowance
    }
}

/// A bucket of requests that fills as time goes by.
private struct Budget {
    /// In thousandths of a request.
    private var level: Int
    private var time: Int

    init(_ rate: Grant.Rate, at now: Int) {
        level = rate.requests * 1_000
        time = now
    }

    mutating func take(
        _ rate: Grant.Rate, at now: Int
    ) -> (isAllowed: Bool, AccessControl.Allowance) {
        let full = rate.requests * 1_000
        let span = rate.seconds * 1_000
        let passed = min(max(0, now - time), span)
        let gained = passed * full / span
        // What is too little to count is not lost: its time stays.
        if gained > 0 || now < time { time = now }
        level = min(full, level + gained)
        let isAllowed = level >= 1_000
        if isAllowed { level -= 1_000 }
        let missing = isAllowed ? full - level : 1_000 - level
        let seconds = (missing * span / full + 999) / 1_000
        return (
            isAllowed, .init(rate: rate, remaining: level / 1_000, seconds: max(1, seconds))
        )
    }
}
