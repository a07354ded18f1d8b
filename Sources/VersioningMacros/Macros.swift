@_exported public import VersioningKit

/// Makes a `struct` or `enum` versionable.
///
/// Of a `struct` every stored `var` is tracked, unless it is marked `@VersionableIgnored`. Of an
/// `enum` the case is tracked, and the associated values of the cases one by one.
@attached(extension, conformances: Versionable, names: named(addReversions), arbitrary)
public macro Versionable() =
    #externalMacro(module: "VersioningMacrosPlugin", type: "VersionableMacro")

/// Keeps `@Versionable` from tracking a property: undo never touches it.
@attached(peer)
public macro VersionableIgnored() =
    #externalMacro(module: "VersioningMacrosPlugin", type: "VersionableIgnoredMacro")

/// Tracks properties of a `struct`, `class` or `actor`: the ones that are named, or all.
///
/// Undo and redo are at `$property`; in `@Observable` and `ObservableObject` types at `_$property`,
/// where tracking begins at the first access.
///
/// - Parameters:
///   - properties: The names of the properties.
///   - errorMode: Whether commands throw, or store their errors.
///   - debounceMilliseconds: Edits within this number of milliseconds of each other are
///     one version.
@attached(member, names: arbitrary) @attached(memberAttribute)
public macro Versioning(
    _ properties: StaticString..., errorMode: VersioningErrorHandlingMode = .assignErrors,
    debounceMilliseconds: Int? = nil
) = #externalMacro(module: "VersioningMacrosPlugin", type: "VersioningMacro")

/// The treatment of errors by the commands of properties tracked by `@Versioning`. The attribute
/// spells it out, so that the macro can see it.
public struct VersioningErrorHandlingMode: Sendable {
    private init() {}

    /// Commands throw.
    public static let throwErrors = VersioningErrorHandlingMode()

    /// Commands do not throw. Errors are stored at `$property.error`; in `@Observable` and
    /// `ObservableObject` types in the property `versioningError`.
    public static let assignErrors = VersioningErrorHandlingMode()

    /// Commands do not throw. Errors are stored in the property with this name, which is made if
    /// it is not declared.
    public static func assignErrors(_ property: StaticString) -> VersioningErrorHandlingMode {
        assignErrors
    }
}
