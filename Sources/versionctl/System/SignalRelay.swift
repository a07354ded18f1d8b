import Glibc
import Synchronization

/// Forwards signals that would end this process to a program.
enum SignalRelay {
    /// 0: it has not begun yet. A signal handler can have nothing else.
    private static let program = Atomic<pid_t>(0)
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// They reach this process and what it runs, even if who started it had blocked them.
    static func unblock() {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in signals { unsafe sigaddset(&set, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// From now on none of them ends this process.
    static func begin() {
        for number in signals { signal(number) { number in SignalRelay.take(number) } }
    }

    static func begin(to id: pid_t) {
        program.store(id, ordering: .sequentiallyConsistent)
    }

    private static func take(_ number: Int32) {
        // A terminal sends its signals to all processes of the group.
        let isTyped = number == SIGINT || number == SIGQUIT
        if isTyped, tcgetpgrp(STDIN_FILENO) == getpgrp() { return }
        let id = program.load(ordering: .sequentiallyConsistent)
        // The wait ignores an interrupt that did not reach the program.
        if id > 0 { kill(id, isTyped ? SIGTERM : number) }
    }
}
