public import Journaling

// The meaning of the numbers that clients use for a document.

extension Numbering {
    /// The revision that a client means.
    public func revision(_ shown: Int) throws(ChangeError) -> Int {
        guard let number = number(of: shown) else { throw .otherHistory(number: shown) }
        return number
    }

    /// The state that a client means.
    public func state(_ address: StateAddress) throws(ChangeError) -> StateAddress {
        switch address {
        case .revision(let shown): .revision(try revision(shown))
        case .version(let shown): .version(try revision(shown))
        case .head, .tag, .snapshot, .origin, .time: address
        }
    }

    /// Of the revisions that a client names, those of this history: the others match nothing, as
    /// tags that the daemon never gave.
    public func revisions(_ shown: Precondition.Revisions?) -> Precondition.Revisions? {
        guard case .these(let numbers)? = shown, !isUncut else { return shown }
        return .these(numbers.compactMap { number(of: $0) })
    }

    /// The own changes that a client names.
    public func own(_ shown: [EditBase.Own]) throws(ChangeError) -> [EditBase.Own] {
        if isUncut { return shown }
        return try shown.map { own throws(ChangeError) in
            guard case .revision(let number) = own else { return own }
            return .revision(try revision(number))
        }
    }
}
