import ArgumentParser
import HTTPCalling
import JSONTree

/// The options of undo and redo.
struct StepOptions: ParsableArguments {
    @Flag(help: "Undo or redo the latest version of any actor.") var shared = false
    @Option(name: .short, help: "The number of versions; requires --shared.") var number: Int?
    @Option(help: "The state to reach; requires --shared.") var to: State?
    @Option(help: "The revision of a single change.") var change: Int?
    @Option(help: "The policy for conflicts: reject, mine or theirs.") var conflict: Conflict?

    var query: [(String, String)] { given(("conflict", conflict?.rawValue)) }

    /// Throws for options that exclude each other, and for shared ones without `--shared`.
    func check(isSelection: Bool = false) throws(Trouble) {
        let named = [isSelection, change != nil, to != nil, number != nil].filter(\.self).count
        guard named <= 1, !(shared && (isSelection || change != nil)) else {
            throw Trouble(
                .usage,
                "--change, -n, --to and a selection exclude each other; --shared excludes "
                    + "--change and a selection.")
        }
        guard shared || (to == nil && number == nil) else {
            throw Trouble(
                .usage, "\(to == nil ? "-n" : "--to") requires --shared.",
                hint: "--shared undoes and redoes versions of any actor.")
        }
    }
}

/// The options of `undo` and `redo`.
struct MoveOptions: ParsableArguments {
    @OptionGroup var change: ChangeOptions
    @OptionGroup var step: StepOptions
    @Argument(help: "The document; excludes --prefix.") var document: DocumentAddress?
    @OptionGroup var selected: ManyEdits.Selected
    @OptionGroup var scope: ManyEdits.Scope

    fileprivate func run(_ move: ManyEdits, _ session: Session) throws {
        let all = selected.body
        try step.check(isSelection: all != nil)
        guard document == nil || scope.prefix == nil else {
            throw Trouble(.usage, "A document and --prefix exclude each other.")
        }
        if let all { return try run(move, all, session) }
        guard scope.keep.isEmpty else { throw Trouble(.usage, "--keep requires a selection.") }
        guard let document else {
            throw Trouble(
                .usage, "A document, or --prefix with a selection, is required.",
                hint: "Example: versionctl \(move) --prefix forms/ --by agent --since 1h")
        }
        let isUndo = move == .undo
        func send() throws(Trouble) -> JSON {
            try session.found(
                document.name,
                try session.change(
                    "POST", document.path + "/\(move)", change.query + step.query,
                    body: try session.step(step).serialized(), fields: change.fields))
        }
        let answer =
            try isUndo && !step.shared && session.actor != nil
            ? session.undone(document, try send()) : send()
        try session.tellChange(
            answer, of: document, change, Undo.words(isUndo ? "undid" : "redid", answer))
    }

    /// Undoes or redoes a selection of edits.
    private func run(_ move: ManyEdits, _ all: JSON, _ session: Session) throws {
        guard document != nil || scope.prefix != nil else {
            throw Trouble(
                .usage, "A selection requires a document or --prefix.",
                hint: "For all documents, use --prefix ''.")
        }
        if document == nil { try change.checkHasNoRevision("--prefix") }
        let match = document.flatMap { one in change.ifMatch.map { [(one.name, JSON($0))] } }
        let answer = try move.sent(
            by: session, change.query + step.query,
            given(
                ("all", all), ("prefix", scope.prefix.map { JSON($0) }),
                ("documents", document.map { JSON(elements: [JSON($0.name)]) })),
            keeping: scope.keep, match: match ?? [])
        let parts = answer["changes"]?.elements ?? []
        guard !session.options.json, parts.count == 1, let document,
            parts[0]["patch"]?.elements != nil
        else { return move.tell(answer, change, by: session) }
        try session.tellChange(parts[0], of: document, change, move.words(parts[0]))
    }
}

