import Glibc

/// A thread with a name, for work that blocks: a disk, an event loop.
// @unchecked: the thread's handle is written once, before any other thread has this object; only
// the thread that releases it joins.
public final class WorkerThread: @unchecked Sendable {
    private var handle = pthread_t()
    private var isJoined = false
    /// About a third of the time of a thread that does not yield.
    private static let niceness: Int32 = 5

    /// Starts a thread that runs `body` and ends with it. If there are more threads than cores,
    /// those that yield leave the cores to the others.
    public init(name: String, yields: Bool = false, _ body: @escaping @Sendable () -> Void) {
        let start = unsafe Unmanaged.passRetained(
            Start(name: name, yields: yields, body: body))
        // C hands the box back to the new thread, which takes over the reference.
        let result = unsafe pthread_create(
            &handle, nil,
            { box in
                guard let box = unsafe box else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(box).takeRetainedValue()
                nameThisThread(start.name)
                // On Linux this is for the calling thread only. If it fails, nothing is lost.
                if start.yields {
                    setpriority(.init(PRIO_PROCESS.rawValue), 0, WorkerThread.niceness)
                }
                start.body()
                return nil
            }, unsafe start.toOpaque())
        if result != 0 { WorkerThread.endWithoutThreads(result) }
    }

    /// Ends the process with a sentence unless it may have this number of further threads at once.
    ///
    /// The runtime starts its own threads without a check and waits for them without a limit, so
    /// this is found out before they are needed.
    public static func require(_ count: Int) {
        let gate = Lock(())
        let threads = gate.withLock { _ in
            (0..<count).map { number in
                // None of them ends before all are there.
                WorkerThread(name: "trial-\(number)") { gate.withLock { _ in } }
            }
        }
        for thread in threads { thread.join() }
    }

    /// Nothing can be done without threads: the process ends with a sentence, and with the status
    /// of a system that does not do what it should (EX_IOERR).
    private static func endWithoutThreads(_ code: Int32) -> Never {
        let reason = unsafe String(cString: strerror(code))
        let line = Array(
            """
            versiond: no thread can be started: \(reason); raise the limit on threads (pids.max, \
            TasksMax, ulimit -u)

            """.utf8)
        _ = unsafe write(STDERR_FILENO, line, line.count)
        _exit(74)
    }

    /// Waits until the thread has ended. Call it once.
    public func join() {
        isJoined = true
        pthread_join(handle, nil)
    }

    deinit {
        // No thread will join it.
        if !isJoined { pthread_detach(handle) }
    }

    private final class Start: Sendable {
        let name: String
        let yields: Bool
        let body: @Sendable () -> Void

        init(name: String, yields: Bool, body: @escaping @Sendable () -> Void) {
            self.name = String(name.prefix(15))
            self.yields = yields
            self.body = body
        }
    }
}

/// Gives this thread a name that `top -H` shows. Through /proc, since Glibc's module hides the
/// call.
private func nameThisThread(_ name: String) {
    let file = unsafe open("/proc/thread-self/comm", O_WRONLY)
    guard file >= 0 else { return }
    let bytes = Array(name.utf8)
    _ = unsafe write(file, bytes, bytes.count)
    close(file)
}
