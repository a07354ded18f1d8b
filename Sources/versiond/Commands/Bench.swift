import ArgumentParser
import FoundationEssentials
import Glibc

/// `versiond bench`: what this machine can do.
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure the disk of this machine, and a daemon that uses it.",
        discussion: """
            Starts a separate daemon with the default settings in a temporary directory. Run it on \
            an idle machine. Clients and daemon share the processors, so the results are lower \
            than those of the daemon alone.
            """)

    @Option(help: "A directory on the disk to measure.")
    var directory = "."

    @Option(help: "The duration of each measurement in seconds.")
    var seconds = 30

    func validate() throws {
        guard (1...3_600).contains(seconds) else {
            throw ValidationError("--seconds must be from 1 to 3600.")
        }
    }

    func run() async throws {
        let place = URL(filePath: directory).appending(path: ".versiond-bench-\(getpid())")
        do {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        } catch {
            throw CannotRun.noDirectory("cannot create \(place.path)")
        }
        defer { try? FileManager.default.removeItem(at: place) }
        var course = BenchCourse(steps: 7, seconds: seconds)
        try measure(place.path, &course)
        print(course.table)
    }

    private func measure(_ place: String, _ course: inout BenchCourse) throws(CannotRun) {
        try course.step("write 4 KB to the disk, durably") { time throws(CannotRun) in
            try DiskSpeed.measure(place + "/disk", for: time)
        }
        let daemon = try MeasuredDaemon(directory: place + "/data")
        let port = daemon.port
        let text = String(repeating: "x", count: 120)
        let first = LoadRequest("PUT", "one", "{\"n\":0,\"text\":\"\(text)\"}")
        var client = try LoadClient(port: port)
        try client.send(first)
        for (name, clients, before, request) in Bench.loads {
            if let before { try client.send(before) }
            try course.step(name) { time throws(CannotRun) in
                let before = daemon.cpu
                var figures = try Load(port: port, clients: clients, request: request).run(
                    for: time)
                figures.cpu = (daemon.cpu - before) / figures.count
                return figures
            }
        }
    }

    /// The name, the number of clients, the first request, and the measured request.
    private static let loads: [(String, Int, LoadRequest?, @Sendable (Int) -> LoadRequest)] = [
        ("read a document, 64 clients", 64, nil, { _ in LoadRequest("GET", "one") }),
        ("change a document, 1 client", 1, nil, { .patch("one", $0) }),
        ("change a document, 64 clients", 64, nil, { .patch("one", $0) }),
        (
            // So far back that redo always finds something.
            "undo and redo, 64 clients", 64, LoadRequest("POST", "one/undo", "{\"count\":100}"),
            { LoadRequest("POST", "one/" + ["undo", "redo"][$0 % 2]) }
        ),
        (
            "make documents, 64 clients", 64, nil,
            { LoadRequest("PUT", "many-\($0)", "{\"n\":\($0)}") }
        ),
        (
            "list versions, 16 clients", 16, nil,
            { _ in LoadRequest("GET", "one/versions?limit=20") }
        ),
    ]
}

/// The steps of a measurement: shows how far it has come, and what came out.
struct BenchCourse {
    private let steps: Int
    private let time: Duration
    private var rows: [(name: String, figures: Figures)] = []
    /// Only people want to see it move.
    private let isWatched = isatty(STDERR_FILENO) == 1

    init(steps: Int, seconds: Int) {
        self.steps = steps
        time = .milliseconds(seconds * 1_000 / steps)
    }

    mutating func step(
        _ name: String, _ body: (Duration) throws(CannotRun) -> Figures
    ) throws(CannotRun) {
        show(name)
        rows.append((name, try body(time)))
        if rows.count == steps { show("") }
    }

    /// Draws the bar over the one before; nothing when all is done.
    private func show(_ name: String) {
        guard isWatched else { return }
        let done = String(repeating: "#", count: rows.count * 4)
        let rest = String(repeating: ".", count: (steps - rows.count) * 4)
        let line = rows.count == steps ? "\r\u{1b}[K" : "\r\u{1b}[K[\(done)\(rest)] \(name)"
        let bytes = Array(line.utf8)
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
    }

    /// One line for each step.
    var table: String {
        let width = 34
        func cell(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(1, width - text.count)) + text
        }
        func milliseconds(_ time: Duration) -> String { fixed(time / .milliseconds(1), 2) }
        var lines = [
            "what" + cell("a second", width - 4 + 10)
                + cell("median ms", 12) + cell("99 % ms", 10) + cell("CPU µs", 9)
        ]
        for (name, figures) in rows {
            let cpu = figures.cpu.map { fixed($0 / .microseconds(1), 1) } ?? "-"
            lines.append(
                name + cell("\(Int(figures.perSecond))", width + 10 - name.count)
                    + cell(milliseconds(figures.median), 12) + cell(milliseconds(figures.tail), 10)
                    + cell(cpu, 9))
        }
        return lines.joined(separator: "\n")
    }

    private func fixed(_ value: Double, _ digits: Int) -> String {
        let scale = digits == 1 ? 10.0 : 100.0
        let number = Int((value * scale).rounded())
        let rest = String(number % Int(scale))
        return "\(number / Int(scale)).\(String(repeating: "0", count: digits - rest.count))\(rest)"
    }
}
