public import JSONTree

/// Tests write `null` as `nil` in literals. No other code does: in `isThere ? value : nil` it would
/// be a value where none is meant.
extension JSON: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) { self = .null }
}
