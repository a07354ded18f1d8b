import HTTPServing

/// Web pages that may use the daemon (CORS, Fetch standard section 3.2).
struct Origins: Sendable {
    /// Exactly as browsers send them: `https://app.example`.
    let allowed: Set<String>

    /// The response fields that pages may read, beyond those that every page may.
    private static let exposed =
        "ETag, Location, Link, Retry-After, Preference-Applied, Idempotent-Replayed, X-Request-Id, "
        + "RateLimit, RateLimit-Policy, Mcp-Session-Id, WWW-Authenticate"
    private static let requestFields =
        "Accept, Authorization, Content-Encoding, Content-Type, If-Match, If-None-Match, "
        + "Idempotency-Key, Last-Event-ID, Prefer, Versiond-Actor, Versiond-Prompt-By, "
        + "X-Request-Id, traceparent, tracestate, MCP-Protocol-Version, Mcp-Method, Mcp-Name, "
        + "Mcp-Session-Id"
    private static let preflightSeconds = 600

    /// Whether a request may come from where it comes from: no page at all, or one of our own, or
    /// one that is allowed, or one that only reads, which its browser then keeps to itself.
    func check(_ head: HTTPRequestHead) throws(Problem) {
        let site = head.fields["sec-fetch-site"]
        let isForeign = site == "cross-site" || site == "same-site"
        guard isForeign || head.fields["origin"] != nil else { return }
        if let origin = head.fields["origin"] {
            if allowed.contains(origin) || (!isForeign && isOwn(origin, head)) { return }
        }
        guard head.method == .get || head.method == .head else {
            throw Problem(
                .crossOrigin, "The origin of the web page permits only reads.")
        }
    }

    /// Whether a page comes from this daemon: a page cannot set `Origin`, `Host` or
    /// `Sec-Fetch-Site` itself. If only this machine can reach the daemon, a foreign name that
    /// leads here was refused before.
    private func isOwn(_ origin: String, _ head: HTTPRequestHead) -> Bool {
        if head.fields["sec-fetch-site"] == "same-origin" { return true }
        guard let host = head.fields["host"] else { return false }
        return origin == "http://" + host || origin == "https://" + host
    }

    /// The fields that let a page read the response.
    func fields(for request: HTTPFields) -> [(name: String, value: String)] {
        if allowed.isEmpty { return [] }
        guard let origin = request["origin"], allowed.contains(origin) else {
            return [(name: "Vary", value: "Origin")]
        }
        return [
            (name: "Vary", value: "Origin"),
            (name: "Access-Control-Allow-Origin", value: origin),
            (name: "Access-Control-Expose-Headers", value: Origins.exposed),
        ]
    }

    /// The preflight request of a browser.
    func preflight(_ head: HTTPRequestHead, methods: String) -> [(name: String, value: String)] {
        guard let origin = head.fields["origin"], allowed.contains(origin),
            head.fields["access-control-request-method"] != nil
        else { return [] }
        return [
            (name: "Access-Control-Allow-Methods", value: methods),
            (name: "Access-Control-Allow-Headers", value: Origins.requestFields),
            (name: "Access-Control-Max-Age", value: "\(Origins.preflightSeconds)"),
        ]
    }
}
