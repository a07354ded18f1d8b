import Hashing

/// Short-lived substitutes for credentials, for clients that can send only an address: a browser's
/// `EventSource`.
///
/// A ticket is its own record: the credentials, the time of issue, and a seal that only this
/// process can make. So tickets take no memory, and none displaces another. After a restart clients
/// get new ones.
struct Tickets: Sendable {
    /// Random, so that no client can make seals.
    private let key: [UInt8]
    /// The limit on streams that began with a ticket; the credentials are checked all the time.
    private static let goesOnMilliseconds = 24 * 60 * 60 * 1_000
    private static let timeBytes = 8

    init() {
        var random = SystemRandomNumberGenerator()
        key = (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    func issue(for credentials: Credentials, at now: Int) -> String {
        let time = (0..<Tickets.timeBytes).map { UInt8(truncatingIfNeeded: now >> ($0 * 8)) }
        let record = time + credentials.sealed
        return "vd_" + (record + seal(record)).hexadecimal
    }

    /// `isBegun`: a stream that began with the ticket continues.
    func credentials(of ticket: String, isBegun: Bool, at now: Int) -> Credentials? {
        guard ticket.hasPrefix("vd_"), let bytes = [UInt8](hexadecimal: ticket.dropFirst(3)),
            bytes.count > Tickets.timeBytes + Digest.byteCount
        else { return nil }
        let record = Array(bytes.dropLast(Digest.byteCount))
        guard Array(bytes.suffix(Digest.byteCount)).isSameSeal(as: seal(record)) else { return nil }
        let issued = record.prefix(Tickets.timeBytes).reversed().reduce(0) { $0 << 8 | Int($1) }
        let most = isBegun ? Tickets.goesOnMilliseconds : AccessControl.ticketSeconds * 1_000
        guard now - issued < most else { return nil }
        return Credentials(sealed: record.dropFirst(Tickets.timeBytes))
    }

    private func seal(_ record: [UInt8]) -> [UInt8] {
        SHA256.authentication(of: record, key: key)
    }
}

extension Credentials {
    /// The form of credentials in a ticket: of a secret, the hash alone.
    fileprivate var sealed: [UInt8] {
        switch self {
        case .none: [0]
        case .secret(let secret): [1] + Array(Token.hash(of: secret).utf8)
        case .hash(let hash): [1] + Array(hash.utf8)
        case .user(let user): [2] + (0..<4).map { UInt8(truncatingIfNeeded: user >> ($0 * 8)) }
        }
    }

    fileprivate init?(sealed bytes: ArraySlice<UInt8>) {
        let rest = bytes.dropFirst()
        switch bytes.first {
        case 0: self = .none
        case 1: self = .hash(String(decoding: rest, as: UTF8.self))
        case 2: self = .user(rest.reversed().reduce(0) { $0 << 8 | UInt32($1) })
        default: return nil
        }
    }
}

extension AccessControl {
    /// How long a ticket can begin something.
    public static let ticketSeconds = 60

    /// A ticket for credentials, which are checked at each use.
    public func ticket(for credentials: Credentials) -> String {
        tickets.issue(for: credentials, at: now())
    }

    /// The credentials of a ticket. `isBegun`: a stream that began with it continues.
    public func credentials(
        ofTicket secret: String, isBegun: Bool
    ) throws(Refusal) -> Credentials {
        guard let found = tickets.credentials(of: secret, isBegun: isBegun, at: now()) else {
            throw .unknownToken
        }
        return found
    }
}
