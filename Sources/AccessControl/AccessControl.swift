import Naming
import Signatures
import Synchronization
import Threading

/// Decides who may do what, and how often.
public final class AccessControl: Sendable {
    private let state: Lock<State>
    private let replacements = Atomic(0)
    private let budgets = Lock<[Name: Budget]>([:])
    private let forgettingAt = Atomic(AccessControl.budgetsMax)
    let now: @Sendable () -> Int
    let tickets = Tickets()

    /// `now` returns milliseconds since 1970.
    public init(_ list: AccessList, now: @escaping @Sendable () -> Int) {
        state = Lock(State(list))
        self.now = now
    }

    /// The list, and what was found by it.
    fileprivate struct State {
        var list: AccessList
        var verified = VerifiedTokens()

        init(_ list: AccessList) {
            self.list = list
        }
    }

    /// From now on another list counts.
    public func replace(with new: AccessList) {
        state.withLock { state in
            state.list = new
            replacements.add(1, ordering: .sequentiallyConsistent)
        }
    }

    /// The list that counts.
    public var current: AccessList { state.withLock { $0.list } }

    /// How often the list was replaced. A grant that is looked up after this was read is of this
    /// list, or of a newer one.
    var edition: Int { replacements.load(ordering: .sequentiallyConsistent) }

    /// The reason for a refusal.
    public enum Refusal: Error, Equatable, Sendable {
        /// Nothing was shown, and something is needed.
        case noToken
        case unknownToken
        case expiredToken(name: String)
        case missingRight(Rights, name: String)
        /// The document is not one that the grant is about.
        case outOfReach(Reach, name: String)
        case tooManyRequests(Allowance)
        /// A signed token is invalid.
        case badToken(TokenFault)
    }

    /// The grant of a client. Throws if it has no rights.
    ///
    /// Cost: a hash of the secret and a lookup; for a new signed token also the check of a
    /// signature.
    public func grant(of credentials: Credentials) throws(Refusal) -> Grant {
        let now = now()
        let grant: Grant
        switch credentials {
        case .none, .user:
            guard let found = state.withLock({ $0.list.grant(of: credentials) }) else {
                throw .noToken
            }
            grant = found
        case .hash(let hash):
            guard let found = try known(hash, at: now) else { throw .unknownToken }
            grant = found
        case .secret(let secret):
            let hash = Token.hash(of: secret)
            let found = try known(hash, at: now)
            if let found { grant = found } else { grant = try verify(secret, hash, at: now) }
        }
        if grant.isExpired(at: now) { throw .expiredToken(name: grant.name) }
        return grant
    }

    /// How much of a rate is left.
    public struct Allowance: Sendable, Equatable {
        public let rate: Grant.Rate
        public let remaining: Int
        /// Seconds until there is more, if nothing remains; otherwise until all is there again.
        public let seconds: Int
    }

    /// Counts a request; `nil` if there is no rate limit.
    public func count(_ grant: Grant) throws(Refusal) -> Allowance? {
        guard let rate = grant.rate else { return nil }
        let now = now()
        let (isAllowed, allowance) = budgets.withLock { budgets in
            if budgets.count >= AccessControl.budgetsMax { forgetFull(&budgets, at: now) }
            return budgets[Name(grant.name), default: Budget(rate, at: now)].take(rate, at: now)
        }
        guard isAllowed else { throw .tooManyRequests(allowance) }
        return allowance
    }

    /// How many verified tokens and how many rates are kept.
    public var keptCounts: (tokens: Int, rates: Int) {
        (state.withLock { $0.verified.count }, budgets.withLock { $0.count })
    }

    /// At this number of budgets, the full ones are dropped.
    private static let budgetsMax = 10_000

    /// A full budget is the same as none. If all are in use, all are kept: a heavy client must not
    /// be forgotten because there are others.
    private func forgetFull(_ budgets: inout [Name: Budget], at now: Int) {
        guard budgets.count >= forgettingAt.load(ordering: .relaxed) else { return }
        budgets = budgets.filter { !$0.value.isFull(at: now) }
        let next = max(AccessControl.budgetsMax, budgets.count * 2)
        forgettingAt.store(next, ordering: .relaxed)
    }
}

// Signed tokens.

extension AccessControl {
    /// The grant of a secret that is in the list, or was verified before.
    private func known(_ hash: String, at now: Int) throws(Refusal) -> Grant? {
        let found = state.withLock { $0.grant(ofHash: hash, edition, at: now) }
        return try found.map { result throws(Refusal) in
            do throws(TokenFault) { return try result.get() } catch { throw .badToken(error) }
        }
    }

    /// Checks a signature without a lock, and keeps what it found if the list is the same still.
    private func verify(_ secret: String, _ hash: String, at now: Int) throws(Refusal) -> Grant {
        guard SignedToken.isLike(secret), let token = SignedToken(secret) else {
            throw .unknownToken
        }
        let (list, edition) = state.withLock { ($0.list, self.edition) }
        do throws(TokenFault) {
            let (issuer, keys) = try list.issuer(of: token.origin)
            let (claims, key) = try token.claims(verifiedBy: keys)
            let grant = try list.grant(of: claims, issuer, at: now)
            let entry = VerifiedTokens.Entry(
                origin: token.origin, key: key.fingerprint, claims: claims, grant: grant,
                edition: edition, bytes: 512 + 2 * secret.utf8.count)
            state.withLock { state in
                if self.edition == edition { state.verified.keep(entry, hash) }
            }
            return grant
        } catch {
            throw .badToken(error)
        }
    }
}

extension AccessControl.State {
    /// `nil` if nothing is known of it.
    fileprivate mutating func grant(
        ofHash hash: String, _ edition: Int, at now: Int
    ) -> Result<Grant, TokenFault>? {
        if let grant = list.grant(of: .hash(hash)) { return .success(grant) }
        guard var entry = verified[hash] else { return nil }
        if entry.edition == edition { return .success(entry.grant) }
        // The list is another one: the issuer or its key may be gone, the token revoked.
        verified.forget(hash)
        do throws(TokenFault) {
            let (issuer, keys) = try list.issuer(of: entry.origin)
            guard keys.contains(where: { $0.fingerprint == entry.key }) else { return nil }
            entry.grant = try list.grant(of: entry.claims, issuer, at: now)
        } catch {
            return .failure(error)
        }
        entry.edition = edition
        verified.keep(entry, hash)
        return .success(entry.grant)
    }
}
