extension JSON {
    /// The value after a merge patch (RFC 7396): members merge, `null` removes, the rest replaces.
    public func merging(_ patch: JSON) -> JSON {
        guard case .object(let changes) = patch.storage else { return patch }
        var target = ObjectNode.empty
        if case .object(let node) = storage { target = node }
        changes.forEach { name, change in
            if change.kind == .null {
                if target.value(for: name) != nil { target = target.removing(name) }
            } else {
                let old = target.value(for: name) ?? .null
                target = target.setting(name, to: old.merging(change))
            }
        }
        return JSON(.object(target))
    }
}
