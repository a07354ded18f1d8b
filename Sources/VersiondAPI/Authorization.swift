import AccessControl
import HTTPServing
import Journaling

// Authentication and authorization.

extension DocumentsAPI {
    /// What the client may do. Throws unless it may call this endpoint.
    func authorize(
        _ head: HTTPRequestHead, _ endpoint: Endpoint, _ document: DocumentID?,
        isBegun: Bool = false
    ) throws(Problem) -> Grant {
        let isDraft = document.map { Grant.isDraft($0.name) } ?? false
        guard let right = isDraft ? endpoint.draftRight : endpoint.right else {
            return Grant(name: "", rights: [])
        }
        do throws(AccessControl.Refusal) {
            let grant = try access.grant(of: try credentials(head, endpoint, isBegun: isBegun))
            guard grant.rights.isSuperset(of: right) else {
                throw .missingRight(right, name: grant.name)
            }
            let isCovered = document.map { grant.covers($0.name) } ?? true
            guard isCovered, !endpoint.isAboutAll || grant.prefix.isEmpty else {
                throw .outsidePrefix(grant.prefix, name: grant.name)
            }
            return grant
        } catch {
            throw Problem(error)
        }
    }

    /// Says why a follower has lost access; `nil` while it has it. Asked before each event.
    func revocation(_ call: Call, prefix: String = "") -> @Sendable () -> Problem? {
        let standing = StandingGrant(access)
        return { [self] in
            if standing.counts { return nil }
            guard let match = call.notes.match, let endpoint = match.path.endpoint(.get) else {
                return nil
            }
            do throws(Problem) {
                try standing.renew { () throws(Problem) in
                    let grant = try authorize(
                        call.request.head, endpoint, match.document, isBegun: true)
                    guard match.document == nil, !grant.covers(prefix) else { return grant }
                    throw Problem(
                        AccessControl.Refusal.outsidePrefix(grant.prefix, name: grant.name))
                }
                return nil
            } catch {
                return error
            }
        }
    }

    /// `POST /v1/tickets`: what an `EventSource` puts into its address, instead of a token.
    func makeTicket(_ call: Call) throws(Problem) {
        try call.noBody()
        let credentials: Credentials
        do throws(AccessControl.Refusal) {
            credentials = try DocumentsAPI.credentials(call.request.head)
        } catch {
            throw Problem(error)
        }
        var text = JSONText()
        text.object { text in
            text.member("ticket", access.ticket(for: credentials))
            text.member("ttl", HumanDuration.text(.seconds(AccessControl.ticketSeconds)))
        }
        call.send(call.json(text, fields: [(name: "Cache-Control", value: "no-store")]))
    }

    private func credentials(
        _ head: HTTPRequestHead, _ endpoint: Endpoint, isBegun: Bool
    ) throws(AccessControl.Refusal) -> Credentials {
        guard endpoint.takesTickets,
            let ticket = head.target.query.first(where: { $0.name == "ticket" })?.value
        else { return try DocumentsAPI.credentials(head) }
        return try access.credentials(ofTicket: ticket, isBegun: isBegun)
    }

    private static func credentials(
        _ head: HTTPRequestHead
    ) throws(AccessControl.Refusal) -> Credentials {
        guard let field = head.fields["authorization"] else {
            if case .user(let user) = head.peer { return .user(user) }
            return .none
        }
        let words = field.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { throw .unknownToken }
        return .secret(String(words[1]))
    }

    /// Counts a request against the rate of its token, and returns how much is left.
    func allowance(_ grant: Grant) throws(Problem) -> [(name: String, value: String)] {
        do throws(AccessControl.Refusal) {
            return try access.count(grant).map(DocumentsAPI.fields) ?? []
        } catch {
            throw Problem(error)
        }
    }

    /// The fields of draft-ietf-httpapi-ratelimit-headers.
    static func fields(_ allowance: AccessControl.Allowance) -> [(name: String, value: String)] {
        let rate = allowance.rate
        return [
            (
                name: "RateLimit-Policy",
                value: "\"token\";q=\(rate.requests);w=\(rate.seconds)"
            ),
            (
                name: "RateLimit",
                value: "\"token\";r=\(allowance.remaining);t=\(allowance.seconds)"
            ),
        ]
    }
}

extension Grant {
    /// The part of a prefix that the grant is about.
    func narrowed(_ prefix: String) throws(Problem) -> String {
        if covers(prefix) { return prefix }
        if self.prefix.utf8.starts(with: prefix.utf8) { return self.prefix }
        throw Problem(AccessControl.Refusal.outsidePrefix(self.prefix, name: name))
    }
}

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
            ).withField(
                "WWW-Authenticate", "Bearer realm=\"versiond\", error=\"invalid_token\"")
        case .expiredToken(let name):
            self = Problem(
                .unauthorized, "The time of the token \(name) is over.",
                hint: "`versiond token create` makes a new one."
            ).withField(
                "WWW-Authenticate", "Bearer realm=\"versiond\", error=\"invalid_token\"")
        case .missingRight(let right, let name):
            let names = right.names.joined(separator: ", ")
            self = Problem(
                .forbidden,
                name.isEmpty
                    ? "This needs the right to \(names)."
                    : "This needs the right to \(names), which \(name) does not have.",
                hint: "Use a token that has it."
            ).with("right", .text(names)).withField(
                "WWW-Authenticate",
                "Bearer realm=\"versiond\", error=\"insufficient_scope\", scope=\"\(names)\"")
        case .outsidePrefix(let prefix, let name):
            self = Problem(
                .forbidden, "\(name) may use documents that begin with \(prefix) only.",
                hint: "Use a token for this document."
            ).with("prefix", .text(prefix)).withField(
                "WWW-Authenticate", "Bearer realm=\"versiond\", error=\"insufficient_scope\"")
        case .tooManyRequests(let allowance):
            let rate = allowance.rate
            var problem = Problem(
                .tooManyRequests,
                "At most \(rate.requests) requests in \(rate.seconds) s are taken.",
                hint: "Wait \(allowance.seconds) s."
            ).withField("Retry-After", "\(allowance.seconds)")
            problem.fields += DocumentsAPI.fields(allowance)
            self = problem
        }
        tokenName = refusal.name
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
        case .expiredToken(let name), .missingRight(_, let name), .outsidePrefix(_, let name): name
        case .noToken, .unknownToken, .tooManyRequests: ""
        }
    }
}
