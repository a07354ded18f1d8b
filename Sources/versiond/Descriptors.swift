import Glibc

/// How many descriptors the process may open.
enum Descriptors {
    /// Fewer connections than this are not worth starting for.
    static let connectionsMin = 8

    /// The descriptors besides connections: the database with its log for the writer and each
    /// reader, locks, the high-water mark, tokens and keys while they are read, the event loops,
    /// and standard input, output and error; and some to spare.
    static func reserve(loops: Int) -> Int { 48 + 4 * (loops + 1) }

    /// How many there may be now.
    static var limit: Int {
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the limit to `wanted`, as far as it may be. Returns what it is then.
    static func raiseLimit(to wanted: Int) -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { return wanted }
        if limit.rlim_cur < rlim_t(wanted) {
            limit.rlim_cur = min(limit.rlim_max, rlim_t(wanted))
            _ = unsafe setrlimit(resource, &limit)
            _ = unsafe getrlimit(resource, &limit)
        }
        return Int(clamping: limit.rlim_cur)
    }
}
