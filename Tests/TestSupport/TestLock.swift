import Threading

/// The lock of the house, under a name that does not meet `Foundation`'s.
public typealias TestLock = Lock
