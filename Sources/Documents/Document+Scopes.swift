import VersioningKit

/// Opening and closing scopes.
extension Preparation {
    func pushScope(_ lifetime: Duration?, _ policy: ScopeExpiry.Policy) -> Prepared {
        // Waiting must not take back what the client may not take back itself.
        let policy = policy == .discard && !request.mayUndoOthers ? .discardOwn : policy
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
        guard exists, let expired = history.expiredScope(at: now.duration),
            let scope = history.state.scopes.last
        else { return nil }
        let isDiscarded =
            switch expired.policy {
            case .pop: false
            case .discard: true
            case .discardOwn: scope.owner == expired.owner
            }
        var request = ChangeRequest(
            isDiscarded ? .discardScope(isForced: true) : .popScope(isForced: true),
            actor: scope.owner, label: "the scope's time was over")
        request.source = .clock
        request.mayUndoOthers = expired.policy == .discard
        return request
    }
}
