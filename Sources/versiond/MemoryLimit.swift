import FoundationEssentials
import Glibc

/// How much memory there is for this process: of the machine, of the control group, of `ulimit`.
enum MemoryLimit {
    /// The least of all limits, in bytes.
    private static let bytes = (groups + limits).reduce(machine, min)

    /// The least limit: with less, the daemon would refuse requests that it should not.
    private static let least = 64 << 20

    /// A part of the memory, between the least that makes sense and `most`.
    static func share(_ divisor: Int, most: Int) -> Int {
        max(least, min(most, bytes / divisor))
    }

    /// Makes the allocator give back what is freed. By default it has eight arenas for each core,
    /// and each keeps what a thread once needed at most; and large blocks that were freed once come
    /// from arenas ever after.
    static func tuneAllocator(threads: Int) {
        _ = setAllocator(arenasMax, Int32(clamping: max(2, threads)))
        _ = setAllocator(mappedFrom, 1 << 20)
    }

    // From malloc.h, which Glibc's module does not have.
    private static let arenasMax: Int32 = -8
    private static let mappedFrom: Int32 = -3

    private static var machine: Int {
        sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Of the control groups that this process is in, of both versions.
    private static var groups: [Int] {
        let lines = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        return lines.split(separator: "\n").flatMap { line -> [Int] in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [] }
            let isMemory = parts[1].split(separator: ",").contains("memory")
            guard isMemory || parts[1].isEmpty else { return [] }
            let (root, file) =
                isMemory
                ? ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
                : ("/sys/fs/cgroup", "memory.max")
            // In a container the group may be mounted as the root.
            return [root + parts[2], root].compactMap { number("\($0)/\(file)") }
        }
    }

    private static func number(_ path: String) -> Int? {
        let text = try? String(contentsOfFile: path, encoding: .utf8)
        return text.flatMap { Int($0.prefix { $0.isNumber }) }
    }

    private static var limits: [Int] {
        [RLIMIT_DATA, RLIMIT_AS].compactMap { kind -> Int? in
            var limit = rlimit()
            let resource = __rlimit_resource_t(kind.rawValue)
            guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur != .max else {
                return nil
            }
            return Int(clamping: limit.rlim_cur)
        }
    }
}

@_silgen_name("mallopt")
private func setAllocator(_ parameter: Int32, _ value: Int32) -> Int32
