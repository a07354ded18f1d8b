import Glibc

/// Files, without Foundation.
enum Files {
    /// The content of a file; `-` is standard input.
    static func read(_ path: String) throws(Trouble) -> [UInt8] {
        let file = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failed(path, .notThere) }
        defer { if file != STDIN_FILENO { close(file) } }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failed(path, .system) }
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
    }

    /// Writes a file as a whole, or leaves it as it was: the content is on the disk under another
    /// name before it gets its own. Only the owner may read it.
    static func write(_ bytes: [UInt8], to path: String) throws(Trouble) {
        let draft = path + ".draft"
        let file = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failed(path, .system) }
        let isWritten = write(bytes, to: file) && fsync(file) == 0
        guard close(file) == 0, isWritten, unsafe rename(draft, path) == 0 else {
            throw failed(path, .system)
        }
        // So that it has its name when the power fails.
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let directory = unsafe open(folder, O_RDONLY | O_CLOEXEC)
        fsync(directory)
        close(directory)
    }

    /// Takes a file for this process, until it ends; `nil` if another has it.
    static func lock(_ path: String) throws(Trouble) -> Int32? {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failed(path, .system) }
        if flock(file, LOCK_EX | LOCK_NB) == 0 { return file }
        close(file)
        return nil
    }

    @discardableResult
    static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { part in
                unsafe Glibc.write(file, part.baseAddress, part.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// The same file from everywhere.
    static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        guard let here = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(here) }
        return unsafe String(cString: here) + "/" + path
    }

    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    static func remove(_ path: String) { unsafe unlink(path) }

    /// Makes a directory and those above it.
    static func makeDirectory(_ path: String) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/" + part
            unsafe mkdir(made, 0o700)
        }
    }

    private static func failed(_ path: String, _ status: Trouble.Status) -> Trouble {
        Trouble(status, "\(path): \(lastFailure).")
    }

    /// Why the last call of the system failed.
    static var lastFailure: String { unsafe String(cString: strerror(errno)) }

    /// Where settings are, and what is kept from one call to the next.
    static var configuration: String {
        (variable("XDG_CONFIG_HOME") ?? home + "/.config") + "/versionctl"
    }

    static var state: String {
        (variable("XDG_STATE_HOME") ?? home + "/.local/state") + "/versionctl"
    }

    private static var home: String { variable("HOME") ?? "/tmp" }
}
