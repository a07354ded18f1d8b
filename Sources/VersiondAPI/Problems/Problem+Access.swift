import AccessControl

// Maps refused tokens and missing rights to problems.

extension Problem {
    init(_ refusal: AccessControl.Refusal) {
        switch refusal {
        case .noToken:
            self = Problem(
                .unauthorized, "The request has no token."
            ).withField("WWW-Authenticate", "Bearer realm=\"versiond\"")
        case .unknownToken:
            self = Problem(
                .unauthorized, "The token is unknown."
            ).withInvalidToken()
        case .expiredToken(let name):
            self = Problem(
                .tokenExpired, "Token \(name) has expired."
            ).withInvalidToken()
        case .missingRight(let right, let name):
            let names = right.names.joined(separator: ", ")
            self = Problem(
                .forbidden,
                name.isEmpty
                    ? "The request requires the right \(names)."
                    : "The request requires the right \(names), which \(name) does not have."
            ).with("right", .text(names)).withField(
                "WWW-Authenticate",
                "Bearer realm=\"versiond\", error=\"insufficient_scope\", scope=\"\(names)\"")
        case .outOfReach(let reach, let name): self = Problem(outOf: reach, of: name)
        case .badToken(let fault): self = Problem(fault)
        case .tooManyRequests(let allowance):
            let rate = allowance.rate
            var problem = Problem(
                .tooManyRequests,
                "The rate is \(rate.requests) requests in \(rate.seconds) s."
            ).withField("Retry-After", "\(allowance.seconds)")
            problem.fields += DocumentsAPI.fields(allowance)
            self = problem
        }
        tokenName = refusal.name
    }
}

extension Problem {
    /// The grant does not cover the document.
    init(outOfReach grant: Grant) {
        self.init(AccessControl.Refusal.outOfReach(grant.reach, name: grant.name))
    }

    fileprivate init(outOf reach: Reach, of name: String) {
        let words =
            reach.prefix.map { "documents with the prefix \($0)" }
            ?? "the documents that its token lists"
        let problem = Problem(
            .forbidden, "\(name) has access only to \(words)."
        ).withField(
            "WWW-Authenticate", "Bearer realm=\"versiond\", error=\"insufficient_scope\"")
        self = reach.prefix.map { problem.with("prefix", .text($0)) } ?? problem
    }

    /// A signed token is invalid. The detail quotes its claims only if the signature is valid.
    fileprivate init(_ fault: TokenFault) {
        let problem: Problem =
            switch fault {
            case .unknownIssuer(let name):
                Problem(
                    .unknownIssuer,
                    name.map { "Issuer \($0) is unknown." } ?? "The token has no issuer.")
            case .badSignature:
                Problem(.badSignature, "No key of the issuer matches the signature.")
            case .badClaims(let what):
                Problem(.badClaims, "Invalid claim: \(what).")
            case .expired(let name):
                Problem(.tokenExpired, "The token of \(name) has expired.")
            case .notYet(let seconds, let name):
                Problem(
                    .tokenNotYet, "The token of \(name) becomes valid in \(seconds) s.")
            case .revoked(let name):
                Problem(.unauthorized, "The token of \(name) was revoked. Log in again.")
            }
        self = problem.withInvalidToken()
    }

    private func withInvalidToken() -> Problem {
        withField("WWW-Authenticate", "Bearer realm=\"versiond\", error=\"invalid_token\"")
    }
}

extension Problem {
    /// The token may not act as this actor.
    init(otherRequester stated: String, proven: String) {
        self = Problem(
            .forbidden, "The token proves that \(proven) asks for the change, not \(stated).",
            hint: "Omit Versiond-Prompt-By, or use a token with the subject \(stated).")
    }

    init(foreignActor actor: String, of name: String) {
        self = Problem(
            .forbidden,
            name.isEmpty
                ? "A request without a token may not act as \(actor)."
                : "Token \(name) may not act as \(actor).",
            hint: name.isEmpty
                ? "Omit Versiond-Actor, or use a token."
                : "Omit Versiond-Actor, or name a run: \(name)/run-17."
        )
        tokenName = name
    }
}

extension AccessControl.Refusal {
    /// The name of the token, if it is known.
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
