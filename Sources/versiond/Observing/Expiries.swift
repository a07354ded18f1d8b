import Foundation
import Logging
import Threading

/// The expiries of tokens and of the certificate.
struct Expiries: Equatable, Sendable {
    /// Names, and when nothing that clients show for them is worth anything any more.
    var tokens: [String: Date] = [:]
    var certificate: Date?

    /// The days before an expiry at which the daemon warns.
    static let warningDays = 14

    /// The first end of a token that is yet to come.
    func nextToken(after now: Date) -> Date? { tokens.values.filter { $0 > now }.min() }

    /// The tokens and the certificate that expire soon.
    func warnings(at now: Date) -> [String] {
        let names = tokens.filter { Expiries.isSoon($0.value, now) }.keys.sorted()
        var words = names.map { name in
            "the token \(name) expires in \(Expiries.days(tokens[name], now)): "
                + "versiond token rotate"
        }
        if let certificate, Expiries.isSoon(certificate, now) {
            words.append("the certificate expires in \(Expiries.days(certificate, now))")
        } else if let certificate, certificate <= now {
            words.append("the certificate has expired: clients refuse it")
        }
        return words
    }

    private static func isSoon(_ date: Date, _ now: Date) -> Bool {
        let seconds = date.timeIntervalSince(now)
        return seconds > 0 && seconds < Double(warningDays) * 86_400
    }

    private static func days(_ date: Date?, _ now: Date) -> String {
        let hours = Int((date ?? now).timeIntervalSince(now) / 3_600)
        return hours < 48 ? "\(hours) hours" : "\(hours / 24) days"
    }
}

/// Warns of expiries at the start, after a reload, and each day.
final class ExpiryWatch: Sendable {
    private let logger: Logger
    private let state = Lock(Expiries())

    init(_ logger: Logger) {
        self.logger = logger
    }

    var expiries: Expiries { state.withLock { $0 } }

    /// From now on something else is watched.
    func watch(_ expiries: Expiries) {
        state.withLock { $0 = expiries }
        warn()
    }

    /// Warns each day until its task is cancelled.
    func run() async {
        while !Task.isCancelled {
            try? await ContinuousClock().sleep(for: .seconds(86_400))
            if !Task.isCancelled { warn() }
        }
    }

    private func warn() {
        for words in expiries.warnings(at: Date()) { logger.warning("\(words)") }
    }
}
