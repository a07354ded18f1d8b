import ArgumentParser
import Glibc
import JSONTree

/// `mcp`.
struct MCP: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give documents to an agent, by the Model Context Protocol on standard input.",
        discussion: """
            The agent's host starts versionctl mcp; what the agent does has an actor of its own, \
            NAME/run-…, and undo_run takes all of it back. A token with the right propose lets it \
            read and propose only. Example of a host's settings: \
            {"mcpServers":{"documents":{"command":"versionctl","args":["mcp","--as","agent-7"]}}}
            """)

    @OptionGroup var common: CommonOptions
    @Option(name: [.customShort("m"), .long], help: "Why, where the agent does not say it.")
    var label: String?

    private static let instructions = """
        Documents of JSON that people and agents edit at the same time, each with its whole \
        history. Read before you edit, and give the revision as base: then nothing of others is \
        lost. Use dry_run to see what would happen. Whatever you did, undo_run takes it back.
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
