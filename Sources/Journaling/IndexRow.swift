/// A row of the index: what a reader of the entries has computed from them.
///
/// The journal stores rows in the order of their keys' bytes, and does not know what they mean.
/// All of them can be computed again from the entries.
public struct IndexRow: Sendable, Equatable {
    public let key: [UInt8]
    public let value: [UInt8]

    public init(key: [UInt8], value: [UInt8]) {
        self.key = key
        self.value = value
    }
}

/// A commit to the index: it is stored as a whole, or not at all.
public struct IndexUpdate: Sendable, Equatable {
    /// The number of the last entry that the stored index contains. The update is dropped if the
    /// index contains more or less: another daemon was faster.
    public let start: Int
    /// The number of the last entry that the index contains afterwards.
    public let end: Int
    /// The new values of keys; `nil` removes a row.
    public let values: [[UInt8]: [UInt8]?]

    public init(from start: Int, to end: Int, values: [[UInt8]: [UInt8]?]) {
        self.start = start
        self.end = end
        self.values = values
    }
}
