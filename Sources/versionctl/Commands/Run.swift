import ArgumentParser
import HTTPCalling
import JSONTree

/// `run`.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a command; if it fails, take back what it did to a document.",
        discussion: """
            The command gets VERSIOND_URL, VERSIOND_ACTOR and VERSIOND_LABEL: versionctl in it \
            acts as this run, and whoever calls the daemon otherwise should send the actor, too. \
            Example: versionctl run menu -m 'new prices' -- ./raise-prices.sh
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Option(name: [.customShort("m"), .long], help: "Why: shown in the log.") var label: String?
    @Argument(parsing: .postTerminator, help: "The command and its arguments.") var command:
        [String]

    func run() throws {
        guard let program = command.first else {
            throw Trouble(
                .usage, "There is no command.", hint: "versionctl run menu -m why -- COMMAND")
        }
        let session = try Session(common)
        let id = (0..<4).map { _ in hexadecimal(UInt8.random(in: 0...255)) }.joined()
        let actor = "\(try session.me())/run-\(id)"
        setVariable("VERSIOND_URL", session.server.description)
        setVariable("VERSIOND_ACTOR", actor)
        if let label { setVariable("VERSIOND_LABEL", label) }
        let status = try Programs.run(program, command)
        if status == 0 { return }
        session.screen.note("\(program) ended with \(status): what it did is taken back.")
        try takeBack(actor, session)
        throw ExitCode(status)
    }

    private func takeBack(_ actor: String, _ session: Session) throws {
        let body = JSON(members: [("all", JSON(members: [("actor", JSON(actor))]))])
        do throws(Trouble) {
            let answer = try session.change(
                "POST", document.path + "/undo", [("label", "undo of a run that failed")],
                body: body.serialized())
            session.screen.note("\(document.name): \(Undo.words("undid", answer))")
        } catch {
            // It did nothing there.
            guard error.status == .nothing else { throw error }
        }
    }
}
