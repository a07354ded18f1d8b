import AccessControl
import HTTPServing
import Journaling

// Who asks, and whether they may.

extension DocumentsAPI {
    /// What the client may do, if it may do this.
    func authorize(_ head: HTTPRequestHead, _ route: Route) throws(Problem) -> Grant {
        guard let right = route.right(head.method) else { return Grant(name: "", rights: []) }
        do throws(AccessControl.Refusal) {
            let grant = try access.grant(of: try credentials(head))
            guard grant.rights.isSuperset(of: right) else {
                throw .missingRight(right, name: grant.name)
            }
            let isCovered = route.document.map { grant.covers($0.name) } ?? true
            // What is counted is about all documents.
            guard isCovered, route != .metrics || grant.prefix.isEmpty else {
                throw .outsidePrefix(grant.prefix, name: grant.name)
            }
            return grant
        } catch {
            throw Problem(error)
        }
    }

    /// Why a client that follows may do so no more, if it may not.
    func expulsion(_ head: HTTPRequestHead, _ route: Route, prefix: String = "") -> Problem? {
        do throws(Problem) {
            let grant = try authorize(head, route)
            guard route == .feed, !grant.covers(prefix) else { return nil }
            return Problem(AccessControl.Refusal.outsidePrefix(grant.prefix, name: grant.name))
        } catch {
            return error
        }
    }

    private func credentials(
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

    /// Counts a request against the rate of its token, and tells how much is left.
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
    }
}

extension Route {
    /// The right that a method needs here; `nil` if everybody may.
    func right(_ method: HTTPMethod) -> Rights? {
        let isReading = method == .get || method == .head
        switch self {
        case .discovery, .livez, .readyz, .openAPI, .problems, .problem, .page: return nil
        case .documents, .feed, .metrics: return .read
        case .document(_, .settings): return isReading ? .read : .admin
        case .document(_, .value) where method == .delete: return .admin
        case .document: return isReading ? .read : .write
        }
    }
}
