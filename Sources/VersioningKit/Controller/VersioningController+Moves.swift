import Naming

/// Undo and redo in every form: the value as the result, in place, on a root, or on the object.
///
/// If there is nowhere to go, nothing happens. All of them throw, or store, a `ReversionError` if
/// the value was set behind the controller's back; then nothing has changed.
extension VersioningController {
    /// Goes one version back, if there is one. Returns the value there.
    @_disfavoredOverload
    public func undo() throws(Failure) -> Value {
        try move(.undo(count: 1))
    }

    /// Goes one version back, if there is one. `value` becomes what it is there.
    public func undo(_ value: inout Value) throws(Failure) {
        value = try move(.undo(count: 1), held: value)
    }

    /// Goes one version back, if there is one. Sets the property of `root`.
    public func undo(root: inout Root) throws(Failure) {
        write(try move(.undo(count: 1), on: read(root)), to: &root)
    }

    /// Goes one version forth, if there is one. Returns the value there.
    @_disfavoredOverload
    public func redo() throws(Failure) -> Value {
        try move(.redo(count: 1))
    }

    /// Goes one version forth, if there is one. `value` becomes what it is there.
    public func redo(_ value: inout Value) throws(Failure) {
        value = try move(.redo(count: 1), held: value)
    }

    /// Goes one version forth, if there is one. Sets the property of `root`.
    public func redo(root: inout Root) throws(Failure) {
        write(try move(.redo(count: 1), on: read(root)), to: &root)
    }

    /// Goes back to where the current scope was opened. Returns the value there.
    @_disfavoredOverload
    public func undoCurrentScope() throws(Failure) -> Value {
        try move(.undoScope)
    }

    /// Goes back to where the current scope was opened. `value` becomes what it is
    /// there.
    public func undoCurrentScope(_ value: inout Value) throws(Failure) {
        value = try move(.undoScope, held: value)
    }

    /// Goes back to where the current scope was opened. Sets the property of `root`.
    public func undoCurrentScope(root: inout Root) throws(Failure) {
        write(try move(.undoScope, on: read(root)), to: &root)
    }

    /// Goes forth as far as redo leads in the current scope. Returns the value there.
    @_disfavoredOverload
    public func redoCurrentScope() throws(Failure) -> Value {
        try move(.redoScope)
    }

    /// Goes forth as far as redo leads in the current scope. `value` becomes what it is
    /// there.
    public func redoCurrentScope(_ value: inout Value) throws(Failure) {
        value = try move(.redoScope, held: value)
    }

    /// Goes forth as far as redo leads in the current scope. Sets the property of `root`.
    public func redoCurrentScope(root: inout Root) throws(Failure) {
        write(try move(.redoScope, on: read(root)), to: &root)
    }

    /// Goes back to the version with a tag, if it lies there. Returns the value there.
    @_disfavoredOverload
    public func undo(to tag: some Hashable & Sendable) throws(Failure) -> Value {
        try move({ .undoTo(.tag($0)) }, AnyHashable(tag))
    }

    /// Goes back to the version with a tag, if it lies there. `value` becomes what it is
    /// there.
    public func undo(_ value: inout Value, to tag: some Hashable & Sendable) throws(Failure) {
        value = try move({ .undoTo(.tag($0)) }, AnyHashable(tag), held: value)
    }

    /// Goes back to the version with a tag, if it lies there. Sets the property of `root`.
    public func undo(root: inout Root, to tag: some Hashable & Sendable) throws(Failure) {
        write(try move({ .undoTo(.tag($0)) }, AnyHashable(tag), on: read(root)), to: &root)
    }

    /// Goes forth to the version with a tag, if it lies there. Returns the value there.
    @_disfavoredOverload
    public func redo(to tag: some Hashable & Sendable) throws(Failure) -> Value {
        try move({ .redoTo(.tag($0)) }, AnyHashable(tag))
    }

    /// Goes forth to the version with a tag, if it lies there. `value` becomes what it is
    /// there.
    public func redo(_ value: inout Value, to tag: some Hashable & Sendable) throws(Failure) {
        value = try move({ .redoTo(.tag($0)) }, AnyHashable(tag), held: value)
    }

    /// Goes forth to the version with a tag, if it lies there. Sets the property of `root`.
    public func redo(root: inout Root, to tag: some Hashable & Sendable) throws(Failure) {
        write(try move({ .redoTo(.tag($0)) }, AnyHashable(tag), on: read(root)), to: &root)
    }

    /// Undoes the changes in the current scope and closes it. At the root nothing happens.
    @_disfavoredOverload
    public func undoAndPopCurrentScope() throws(Failure) -> Value {
        try command { tracked throws(ReversionError) in try tracked.discardScope() }
    }

    /// Undoes the changes in the current scope and closes it. At the root nothing happens.
    public func undoAndPopCurrentScope(_ value: inout Value) throws(Failure) {
        value = try command(on: value, isHeld: true) { tracked throws(ReversionError) in
            try tracked.discardScope()
        }
    }

    /// Undoes the changes in the current scope and closes it. At the root nothing happens.
    public func undoAndPopCurrentScope(root: inout Root) throws(Failure) {
        let value = try command(on: read(root)) { tracked throws(ReversionError) in
            try tracked.discardScope()
        }
        write(value, to: &root)
    }

    private func move(
        _ move: Move, on value: Value? = nil, held: Value? = nil
    ) throws(Failure) -> Value {
        try command(on: held ?? value, isHeld: held != nil) { tracked throws(ReversionError) in
            try tracked.perform(move)
        }
    }

    private func move(
        _ move: (Name) -> Move, _ tag: AnyHashable, on value: Value? = nil, held: Value? = nil
    ) throws(Failure) -> Value {
        try command(on: held ?? value, isHeld: held != nil) { tracked throws(ReversionError) in
            if let name = tracked.name(of: tag) { try tracked.perform(move(name)) }
        }
    }
}

// MARK: - On the object

extension VersioningController where Root: AnyObject {
    /// Records what the object's property is now.
    public func appendCurrentVersion() {
        note { _ in }
    }

    /// Records what the object's property is now, and tags the version.
    public func appendCurrentVersion(tag: some Hashable & Sendable) {
        tagCurrentVersion(tag)
    }

    /// Goes one version back, if there is one.
    public func undo() throws(Failure) {
        _ = try undo() as Value
    }

    /// Goes one version forth, if there is one.
    public func redo() throws(Failure) {
        _ = try redo() as Value
    }

    /// Goes back to where the current scope was opened.
    public func undoCurrentScope() throws(Failure) {
        _ = try undoCurrentScope() as Value
    }

    /// Goes forth as far as redo leads in the current scope.
    public func redoCurrentScope() throws(Failure) {
        _ = try redoCurrentScope() as Value
    }

    /// Goes back to the version with a tag, if it lies there.
    public func undo(to tag: some Hashable & Sendable) throws(Failure) {
        _ = try undo(to: tag) as Value
    }

    /// Goes forth to the version with a tag, if it lies there.
    public func redo(to tag: some Hashable & Sendable) throws(Failure) {
        _ = try redo(to: tag) as Value
    }

    /// Undoes the changes in the current scope and closes it. At the root nothing happens.
    public func undoAndPopCurrentScope() throws(Failure) {
        _ = try undoAndPopCurrentScope() as Value
    }
}
