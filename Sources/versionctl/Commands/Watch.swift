import ArgumentParser
import HTTPCalling
import JSONTree

/// `watch`.
struct Watch: DaemonCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print changes as they arrive; reconnects automatically.",
        discussion: """
            --exec runs a command for each change, one at a time, with the JSON of the change on \
            standard input. Examples: versionctl watch menu, versionctl watch --prefix forms/ \
            --exec ./notify.sh, versionctl watch menu --once --value
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: "The documents; by default all.") var documents: [DocumentAddress] = []
    @Option(help: "All documents with this prefix.") var prefix: String?
    @Option(help: "The position in the feed after which to begin; 0 for all changes.") var since:
        Int?
    @Flag(help: "Exit after the first change.") var once = false
    @Option(help: "The shell command to run for each change.") var exec: String?
    @Flag(help: "Print the document after each change.") var value = false

    /// A pause after a fault, in seconds: the first and the longest.
    private static let pauses = (first: 0.25, longest: 15.0)

    func run(_ session: Session) throws {
        let names = documents.map { $0.name.escaped }.joined(separator: ",")
        let query = given(("prefix", prefix), ("documents", names.isEmpty ? nil : names))
        let feed = WatchedFeed(since)
        var pause = Watch.pauses.first
        while true {
            let cursor = given(("cursor", feed.cursor.map(String.init)))
            var reason = "the stream ended"
            let answer: HTTPAnswer
            do throws(HTTPCallError) {
                answer = try session.follow("/v1/feed", query + cursor) { bytes in
                    let goesOn = feed.take(bytes) { try show($0, session) }
                    if feed.isHeard { pause = Watch.pauses.first }
                    return goesOn
                }
            } catch {
                // If it was never heard, its address may be wrong.
                guard feed.isHeard else { throw Watch.unheard(error, session.server) }
                (answer, reason) = (HTTPAnswer(), "\(session.server) is unreachable")
            }
            if let failure = feed.failure { throw failure }
            if feed.isOver { return }
            if answer.status >= 400 && !answer.isForNow { throw Trouble(answer) }
            if answer.status == 200, !feed.isHeard {
                throw Trouble(.unreachable, session.noDaemon)
            }
            session.screen.note("versionctl: \(reason); retrying in \(Int(pause.rounded(.up))) s")
            Programs.pause(pause)
            pause = min(Watch.pauses.longest, pause * 2)
        }
    }

    /// A watch changes nothing, so an unknown outcome is only a lost connection.
    private static func unheard(_ error: HTTPCallError, _ server: ServerAddress) -> Trouble {
        var trouble = Trouble(error, server)
        if trouble.status == .unknown { (trouble.status, trouble.hint) = (.later, nil) }
        return trouble
    }

    /// Returns whether that was enough.
    private func show(_ item: JSON, _ session: Session) throws -> Bool {
        let name = item["document"]?.string ?? ""
        if let exec {
            try run(exec, item)
        } else if value {
            try write(name, item["revision"]?.int ?? 0, session.screen)
        } else if common.json {
            session.screen.line(item.text)
        } else {
            lines(item, name, session.screen).forEach { session.screen.line($0) }
        }
        return once
    }

    /// The document after a change; `nil` if the change deleted it.
    private func write(_ name: String, _ revision: Int, _ screen: Screen) throws(Trouble) {
        let path = "/v1/documents/\(name.escaped)"
        do throws(Trouble) {
            screen.write(try Session(common).get(path, [("at", "\(revision)")]).body)
        } catch {
            guard error.status == .notThere else { throw error }
        }
    }

    private func lines(_ item: JSON, _ name: String, _ screen: Screen) -> [String] {
        let row = LogRow(change: item["change"] ?? .null)
        let head = "\(name.visible)@\(row.number)  \(row.time)  \(row.who)  \(row.what)"
        let changes = ChangeLines(screen).lines(item["patch"] ?? .null, on: nil)
        return [head] + changes.map { "  " + $0 }
    }

    private func run(_ command: String, _ item: JSON) throws(Trouble) {
        let status = Programs.feed(item.serialized() + [0x0a], to: command)
        guard status == 0 else {
            throw Trouble(
                .system, "\(command) failed at position \(item["cursor"]?.text ?? "?").",
                hint: "To continue: " + again(since: (item["cursor"]?.int ?? 1) - 1))
        }
    }
}

extension Watch {
    /// The same command, from a position on.
    private func again(since cursor: Int) -> String {
        let words =
            documents.map(\.name) + (prefix.map { ["--prefix", $0] } ?? [])
            + (exec.map { ["--exec", $0] } ?? [])
        return (["versionctl watch"] + words.map(Programs.word) + ["--since \(cursor)"])
            .joined(separator: " ")
    }
}

/// The lines of a feed, as they arrive.
private final class WatchedFeed {
    private(set) var cursor: Int?
    private(set) var isOver = false
    private(set) var failure: (any Error)?
    private(set) var isHeard = false
    private var rest: [UInt8] = []
    /// The scanned bytes, which have no line end.
    private var searched = 0

    init(_ cursor: Int?) {
        self.cursor = cursor
    }

    /// Takes a part of the stream. Returns whether more is wanted.
    func take(_ bytes: ArraySlice<UInt8>, _ show: (JSON) throws -> Bool) -> Bool {
        rest += bytes
        while let end = rest[searched...].firstIndex(of: 0x0a) {
            let line = Array(rest[..<end])
            rest.removeFirst(end + 1)
            searched = 0
            guard let item = try? JSON(reading: line), item["event"] != nil else { continue }
            isHeard = true
            do {
                if item["event"]?.string == "change", try show(item) { isOver = true }
            } catch {
                failure = error
                return false
            }
            cursor = item["cursor"]?.int ?? cursor
            if isOver { return false }
        }
        searched = rest.count
        return true
    }
}
