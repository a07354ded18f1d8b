import AccessControl

// Why somebody is turned away, in HTTP's words.

extension Problem {
    init(_ refusal: AccessControl.Refusal) {
        switch refusal {
        case .noToken:
            self = Problem(
                .unauthorized, "This daemon wants a token.",
                hint: "curl -H 'Authorization: Bearer vd_…'; `versiond token create` makes one."
            ).withField("WWW-Authenticate", "Bearer realm=\"versiond\"")
        case .unknownToken:
            self = Problem(
                .unauthorized, "The token is not known.",
                hint: "Send it as Authorization: Bearer vd_…"
            ).withInvalidToken()
        case .expiredToken(let name):
            self = Problem(
                .tokenExpired, "The time of the token \(name) is over."
            ).withInvalidToken()
        case .missingRight(let right, let name):
            let names = right.names.joined(separator: ", ")
            self = Problem(
                .forbidden,
                name.isEmpty
                    ? "This needs the right to \(names)."
                    : "This needs the right to \(names), which \(name) does not have."
            ).with("right", .text(names)).withField(
                "WWW-Authenticate",
                "Bearer realm=\"versiond\", error=\"insufficient_scope\", scope=\"\(names)\"")
        case .outOfReach(let reach, let name): self = Problem(outOf: reach, of: name)
        case .badToken(let fault): self = Problem(fault)
        case .tooManyRequests(let allowance):
            let rate = allowance.rate
            var problem = Problem(
                .tooManyRequests,
                "At most \(rate.requests) requests in \(rate.seconds) s are taken."
            ).withField("Retry-After", "\(allowance.seconds)")
            problem.fields += DocumentsAPI.fields(allowance)
            self = problem
        }
        tokenName = refusal.name
    }
}

extension Problem {
    /// The grant is about other documents.
    init(outOfReach grant: Grant) {
        self.init(AccessControl.Refusal.outOfReach(grant.reach, name: grant.name))
    }

    fileprivate init(outOf reach: Reach, of name: String) {
        let words =
            reach.prefix.map { "documents that begin with \($0)" }
            ?? "documents that its token names"
        let problem = Problem(
            .forbidden, "\(name) may use \(words) only.",
            hint: "Use a token for this document."
        ).withField(
            "WWW-Authenticate", "Bearer realm=\"versiond\", error=\"insufficient_scope\"")
        self = reach.prefix.map { problem.with("prefix", .text($0)) } ?? problem
    }

    /// A signed token is worth nothing. What it says is told only where its issuer said it.
    fileprivate init(_ fault: TokenFault) {
        let problem: Problem =
            switch fault {
            case .unknownIssuer(let name):
                Problem(
                    .unknownIssuer,
                    name.map { "The issuer \($0) is not known." } ?? "The token names no issuer.")
            case .badSignature:
                Problem(.badSignature, "The token is not signed by a key of its issuer.")
            case .badClaims(let what):
                Problem(.badClaims, "The token's claims cannot be granted: \(what).")
            case .expired(let name):
                Problem(.tokenExpired, "The time of the token of \(name) is over.")
            case .notYet(let seconds, let name):
                Problem(
                    .tokenNotYet, "The time of the token of \(name) begins in \(seconds) s.",
                    hint: "Set the clock of whoever signs tokens, or this machine's.")
            case .revoked(let name):
                Problem(
                    .unauthorized, "The token of \(name) was revoked.",
                    hint: "Log in again.")
            }
        self = problem.withInvalidToken()
    }

    private func withInvalidToken() -> Problem {
        withField("WWW-Authenticate", "Bearer realm=\"versiond\", error=\"invalid_token\"")
    }
}

extension Problem {
    /// Somebody speaks for another one, and may not.
    init(foreignActor actor: String, of name: String) {
        self = Problem(
            .forbidden,
            name.isEmpty
                ? "Without a token nobody may act as \(actor)."
                : "The token \(name) may not act as \(actor).",
            hint: name.isEmpty
                ? "Leave Versiond-Actor out, or use a token."
                : "Leave Versiond-Actor out, or name a run of your own: \(name)/run-17."
        )
        tokenName = name
    }
}

extension AccessControl.Refusal {
    /// Whose token it is, if that is known.
    fileprivate var name: String {
        switch self {
        case .expiredToken(let name), .missingRight(_, let name), .outOfReach(_, let name): name
        case .badToken(.expired(let name)), .badToken(.notYet(_, let name)),
            .badToken(.revoked(let name)):
            name
        case .noToken, .unknownToken, .tooManyRequests, .badToken: ""
        }
    }
}
