import ArgumentParser
import HTTPCalling
import JSONTree

/// What undo and redo have in common.
struct StepOptions: ParsableArguments {
    @Flag(help: "Not my own, but the document's last version, whoever made it.") var shared = false
    @Option(name: .short, help: "So many versions, with --shared.") var number: Int?
    @Option(help: "To this state, with --shared.") var to: State?
    @Option(help: "One change, by its revision.") var change: Int?
    @Option(help: "What wins where others changed the same since.") var conflict: Conflict?

    var query: [(String, String)] { given(("conflict", conflict?.rawValue)) }

    /// Throws if two things are named, or if a step of all would be taken for one's own.
    func check(isSelection: Bool = false) throws(Trouble) {
        let named = [isSelection, change != nil, to != nil, number != nil].filter(\.self).count
        guard named <= 1, !(shared && (isSelection || change != nil)) else {
            throw Trouble(
                .usage,
                "Only one thing can be meant: one change, a number of versions, a state, "
                    + "or all edits that fit.")
        }
        guard shared || (to == nil && number == nil) else {
            throw Trouble(
                .usage, "\(to == nil ? "-n" : "--to") is about versions of anybody.",
                hint: "If that is meant, say --shared, too.")
        }
    }
}

/// `undo`.
struct Undo: DaemonCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take back your last version, or what is named.",
        discussion: """
            What others did since stays. With --by, --with-label, --since or --until all edits \
            that fit are taken back as one step; with --prefix in all documents of a prefix. \
            Examples: versionctl undo menu, versionctl undo menu --by agent --with-label run-42, \
            versionctl undo --prefix forms/ --by agent --since 1h
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var step: StepOptions
    @Argument(help: "The document; none with --prefix.") var document: DocumentAddress?
    @Option(help: "All edits of this person.") var by: String?
    @Option(help: "All edits with this label.") var withLabel: String?
    @Option(help: "All edits after this state or time.") var since: State?
    @Option(help: "All edits up to this state or time.") var until: State?
    @Option(help: "In all documents whose names begin so.") var prefix: String?

    var documents: [DocumentAddress] { document.map { [$0] } ?? [] }

    func run(_ session: Session) throws {
        try step.check(isSelection: selection != nil)
        guard let document else { return try undoPrefix(session) }
        guard prefix == nil else {
            throw Trouble(.usage, "Either one document is meant, or all of a prefix.")
        }
        let body = try selection.map { ["all": $0] } ?? session.step(step)
        let answer = try session.undone(
            document, by: step.shared ? nil : session.actor,
            try session.change(
                "POST", document.path + "/undo", change.query + step.query,
                body: body.serialized(), fields: change.fields))
        try session.tellChange(answer, of: document, change, Undo.words("undid", answer))
    }

    private func undoPrefix(_ session: Session) throws {
        guard let prefix, let selection else {
            throw Trouble(
                .usage, "Name a document, or --prefix with what is to be taken back.",
                hint: "versionctl undo --prefix forms/ --by agent --since 1h")
        }
        guard change.ifMatch == nil else {
            throw Trouble(.usage, "--if-match means nothing for several documents.")
        }
        let body: JSON = ["prefix": JSON(prefix), "all": selection]
        let answer = try session.change(
            "POST", "/v1/undo", change.query + step.query, body: body.serialized())
        if common.json { return session.screen.line(answer.text) }
        for part in answer["changes"]?.elements ?? answer["documents"]?.elements ?? [] {
            let isGone = part["change"]?["kind"]?.string == "delete"
            let did = isGone ? "deleted, as it was made then" : Undo.words("undid", part)
            session.screen.tell(
                "\(part["document"]?.string ?? "?"): \(did)\(change.dryRun ? " (not done)" : "")")
        }
    }

    /// What is named, as the daemon takes it.
    private var selection: JSON? {
        let members = given(
            ("actor", by), ("label", withLabel), ("since", since?.text), ("until", until?.text))
        // `nil` alone would be JSON's.
        return members.isEmpty ? JSON?.none : JSON(members: members.map { ($0, JSON($1)) })
    }

    /// What was undone or redone, in words.
    static func words(_ did: String, _ answer: JSON) -> String {
        let change = answer["change"]
        let lists = ["undone", "redone"].compactMap { change?[$0]?.elements }
        let revisions = lists.joined().map(\.text)
        let count = revisions.count
        let whose = change?["of"]?.string.map { " of \($0)" } ?? ""
        if revisions.isEmpty { return "at version \(answer["version"]?.text ?? "?") now" }
        let what =
            "\(did) \(count == 1 ? "1 change" : "\(count) changes")\(whose) "
            + "(\(revisions.prefix(8).joined(separator: ", "))\(revisions.count > 8 ? ", …" : ""))"
        return "\(what); version \(answer["version"]?.text ?? "?")"
    }
}

/// `redo`.
struct Redo: ChangeCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring back what you have undone last.",
        discussion: "Example: versionctl redo menu")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var step: StepOptions
    @Argument(help: "The document.") var document: DocumentAddress

    func run(_ session: Session) throws {
        try step.check()
        let answer = try send(
            "POST", "/redo", step.query, body: try session.step(step), by: session)
        try session.tellChange(answer, of: document, change, Undo.words("redid", answer))
    }
}

/// `goto`.
struct GoTo: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "goto", abstract: "Go to a version, from wherever.",
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

/// `restore`.
struct Restore: ChangeCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put back what stood somewhere at another time; all other places stay.",
        discussion: "Example: versionctl restore menu 1h /price /dish")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The state that it is taken from.") var state: State
    @Argument(help: "The places; none means the whole.") var paths: [String] = []

    func run(_ session: Session) throws {
        let members = given(("from", JSON(state.text)), ("paths", try places(paths)))
        let answer = try send("POST", "/restore", body: JSON(members: members), by: session)
        try session.tellChange(answer, of: document, change, Session.place(of: answer))
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

    /// Who one is: the token's name, or what one says.
    func me() throws(Trouble) -> String {
        if let actor { return actor }
        let name = try json("/v1/whoami")["name"]?.string ?? ""
        guard name.isEmpty else { return name }
        throw Trouble(
            .usage, "Nobody knows who you are, so nothing is yours.",
            hint:
                "Say so: --as NAME or VERSIOND_ACTOR; or --shared for the last version of anybody.")
    }

    /// An undo, with what to type next if there is nothing of one's own.
    fileprivate func undone(
        _ document: DocumentAddress, by name: String?,
        _ body: @autoclosure () throws(Trouble) -> JSON
    ) throws(Trouble) -> JSON {
        do throws(Trouble) { return try found(document.name, try body()) } catch {
            guard error.status == .nothing, name != nil else { throw error }
            let version = try? json(document.path + "/status")["version"]?.int
            let list = version.flatMap { version in
                try? json(
                    document.path + "/versions", [("cursor", "\(version + 1)"), ("limit", "1")])
            }
            guard let last = list?["versions"]?[0], last["version"]?.int != 0 else { throw error }
            let row = LogRow(version: last)
            throw Trouble(
                .nothing,
                "You have nothing to undo in \(document.name). The last version is \(row.who)'s.",
                hint: "versionctl undo \(document.name) --shared   takes back version "
                    + "\(row.number) of \(row.who): \(row.what)")
        }
    }
}
