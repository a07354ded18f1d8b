import AccessControl
import Documents
import Foundation
import HTTPServing
import Logging

// SIGHUP: reloads the files and settings that can change while the daemon runs.

extension Daemon {
    /// Settings that a reload applies. All others require a restart.
    private static let reloaded: Set = [
        "tokens", "rules", "tlsCertificate", "tlsKey", "origins", "logLevel",
    ]

    func reload(_ serving: Serving, on hangUps: SignalSequence) async {
        for await _ in hangUps { await reload(serving) }
    }

    /// Reads settings, tokens, certificate and key, and rules. A file that cannot be used changes
    /// nothing.
    private func reload(_ serving: Serving) async {
        supervisor?.notify(.reloading)
        defer { supervisor?.notify(.ready) }
        do {
            let new = try Settings.load(options)
            let tokens = try Daemon.tokens(new, logger)
            let list = try renewedList(tokens)
            let expiries = try Daemon.expiries(new, tokens)
            let former = try serving.replace(try Daemon.traits(new))
            access.replace(with: list)
            expiryWatch.watch(expiries)
            logLevel.current = new.logLevel
            logger.notice(
                "reloaded the tokens", metadata: ["count": .stringConvertible(list.count)])
            await reloadRules(new.rules)
            noteOthers(new)
            if let former {
                logger.notice("reloaded certificate, key and origins")
                Task { await end(former, serving) }
            }
        } catch {
            logger.error(
                "reload failed, the previous settings stay in force: \(CannotRun.reason(error))")
        }
    }

    /// Rules that cannot be read hold nothing else up: what was revoked must not wait for them.
    private func reloadRules(_ path: String) async {
        do {
            let rules = try RulesFile.rules(path)
            store.rules = rules
            await recountQuotas()
            if path.isEmpty { return }
            logger.notice(
                "reloaded the rules", metadata: ["count": .stringConvertible(rules.count)])
        } catch {
            logger.error(
                "reload failed, the previous rules stay in force: \(CannotRun.reason(error))")
        }
    }

    /// An issuer whose keys cannot be read keeps those that it had: what was revoked meanwhile, and
    /// others' tokens, must not wait for them.
    private func renewedList(_ tokens: TokenFile?) throws -> AccessList {
        guard let tokens else { return .open }
        let former = access.current
        return try tokens.accessList(owner: getuid()) { entry, error in
            let reason = CannotRun.reason(error)
            let keys = former.issuer(called: entry.name)
                .flatMap { $0.algorithm == entry.algorithm ? $0.keys : nil }
            guard let keys else {
                logger.error("the daemon refuses the tokens of \(entry.name): \(reason)")
                return nil
            }
            logger.error("the previous keys of \(entry.name) stay in force: \(reason)")
            return try entry.issuer(besides: tokens.path, keys: keys)
        }
    }

    private func noteOthers(_ new: Settings) {
        let changed = settings.differences(from: new).subtracting(Daemon.reloaded).sorted()
        if changed.isEmpty { return }
        logger.warning("these settings require a restart: \(changed.joined(separator: ", "))")
    }

    /// Lets a replaced server finish its requests and its connections.
    private func end(_ former: HTTPServer, _ serving: Serving) async {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(settings.drainSeconds + settings.idleSeconds)
        while former.connectionCount > 0 && clock.now < end {
            try? await clock.sleep(for: .milliseconds(100))
        }
        serving.end(former)
    }

    static func traits(_ settings: Settings) throws -> Serving.Traits {
        Serving.Traits(encryption: try encryption(settings), origins: settings.origins)
    }

    /// When tokens and the certificate end.
    static func expiries(_ settings: Settings, _ tokens: TokenFile?) throws -> Expiries {
        var expiries = Expiries()
        for entry in tokens?.entries ?? [] {
            if let date = entry.end { expiries.tokens[entry.name ?? ""] = date }
        }
        if !settings.tlsKey.isEmpty {
            expiries.certificate = CertificateExpiry.date(
                ofPEM: try text(of: settings.tlsCertificate))
        }
        return expiries
    }

    private static func encryption(_ settings: Settings) throws -> HTTPServer.Encryption? {
        if settings.tlsKey.isEmpty { return nil }
        return .init(
            key: try text(of: settings.tlsKey), certificate: try text(of: settings.tlsCertificate))
    }

    private static func text(of path: String) throws -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CannotRun.configuration("cannot read \(path)")
        }
        return text
    }
}
