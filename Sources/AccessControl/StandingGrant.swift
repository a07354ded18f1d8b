import Synchronization

/// A grant for repeated use: it is looked up again only after the list was replaced or its time is
/// over. One caller at a time.
public final class StandingGrant: Sendable {
    private let access: AccessControl
    /// The edition of the list that it was found in; -1 before.
    private let edition = Atomic(-1)
    private let expiry = Atomic(Int.max)

    public init(_ access: AccessControl) {
        self.access = access
    }

    /// Whether what was found last still counts. Takes no lock: it is asked for each event that
    /// each of thousands of followers receives.
    public var counts: Bool {
        guard edition.load(ordering: .acquiring) == access.edition else { return false }
        let expiry = expiry.load(ordering: .relaxed)
        return expiry == .max || access.now() < expiry
    }

    /// Calls `lookUp`, and keeps what it returns; throws what it throws.
    public func renew<Failure: Error>(_ lookUp: () throws(Failure) -> Grant) throws(Failure) {
        let current = access.edition
        let grant = try lookUp()
        expiry.store(grant.expiry ?? .max, ordering: .relaxed)
        edition.store(current, ordering: .releasing)
    }
}
