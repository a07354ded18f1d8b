import ArgumentParser
import HTTPCalling
import JSONTree

/// `transaction`.
struct Transaction: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change several documents atomically; undo and redo them together.",
        discussion: """
            Example: echo '[{"document":"menu","merge":{"price":5}},{"document":"stock",\
            "value":3}]' | versionctl transaction apply
            """,
        subcommands: [
            TransactionApply.self, TransactionShow.self, TransactionUndo.self, TransactionRedo.self,
        ])
}

struct TransactionApply: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Apply changes to several documents.",
        discussion: "The file is an array of changes, as in POST /v1/transactions. Each has "
            + "document, and value, patch, merge, restore, undo, delete or match. Example: "
            + "versionctl transaction apply changes.json")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The file; by default, and for -, standard input.", completion: .file())
    var file = "-"

    func run(_ session: Session) throws {
        try change.checkHasNoRevision(Self._commandName)
        let given: JSON
        do { given = try JSON(reading: try Files.read(file)) } catch let error as JSONParseError {
            throw Trouble(.badInput, "The changes are not valid JSON: \(error).")
        }
        let body = given.elements == nil ? given : ["changes": given]
        let answer = try session.change(
            "POST", "/v1/transactions", change.query, body: body.serialized())
        session.tell(transaction: answer, change)
    }
}

struct TransactionShow: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the parts of a transaction.",
        discussion: "Example: versionctl transaction show menu@20")

    @OptionGroup var common: CommonOptions
    @Argument(help: "The transaction: DOCUMENT@REVISION of any part.") var transaction: String

    func run(_ session: Session) throws {
        let found = try session.json("/v1/transactions/\(transaction.escaped)")
        if common.json { return session.screen.line(found.text) }
        let rows = (found["parts"]?.elements ?? []).map { part in
            [
                "\(part["document"]?.string?.visible ?? "?")@\(part["revision"]?.text ?? "?")",
                part["kind"]?.string ?? "", part["inEffect"]?.bool == false ? "not in effect" : "",
            ]
        }
        session.screen.line(
            "\((found["transaction"]?.string ?? transaction).visible)  "
                + Times.short(found["time"]?.string ?? ""))
        Table.lines(rows).forEach { session.screen.line($0) }
    }
}

struct TransactionUndo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo all parts of a transaction.",
        discussion: "Example: versionctl transaction undo menu@20")

    @OptionGroup var step: TransactionStep

    func run() throws { try step.run(.undo) }
}

struct TransactionRedo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo", abstract: "Redo all parts of a transaction.",
        discussion: "Example: versionctl transaction redo menu@20")

    @OptionGroup var step: TransactionStep

    func run() throws { try step.run(.redo) }
}

/// The options of undo and redo of a transaction.
struct TransactionStep: ParsableArguments {
    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The transaction: DOCUMENT@REVISION of any part.") var transaction: String
    @Option(help: "The policy for conflicts: reject, mine or theirs.") var conflict: Conflict?

    fileprivate func run(_ move: ManyEdits) throws {
        try change.checkHasNoRevision("\(move)")
        let session = try Session(common)
        let answer = try move.sent(
            by: session, change.query + given(("conflict", conflict?.rawValue)),
            [("transaction", JSON(transaction))])
        session.tell(transaction: answer, change)
    }
}

extension Session {
    /// The result of a transaction: its name, and the revision of each document.
    func tell(transaction answer: JSON, _ change: ChangeOptions) {
        if options.json { return screen.line(answer.text) }
        screen.tell(
            answer["transaction"]?.string ?? (change.dryRun ? "(not done)" : "nothing changed"))
        for part in answer["changes"]?.elements ?? [] {
            let isGone = part["change"]?["kind"]?.string == "delete"
            screen.tell(
                "  \(part["document"]?.string ?? "?"): "
                    + (isGone ? "deleted" : Session.place(of: part)))
        }
    }
}