/// `undo`.
struct Undo: DaemonCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo your latest version, or a selection of edits.",
        discussion: """
            Later edits by other actors are kept. --by, --with-label, --since and --until select \
            edits, which are undone as one step; --prefix selects the documents, and --keep what \
            stays. Examples: versionctl undo menu, versionctl undo menu --by agent --with-label \
            run-42, versionctl undo --prefix forms/ --by agent --since 1h --keep forms/a/title
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var move: MoveOptions

    var documents: [DocumentAddress] { move.document.map { [$0] } ?? [] }

    func run(_ session: Session) throws { try move.run(.undo, session) }

    /// A description of the undone or redone changes.
    static func words(_ did: String, _ answer: JSON) -> String {
        let change = answer["change"]
        let lists = ["undone", "redone"].compactMap { change?[$0]?.elements }
        let revisions = lists.joined().map(\.text)
        let count = revisions.count
        let whose = change?["of"]?.string.map { " of \($0)" } ?? ""
        if revisions.isEmpty { return "now at version \(answer["version"]?.text ?? "?")" }
        let what =
            "\(did) \(count == 1 ? "1 change" : "\(count) changes")\(whose) "
            + "(\(revisions.prefix(8).joined(separator: ", "))\(revisions.count > 8 ? ", …" : ""))"
        return "\(what); version \(answer["version"]?.text ?? "?")"
    }
}

/// `redo`.
struct Redo: DaemonCommand {
    static let configuration = CommandConfiguration(
        abstract: "Redo your latest undo, or the undo of a selection of edits.",
        discussion: """
            With a selection it redoes the newest undo that undid some of these edits, in all its \
            documents; again, the undo before. Examples: versionctl redo menu, versionctl redo \
            --prefix forms/ --by agent
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var move: MoveOptions

    var documents: [DocumentAddress] { move.document.map { [$0] } ?? [] }

    func run(_ session: Session) throws { try move.run(.redo, session) }
}

/// `goto`.
struct GoTo: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "goto", abstract: "Go to a version.",
        discussion: "Example: versionctl goto menu tag:lunch")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The state.") var state: State

    func run(_ session: Session) throws {
        let answer = try send("POST", "/goto", body: ["to": JSON(state.text)], by: session)
        try session.tellChange(
            answer, of: document, change, "version \(answer["version"]?.text ?? "?")")
    }
}

extension Session {
    /// The body of an undo or redo. One's own is the rule.
    fileprivate func step(_ step: StepOptions) throws(Trouble) -> JSON {
        let isOwn = !step.shared && step.change == nil
        return JSON(
            members: given(
                ("to", step.to.map { JSON($0.text) }), ("count", step.number.map { JSON($0) }),
                ("revision", step.change.map { JSON($0) }),
                ("actor", isOwn ? JSON(try me()) : JSON?.none)))
    }

    /// The actor: the token's name, or the name in the options.
    func me() throws(Trouble) -> String {
        if let actor { return actor }
        let name = try json("/v1/whoami")["name"]?.string ?? ""
        guard name.isEmpty else { return name }
        throw Trouble(
            .usage, "No actor is set, so no change can be identified as yours.",
            hint:
                "Set --as NAME or VERSIOND_ACTOR, or use --shared for versions of any actor."
        )
    }

    /// An undo; if the actor has nothing to undo, the error has a hint.
    fileprivate func undone(
        _ document: DocumentAddress, _ body: @autoclosure () throws(Trouble) -> JSON
    ) throws(Trouble) -> JSON {
        do throws(Trouble) { return try body() } catch {
            guard error.status == .nothing else { throw error }
            let version = try? json(document.path + "/status")["version"]?.int
            let list = version.flatMap { version in
                try? json(
                    document.path + "/versions", [("cursor", "\(version + 1)"), ("limit", "1")])
            }
            guard let last = list?["versions"]?[0], last["version"]?.int != 0 else { throw error }
            let row = LogRow(version: last)
            throw Trouble(
                .nothing,
                "You have nothing to undo in \(document.name). The latest version is \(row.who)'s.",
                hint: "versionctl undo \(document.name) --shared   undoes version "
                    + "\(row.number) of \(row.who): \(row.what)")
        }
    }
}
