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

    private static let instructions = """
        JSON documents that people and agents edit concurrently, each with its full history. \
        Read before you edit, and send the revision as base, so that edits by others are kept. \
        Use dry_run to preview an edit. undo_run undoes all edits of this run.
        """

    func run() {
        let server = MCPServer(tools: MCPTool.all, instructions: MCP.instructions)
        let id = randomDigits(of: 4)
        var run: AgentRun?
        var lines = Lines(STDIN_FILENO)
        while let line = lines.next() {
            if line.isEmpty { continue }
            let answer = server.answer(line) { tool, arguments in
                do throws(Trouble) {
                    return .done(try started(&run, id).result(of: tool.name, arguments))
                } catch { return .failed(error.description) }
            }
            guard let answer else { continue }
            guard Files.write(answer.serialized() + [0x0a], to: STDOUT_FILENO) else { return }
        }
    }

    /// The run. It begins with the first call: the daemon may be started later than this.
    private func started(_ run: inout AgentRun?, _ id: String) throws(Trouble) -> AgentRun {
        if let run { return run }
        let new = try AgentRun(common, id: id, label: label)
        run = new
        return new
    }
}
