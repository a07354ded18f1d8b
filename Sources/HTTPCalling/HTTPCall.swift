/// A request, as it goes out.
public struct HTTPCall: Sendable {
    public var method: String
    /// The path with the query, from the slash on; percent-encoded.
    public var target: String
    public var fields: [(name: String, value: String)]
    public var body: [UInt8]?

    public init(
        _ method: String, _ target: String, _ fields: [(name: String, value: String)] = [],
        body: [UInt8]? = nil
    ) {
        (self.method, self.target, self.fields, self.body) = (method, target, fields, body)
    }
}

/// What came back.
public struct HTTPAnswer: Sendable {
    public var status = 0
    /// By their names in small letters; of several of one name the last.
    public var fields: [String: String] = [:]
    public var body: [UInt8] = []

    public init() {}
}

/// Why there is no answer.
public enum HTTPCallError: Error, Equatable, Sendable {
    /// Nothing was sent: nobody listens there, or the connection is not safe.
    case unreachable(String)
    /// It was sent, and the answer did not arrive: nobody knows whether it was carried out.
    case unanswered(String)
}
