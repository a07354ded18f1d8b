/// The steps from one version to the next: none, one, or several in order.
@frozen public enum Steps<Step> {
    case none
    case one(Step)
    case many(PersistentArray<Step>)

    /// The steps, oldest first.
    @inlinable public var list: [Step] {
        switch self {
        case .none: []
        case .one(let step): [step]
        case .many(let steps): Array(steps)
        }
    }

    /// The newest step.
    @inlinable public var last: Step? {
        switch self {
        case .none: nil
        case .one(let step): step
        case .many(let steps): steps[steps.count - 1]
        }
    }

    /// Some steps in their order.
    public init(_ list: [Step]) {
        self = list.count > 1 ? .many(PersistentArray(list)) : list.first.map(Steps.one) ?? .none
    }

    mutating func append(_ step: Step) {
        switch self {
        case .none: self = .one(step)
        case .one(let first): self = .many(PersistentArray([first, step]))
        case .many(var steps):
            steps.append(step)
            self = .many(steps)
        }
    }
}

extension Steps: Sendable where Step: Sendable {}
extension Steps: Equatable where Step: Equatable {}
