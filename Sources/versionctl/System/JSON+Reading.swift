import JSONTree

extension JSON {
    /// What a daemon, a file or a person says. What may be stored is the daemon's business; a
    /// document at its bound of depth comes in an answer around it.
    init(reading bytes: [UInt8]) throws(JSONParseError) {
        try self.init(parsing: bytes, limits: JSON.widest)
    }

    private static let widest = JSONLimits(
        depthMax: 1_024, numberBytesMax: 1 << 20, documentBytesMax: 1 << 30,
        valuesMax: 100_000_000)
}
