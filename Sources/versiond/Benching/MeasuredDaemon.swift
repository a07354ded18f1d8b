import FoundationEssentials
import Glibc

/// A daemon of this very program, in a process and with a directory of its own.
struct MeasuredDaemon: ~Copyable {
    let port: UInt16
    private let process: pid_t

    /// Starts it with the default settings, and waits until it takes work.
    init(directory: String) throws(CannotRun) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .system("no descriptors left") }
        // Not for the daemon: it has its standard error alone.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let arguments = ["versiond", "serve", "--port", "0", "--directory", directory]
        let process = MeasuredDaemon.spawn(arguments, standardError: ends[1])
        close(ends[1])
        guard let process else { throw .cannotListen("cannot start the daemon") }
        guard let port = MeasuredDaemon.port(from: ends[0]) else {
            MeasuredDaemon.end(process)
            throw .cannotListen("the daemon did not start")
        }
        (self.process, self.port) = (process, port)
    }

    deinit { MeasuredDaemon.end(process) }

    /// The CPU time that all its threads have taken.
    var cpu: Duration {
        let tasks = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.reduce(.zero) { sum, thread in
            let text = try? String(contentsOfFile: "\(tasks)/\(thread)/schedstat", encoding: .utf8)
            return sum + .nanoseconds(text.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0)
        }
    }

    private static func end(_ process: pid_t) {
        kill(process, SIGTERM)
        _ = waitpid(process, nil, 0)
    }

    /// Without the environment, so that the settings of another daemon are not its own.
    private static func spawn(_ arguments: [String], standardError: Int32) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, standardError, STDERR_FILENO)
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        var (process, environment) = unsafe (
            pid_t(0), [UnsafeMutablePointer<CChar>?](arrayLiteral: nil)
        )
        let result = unsafe posix_spawn(
            &process, "/proc/self/exe", &actions, nil, &words, &environment)
        return result == 0 ? process : nil
    }

    /// The text after the address in the message that the daemon listens.
    private static func port(from descriptor: Int32) -> UInt16? {
        var text = ""
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while !text.contains(" and stores in ") {
            let count = unsafe read(descriptor, &bytes, bytes.count)
            if count <= 0 { return nil }
            text += String(decoding: bytes.prefix(count), as: UTF8.self)
        }
        let address = text.split(separator: "://127.0.0.1:").last
        return address.flatMap { UInt16($0.prefix { $0.isNumber }) }
    }
}
