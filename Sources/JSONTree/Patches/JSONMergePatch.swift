extension JSON {
    /// The value after a merge patch (RFC 7396): members merge, `null` removes, the rest replaces.
    /// O(members of the patch); never recurses.
    public func merging(_ patch: JSON) -> JSON {
        guard case .object = patch.storage else { return patch }
        var open = [OpenMerge(name: nil, target: self, changes: patch)]
        while true {
            let top = open.count - 1
            guard let change = open[top].rest.popLast() else {
                let done = JSON(.object(open[top].target))
                guard let name = open.removeLast().name else { return done }
                open[top - 1].target = open[top - 1].target.setting(name, to: done)
                continue
            }
            let old = open[top].target.value(for: change.name)
            switch change.value.storage {
            case .null:
                if old != nil { open[top].target = open[top].target.removing(change.name) }
            case .object:
                open.append(
                    OpenMerge(name: change.name, target: old ?? .null, changes: change.value))
            default: open[top].target = open[top].target.setting(change.name, to: change.value)
            }
        }
    }
}

/// An object into which changes are being merged.
private struct OpenMerge {
    /// The member that the object will be, of the one that is open before it.
    let name: MemberName?
    var target = ObjectNode.empty
    /// The changes still to be made, last one first.
    var rest: [(name: MemberName, value: JSON)] = []

    init(name: MemberName?, target: JSON, changes: JSON) {
        self.name = name
        if case .object(let node) = target.storage { self.target = node }
        guard case .object(let node) = changes.storage else { return }
        node.forEach { rest.append((name: $0, value: $1)) }
        rest.reverse()
    }
}
