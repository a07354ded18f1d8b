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

/// The response.
public struct HTTPAnswer: Sendable {
    public var status = 0
    /// By their names in small letters; of several of one name the last.
    public var fields: [String: String] = [:]
    public var body: [UInt8] = []

    public init() {}
}

/// The reason why there is no response.
public enum HTTPCallError: Error, Equatable, Sendable {
    /// Nothing was sent: no server listens there, or the connection is not safe.
    case unreachable(String)
    /// The request was sent, and no response arrived: it may have been carried out or not.
    case unanswered(String)
}
