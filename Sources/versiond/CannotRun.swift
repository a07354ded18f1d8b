import ArgumentParser
import Documents
import Foundation
import Glibc
import HTTPServing
import Journaling
import Threading

/// Why a command cannot do its work, in one sentence, with the exit status of sysexits.h.
struct CannotRun: Error {
    let reason: String
    let status: Int32

    /// The journal is damaged (EX_DATAERR).
    static func damaged(_ reason: String) -> CannotRun { .init(reason: reason, status: 65) }
    /// The input does not exist (EX_NOINPUT).
    static func noInput(_ reason: String) -> CannotRun { .init(reason: reason, status: 66) }
    /// An address cannot be listened on (EX_UNAVAILABLE).
    static func cannotListen(_ reason: String) -> CannotRun { .init(reason: reason, status: 69) }
    /// A directory cannot be had (EX_CANTCREAT).
    static func noDirectory(_ reason: String) -> CannotRun { .init(reason: reason, status: 73) }
    /// The disk or the system does not do what it should (EX_IOERR).
    static func system(_ reason: String) -> CannotRun { .init(reason: reason, status: 74) }

    /// Another process uses the directory (EX_TEMPFAIL).
    static func inUse(_ reason: String) -> CannotRun { .init(reason: reason, status: 75) }

    /// A setting is wrong (EX_CONFIG): a new start would not help.
    static func configuration(_ reason: String) -> CannotRun { .init(reason: reason, status: 78) }

    /// An error as such a reason; `nil` if it is about what was typed.
    init?(_ error: any Error) {
        switch error {
        case let error as CannotRun: self = error
        case JournalError.corrupt(let reason): self = .damaged(reason)
        case let error as JournalError: self = .system("\(error)")
        case JournalCopy.Refusal.journal(let error): self.init(error)
        case ChangeError.journal(let error): self.init(error)
        case let error as JournalCopy.Refusal: self = .damaged("\(error)")
        case HTTPServerError.addressNotFound(let host):
            self = .cannotListen("the host \(host) has no address")
        case HTTPServerError.cannotListen(let reason): self = .cannotListen(reason)
        case HTTPServerError.cannotStart(let reason): self = .system(reason)
        default: return nil
        }
    }

    /// An error in one sentence.
    static func reason(_ error: any Error) -> String {
        if let error = error as? ValidationError { return error.message }
        if let error = error as? CocoaError { return systemReason(error) }
        return CannotRun(error)?.reason ?? "\(error)"
    }

    /// The message of the system, without the details of Foundation.
    private static func systemReason(_ error: CocoaError) -> String {
        let under = error.underlying as? POSIXError
        guard let code = under?.code.rawValue else { return error.localizedDescription }
        return unsafe String(cString: strerror(code))
    }

    private init(reason: String, status: Int32) {
        self.reason = reason
        self.status = status
    }
}

extension Versiond {
    /// The limit on the threads of the runtime itself, when little is done: two that carry out
    /// tasks, one that waits for events, and one to spare.
    private static let runtimeThreads = 4

    static func main() async {
        // Only the user of the daemon may read the data; the socket has its own setting.
        umask(0o077)
        WorkerThread.require(runtimeThreads)
        do {
            try checkCommand(CommandLine.arguments.dropFirst().first)
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            guard let failure = CannotRun(error) else { exit(withError: error) }
            let line = Array("versiond: \(failure.reason)\n".utf8)
            _ = unsafe write(STDERR_FILENO, line, line.count)
            Glibc.exit(failure.status)
        }
    }

    /// A command that there is not would be taken for an argument of `serve`.
    private static func checkCommand(_ word: String?) throws {
        guard let word, !word.hasPrefix("-"), word != "help" else { return }
        let names = configuration.subcommands.map { $0._commandName }
        if names.contains(word) { return }
        let known = names.joined(separator: ", ")
        throw ValidationError("unknown command \(word); known: \(known)")
    }
}
