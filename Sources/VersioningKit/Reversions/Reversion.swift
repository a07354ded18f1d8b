/// The differences that revert a value to an earlier version of itself.
///
/// It fits the version that it was made from, and nothing else. It knows no object, so it keeps
/// none alive.
///
/// ```swift
/// let original = user
/// user.name = "Johnny"
/// let reversion = user.reversion(to: original)
/// try reversion?.revert(&user)     // user == original
/// ```
public struct Reversion<Root> {
    let piece: any Piece<Root>
    /// The tracked content of the version that this was made from; `nil` in a part of a larger
    /// reversion, which is checked as a whole.
    let origin: Int?

    init(_ piece: any Piece<Root>, origin: Int? = nil) {
        self.piece = piece
        self.origin = origin
    }

    /// Takes `object` back.
    ///
    /// Throws `ReversionError.differentVersion`, and leaves `object` as it is, if it is not the
    /// version that this was made from. Properties that are not tracked do not count, and keep
    /// their values. O(size of the object) for the check.
    public func revert(_ object: inout Root) throws(ReversionError) {
        if let origin, Fingerprint.of(object) != origin { throw .differentVersion }
        var copy = object
        try piece.apply(to: &copy)
        object = copy
    }
}

// @unchecked: it holds parts of values that may be sent, and key paths to them, which never change.
extension Reversion: @unchecked Sendable where Root: Sendable {}

/// The reason why a value was not reverted. The value is unchanged.
public enum ReversionError: Error, Equatable, Sendable {
    /// The value is not the version that the reversion was made from.
    case differentVersion

    /// The name that the ancestor library has for `differentVersion`.
    public static let attemptingToRevertWrongVersion = ReversionError.differentVersion
}

/// A part of a reversion.
protocol Piece<Root> {
    associatedtype Root

    /// Takes `root` back, or throws where it cannot be the version that this was made from.
    func apply(to root: inout Root) throws(ReversionError)
}

/// Puts the old value in the place of the new one.
struct Overwrite<Root>: Piece {
    let value: Root

    func apply(to root: inout Root) { root = value }
}

/// A reversion of one property.
struct PropertyPiece<Root, Value>: Piece {
    let keyPath: WritableKeyPath<Root, Value>
    let piece: any Piece<Value>

    func apply(to root: inout Root) throws(ReversionError) {
        try piece.apply(to: &root[keyPath: keyPath])
    }
}

/// Several reversions of one value.
struct Pieces<Root>: Piece {
    let pieces: [any Piece<Root>]

    func apply(to root: inout Root) throws(ReversionError) {
        for piece in pieces { try piece.apply(to: &root) }
    }
}
