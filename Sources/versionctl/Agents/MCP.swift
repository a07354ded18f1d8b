import AgentTools
import ArgumentParser
import Glibc
import JSONTree

/// `mcp`.
struct MCP: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve documents to an agent with the Model Context Protocol on standard input.",
        discussion: """
            The host of the agent starts versionctl mcp. Each run has its own actor NAME/run-…; \
            undo_run undoes all edits of the run. A token with the right propose limits the agent \
            to reads and proposals. Example of the host's settings: \
            {"mcpServers":{"documents":{"command":"versionctl","args":["mcp","--as","agent-7"]}}}
            """)

    @OptionGroup var common: CommonOptions
    @Option(
        name: [.customShort("m"), .long],
        help: "The label of edits for which the agent gives no reason.")
    var label: String?

    func run() {
        let server = AgentProtocol(
            program: ("versionctl", Versionctl.version), tools: AgentTool.all, isForAll: true)
        let id = AgentRun.digits()
        var run: AgentRun?
        defer { run?.close() }
        var lines = Lines(STDIN_FILENO)
        while let line = lines.next() {
            if line.isEmpty { continue }
            let message = try? JSON(reading: line)
            let answer = message.map { message in
                server.answer(message) { request in
                    do throws(Trouble) {
                        try begin(&run, id)
                        return try run?.result(of: request) ?? .failed("")
                    } catch {
                        return .failed(error.description)
                    }
                }
            }
            guard let answer = answer ?? AgentProtocol.unreadable() else { continue }
            guard Files.write(answer.serialized() + [0x0a], to: STDOUT_FILENO) else { return }
        }
    }

    /// The run. It begins with the first call: the daemon may be started later than this.
    private func begin(_ run: inout AgentRun?, _ id: String) throws(Trouble) {
        if run == nil { run = try AgentRun(common, id: id, label: label) }
    }
}
