import Threading

/// A grant that is used again and again: it is looked up anew only when the list was replaced or
/// its time is over.
public final class StandingGrant: Sendable {
    private struct Known {
        let edition: Int
        let expiry: Int?
    }

    private let access: AccessControl
    private let known = Lock<Known?>(nil)

    public init(_ access: AccessControl) {
        self.access = access
    }

    /// Calls `lookUp` unless what it returned last still counts; throws what it throws.
    public func check<Failure: Error>(_ lookUp: () throws(Failure) -> Grant) throws(Failure) {
        let edition = access.edition
        let isKnown = known.withLock { known in
            guard let known, known.edition == edition else { return false }
            return known.expiry.map { access.now() < $0 } ?? true
        }
        if isKnown { return }
        let grant = try lookUp()
        known.withLock { $0 = Known(edition: edition, expiry: grant.expiry) }
    }
}
