import AccessControl
import HTTPServing
import Journaling

// Authentication and authorization.

extension DocumentsAPI {
    /// The grant of the client. Throws unless it may call this endpoint.
    func authorize(
        _ head: HTTPRequestHead, _ endpoint: Endpoint, _ document: DocumentID?,
        isBegun: Bool = false
    ) throws(Problem) -> Grant {
        guard let right = DocumentsAPI.right(endpoint, document) else { return .nothing }
        do throws(AccessControl.Refusal) {
            let grant = try access.grant(of: try credentials(head, endpoint, isBegun: isBegun))
            try DocumentsAPI.check(grant, right, endpoint, document)
            return grant
        } catch {
            let problem = Problem(error)
            throw endpoint.isOfAgents
                ? problem.naming(ProtectedResource.challenge(head)) : problem
        }
    }

    /// Throws unless the grant is enough for a call of this endpoint.
    func permit(
        _ grant: Grant, _ endpoint: Endpoint, _ document: DocumentID?
    ) throws(Problem) {
        guard let right = DocumentsAPI.right(endpoint, document) else { return }
        do throws(AccessControl.Refusal) {
            try DocumentsAPI.check(grant, right, endpoint, document)
        } catch {
            throw Problem(error)
        }
    }

    private static func right(_ endpoint: Endpoint, _ document: DocumentID?) -> Rights? {
        let isDraft = document.map { Grant.isDraft($0.name) } ?? false
        return isDraft ? endpoint.draftRight : endpoint.right
    }

    private static func check(
        _ grant: Grant, _ right: Rights, _ endpoint: Endpoint, _ document: DocumentID?
    ) throws(AccessControl.Refusal) {
        guard grant.rights.isSuperset(of: right) else {
            throw .missingRight(right, name: grant.name)
        }
        let isCovered = document.map { grant.covers($0.name) } ?? true
        guard isCovered, !endpoint.isAboutAll || grant.reach.isAll else {
            throw .outOfReach(grant.reach, name: grant.name)
        }
    }

    /// Whether a follower has access still: a token may be taken away meanwhile, or end.
    func standing(
        _ call: Call, prefix: String = "", _ documents: Set<DocumentID>? = nil
    ) -> FollowersStanding {
        let standing = StandingGrant(access)
        return FollowersStanding(isInDoubt: { !standing.counts }) { [self] in
            if standing.counts { return nil }
            guard let match = call.match, let endpoint = match.path.endpoint(.get) else {
                return nil
            }
            do throws(Problem) {
                try standing.renew { () throws(Problem) in
                    let grant = try authorize(
                        call.head, endpoint, match.document, isBegun: true)
                    let isWithin =
                        documents.map { $0.allSatisfy { grant.covers($0.name) } }
                        ?? grant.reach.containsAll(beginningWith: prefix)
                    if match.document != nil || isWithin { return grant }
                    throw Problem(outOfReach: grant)
                }
                return nil
            } catch {
                return error
            }
        }
    }

    /// `POST /v1/tickets`: what an `EventSource` puts into its address, instead of a token.
    func makeTicket(_ call: Call) throws(Problem) {
        let credentials: Credentials
        do throws(AccessControl.Refusal) {
            credentials = try DocumentsAPI.credentials(call.head)
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
        guard let secret = bearer(field) else { throw .unknownToken }
        return .secret(secret)
    }

    /// The credentials after the word Bearer. Compared by bytes: letter by letter, a long token
    /// would cost as much as all the rest of a request.
    private static func bearer(_ field: String) -> String? {
        let space = UInt8(ascii: " ")
        let words = field.utf8.split(separator: space)
        guard words.count == 2, words[0].count == 6,
            Substring(words[0]).lowercased() == "bearer"
        else { return nil }
        return String(Substring(words[1]))
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

/// The access checks of a follower, which run for each of thousands.
struct FollowersStanding: Sendable {
    /// Whether something may have changed since `problem` was asked.
    let isInDoubt: @Sendable () -> Bool
    /// The reason to end the stream; `nil` if the client still has access.
    let problem: @Sendable () -> Problem?
}

extension Grant {
    /// The part of a prefix that the grant is about.
    func narrowed(_ prefix: String) throws(Problem) -> String {
        guard !prefix.utf8.starts(with: DocumentID.ownMark.utf8),
            let part = reach.narrowed(prefix)
        else { throw Problem(outOfReach: self) }
        return part
    }
}
