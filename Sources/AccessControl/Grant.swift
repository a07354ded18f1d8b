/// The rights of one token, or of one user of this machine. A value; a class, so that each of
/// thousands of requests holds it by one word.
public final class Grant: Sendable {
    /// The name: the actor of its requests.
    public let name: String
    public let rights: Rights
    /// Which documents it is about.
    public let reach: Reach
    /// The time of expiry, in milliseconds since 1970.
    public let expiry: Int?
    public let rate: Rate?
    /// The requester of all changes, as the issuer of a signed token has proven; `nil`: the client
    /// states it.
    public let promptBy: String?

    /// A number of requests in a number of seconds.
    public struct Rate: Sendable, Equatable {
        public let requests: Int
        public let seconds: Int

        public init(requests: Int, seconds: Int) {
            self.requests = requests
            self.seconds = seconds
        }

        /// As `init(_:)` reads it.
        public var text: String { "\(requests)/\(seconds)s" }

        /// `100/10s`: a number of requests in a number of seconds, a million in a day at most.
        public init?(_ text: String) {
            let parts = text.split(separator: "/")
            guard parts.count == 2, let requests = Int(parts[0]), parts[1].hasSuffix("s"),
                let seconds = Int(parts[1].dropLast()), (1...1_000_000).contains(requests),
                (1...86_400).contains(seconds)
            else { return nil }
            self.init(requests: requests, seconds: seconds)
        }
    }

    public convenience init(
        name: String, rights: Rights, prefix: String = "", expiry: Int? = nil, rate: Rate? = nil
    ) {
        self.init(
            name: name, rights: rights, reach: Reach(prefix: prefix), expiry: expiry, rate: rate)
    }

    init(
        name: String, rights: Rights, reach: Reach, expiry: Int?, rate: Rate?,
        promptBy: String? = nil
    ) {
        self.promptBy = promptBy
        self.name = name
        // To write includes to propose.
        self.rights = rights.contains(.write) ? rights.union(.propose) : rights
        self.reach = reach
        self.expiry = expiry
        self.rate = rate
    }

    /// All rights, without a name.
    public static let everything = Grant(name: "", rights: .all)

    /// No rights, without a name.
    public static let nothing = Grant(name: "", rights: [])

    /// Whether it is about documents of this name.
    public func covers(_ document: String) -> Bool {
        reach.contains(document)
    }

    /// Whether documents of this name may be written: with the right to propose, also drafts.
    public func mayWrite(_ document: String) -> Bool {
        rights.contains(.write) || rights.contains(.propose) && Grant.isDraft(document)
    }

    /// Whether a name is one of a draft: it has a `~`.
    public static func isDraft(_ document: String) -> Bool {
        document.utf8.contains(UInt8(ascii: "~"))
    }

    /// Whether a name has no control character and none that ends a line or changes the direction
    /// of a text: names appear in logs, lists and header fields.
    public static func isReadable(_ name: String) -> Bool {
        !name.unicodeScalars.contains { letter in
            switch letter.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }

    /// Whether its time is over.
    public func isExpired(at milliseconds: Int) -> Bool {
        expiry.map { $0 <= milliseconds } ?? false
    }
}

extension Grant: Equatable {
    /// Whether both grant the same rights to the same name.
    public static func == (left: Grant, right: Grant) -> Bool {
        left.name == right.name && left.rights == right.rights && left.reach == right.reach
            && left.expiry == right.expiry && left.rate == right.rate
            && left.promptBy == right.promptBy
    }
}
