import VersioningKit

/// Opening and closing scopes.
extension Preparation {
    func pushScope(_ lifetime: Duration?, _ policy: ScopeExpiry.Policy) -> Prepared {
        let expiry = lifetime.map {
            ScopeExpiry(deadline: time.duration + $0, policy: policy)
        }
        return recorded(.pushScope(expiry))
    }

    func popScope(_ isForced: Bool) throws(ChangeError) -> Prepared {
        let base = try scopeToClose(isForced)
        return recorded(.popScope(isChanged: try isChanged(since: base)))
    }

    func discardScope(_ isForced: Bool) throws(ChangeError) -> Prepared {
        let base = try scopeToClose(isForced)
        guard base != history.currentID else { return recorded(.discardScope) }
        let (tree, patch) = try travelled(to: base)
        return recorded(.discardScope, patch, tree: tree)
    }

    /// The version that the scope was opened at, if the client may close it.
    private func scopeToClose(_ isForced: Bool) throws(ChangeError) -> Int {
        let owner = history.state.scopes.last?.owner ?? ""
        guard isForced || owner.isEmpty || owner == request.actor else {
            throw .foreignScope(owner: owner)
        }
        do { return try history.scopeBase() } catch { throw .version(error) }
    }
}

extension Document {
    /// What closes a scope whose time is over, or a scope inside one.
    func closing(at now: Timestamp) -> ChangeRequest? {
        guard exists, let policy = history.expiredPolicy(at: now.duration),
            let scope = history.state.scopes.last
        else { return nil }
        var request = ChangeRequest(
            policy == .pop ? .popScope(isForced: true) : .discardScope(isForced: true),
            actor: scope.owner, label: "the scope's time was over")
        request.isTimely = true
        return request
    }
}
