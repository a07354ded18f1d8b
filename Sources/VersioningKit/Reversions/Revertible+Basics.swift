public import FoundationEssentials

extension Int: Revertible {}
extension Int64: Revertible {}
extension Int32: Revertible {}
extension Int16: Revertible {}
extension Int8: Revertible {}
extension UInt: Revertible {}
extension UInt64: Revertible {}
extension UInt32: Revertible {}
extension UInt16: Revertible {}
extension UInt8: Revertible {}
extension Bool: Revertible {}
extension Double: Revertible {}
extension Float: Revertible {}
extension Date: Revertible {}
extension UUID: Revertible {}

extension String: Revertible {
    /// Of a letter typed, the one letter.
    public func uncheckedReversion(to previous: String) -> Reversion<String>? {
        TextStretch(current: self, previous: previous).map { Reversion($0) }
    }
}

extension Data: Revertible {
    /// Of changed bytes, these bytes.
    public func uncheckedReversion(to previous: Data) -> Reversion<Data>? {
        Stretch(current: self, previous: previous).map { Reversion($0) }
    }
}

extension Set: Revertible {
    /// Of changed elements, these elements.
    public func uncheckedReversion(to previous: Set) -> Reversion<Set>? {
        SetPiece(current: self, previous: previous).map { Reversion($0) }
    }
}

extension Array: Revertible where Element: Hashable {
    /// Of changed elements, the stretch from the first to the last.
    public func uncheckedReversion(to previous: [Element]) -> Reversion<[Element]>? {
        if self == previous { return nil }
        return Stretch(current: self, previous: previous).map { Reversion($0) }
    }
}

extension Dictionary: Revertible where Value: Hashable {
    /// Of changed keys, these keys and their values.
    public func uncheckedReversion(to previous: [Key: Value]) -> Reversion<[Key: Value]>? {
        DictionaryPiece.whole(current: self, previous: previous).map { Reversion($0) }
    }
}

extension Optional: Revertible where Wrapped: Revertible {
    /// Of a value in both versions, the difference.
    public func uncheckedReversion(to previous: Wrapped?) -> Reversion<Wrapped?>? {
        OptionalPiece.between(self, previous) { $0.uncheckedReversion(to: $1)?.piece }
    }
}
