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
            command has failed. Undos and redos of the command remain, and are reported. \
            Example: versionctl run menu -m 'new prices' -- ./raise-prices.sh
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Option(name: [.customShort("m"), .long], help: "The label of the changes, shown in the log.")
    var label: String?
    @Argument(parsing: .postTerminator, help: "The command and its arguments.") var command:
        [String]

    func run(_ session: Session) throws {
        guard let program = command.first else {
            throw Trouble(
                .usage, "The command is missing.", hint: "versionctl run menu -m why -- COMMAND")
        }
        let failed = FailedRun(
            actor: "\(try session.me())/run-\(randomDigits(of: 4))", document: document,
            session: session,
            wasThere: try session.repeated(HTTPCall("GET", document.path + "/status")).status == 200
        )
        setVariable("VERSIOND_URL", session.server.description)
        setVariable("VERSIOND_ACTOR", failed.actor)
        if let token = session.token { setVariable("VERSIOND_TOKEN", token) }
        if let label { setVariable("VERSIOND_LABEL", label) }
        if let promptBy = session.promptBy { setVariable("VERSIOND_PROMPT_BY", promptBy) }
        let status = try Programs.run(program, command, handsOnSignals: true)
        if status == 0 { return }
        session.screen.note("\(program) exited with \(status).")
        try failed.takeBack()
        throw ExitCode(status)
    }
}

/// A run whose command failed.
private struct FailedRun {
    let actor: String
    let document: DocumentAddress
    let session: Session
    /// Whether the document was there before.
    let wasThere: Bool

    private static let label = [("label", "undo of a run that failed")]

    func takeBack() throws(Trouble) {
        let changes = try made()
        try undoEdits()
        try deleteWhatItMade(changes)
        let kinds: Set = ["undo", "redo", "goto"]
        let moves = changes.filter { $0["actor"]?.string == actor }
            .filter { kinds.contains($0["kind"]?.string ?? "") }
        guard moves.isEmpty else {
            let list = moves.compactMap { $0["revision"]?.text }.joined(separator: ", ")
            throw Trouble(
                .conflict, "The undos and redos of the command remain: revision \(list).",
                hint: "versionctl log \(document.name) --changes lists them.")
        }
    }

    /// Its changes and those since, the newest first, up to a thousand.
    private func made() throws(Trouble) -> [JSON] {
        let answer = try session.repeated(
            HTTPCall("GET", target(document.path + "/history", [("limit", "1000")])))
        guard answer.status == 200 else { return [] }
        return try session.parsed(answer)["changes"]?.elements ?? []
    }

    private func undoEdits() throws(Trouble) {
        let body = JSON(members: [("all", JSON(members: [("actor", JSON(actor))]))])
        do throws(Trouble) {
            let answer = try session.change(
                "POST", document.path + "/undo", FailedRun.label, body: body.serialized())
            session.screen.note("\(document.name): \(Undo.words("undid", answer))")
        } catch {
            // The command did not edit the document, or the document does not exist.
            if error.status == .nothing || error.status == .notThere { return }
            throw Trouble(
                error.status, "The edits of the command remain: \(error.sentence)",
                hint: "To undo those without a conflict, use versionctl undo \(document.name) "
                    + "--by \(actor) --conflict theirs")
        }
    }

    /// Deletes a document that the command created, if no other actor has edited it.
    private func deleteWhatItMade(_ changes: [JSON]) throws(Trouble) {
        guard !wasThere, let newest = changes.first?["revision"]?.text else { return }
        guard changes.allSatisfy({ $0["actor"]?.string == actor }) else {
            return session.screen.note("\(document.name) remains: other actors have edited it.")
        }
        let answer = try session.repeated(HTTPCall("GET", document.path))
        guard answer.status == 200 else { return }
        do throws(Trouble) {
            _ = try session.change(
                "DELETE", document.path, FailedRun.label,
                fields: [("If-Match", answer.fields["etag"] ?? newest)])
            session.screen.note("\(document.name): deleted, because the command had created it")
        } catch {
            throw Trouble(
                error.status,
                "The command created \(document.name), and it remains: \(error.sentence)",
                hint: error.hint)
        }
    }
}
