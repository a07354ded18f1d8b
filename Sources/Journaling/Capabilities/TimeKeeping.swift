/// A journal that knows what time it is, for all daemons that write to it.
public protocol TimeKeeping: Sendable {
    /// The time since 1970; `nil` if the store does not report it. Does not block.
    var time: Duration? { get }
}
