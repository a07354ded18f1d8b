import Foundation
import Testing

/// A library that is preloaded before the daemon: a disk that fails when a test says so, and a
/// clock that is set wrong. `Tests/Torture/disk.c`.
struct FaultyDisk {
    /// The environment of the daemon.
    let environment: [String: String]
    private let fault: URL
    private let clock: URL

    /// Builds it. The Swift toolchain brings the compiler.
    init(in directory: String) throws {
        fault = URL(filePath: directory + "/fault")
        clock = URL(filePath: directory + "/clock")
        let library = directory + "/disk.so"
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Torture/disk.c").path
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = ["clang", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        environment = [
            "LD_PRELOAD": library, "DISK_FAULT": fault.path, "DISK_CLOCK": clock.path,
        ]
    }

    /// The fault from now on.
    func set(_ kind: String) throws {
        try kind.write(to: fault, atomically: true, encoding: .utf8)
    }

    /// How many seconds the clock is ahead from now on.
    func set(clock seconds: Int) throws {
        try "\(seconds)".write(to: clock, atomically: true, encoding: .utf8)
    }
}
