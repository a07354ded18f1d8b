import Foundation
import TestSupport
import Threading

/// The real binary, started by a test.
final class DaemonProcess {
    let port: UInt16
    /// The daemon's log.
    private let lines = Lock("")
    private let process = Process()

    struct DidNotStart: Error {
        let output: String
    }

    /// Starts the daemon and waits for the line that says where it listens.
    ///
    /// `limits` is what `ulimit` gets, `["-n 128"]` for example.
    init(
        directory: String, _ more: [String] = [], environment: [String: String] = [:],
        limits: [String] = []
    ) throws {
        let binary = Products.folder.path + "/versiond"
        let arguments = ["serve", "--port", "0", "--directory", directory] + more
        if limits.isEmpty {
            process.executableURL = URL(filePath: binary)
            process.arguments = arguments
        } else {
            let script = limits.map { "ulimit \($0) && " }.joined() + "exec \"$0\" \"$@\""
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments = ["-c", script, binary] + arguments
        }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        var output = ""
        while !output.contains(" and stores in ") {
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { throw DidNotStart(output: output) }
            output += String(decoding: data, as: UTF8.self)
        }
        let tail = output.components(separatedBy: "://127.0.0.1:").last ?? ""
        guard let port = UInt16(tail.prefix { $0.isNumber }) else {
            throw DidNotStart(output: output)
        }
        self.port = port
        // The rest is read and thrown away until the daemon ends, so that it never waits for us. On a
        // thread that owns the handle: Foundation's own handler may outlive it.
        let rest = pipe.fileHandleForReading
        lines.withLock { $0 = output }
        _ = WorkerThread(name: "daemon-log") { [lines] in
            while true {
                let data = rest.availableData
                if data.isEmpty { return }
                lines.withLock { $0 += String(decoding: data, as: UTF8.self) }
            }
        }
    }

    deinit {
        if process.isRunning { kill() }
    }

    /// The daemon's log until now.
    var log: String { lines.withLock { $0 } }

    /// Sends a signal.
    func signal(_ number: Int32) {
        Glibc.kill(process.processIdentifier, number)
    }

    /// Pulls the plug.
    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Asks it to stop, and waits. Returns the exit status.
    func terminate() -> Int32 {
        process.terminate()
        return wait()
    }

    /// Waits until it ends by itself. Returns the exit status.
    func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// The CPU time that the threads have used whose name begins so.
    func processorTime(of prefix: String) throws -> Duration {
        let tasks = "/proc/\(process.processIdentifier)/task"
        let threads = try FileManager.default.contentsOfDirectory(atPath: tasks)
        return threads.reduce(.zero) { sum, thread in
            // A thread may have ended since the directory was read.
            guard
                let name = try? String(contentsOfFile: "\(tasks)/\(thread)/comm", encoding: .utf8),
                name.hasPrefix(prefix),
                let times = try? String(
                    contentsOfFile: "\(tasks)/\(thread)/schedstat", encoding: .utf8),
                let nanoseconds = Int64(times.prefix { $0 != " " })
            else { return sum }
            return sum + .nanoseconds(nanoseconds)
        }
    }

    /// How many descriptors are open.
    func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(
            atPath: "/proc/\(process.processIdentifier)/fd"
        ).count
    }

    func connect() throws -> RawConnection {
        try RawConnection(port: port)
    }

    /// Runs another command of the binary.
    static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        try run(Products.folder.path + "/versiond", arguments)
    }

    /// Runs a script of bash.
    static func bash(_ script: String) throws -> (status: Int32, output: String) {
        try run("/bin/bash", ["-c", script])
    }

    private static func run(
        _ path: String, _ arguments: [String]
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
