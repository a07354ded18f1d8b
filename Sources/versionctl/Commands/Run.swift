import ArgumentParser
import HTTPCalling
import JSONTree

/// `run`.
struct Run: DocumentCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a command, and undo its edits of a document if it fails.",
        discussion: """
            The command receives VERSIOND_URL, VERSIOND_TOKEN, VERSIOND_ACTOR and VERSIOND_LABEL. \
            A nested versionctl uses them; other clients must send the actor. An interrupted \
            command has failed. The run is open until the command ends. Undos and redos of the \
            command remain, and are reported. \
            Example: versionctl run menu -m 'new prices' -- ./raise-prices.sh
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Option(name: [.customShort("m"), .long], help: "The label of the changes, shown in the log.")
    var label: String?
    @Argument(parsing: .postTerminator, help: "The command and its arguments.") var command:
        [String]

    /// A command may work for long before it edits.
    private static let openTime = "1h"

    func run(_ session: Session) throws {
        guard let program = command.first else {
            throw Trouble(
                .usage, "The command is missing.", hint: "versionctl run menu -m why -- COMMAND")
        }
        var failed = FailedRun(
            actor: "\(try session.me())/run-\(randomDigits(of: 4))", document: document,
            session: session)
        setVariable("VERSIOND_URL", session.server.description)
        setVariable("VERSIOND_ACTOR", failed.actor)
        if let token = session.token { setVariable("VERSIOND_TOKEN", token) }
        if let label { setVariable("VERSIOND_LABEL", label) }
        if let promptBy = session.promptBy { setVariable("VERSIOND_PROMPT_BY", promptBy) }
        failed.mayBeOpen = mayBeOpen(failed.actor, session)
        let status = try Programs.run(program, command, handsOnSignals: true)
        if failed.mayBeOpen { _ = try? session.close(run: failed.actor) }
        if status == 0 { return }
        session.screen.note("\(program) exited with \(status).")
        try failed.takeBack()
        throw ExitCode(status)
    }
}

extension Run {
    /// Opens the run. A daemon or a token that refuses does not stop the command. If the response
    /// is lost, it is unknown whether the run is open.
    private func mayBeOpen(_ actor: String, _ session: Session) -> Bool {
        do throws(Trouble) {
            _ = try session.open(run: actor, for: Run.openTime, label)
            return true
        } catch {
            return error.status == .unknown
        }
    }
}

/// A run whose command failed.
private struct FailedRun {
    let actor: String
    let document: DocumentAddress
    let session: Session
    /// Whether its undo has to close it.
    var mayBeOpen = false

    private static let label = [("label", "undo of a run that failed")]

    func takeBack() throws(Trouble) {
        let kinds: Set = ["undo", "redo", "goto"]
        let moves = try made().filter { kinds.contains($0["kind"]?.string ?? "") }
        try undoEdits()
        guard moves.isEmpty else {
            let list = moves.compactMap { $0["revision"]?.text }.joined(separator: ", ")
            throw Trouble(
                .conflict, "The undos and redos of the command remain: revision \(list).",
                hint: "versionctl log \(document.name) --changes lists them.")
        }
    }

    /// Its changes, the newest first, up to a thousand.
    private func made() throws(Trouble) -> [JSON] {
        let answer = try session.repeated(
            HTTPCall(
                "GET",
                target(document.path + "/history", [("actor", actor), ("limit", "1000")])))
        guard answer.status == 200 else { return [] }
        return try session.parsed(answer)["changes"]?.elements ?? []
    }

    private func undoEdits() throws(Trouble) {
        do throws(Trouble) {
            let answer = try ManyEdits.undo.sent(
                by: session, FailedRun.label,
                [("all", ["actor": JSON(actor)]), ("documents", [JSON(document.name)])]
                    + (mayBeOpen ? [("close", true)] : []))
            for part in answer["changes"]?.elements ?? [] {
                session.screen.note(
                    "\(part["document"]?.string?.visible ?? "?"): \(ManyEdits.undo.words(part))")
            }
        } catch {
            // The command did not edit the document, or the document does not exist.
            if error.status == .nothing || error.status == .notThere { return }
            throw Trouble(
                error.status, "The edits of the command remain: \(error.sentence)",
                hint: "To undo those without a conflict, use versionctl undo \(document.name) "
                    + "--by \(actor) --conflict theirs")
        }
    }
}
