import JSONTree

extension JSON {
    /// JSON of a daemon, a file or a person. The daemon decides on limits for storage; a response
    /// wraps a document at its limit of depth in further levels.
    init(reading bytes: [UInt8]) throws(JSONParseError) {
        try self.init(parsing: bytes, limits: JSON.widest)
    }

    private static let widest = JSONLimits(
        depthMax: 1_024, numberBytesMax: 1 << 20, documentBytesMax: 1 << 30,
        valuesMax: 100_000_000)
}
