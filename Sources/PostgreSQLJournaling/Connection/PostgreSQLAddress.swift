/// The address of the database in the form of libpq: a URL, completed by libpq's own variables and
/// files.
public struct PostgreSQLAddress: Sendable {
    private let url: String
    private let password: String?

    /// `nil` unless it begins like a URL of PostgreSQL. The parameter `password` overrides the one
    /// in the URL.
    public init?(_ url: String, password: String? = nil) {
        guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") else { return nil }
        self.url = url
        self.password = password
    }

    /// In this order: the URL overrides the values before it.
    var parameters: [(name: String, value: String)] {
        var parameters = [
            ("fallback_application_name", "versiond"),
            ("connect_timeout", "5"),
            // A server that is gone is noticed, also while nothing is sent.
            ("tcp_user_timeout", "10000"),
            ("keepalives_idle", "10"),
            ("keepalives_interval", "5"),
            ("keepalives_count", "2"),
            // Of several hosts, the one that can be written to.
            ("target_session_attrs", "read-write"),
            ("client_encoding", "UTF8"),
            ("dbname", url),
        ]
        if let password { parameters.append(("password", password)) }
        return parameters.map { (name: $0.0, value: $0.1) }
    }

    /// The URL without its password, for logs.
    public var description: String { PostgreSQLAddress.withoutPassword(url) }

    /// A text without the password of a URL in it.
    public static func withoutPassword(_ url: String) -> String {
        guard let scheme = url.range(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        let end = rest.firstIndex { "?#".contains($0) } ?? rest.endIndex
        var text = url
        if let at = rest[..<end].lastIndex(of: "@"),
            let colon = rest[..<at].firstIndex(of: ":")
        {
            text.replaceSubrange(colon..<at, with: ":***")
        }
        guard let query = text.firstIndex(of: "?") else { return text }
        let words = text[text.index(after: query)...].split(separator: "&").map { word in
            word.contains("password=")
                ? String(word.prefix { $0 != "=" }) + "=***" : String(word)
        }
        return text[...query] + words.joined(separator: "&")
    }
}

extension String {
    /// Without Foundation.
    fileprivate func range(of text: String) -> Range<String.Index>? { firstRange(of: text) }
}
