/// What one token, or one user of this machine, may do.
public struct Grant: Sendable, Equatable {
    /// Who that is: the actor of what is done with it.
    public let name: String
    public let rights: Rights
    /// Only documents whose names begin so.
    public let prefix: String
    /// Milliseconds since 1970 from which it is worth nothing.
    public let expiry: Int?
    public let rate: Rate?

    /// A number of requests in a number of seconds.
    public struct Rate: Sendable, Equatable {
        public let requests: Int
        public let seconds: Int

        public init(requests: Int, seconds: Int) {
            self.requests = requests
            self.seconds = seconds
        }
    }

    public init(
        name: String, rights: Rights, prefix: String = "", expiry: Int? = nil, rate: Rate? = nil
    ) {
        self.name = name
        self.rights = rights
        self.prefix = prefix
        self.expiry = expiry
        self.rate = rate
    }

    /// Everything, for somebody without a name.
    public static let everything = Grant(name: "", rights: .all)

    /// Whether it is about documents of this name.
    public func covers(_ document: String) -> Bool {
        document.utf8.starts(with: prefix.utf8)
    }

    /// Whether documents of this name may be written: drafts with the right to propose, too.
    public func mayWrite(_ document: String) -> Bool {
        rights.contains(.write) || rights.contains(.propose) && Grant.isDraft(document)
    }

    /// Whether a name is one of a draft: it has a `~`.
    public static func isDraft(_ document: String) -> Bool {
        document.utf8.contains(UInt8(ascii: "~"))
    }

    /// Whether its time is over.
    public func isExpired(at milliseconds: Int) -> Bool {
        expiry.map { $0 <= milliseconds } ?? false
    }
}
