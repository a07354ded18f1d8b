/// Bounds on what is read and made, so that no input costs more than it is worth.
public struct JSONLimits: Sendable {
    /// The limit on the depth of arrays and objects. Deep trees serve no purpose and cost every
    /// reader's stack.
    public var depthMax: Int
    /// The length of one number. Longer ones are an attack on programs that compute with them.
    public var numberBytesMax: Int
    /// The number of operations in one patch.
    public var operationsMax: Int
    /// The number of reference tokens in one pointer.
    public var tokensMax: Int
    /// The size of a document as JSON text, in bytes. `copy` operations cannot pass it either.
    public var documentBytesMax: Int
    /// The number of values in a document. Each takes about 100 bytes of memory, however short its
    /// text is.
    public var valuesMax: Int

    /// The limits of a daemon, but for those that are given.
    public init(
        depthMax: Int = 128, numberBytesMax: Int = 1024, operationsMax: Int = 10_000,
        tokensMax: Int = 1024, documentBytesMax: Int = 64 << 20,
        valuesMax: Int = 1_000_000
    ) {
        self.depthMax = depthMax
        self.numberBytesMax = numberBytesMax
        self.operationsMax = operationsMax
        self.tokensMax = tokensMax
        self.documentBytesMax = documentBytesMax
        self.valuesMax = valuesMax
    }

    /// The limits that a daemon uses.
    public static let standard = JSONLimits()
}
