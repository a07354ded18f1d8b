import Foundation
import TestSupport
import Testing

/// A daemon, and a person at a shell with `versionctl`.
final class CommandLineScene {
    let directory: TemporaryDirectory
    let daemon: DaemonProcess

    init(_ options: [String] = []) throws {
        directory = try TemporaryDirectory()
        daemon = try DaemonProcess(directory: directory.path + "/data", options)
        try FileManager.default.createDirectory(
            atPath: directory.path + "/home", withIntermediateDirectories: true)
    }

    deinit {
        _ = daemon.terminate()
    }

    /// `await CONDITION` waits until something holds, for a minute at most; `behind COMMAND` runs
    /// it in the background, without the descriptor by which Foundation sees that bash has ended.
    private static let prelude = """
        behind() {
            (
                for file in /proc/self/fd/*; do
                    [ ${file##*/} -gt 2 ] && eval "exec ${file##*/}>&-"
                done
                exec bash -c "exec $1"
            ) &
        }
        await() {
            for _ in $(seq 1200); do if eval "$1"; then return; fi; sleep 0.05; done
            echo "this never came: $1"
        }

        """

    /// Runs lines of bash where versionctl is found. Returns what each printed, together.
    func run(_ lines: [String], _ variables: [String: String] = [:]) throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        let text = lines.map { "\($0)\nprintf '\\036'\n" }.joined()
        process.arguments = ["-c", CommandLineScene.prelude + text]
        process.currentDirectoryURL = URL(filePath: directory.path)
        var environment = ProcessInfo.processInfo.environment
        environment = environment.filter { name, _ in
            !["XDG_", "VERSIOND_", "NO_COLOR", "PAGER", "EDITOR", "VISUAL"].contains(
                where: name.hasPrefix)
        }
        let path = environment["PATH"] ?? ""
        let mine = [
            "PATH": "\(Products.folder.path):\(path)", "HOME": directory.path + "/home",
            "USER": "ada", "VERSIOND_URL": "http://127.0.0.1:\(daemon.port)", "TERM": "xterm",
        ]
        process.environment = environment.merging(mine) { $1 }.merging(variables) { $1 }
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
            .split(separator: "\u{1e}", omittingEmptySubsequences: false).dropLast().map(
                String.init)
    }

    /// The completions that bash offers after these words.
    func offered(_ words: String, _ variables: [String: String] = [:]) throws -> String {
        let script = """
            source <(versionctl --generate-completion-script bash)
            complete() {
                COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"
                COMP_POINT=${#COMP_LINE}; COMPREPLY=()
                _versionctl versionctl "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                echo "${COMPREPLY[@]}"
            }

            """
        return try run(script + "complete versionctl \(words)", variables)
    }

    /// Runs one line.
    @discardableResult
    func run(_ line: String, _ variables: [String: String] = [:]) throws -> String {
        try run([line], variables).first ?? ""
    }
}
