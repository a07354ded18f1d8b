import Threading

/// Short-lived stand-ins for credentials, for clients that can send nothing but an address: a
/// browser's `EventSource`. Only in memory: after a restart clients get new ones.
struct Tickets: Sendable {
    private struct Ticket: Sendable {
        let credentials: Credentials
        let issued: Int
    }

    private let tickets = Lock<[String: Ticket]>([:])
    /// The limit on tickets; each takes about 200 bytes. The oldest is dropped.
    private static let countMax = 10_000
    /// What began with a ticket may go on for so long; the credentials are checked all the time.
    private static let goesOnMilliseconds = 24 * 60 * 60 * 1_000

    func issue(for credentials: Credentials, at now: Int) -> String {
        let secret = Token().secret
        tickets.withLock { tickets in
            if tickets.count >= Tickets.countMax {
                let oldest = now - Tickets.goesOnMilliseconds
                tickets = tickets.filter { $0.value.issued > oldest }
            }
            if tickets.count >= Tickets.countMax,
                let oldest = tickets.min(by: { $0.value.issued < $1.value.issued })
            {
                tickets[oldest.key] = nil
            }
            tickets[Token.hash(of: secret)] = Ticket(credentials: credentials, issued: now)
        }
        return secret
    }

    /// `isBegun`: something that began with it goes on.
    func credentials(of secret: String, isBegun: Bool, at now: Int) -> Credentials? {
        let most = isBegun ? Tickets.goesOnMilliseconds : AccessControl.ticketSeconds * 1_000
        return tickets.withLock { tickets in
            tickets[Token.hash(of: secret)].flatMap {
                now - $0.issued < most ? $0.credentials : nil
            }
        }
    }
}

extension AccessControl {
    /// How long a ticket can begin something.
    public static let ticketSeconds = 60

    /// A ticket that stands for credentials, which are checked whenever it is shown.
    public func ticket(for credentials: Credentials) -> String {
        tickets.issue(for: credentials, at: now())
    }

    /// What a ticket stands for. `isBegun`: something that began with it goes on.
    public func credentials(
        ofTicket secret: String, isBegun: Bool
    ) throws(Refusal) -> Credentials {
        guard let found = tickets.credentials(of: secret, isBegun: isBegun, at: now()) else {
            throw .unknownToken
        }
        return found
    }
}
