import Glibc

/// Programs that are run, and waited for.
enum Programs {
    /// Runs a program. Returns its exit status; of one that a signal ended 128 and its number, as
    /// shells do.
    ///
    /// - Parameter handsOnSignals: what ends this process is for the program, and does not end this
    ///   process: there is something to do after it.
    static func run(
        _ program: String, _ words: [String], handsOnSignals: Bool = false
    ) throws(Trouble) -> Int32 {
        var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        if handsOnSignals { SignalRelay.begin() }
        var id = pid_t()
        let code = unsafe posix_spawnp(&id, program, nil, nil, &pointers, environ)
        guard code == 0 else {
            let reason = unsafe String(cString: strerror(code))
            throw Trouble(.notThere, "Cannot run \(program): \(reason).")
        }
        if handsOnSignals { SignalRelay.begin(to: id) }
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
        return exitStatus(status)
    }

    /// Runs a line of the shell, on this terminal.
    static func shell(_ line: String) -> Int32 {
        exitStatus(unsafe system(line))
    }

    /// Runs a line of the shell with something on its standard input; whether it reads that is its
    /// own business.
    static func feed(_ bytes: [UInt8], to line: String) -> Int32 {
        guard let pipe = unsafe popen(line, "w") else { return 127 }
        signal(SIGPIPE, SIG_IGN)
        defer { signal(SIGPIPE, SIG_DFL) }
        Files.write(bytes, to: unsafe fileno(pipe))
        return exitStatus(unsafe pclose(pipe))
    }

    /// A word of a line of the shell.
    static func quoted(_ word: String) -> String {
        let parts = word.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }

    /// The same, without quotes where none are needed.
    static func word(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
                || (0x61...0x7a).contains(byte) || "-_./:@,".utf8.contains(byte)
        }
        return isPlain && !word.isEmpty ? word : quoted(word)
    }

    private static func exitStatus(_ status: Int32) -> Int32 {
        status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
    }

    static func pause(_ seconds: Double) {
        usleep(UInt32(seconds * 1_000_000))
    }

    /// Ends this process, as if all were well, when the time is over.
    static func end(afterMilliseconds time: Int) {
        signal(SIGALRM) { _ in _exit(0) }
        var timer = itimerval()
        timer.it_value.tv_sec = time / 1_000
        timer.it_value.tv_usec = time % 1_000 * 1_000
        unsafe setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
    }
}
